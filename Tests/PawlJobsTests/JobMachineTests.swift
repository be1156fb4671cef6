import PawlArchive
import PawlCore
import PawlEngine
import Testing

@testable import PawlJobs

@Suite("The steps of a run of jobs") struct JobMachineTests {
    private static func spec(_ change: (inout JobSpec) -> Void = { _ in }) -> JobSpec {
        var spec = JobSpec("https://a.example/f.zip")
        change(&spec)
        return spec
    }

    private static func file(_ number: Int, _ spec: JobSpec = spec(), name: String? = nil) -> JobFile {
        var spec = spec
        spec.source = .url("https://a.example/\(number)/f.zip")
        if let name { spec.fileName = name }
        return JobFile(spec: spec)
    }

    /// One of several files, with the default that skips existing files.
    private static func skipping(_ number: Int, name: String? = nil) -> JobFile {
        file(number, spec { $0.ifExists = .skip }, name: name)
    }

    private static func fetched(_ name: String, existed: Bool = false) -> FetchedFile {
        FetchedFile(
            target: FileTarget(directory: "/d", name: name), path: "/d/" + name, existed: existed, isVerified: false)
    }

    private static func archive(
        _ file: JobFile, _ fetched: FetchedFile, isWhole: Bool = false, isAlone: Bool = true
    ) -> ArchiveToUnpack {
        ArchiveToUnpack(file: fetch(file, isWhole: isWhole, isAlone: isAlone), fetched: fetched)
    }

    private static let directory = FileTarget(directory: "/d", name: "f")
    private static let inspection = Inspection(matchesDigest: nil, directory: directory, path: "f", isUnpacked: false)
    private static let failure = JobFailure.download(DownloadError(.network, "cut", recovery: .retryNow))
    private static let one = JobFileID(1)
    private static let two = JobFileID(2)

    private static func fetch(_ file: JobFile, isWhole: Bool = false, isAlone: Bool = false) -> JobFile {
        var file = file
        (file.comesWhole, file.isAlone) = (isWhole, isAlone)
        return file
    }

    /// A machine with one job that has these files, all being fetched.
    private static func machine(_ files: [JobFile], failsFast: Bool = false, maximumFetching: Int = .max) -> JobMachine
    {
        var rules = JobMachine.Rules()
        rules.failsFast = failsFast
        rules.maximumFetching = maximumFetching
        var machine = JobMachine([spec()], rules: rules)
        #expect(machine.handle(.start) == [.resolve(index: 0, spec())])
        let actions = machine.handle(.found(index: 0, files))
        #expect(
            actions.filter { if case .fetch = $0 { true } else { false } }.count == min(files.count, maximumFetching))
        return machine
    }

    private static func unpacked(_ change: (inout Unpacking) -> Void = { _ in }) -> JobSpec {
        spec {
            $0.ifExists = .skip
            var unpacking = Unpacking()
            change(&unpacking)
            $0.unpacking = unpacking
        }
    }

    // MARK: Resolving

    @Test func `nothing is fetched before every job is resolved`() {
        var machine = JobMachine([Self.spec(), Self.spec()])
        #expect(machine.handle(.start) == [.resolve(index: 0, Self.spec()), .resolve(index: 1, Self.spec())])
        #expect(machine.handle(.found(index: 1, [Self.file(2), Self.file(3)])) == [])
        #expect(
            machine.handle(.found(index: 0, [Self.file(1)])) == [
                .publish(.planned([Self.skipping(1), Self.skipping(2), Self.skipping(3)], repeated: 0)),
                .fetch(Self.one, Self.fetch(Self.skipping(1))),
                .fetch(Self.two, Self.fetch(Self.skipping(2))), .fetch(JobFileID(3), Self.fetch(Self.skipping(3))),
            ])
        #expect(machine.files.map(\.url) == (1...3).map { "https://a.example/\($0)/f.zip" })
    }

    @Test func `of many jobs so many are resolved at a time`() {
        var machine = JobMachine(Array(repeating: Self.spec(), count: 100))
        #expect(machine.handle(.start) == (0..<64).map { .resolve(index: $0, Self.spec()) })
        #expect(machine.handle(.found(index: 5, [Self.file(5)])) == [.resolve(index: 64, Self.spec())])
        for index in 6..<100 { _ = machine.handle(.found(index: index, [Self.file(index)])) }
        #expect(machine.handle(.stop) == (0..<5).map { .stopResolving(index: $0) } + [.publish(.finished)])
    }

    @Test func `of many files so many are fetched at a time, in their order`() {
        var machine = Self.machine((1...5).map { Self.file($0) }, maximumFetching: 2)
        let ids = (1...5).map { JobFileID($0) }
        // One that is paused before its turn is fetched when it is resumed, after the others.
        #expect(machine.handle(.pause(ids[2])) == [.publish(.paused(ids[2]))])
        #expect(
            machine.handle(.fetched(ids[0], Self.fetched("a"))).last == .fetch(ids[3], Self.fetch(Self.skipping(4))))
        #expect(machine.handle(.resume(ids[2])) == [.publish(.resumed(ids[2]))])
        #expect(machine.handle(.fetchFailed(ids[1], Self.failure)).last == .fetch(ids[4], Self.fetch(Self.skipping(5))))
        #expect(
            machine.handle(.fetched(ids[3], Self.fetched("d"))).last == .fetch(ids[2], Self.fetch(Self.skipping(3))))
        #expect(machine.handle(.cancel(ids[2])) == [.stopFetch(ids[2])])
        #expect(machine.handle(.stop) == [.stopFetch(ids[4])])
    }

    @Test func `an unreadable document ends the run before any fetch`() {
        var machine = JobMachine([Self.spec(), Self.spec()])
        _ = machine.handle(.start)
        #expect(
            machine.handle(.notResolved(index: 0, Self.failure)) == [
                .stopResolving(index: 1), .publish(.refused(Self.failure)), .publish(.finished),
            ])
        #expect(machine.handle(.found(index: 1, [Self.file(1)])) == [])
    }

    @Test func `equal files are fetched once, and two files with one target are refused`() {
        var repeated = JobMachine([Self.spec()])
        _ = repeated.handle(.start)
        let actions = repeated.handle(
            .found(index: 0, [Self.file(1, name: "a"), Self.file(1, name: "a"), Self.file(2)]))
        #expect(
            actions == [
                .publish(.planned([Self.skipping(1, name: "a"), Self.skipping(2)], repeated: 1)),
                .fetch(Self.one, Self.fetch(Self.skipping(1, name: "a"))),
                .fetch(Self.two, Self.fetch(Self.skipping(2))),
            ])

        var clashing = JobMachine([Self.spec()])
        _ = clashing.handle(.start)
        let (first, second) = (Self.skipping(1, name: "a"), Self.skipping(2, name: "a"))
        #expect(
            clashing.handle(.found(index: 0, [first, second]))
                == [.publish(.refused(.sameTarget(first, second))), .publish(.finished)])
        // Files that `.rename` gives new names do not clash.
        let renamed = Self.spec { $0.options.ifExists = .rename }
        _ = Self.machine([Self.file(1, renamed, name: "a"), Self.file(2, renamed, name: "a")])
    }

    @Test func `existing files are skipped by default if there are several or they are unpacked`() {
        func planned(_ files: [JobFile]) -> [ExistingFilePolicy?] {
            var machine = JobMachine([Self.spec()])
            _ = machine.handle(.start)
            guard case .publish(.planned(let planned, _))? = machine.handle(.found(index: 0, files)).first else {
                return []
            }
            return planned.map(\.spec.ifExists)
        }
        #expect(planned([Self.file(1)]) == [nil])
        #expect(planned([Self.file(1), Self.file(2)]) == [.skip, .skip])
        #expect(planned([Self.file(1, Self.spec { $0.ifExists = .fail }), Self.file(2)]) == [.fail, .skip])
        #expect(planned([Self.file(1, Self.spec { $0.options.onlyIfNewer = true }), Self.file(2)]) == [nil, .skip])
        #expect(planned([Self.file(1, Self.spec { $0.unpacking = Unpacking() })]) == [.skip])
        #expect(
            planned([
                Self.file(
                    1,
                    Self.spec {
                        $0.unpacking = Unpacking()
                        $0.members = ["a"]
                    })
            ]) == [nil])
    }

    @Test func `a selection that matches nothing in any document is refused`() {
        let jobs = ["1", "2"].map { JobSpec(.metalink($0, select: ["a", "b"])) }
        var machine = JobMachine(jobs)
        _ = machine.handle(.start)
        #expect(machine.handle(.found(index: 0, [Self.file(1)], unused: ["b"])) == [])
        #expect(machine.handle(.found(index: 1, [Self.file(2)], unused: ["a"])).last != .publish(.finished))
        var useless = JobMachine(jobs)
        _ = useless.handle(.start)
        _ = useless.handle(.found(index: 0, [Self.file(1)], unused: ["b"]))
        #expect(
            useless.handle(.found(index: 1, [], unused: ["a", "b"])) == [
                .publish(.refused(.selectsNothing("b"))), .publish(.finished),
            ])
    }

    @Test func `a run that only plans ends after planning`() {
        var rules = JobMachine.Rules()
        rules.onlyPlans = true
        var machine = JobMachine([Self.spec()], rules: rules)
        _ = machine.handle(.start)
        #expect(
            machine.handle(.found(index: 0, [Self.file(1)])) == [
                .publish(.planned([Self.file(1)], repeated: 0)), .publish(.finished),
            ])
    }

    // MARK: Targets

    @Test func `a name that another file's partial file has is refused before anything starts`() {
        func refusal(_ names: String...) -> JobFailure? {
            var machine = JobMachine([Self.spec()])
            _ = machine.handle(.start)
            let files = names.enumerated().map { Self.file($0 + 1, name: $1) }
            guard case .publish(.refused(let failure))? = machine.handle(.found(index: 0, files)).first else {
                return nil
            }
            return failure
        }
        for names in [("q.part", "q"), ("q", "q.part")] {
            let failure = refusal(names.0, names.1)
            #expect(failure?.code == "fileExists" && failure?.message.contains("partial file of “q”") == true)
        }
        #expect(refusal("q", "q.pawl") == .download(.reservedName("q.pawl")))
        // The first in the list is named, whichever document was read first.
        var machine = JobMachine([Self.spec(), Self.spec()])
        _ = machine.handle(.start)
        _ = machine.handle(.found(index: 1, [Self.file(2, name: "b.pawl")]))
        #expect(
            machine.handle(.found(index: 0, [Self.file(1, name: "a.pawl")])).first
                == .publish(.refused(.download(.reservedName("a.pawl")))))
        #expect(refusal("q.part", "r") == nil)
    }

    @Test(arguments: [false, true])
    func `a path is the file or the directory of whichever is first in the list`(directoryIsFirst: Bool) {
        func file(_ url: String, _ names: String...) -> JobFile {
            var spec = JobSpec(url)
            spec.directory = "d/" + names.joined(separator: "/")
            return JobFile(spec: spec, nesting: JobFile.Nesting(names: names, directory: "d"))
        }
        let files = [file("http://h/a", "h"), file("http://h/a/b", "h", "a")]
        var machine = JobMachine([Self.spec()])
        _ = machine.handle(.start)
        let actions = machine.handle(.found(index: 0, directoryIsFirst ? files.reversed() : files))
        #expect(actions.count { if case .fetch(Self.one, _) = $0 { true } else { false } } == 1 && actions.count == 3)
        guard case .publish(.ended(Self.two, .failed(.fetch, .download(let error), _)))? = actions.last else {
            Issue.record("\(actions)")
            return
        }
        #expect(error.code == .fileExists && error.message.contains("“d/h/a”"), "\(error.message)")
    }

    @Test func `of two files that end with one target, only the first counts`() {
        for (former, later, kind) in [
            (false, false, TargetClash.Kind.replacedOther), (false, true, .madeByOther), (true, true, .bothExisted),
            (true, false, nil),
        ] {
            var machine = Self.machine([Self.file(1), Self.file(2)])
            let first = Self.fetched("a", existed: former)
            let second = Self.fetched("a", existed: later)
            #expect(machine.handle(.fetched(Self.one, first)) == [.publish(.ended(Self.one, .completed(first, nil)))])
            let outcome: JobOutcome =
                kind.map {
                    .failed(
                        .fetch, .clash(TargetClash(kind: $0, other: Self.one), with: Self.skipping(1), at: "/d/a"),
                        fetched: nil)
                }
                ?? .completed(second, nil)
            #expect(
                machine.handle(.fetched(Self.two, second)) == [
                    .publish(.ended(Self.two, outcome)), .publish(.finished),
                ])
        }
    }

    @Test func `D29 two spellings that end with one file clash, and an inode number that has passed on does not`() {
        func found(_ name: String, existed: Bool) -> FetchedFile {
            let file = Self.fetched(name, existed: existed)
            return FetchedFile(
                target: file.target, result: file.result, identity: FileIdentity(device: 1, inode: 7))
        }
        for (former, kind) in [(true, TargetClash.Kind.bothExisted), (false, .madeByOther)] {
            var machine = Self.machine([Self.file(1), Self.file(2)])
            _ = machine.handle(.fetched(Self.one, found("A.bin", existed: former)))
            let actions = machine.handle(.fetched(Self.two, found("a.bin", existed: true)))
            guard case .publish(.ended(Self.two, .failed(.fetch, .clash(let clash, _, _), _)))? = actions.first else {
                Issue.record("\(actions)")
                continue
            }
            #expect(clash == TargetClash(kind: kind, other: Self.one))
        }
        // The second file was found by its download before the news of the first, which made it, arrived.
        var late = Self.machine([Self.file(1), Self.file(2)])
        _ = late.handle(.fetched(Self.two, found("a", existed: true)))
        guard
            case .publish(.ended(Self.one, .failed(.fetch, .clash(let clash, _, _), _)))? =
                late.handle(.fetched(Self.one, found("a", existed: false))).first
        else {
            Issue.record("two URLs became one file")
            return
        }
        #expect(clash == TargetClash(kind: .foundByOther, other: Self.two))
        var machine = Self.machine([Self.file(1), Self.file(2)])
        _ = machine.handle(.fetched(Self.one, found("A.bin", existed: false)))
        let other = found("b.bin", existed: false)
        #expect(
            machine.handle(.fetched(Self.two, other)).first == .publish(.ended(Self.two, .completed(other, nil))))
    }

    // MARK: Unpacking

    @Test func `D29 a directory made in this run is not replaced under another spelling`() {
        var spec = Self.unpacked()
        spec.options.ifExists = .replace
        let place = FileIdentity(device: 1, inode: 7)
        var machine = Self.machine([Self.file(1, spec), Self.file(2, spec)])
        _ = machine.handle(.fetched(Self.one, Self.fetched("F.zip")))
        _ = machine.handle(.inspected(Self.one, Self.inspection))
        let made = UnpackedFile(Self.directory)
        _ = machine.handle(.unpacked(Self.one, UnpackedFile(target: made.target, result: made.result, identity: place)))
        _ = machine.handle(.fetched(Self.two, Self.fetched("g.zip")))
        let again = Inspection(
            matchesDigest: nil, directory: FileTarget(directory: "/d", name: "F"), path: "F", isUnpacked: false,
            identity: place)
        guard
            case .publish(.ended(Self.two, .failed(.unpack, .directoryMadeInRun("F"), _)))? =
                machine.handle(.inspected(Self.two, again)).first
        else {
            Issue.record("the directory would be replaced")
            return
        }
    }

    @Test func `archives are unpacked one after the other, and hooks run afterwards`() {
        var spec = Self.unpacked { $0.removesArchive = true }
        spec.hook = ["notify"]
        let (one, two) = (Self.file(1, spec), Self.file(2, spec))
        var machine = Self.machine([one, two])
        let (first, second) = (Self.fetched("a"), Self.fetched("b"))
        #expect(
            machine.handle(.fetched(Self.two, second)) == [
                .publish(.fetched(Self.two, second)),
                .inspect(Self.two, Self.archive(two, second, isAlone: false), digest: nil),
            ])
        #expect(machine.handle(.fetched(Self.one, first)) == [.publish(.fetched(Self.one, first))])
        #expect(
            machine.handle(.inspected(Self.two, Self.inspection)) == [
                .unpack(Self.two, Self.archive(two, second, isAlone: false), ifExists: .fail)
            ])
        let unpacked = UnpackedFile(Self.directory)
        #expect(
            machine.handle(.unpacked(Self.two, unpacked)) == [
                .publish(.removesArchive(Self.two, unpacked)), .removeArchive(Self.two, second),
            ])
        let outcome = JobOutcome.completed(second, unpacked)
        #expect(
            machine.handle(.archiveRemoved(Self.two)) == [
                .publish(.unpacked(Self.two, unpacked)), .publish(.ended(Self.two, outcome)),
                .runHook(Self.two, two, outcome),
                .inspect(Self.one, Self.archive(one, first, isAlone: false), digest: nil),
            ])
        #expect(machine.handle(.hookEnded(Self.two, .exited(1))) == [.publish(.hookEnded(Self.two, .exited(1)))])
    }

    @Test func `an archive from before the run is compared, and skipped if already unpacked`() throws {
        let digest = try Digest(parsing: "md5:0123456789abcdef0123456789abcdef")
        var spec = Self.unpacked { $0.removesArchive = true }
        let there = Self.fetched("a", existed: true)
        var unknown = Self.machine([Self.file(1, spec)])
        let plain = Self.file(1, spec)
        #expect(
            unknown.handle(.fetched(Self.one, there)) == [
                .publish(.fetched(Self.one, there)), .inspect(Self.one, Self.archive(plain, there), digest: nil),
            ])
        #expect(
            unknown.handle(.inspected(Self.one, Self.inspection)) == [
                .unpack(Self.one, Self.archive(plain, there), ifExists: .fail)
            ])
        // The existing archive may belong to someone else, so it is kept.
        #expect(
            unknown.handle(.unpacked(Self.one, UnpackedFile(Self.directory))).first
                == .publish(.archiveKept(Self.one, path: "/d/a")))

        spec.options.digest = digest
        var known = Self.machine([Self.file(1, spec)])
        let file = Self.file(1, spec)
        #expect(
            known.handle(.fetched(Self.one, there)) == [
                .publish(.fetched(Self.one, there)), .inspect(Self.one, Self.archive(file, there), digest: digest),
            ])
        let left = UnpackedFile(Self.directory, isSkipped: true)
        let same = Inspection(matchesDigest: true, directory: Self.directory, isUnpacked: true)
        #expect(
            known.handle(.inspected(Self.one, same)) == [.unpack(Self.one, Self.archive(file, there), ifExists: .skip)])
        #expect(
            known.handle(.unpacked(Self.one, left)) == [
                .publish(.unpacked(Self.one, left)), .publish(.ended(Self.one, .completed(there, left))),
                .publish(.finished),
            ])

        var wrong = Self.machine([Self.file(1, spec)])
        _ = wrong.handle(.fetched(Self.one, there))
        let other = Inspection(matchesDigest: false, directory: Self.directory, isUnpacked: false)
        #expect(
            wrong.handle(.inspected(Self.one, other)).first
                == .publish(.ended(Self.one, .failed(.verify, .existingFileDiffers("/d/a"), fetched: there))))
    }

    @Test func `a directory made in this run is not replaced`() {
        var spec = Self.unpacked()
        spec.options.ifExists = .replace
        var machine = Self.machine([Self.file(1, spec), Self.file(2, spec)])
        _ = machine.handle(.fetched(Self.one, Self.fetched("a")))
        #expect(
            machine.handle(.inspected(Self.one, Self.inspection)) == [
                .unpack(
                    Self.one, Self.archive(Self.file(1, spec), Self.fetched("a"), isAlone: false), ifExists: .replace)
            ])
        _ = machine.handle(.unpacked(Self.one, UnpackedFile(Self.directory)))
        let second = Self.fetched("b")
        _ = machine.handle(.fetched(Self.two, second))
        #expect(
            machine.handle(.inspected(Self.two, Self.inspection)).first
                == .publish(.ended(Self.two, .failed(.unpack, .directoryMadeInRun("f"), fetched: second))))
    }

    @Test
    func `if members cannot be fetched alone the whole archive is, unless the file name was meant for the member`() {
        var spec = Self.unpacked()
        spec.members = ["*.txt"]
        spec.acceptsWholeArchive = true
        var machine = Self.machine([Self.file(1, spec)])
        #expect(
            machine.handle(.membersNotAvailable(Self.one, Self.failure)) == [
                .publish(.fetchesWhole(Self.one)),
                .fetch(Self.one, Self.fetch(Self.file(1, spec), isWhole: true, isAlone: true)),
            ])
        let fetched = Self.fetched("a")
        #expect(
            machine.handle(.fetched(Self.one, fetched)) == [
                .publish(.fetched(Self.one, fetched)),
                .inspect(Self.one, Self.archive(Self.file(1, spec), fetched, isWhole: true), digest: nil),
            ])

        var alone = Self.machine([Self.file(1, spec)])
        #expect(alone.handle(.fetched(Self.one, Self.fetched("a"))).last == .publish(.finished))

        var strict = spec
        strict.acceptsWholeArchive = false
        var refused = Self.machine([Self.file(1, strict)])
        #expect(refused.handle(.membersNotAvailable(Self.one, Self.failure)).last == .publish(.finished))

        spec.fileName = "member.txt"
        var named = Self.machine([Self.file(1, spec)])
        #expect(
            named.handle(.membersNotAvailable(Self.one, Self.failure)).first
                == .publish(.ended(Self.one, .failed(.fetch, Self.failure, fetched: nil))))
    }

    // MARK: Stopping

    @Test func `the first failure stops all other files if the run is to fail fast`() {
        var machine = Self.machine([Self.file(1), Self.file(2)], failsFast: true)
        #expect(
            machine.handle(.fetchFailed(Self.one, Self.failure)) == [
                .publish(.ended(Self.one, .failed(.fetch, Self.failure, fetched: nil))), .stopFetch(Self.two),
            ])
        #expect(
            machine.handle(.fetchStopped(Self.two)) == [
                .publish(.ended(Self.two, .stopped(.fetch, fetched: nil))), .publish(.finished),
            ])
    }

    @Test func `files that have not begun are told of at once when everything is stopped`() {
        var machine = Self.machine((1...5).map { Self.file($0) }, maximumFetching: 2)
        // One that waits again was begun.
        _ = machine.handle(.pause(Self.two))
        _ = machine.handle(.fetchStopped(Self.two))
        _ = machine.handle(.resume(Self.two))
        #expect(
            machine.handle(.stop) == [
                .publish(.neverBegun(2)), .stopFetch(Self.one),
                .publish(.ended(Self.two, .stopped(.fetch, fetched: nil))), .stopFetch(JobFileID(3)),
            ])
        _ = machine.handle(.fetchStopped(Self.one))
        #expect(machine.handle(.fetchStopped(JobFileID(3))).last == .publish(.finished))
    }

    @Test func `a run ends when every file waits for space`() {
        let full = DownloadError(.diskFull, "full", recovery: .retryAfter(nil))
        var machine = Self.machine([Self.file(1), Self.file(2)])
        #expect(machine.handle(.waitsForSpace(Self.one, full)) == [])
        #expect(machine.handle(.waitsForSpace(Self.one, nil)) == [])
        #expect(machine.handle(.waitsForSpace(Self.two, full)) == [])
        #expect(machine.handle(.waitsForSpace(Self.one, full)) == [.stopFetch(Self.one), .stopFetch(Self.two)])
        let outcome = JobOutcome.failed(.fetch, .download(full), fetched: nil)
        #expect(machine.handle(.fetchStopped(Self.one)) == [.publish(.ended(Self.one, outcome))])
        // A fetch that ended otherwise reports its own outcome.
        #expect(
            machine.handle(.fetchFailed(Self.two, Self.failure)) == [
                .publish(.ended(Self.two, .failed(.fetch, Self.failure, fetched: nil))), .publish(.finished),
            ])
    }

    @Test func `when all that are fetched wait for space, they end and the next ones are tried`() {
        let full = DownloadError(.diskFull, "full", recovery: .retryAfter(nil))
        let small = DownloadError(.diskFull, "still full", recovery: .retryAfter(nil))
        var machine = Self.machine((1...4).map { Self.file($0) }, maximumFetching: 2)
        let (three, four) = (JobFileID(3), JobFileID(4))
        func failed(_ id: JobFileID, _ error: DownloadError) -> JobMachineAction {
            .publish(.ended(id, .failed(.fetch, .download(error), fetched: nil)))
        }
        #expect(machine.handle(.waitsForSpace(Self.one, full)) == [])
        #expect(machine.handle(.waitsForSpace(Self.two, full)) == [.stopFetch(Self.one), .stopFetch(Self.two)])
        #expect(
            machine.handle(.fetchStopped(Self.one)) == [
                failed(Self.one, full), .fetch(three, Self.fetch(Self.skipping(3))),
            ])
        // This one ends for a reason of its own, and the other one was told already.
        #expect(machine.handle(.waitsForSpace(three, small)) == [.stopFetch(three)])
        #expect(
            machine.handle(.fetchStopped(Self.two)) == [
                failed(Self.two, full), .fetch(four, Self.fetch(Self.skipping(4))),
            ])
        #expect(machine.handle(.fetchStopped(three)) == [failed(three, small)])
        #expect(machine.handle(.fetched(four, Self.fetched("d"))).last == .publish(.finished))
    }

    @Test func `files that wait for space end when the last other file has ended`() {
        let full = DownloadError(.diskFull, "full", recovery: .retryAfter(nil))
        var machine = Self.machine([Self.file(1), Self.file(2)])
        #expect(machine.handle(.waitsForSpace(Self.one, full)) == [])
        #expect(machine.handle(.fetchFailed(Self.two, Self.failure)).last == .stopFetch(Self.one))

        // A file that completed anyway no longer waits for space.
        var unpacking = Self.machine([Self.file(1, Self.unpacked())])
        #expect(unpacking.handle(.waitsForSpace(Self.one, full)) == [.stopFetch(Self.one)])
        _ = unpacking.handle(.fetched(Self.one, Self.fetched("a")))
        _ = unpacking.handle(.pause(Self.one))
        #expect(unpacking.handle(.unpackingStopped(Self.one)) == [.publish(.paused(Self.one))])
    }

    @Test func `notices about documents are published, but not after the end`() {
        var machine = JobMachine([Self.spec(), Self.spec()])
        _ = machine.handle(.start)
        #expect(machine.handle(.found(index: 0, [], notices: ["odd"])) == [.publish(.noticed(index: 0, ["odd"]))])
        #expect(machine.handle(.stop).last == .publish(.finished))
        #expect(machine.handle(.found(index: 1, [], notices: ["odd"])) == [])
    }

    @Test func `an archive that changed after its fetch is not unpacked`() {
        var machine = Self.machine([Self.file(1, Self.unpacked())])
        let fetched = Self.fetched("a")
        _ = machine.handle(.fetched(Self.one, fetched))
        var inspection = Self.inspection
        inspection.isUnchanged = false
        #expect(
            machine.handle(.inspected(Self.one, inspection)).first
                == .publish(.ended(Self.one, .failed(.verify, .changedSinceFetched("/d/a"), fetched: fetched))))
    }

    @Test(arguments: [Unpacking(), nil])
    func `a directory of members fetched in this run is not replaced`(_ unpacking: Unpacking?) {
        var alone = Self.unpacked()
        (alone.members, alone.unpacking) = (["*.txt"], unpacking)
        var archive = Self.unpacked()
        archive.options.ifExists = .replace
        var machine = Self.machine([Self.file(1, alone), Self.file(2, archive)])
        _ = machine.handle(
            .fetched(Self.one, FetchedFile(target: Self.directory, path: "/d/f", existed: false, isVerified: false)))
        let second = Self.fetched("b")
        _ = machine.handle(.fetched(Self.two, second))
        #expect(
            machine.handle(.inspected(Self.two, Self.inspection)).first
                == .publish(.ended(Self.two, .failed(.unpack, .directoryMadeInRun("f"), fetched: second))))
    }

    @Test func `a paused file resumes with the step it was in`() {
        let file = Self.file(1, Self.unpacked())
        var machine = Self.machine([file])
        #expect(machine.handle(.pause(Self.one)) == [.stopFetch(Self.one)])
        #expect(machine.handle(.fetchStopped(Self.one)) == [.publish(.paused(Self.one))])
        #expect(
            machine.handle(.resume(Self.one)) == [
                .publish(.resumed(Self.one)), .fetch(Self.one, Self.fetch(file, isAlone: true)),
            ])
        // Resume before the fetch has stopped.
        #expect(machine.handle(.pause(Self.one)) == [.stopFetch(Self.one)])
        #expect(machine.handle(.resume(Self.one)) == [])
        #expect(machine.handle(.fetchStopped(Self.one)) == [.fetch(Self.one, Self.fetch(file, isAlone: true))])
        _ = machine.handle(.fetched(Self.one, Self.fetched("a")))
        _ = machine.handle(.inspected(Self.one, Self.inspection))
        #expect(machine.handle(.pause(Self.one)) == [.stopUnpacking(Self.one)])
        #expect(machine.handle(.unpackingStopped(Self.one)) == [.publish(.paused(Self.one))])
        #expect(
            machine.handle(.resume(Self.one)) == [
                .publish(.resumed(Self.one)), .inspect(Self.one, Self.archive(file, Self.fetched("a")), digest: nil),
            ])
        #expect(machine.handle(.cancel(Self.one)) == [.stopUnpacking(Self.one)])
        #expect(
            machine.handle(.unpackingStopped(Self.one)) == [
                .publish(.ended(Self.one, .stopped(.unpack, fetched: Self.fetched("a")))), .publish(.finished),
            ])
    }
}
