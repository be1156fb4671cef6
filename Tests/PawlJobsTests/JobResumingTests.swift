import Pawl
import PawlArchive
import PawlCore
import Testing

@testable import PawlJobs

/// Runs that another process resumes by their record.
@Suite struct JobResumingTests {
    private static let one = JobFileID(1)
    private static let two = JobFileID(2)
    private static let directory = FileTarget(directory: "/d", name: "f")

    private static func file(_ number: UInt8 = 1, removesArchive: Bool? = nil, hook: [String] = []) -> JobFile {
        var spec = JobSpec("http://a.example/\(number)")
        spec.unpacking = removesArchive.map {
            var unpacking = Unpacking()
            unpacking.removesArchive = $0
            return unpacking
        }
        spec.hook = hook
        spec.source = .url("http://a.example/\(number)")
        return JobFile(spec: spec)
    }

    private static func fetched(_ name: String, existed: Bool = false) -> FetchedFile {
        FetchedFile(
            target: FileTarget(directory: "/d", name: name), path: "/d/" + name, existed: existed, isVerified: false)
    }

    /// Runs a machine up to the given events, and returns a second one that has been started with the record of the
    /// first.
    private static func resumed(
        _ files: [JobFile], _ events: [JobMachineEvent]
    ) -> (machine: JobMachine, actions: [JobMachineAction]) {
        var (machine, record) = (JobMachine([JobSpec("http://a.example/")]), RunRecord())
        for event in [.start, .found(index: 0, files)] + events {
            for case .publish(let news) in machine.handle(event) { _ = record.handle(news) }
        }
        var next = JobMachine(resuming: record.files ?? [])
        let actions = next.handle(.start)
        return (next, actions)
    }

    private static func fetch(_ file: JobFile, isAlone: Bool = true) -> JobMachineAction {
        var file = file
        file.isAlone = isAlone
        return .fetch(one, file)
    }

    @Test func `a file that was being fetched is fetched, without resolving its job again`() {
        let file = Self.file()
        #expect(Self.resumed([file], []).actions == [Self.fetch(file)])
    }

    @Test func `an archive that is fetched whole keeps what an earlier process has fetched of it`() {
        var record = RunRecord.File(Self.file())
        record.fetchesWhole = true
        var machine = JobMachine(resuming: [record])
        guard case .fetch(_, let file)? = machine.handle(.start).first else {
            Issue.record("nothing is fetched")
            return
        }
        #expect(file.comesWhole && file.spec.ifExists == .skip)
    }

    @Test func `a file that has ended is left, and the rest goes on`() {
        var (machine, actions) = Self.resumed([Self.file(1), Self.file(2)], [.fetched(Self.two, Self.fetched("b"))])
        #expect(actions == [Self.fetch(machine.files[0], isAlone: false)])
        #expect(machine.handle(.fetched(Self.one, Self.fetched("a"))).last == .publish(.finished))
        #expect(machine.isFinished)
    }

    @Test func `a run in which every file has ended finishes at once`() {
        let failure = JobFailure.download(DownloadError(.network, "cut", recovery: .giveUp))
        #expect(Self.resumed([Self.file()], [.fetchFailed(Self.one, failure)]).actions == [.publish(.finished)])
    }

    @Test func `the target of a file that ended earlier is not given to another one`() {
        var (machine, _) = Self.resumed([Self.file(1), Self.file(2)], [.fetched(Self.two, Self.fetched("b"))])
        let ended = machine.handle(.fetched(Self.one, Self.fetched("b"))).first
        guard case .publish(.ended(Self.one, .failed(.fetch, .clash(let clash, _, _), _))) = ended else {
            Issue.record("\(String(describing: ended))")
            return
        }
        #expect(clash.other == Self.two)
    }

    @Test func `a paused file stays paused until it is resumed`() {
        let file = Self.file()
        var (machine, actions) = Self.resumed([file], [.pause(Self.one), .fetchStopped(Self.one)])
        #expect(actions == [])
        #expect(machine.handle(.resume(Self.one)) == [.publish(.resumed(Self.one)), Self.fetch(file)])
        let again = Self.resumed([file], [.pause(Self.one), .fetchStopped(Self.one), .resume(Self.one)])
        #expect(again.actions == [Self.fetch(file)])
    }

    @Test func `a file that everything was stopped for is resumed`() {
        let file = Self.file()
        #expect(Self.resumed([file], [.stop, .fetchStopped(Self.one)]).actions == [Self.fetch(file)])
    }

    @Test(arguments: [true, false])
    func `an archive that an earlier process unpacked is skipped, and removed only if it was fetched by the run`(
        existed: Bool
    ) {
        let fetched = Self.fetched("a", existed: existed)
        let inspection = Inspection(matchesDigest: nil, directory: Self.directory, isUnpacked: true)
        var (machine, actions) = Self.resumed(
            [Self.file(removesArchive: true)], [.fetched(Self.one, fetched), .inspected(Self.one, inspection)])
        let archive = ArchiveToUnpack(file: machine.files[0], fetched: fetched)
        #expect(actions == [.inspect(Self.one, archive, digest: nil)])
        #expect(machine.handle(.inspected(Self.one, inspection)) == [.unpack(Self.one, archive, ifExists: .skip)])
        let unpacked = UnpackedFile(Self.directory, isSkipped: true)
        let removal: [JobMachineAction] = [
            .publish(.removesArchive(Self.one, unpacked)), .removeArchive(Self.one, fetched),
        ]
        let end: [JobMachineAction] = [
            .publish(.unpacked(Self.one, unpacked)), .publish(.ended(Self.one, .completed(fetched, unpacked))),
            .publish(.finished),
        ]
        #expect(machine.handle(.unpacked(Self.one, unpacked)) == (existed ? end : removal))
        if !existed { #expect(machine.handle(.archiveRemoved(Self.one)) == end) }
    }

    @Test func `an archive that may be cut off is not unpacked by another process either`() {
        var fetched = RunRecord.File(Self.file(removesArchive: true))
        let target = FileTarget(directory: "/d", name: "a")
        fetched.fetched = FetchedFile(
            target: target, path: "/d/a", existed: false, isVerified: false, isComplete: false)
        var machine = JobMachine(resuming: [fetched])
        let failure = JobFailure.mayBeCutOff("/d/a")
        #expect(
            machine.handle(.start) == [
                .publish(.ended(Self.one, .failed(.unpack, failure, fetched: fetched.fetched))), .publish(.finished),
            ])
    }

    /// Recorded while its archive was removed; told while its hook ran; skipped by a second process; members that were
    /// fetched alone.
    @Test(arguments: ["removing", "hook", "skipped", "members"])
    func `a directory that an earlier process made is not replaced by another archive`(_ story: String) {
        var made = RunRecord.File(Self.file(1, removesArchive: true, hook: story == "hook" ? ["notify"] : []))
        var waiting = RunRecord.File(Self.file(2, removesArchive: false))
        waiting.file.spec.ifExists = .replace
        waiting.fetched = Self.fetched("b")
        let fetched = Self.fetched(story == "members" ? "f" : "a")
        let unpacked = UnpackedFile(Self.directory, isSkipped: story == "skipped")
        made.fetched = fetched
        switch story {
        case "removing", "skipped": made.unpacked = unpacked
        case "hook": made.outcome = .completed(fetched, unpacked)
        default:
            made.file.spec.members = ["*.txt"]
            (made.outcome, made.hasEnded) = (.completed(fetched, nil), true)
        }
        var machine = JobMachine(resuming: [made, waiting])
        _ = machine.handle(.start)
        if made.unpacked != nil { _ = machine.handle(.archiveRemoved(Self.one)) }
        let inspection = Inspection(matchesDigest: nil, directory: Self.directory, path: "/d/f", isUnpacked: false)
        let actions = machine.handle(.inspected(Self.two, inspection))
        #expect(
            actions.first
                == .publish(.ended(Self.two, .failed(.unpack, .directoryMadeInRun("/d/f"), fetched: waiting.fetched))))
    }

    @Test func `the removal of an archive is taken up again, and nothing before it`() {
        let (file, fetched, unpacked) = (
            Self.file(removesArchive: true), Self.fetched("a"), UnpackedFile(Self.directory)
        )
        let inspection = Inspection(matchesDigest: nil, directory: Self.directory, isUnpacked: false)
        let (_, actions) = Self.resumed(
            [file], [.fetched(Self.one, fetched), .inspected(Self.one, inspection), .unpacked(Self.one, unpacked)])
        #expect(actions == [.removeArchive(Self.one, fetched)])
    }

    @Test func `a hook that was cut off runs again, and one that has run does not`() {
        let file = Self.file(hook: ["notify"])
        var (machine, actions) = Self.resumed([file], [.fetched(Self.one, Self.fetched("a"))])
        let outcome = JobOutcome.completed(Self.fetched("a"), nil)
        // Alone: the hook may have moved the file, which must not be fetched again.
        #expect(actions == [.runHook(Self.one, machine.files[0], outcome)])
        #expect(
            machine.handle(.hookEnded(Self.one, .exited(0))) == [
                .publish(.hookEnded(Self.one, .exited(0))), .publish(.finished),
            ])
        let after = Self.resumed([file], [.fetched(Self.one, Self.fetched("a")), .hookEnded(Self.one, .exited(0))])
        #expect(after.actions == [.publish(.finished)])
    }

    @Test func `a run that is stopped before it is started ends its open files as stopped`() {
        var (first, record) = (JobMachine([JobSpec("http://a.example/")]), RunRecord())
        for event in [JobMachineEvent.start, .found(index: 0, [Self.file()])] {
            for case .publish(let news) in first.handle(event) { _ = record.handle(news) }
        }
        var machine = JobMachine(resuming: record.files ?? [])
        #expect(
            machine.handle(.stop) == [.publish(.ended(Self.one, .stopped(.fetch, fetched: nil))), .publish(.finished)])
        #expect(machine.handle(.start) == [])
    }

    @Test func `a refused run has no files to resume`() {
        var (machine, record) = (JobMachine([JobSpec("http://a.example/")]), RunRecord())
        _ = machine.handle(.start)
        let failure = JobFailure.download(DownloadError(.network, "cut", recovery: .giveUp))
        #expect(record.files == nil)
        for case .publish(let news) in machine.handle(.notResolved(index: 0, failure)) { _ = record.handle(news) }
        #expect(record.files == [])
    }
}
