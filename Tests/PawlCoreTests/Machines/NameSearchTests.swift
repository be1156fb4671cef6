import Testing

@testable import PawlCore

@Suite("The search for a file's name")
struct NameSearchTests {
    private let one = Representation(total: 1000, entityTag: EntityTag(parsing: "\"one\""))

    private func search(
        _ suggested: String = "a.bin", known: String? = nil, chosen: String? = nil, renamesTaken: Bool = false,
        _ change: (inout DownloadSettings) -> Void = { _ in }
    ) throws -> NameSearch {
        var settings = DownloadSettings(url: try HTTPURL(parsing: "http://origin.example/a.bin"))
        settings.ifExists = .fail
        change(&settings)
        let rules = NamingRules(settings, chosen: chosen, renamesTaken: renamesTaken)
        return NameSearch(for: one, suggested: suggested, known: known, rules)
    }

    private func journal(tag: String, isProven: Bool) -> DownloadMachine.Recovered {
        let held = Representation(total: 1000, entityTag: EntityTag(parsing: tag))
        return .journal(
            held, durable: RangeSet(ByteRange(0..<500)), isVerified: false,
            origin: isProven ? .sameRequest : .otherSecrets)
    }

    private func error(_ step: NameSearch.Step) -> DownloadError? {
        if case .fail(let error) = step { error } else { nil }
    }

    // MARK: Free names

    @Test func `the server-chosen name is reserved, examined and created`() throws {
        var search = try search()
        #expect(search.firstStep == .reserve("a.bin"))
        #expect(search.handle(.reserved) == .examine("a.bin", isSpare: false))
        #expect(search.handle(.free("a.bin")) == .create("a.bin"))
        #expect(search.handle(.created) == .conclude(.ready, name: "a.bin"))
    }

    @Test func `a name that was fixed before the request is created at once`() throws {
        var search = try search("from server", known: "mine", chosen: "mine")
        #expect(search.firstStep == .create("mine"))
        #expect(search.handle(.created) == .conclude(.ready, name: "mine"))
    }

    @Test func `the next free name on the disk is also reserved, and skipped if another download has it`() throws {
        var search = try search { $0.ifExists = .rename }
        _ = search.handle(.reserved)
        #expect(search.handle(.free("a (3).bin")) == .reserve("a (3).bin"))
        var other = search
        #expect(search.handle(.reserved) == .create("a (3).bin"))
        #expect(search.handle(.created) == .conclude(.ready, name: "a (3).bin"))
        #expect(other.handle(.reservedByAnother) == .reserve("a (1).bin"))
        #expect(other.handle(.reserved) == .examine("a (1).bin", isSpare: true), "it is not known to be free")
    }

    // MARK: Names of other downloads

    @Test func `a name reserved by another download of this process is an error unless the name may change`() throws {
        var search = try search()
        let error = error(search.handle(.reservedByAnother))
        #expect(error?.code == .fileExists && error?.remedies == [.renameIfExists, .chooseName])
        #expect(error?.message.contains("“a.bin”") == true)
    }

    @Test(arguments: [true, false])
    func `where existing files are skipped, a name that another download has is looked for on the disk`(
        exists: Bool
    ) throws {
        var search = try search() { $0.ifExists = .skip }
        #expect(search.handle(.reservedByAnother) == .compare("a.bin"))
        let step = search.handle(.version(exists ? TargetVersion(modified: 0) : nil))
        #expect(exists ? step == .conclude(.skipped(.exists), name: "a.bin") : error(step)?.code == .fileExists)
    }

    @Test(arguments: [true, false])
    func `if the name may change, further names are tried until one is free`(renamesTaken: Bool) throws {
        var search = try search(renamesTaken: renamesTaken) { if !renamesTaken { $0.ifExists = .rename } }
        #expect(search.handle(.reservedByAnother) == .reserve("a (1).bin"))
        #expect(search.handle(.reservedByAnother) == .reserve("a (2).bin"))
        #expect(search.handle(.reserved) == .examine("a (2).bin", isSpare: true))
        #expect(search.handle(.taken) == .reserve("a (3).bin"))
        #expect(search.handle(.reserved) == .examine("a (3).bin", isSpare: true))
        #expect(search.handle(.free("a (3).bin")) == .create("a (3).bin"))
    }

    @Test func `the search fails after 10,000 changed names`() throws {
        var search = try search(renamesTaken: true)
        var step = search.firstStep
        var names: Set<String> = []
        while case .reserve(let name) = step, names.count <= 10_001 {
            names.insert(name)
            step = search.handle(.reservedByAnother)
        }
        #expect(names.count == 10_001 && names.contains("a.bin") && names.contains("a (10000).bin"))
        #expect(error(step)?.code == .fileExists)
    }

    // MARK: Existing files

    @Test func `a complete existing file ends the download under the file's name`() throws {
        var search = try search { $0.ifExists = .skip }
        _ = search.handle(.reserved)
        #expect(search.handle(.present("a.bin")) == .conclude(.skipped(.exists), name: "a.bin"))
    }

    @Test func `P08 what an earlier process has made of this very download is its result, and no file that was there`()
        throws
    {
        for policy in [ExistingFilePolicy.fail, .skip, .replace, .rename] {
            var search = try search { $0.ifExists = policy }
            _ = search.handle(.reserved)
            #expect(search.handle(.own("a.bin")) == .conclude(.finished, name: "a.bin"))
        }
    }

    @Test func `a file that another process has just completed is examined again by the next attempt`() throws {
        var search = try search { $0.ifExists = .rename }
        _ = search.handle(.reserved)
        let error = error(search.handle(.finished))
        #expect(error?.code == .locked && error?.recovery == .retryNow)
    }

    @Test(arguments: [true, false])
    func `bytes of the same file are resumed, and so are bytes that a digest will decide about`(isSame: Bool) throws {
        var search = try search { $0.digest = Digest(algorithm: .sha256, bytes: [UInt8](repeating: 1, count: 32)) }
        _ = search.handle(.reserved)
        let step = search.handle(.resumable("a.bin", journal(tag: isSame ? "\"one\"" : "\"two\"", isProven: false)))
        let durable = RangeSet(ByteRange(0..<500))
        #expect(step == .conclude(.resumed(durable, isProven: isSame), name: "a.bin"))
    }

    @Test(arguments: [true, false])
    func `bytes that may belong to another file are left alone: the search fails or chooses another name`(
        mayRename: Bool
    ) throws {
        var search = try search(renamesTaken: mayRename)
        _ = search.handle(.reserved)
        let step = search.handle(.resumable("a.bin", journal(tag: "\"two\"", isProven: false)))
        guard !mayRename else {
            #expect(step == .reserve("a (1).bin"))
            return
        }
        #expect(error(step)?.code == .journal && error(step)?.message.contains("“a.bin.part”") == true)
        #expect(error(step)?.remedies == [.chooseName, .renameIfExists, .removePartialFile])
    }

    @Test(arguments: [true, false])
    func `a download of the same URL that another process has just begun is an error, or changes the name`(
        mayRename: Bool
    ) throws {
        for recovered in [journal(tag: "\"two\"", isProven: true), .adopted(size: 10, name: "a.bin", isTarget: true)] {
            var search = try search(renamesTaken: mayRename)
            _ = search.handle(.reserved)
            let step = search.handle(.resumable("a.bin", recovered))
            guard !mayRename else {
                #expect(step == .reserve("a (1).bin"))
                continue
            }
            #expect(error(step)?.code == .locked && error(step)?.recovery == .retryNow)
        }
    }

    // MARK: Only newer files

    @Test(arguments: [nil, "mine"])
    func `when only a newer file is wanted, the existing file is compared`(known: String?) throws {
        var search = try search(known: known, chosen: known) { ($0.onlyIfNewer, $0.ifExists) = (true, nil) }
        let name = known ?? "a.bin"
        if known == nil {
            _ = search.handle(.reserved)
            #expect(search.handle(.free(name)) == .compare(name))
        } else {
            #expect(search.firstStep == .compare(name))
        }
        let same = TargetVersion(modified: 0, entityTag: EntityTag(parsing: "\"one\""))
        let other = TargetVersion(modified: 0, entityTag: EntityTag(parsing: "\"two\""))
        var copy = search
        #expect(copy.handle(.version(same)) == .conclude(.skipped(.notNewer), name: name))
        for version in [other, nil] {
            var copy = search
            #expect(copy.handle(.version(version)) == .create(name))
        }
    }

    private static let older = TargetVersion(modified: 0, entityTag: EntityTag(parsing: "\"two\""))

    @Test func `V23 a newer file is stored as the policy for existing files says`() throws {
        func step(_ policy: ExistingFilePolicy?) throws -> NameSearch.Step {
            var search = try search(known: "mine", chosen: "mine") { ($0.onlyIfNewer, $0.ifExists) = (true, policy) }
            #expect(search.firstStep == .compare("mine"))
            return search.handle(.version(Self.older))
        }
        #expect(try step(nil) == .create("mine"))
        #expect(try step(.replace) == .create("mine"))
        #expect(try step(.rename) == .reserve("mine (1)"))
        let error = error(try step(.fail))
        #expect(error?.code == .fileExists && error?.message.contains("“mine”") == true)
        #expect(error?.remedies.contains(.replaceExisting) == true)
    }

    @Test func `V23 a newer file under another name is found again by the next run, and compared with the first name`()
        throws
    {
        var search = try search { ($0.onlyIfNewer, $0.ifExists) = (true, .rename) }
        _ = search.handle(.reserved)
        #expect(search.handle(.free("a.bin")) == .compare("a.bin"))
        #expect(search.handle(.version(Self.older)) == .reserve("a (1).bin"))
        #expect(search.handle(.reserved) == .examine("a (1).bin", isSpare: true))
        var resumed = search
        let durable = RangeSet(ByteRange(0..<500))
        #expect(
            resumed.handle(.resumable("a (1).bin", journal(tag: "\"one\"", isProven: true)))
                == .conclude(.resumed(durable, isProven: true), name: "a (1).bin"))
        #expect(search.handle(.free("a (1).bin")) == .compare("a.bin"))
        var meanwhile = search
        #expect(search.handle(.version(Self.older)) == .create("a (1).bin"))
        let current = TargetVersion(modified: 0, entityTag: EntityTag(parsing: "\"one\""))
        #expect(meanwhile.handle(.version(current)) == .conclude(.skipped(.notNewer), name: "a.bin"))
    }

    // MARK: Races between processes

    @Test
    func `another process that creates the partial file first is an error unless existing files lead to a new name`()
        throws
    {
        var search = try search(renamesTaken: true)
        _ = search.handle(.reserved)
        _ = search.handle(.free("a.bin"))
        let error = error(search.handle(.overtaken))
        #expect(error?.code == .locked && error?.remedies == [.waitForOther, .chooseName])
        #expect(error?.message.contains("“a.bin”") == true)
    }

    @Test func `M17 after a lost race, a changed name must be entirely free`() throws {
        var search = try search { $0.ifExists = .rename }
        _ = search.handle(.reserved)
        _ = search.handle(.free("a.bin"))
        #expect(search.handle(.overtaken) == .reserve("a (1).bin"))
        let findings: [NameSearch.Finding] = [
            .taken, .present("x"), .finished, .resumable("x", journal(tag: "\"one\"", isProven: true)),
        ]
        for (index, finding) in findings.enumerated() {
            #expect(search.handle(.reserved) == .examine("a (\(index + 1)).bin", isSpare: true))
            #expect(search.handle(finding) == .reserve("a (\(index + 2)).bin"))
        }
        #expect(search.handle(.reservedByAnother) == .reserve("a (6).bin"))
        _ = search.handle(.reserved)
        #expect(search.handle(.free("a (6).bin")) == .create("a (6).bin"))
        #expect(search.handle(.overtaken) == .reserve("a (7).bin"))
        _ = search.handle(.reserved)
        _ = search.handle(.free("a (7).bin"))
        #expect(search.handle(.created) == .conclude(.ready, name: "a (7).bin"))
    }

    @Test(arguments: [false, true])
    func `D41 a kept file that has become the partial file is resumed under that name, after a lost race as well`(
        decidesByDigest: Bool
    ) throws {
        var search = try search {
            $0.ifExists = .rename
            if decidesByDigest { $0.digest = Digest(algorithm: .sha256, bytes: [UInt8](repeating: 1, count: 32)) }
        }
        _ = search.handle(.reserved)
        _ = search.handle(.free("a.bin"))
        _ = search.handle(.overtaken)
        _ = search.handle(.reserved)
        #expect(search.handle(.free("a (1).bin")) == .create("a (1).bin"))
        let kept = journal(tag: decidesByDigest ? "\"two\"" : "\"one\"", isProven: false)
        #expect(
            search.handle(.reclaimed(kept))
                == .conclude(.resumed(kept.durable, isProven: !decidesByDigest), name: "a (1).bin"))
    }

    @Test func `names tried after a lost race derive from the requested name, not from the lost one`() throws {
        var changed = try search { $0.ifExists = .rename }
        _ = changed.handle(.reserved)
        _ = changed.handle(.free("a (4).bin"))
        _ = changed.handle(.reserved)
        #expect(changed.handle(.overtaken) == .reserve("a (1).bin"))
        var chosen = try search("server", known: "mine (1)", chosen: "mine") { $0.ifExists = .rename }
        #expect(chosen.handle(.overtaken) == .reserve("mine (1)"))
        var unnamed = try search("", known: "old.bin") { $0.ifExists = .rename }
        #expect(unnamed.handle(.overtaken) == .reserve("old (1).bin"))
    }

    @Test func `losing every race also ends the search`() throws {
        var search = try search(known: "a.bin") { $0.ifExists = .rename }
        var step = search.handle(.overtaken)
        var count = 0
        while case .reserve(let name) = step, count <= 10_000 {
            count += 1
            _ = search.handle(.reserved)
            _ = search.handle(.free(name))
            step = search.handle(.overtaken)
        }
        #expect(count == 10_000)
        #expect(error(step)?.code == .fileExists && error(step)?.message.contains("“a.bin”") == true)
    }
}
