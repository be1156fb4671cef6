import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

/// Whole downloads of the engine on a simulated machine, and the state of the disk after each.
@Suite struct EngineTests {
    @Test(arguments: [0, 1, 4096, 100_000, 3_000_000])
    func `a download leaves the file under its name and nothing else`(_ size: Int) throws {
        var bench = try EngineBench(size: size)
        let run = bench.run()
        #expect(run.outcome == .init(isComplete: true, isVerified: false))
        #expect(bench.listing == ["file.bin": bench.bytes])
        #expect(bench.disk.openFileCount == 0)
        #expect(run.requests.first?.fields.first("range") == "bytes=0-")
        #expect(run.requests.allSatisfy { $0.method == .get && $0.fields.first("accept-encoding") == "identity" })
    }

    @Test func `R25 V01 every ranged request after the first carries the validator`() throws {
        var bench = try EngineBench(size: 3_000_000)
        let run = bench.run()
        #expect(run.requests.count > 2)
        #expect(run.requests.first?.fields.first("if-range") == nil)
        #expect(run.requests.dropFirst().allSatisfy { $0.fields.first("if-range") == "\"one\"" })
    }

    @Test(arguments: 0..<20)
    func `the same seed makes the same requests in the same time`(_ seed: UInt64) throws {
        func run() throws -> EngineBench.Run {
            var bench = try EngineBench(size: 300_000, seed: seed)
            (bench.origin.diesMidBody, bench.origin.stalls, bench.origin.answersBusy) = (0.3, 0.1, 0.1)
            (bench.origin.bytesPerSecond, bench.origin.maximumConnections) = (60_000, 5)
            return bench.run()
        }
        let first = try run()
        let second = try run()
        #expect(first.requests == second.requests)
        #expect(first.reports == second.reports)
        #expect(first.took == second.took)
    }

    @Test(arguments: [(20_000, 1), (200_000, 1), (200_000, 8), (1_000_000, 8)] as [(Int64, Int)])
    func `a speed limit holds for all connections together`(_ rate: Int64, _ connections: Int) throws {
        var bench = try EngineBench(size: Int(10 * rate))
        bench.settings.maximumConnections = connections
        bench.origin.bytesPerSecond = 10_000_000
        bench.origin.chunk = 4096
        let run = bench.run { $0.maximumBytesPerSecond = rate }
        #expect(run.outcome?.isComplete == true)
        // A tenth of a second's worth passes at once, and bytes that a connection has already received are waited for
        // only afterwards.
        #expect((Duration.milliseconds(9600)...Duration.milliseconds(11_000)).contains(run.took))
    }

    @Test(arguments: [1, 4096, 3_000_000])
    func `the end has what the server said of the file, and the digest that was asked for`(_ size: Int) throws {
        var bench = try EngineBench(size: size)
        bench.origin.fields.append(HTTPField("Content-Type", "image/jpeg"))
        let plain = bench.run()
        #expect(plain.ending?.response == ResponseFacts(status: 206, contentType: "image/jpeg"))
        #expect(plain.ending?.digest == nil)

        let digest = try #require(SimulatedDigests().digest(bench.bytes))
        bench.disk.delete(EngineBench.target)
        let computed = bench.run { $0.settings.options.computedDigest = digest.algorithm }
        #expect(computed.outcome == .init(isComplete: true, isVerified: false))
        #expect(computed.ending?.digest == digest)

        bench.disk.delete(EngineBench.target)
        bench.settings.digest = digest
        let compared = bench.run()
        #expect(compared.outcome == .init(isComplete: true, isVerified: true))
        #expect(compared.ending?.digest == digest)
        #expect(bench.run().ending?.digest == digest, "an existing file was compared with it")
    }

    @Test(arguments: [0, 4096, 3_000_000], [Int64(0), 128 << 10])
    func `a file that comes meanwhile is left as it is, and nothing stands beside it`(
        _ size: Int, _ largestHeld: Int64
    ) throws {
        for hasDigest in [false, true] {
            for matches in [false, true] {
                var bench = try EngineBench(size: size)
                bench.largestHeldFile = largestHeld
                let theirs = matches ? bench.bytes : [1, 2, 3]
                if hasDigest { bench.settings.digest = SimulatedDigests().digest(bench.bytes) }
                bench.settings.options.ifExists = .skip
                let disk = bench.disk
                let run = bench.run(progress: { progress, _ in
                    guard case .running(.finishing) = progress.state else { return }
                    disk.install(EngineBench.target, theirs)
                })
                #expect(bench.contents("file.bin") == theirs)
                if hasDigest, !matches {
                    #expect(run.errorCode == .fileExists && bench.contents("file.bin.part") == bench.bytes)
                } else {
                    #expect(run.outcome?.skipReason == .exists && run.outcome?.isVerified == hasDigest)
                    #expect(bench.listing == ["file.bin": theirs])
                }
                #expect(disk.openFileCount == 0)
            }
        }
    }

    @Test func `a file that the URL names and that is there is left as it is without a request`() throws {
        var bench = try EngineBench()
        bench.settings.options.ifExists = .skip
        bench.install("file.bin", [1, 2, 3])
        let run = bench.run { $0.fileName = nil }
        #expect(run.outcome?.skipReason == .exists && run.ending?.fileName == "file.bin" && run.requests.isEmpty)

        // A query may name another file, and another policy needs the server's name.
        for (policy, query) in [(ExistingFilePolicy.fail, ""), (.skip, "?version=2")] {
            bench.settings.url = try HTTPURL(parsing: "http://origin.example/file.bin" + query)
            bench.settings.options.ifExists = policy
            let asked = bench.run { $0.fileName = nil }
            #expect(asked.requests.count == 1 && bench.contents("file.bin") == [1, 2, 3])
        }
    }

    // MARK: Earlier files

    @Test func `D15 a partial file that another process has locked is left alone`() throws {
        var bench = try EngineBench()
        let file = try bench.disk.openDirectory(EngineBench.directory).create("file.bin.part")
        #expect(try file.lock())
        try file.write([1, 2, 3], at: 0)
        let before = bench.listing
        let run = bench.run()
        #expect(run.errorCode == .locked)
        #expect(run.requests.isEmpty)
        #expect(bench.listing == before)
        try file.close()
    }

    @Test(arguments: 0..<20)
    func `D15 of two downloads to one target one fails as locked, and the other completes the right file`(
        _ seed: UInt64
    ) throws {
        let bench = try EngineBench(size: 200_000, seed: seed)
        let runtime = SimulatedRuntime(seed: seed, now: .zero)
        let network = SimulatedNetwork(bench.origin, runtime: runtime)
        let endings = Locked<[DownloadDriver.Ending]>([])
        var plan = Plan(settings: bench.settings, directory: EngineBench.directory)
        plan.fileName = "file.bin"
        let drivers = (0..<2).map { _ in
            DownloadDriver(
                plan,
                ports: Ports(transport: network, storage: bench.disk, runtime: runtime, digests: SimulatedDigests()),
                listener: ClosureListener(ended: { ending in endings.withLock { $0.append(ending) } }))
        }
        for driver in drivers { driver.start() }
        #expect(runtime.run(limit: .seconds(3600)) { endings.withLock { $0.count == 2 } })
        let phases = endings.withLock { $0.map(\.phase) }
        #expect(phases.contains(.completed(.init(isComplete: true, isVerified: false))))
        #expect(phases.contains { if case .failed(let error) = $0 { error.code == .locked } else { false } })
        #expect(bench.listing == ["file.bin": bench.bytes])
    }

    @Test func `J04 a damaged journal stops the download, and no file is changed`() throws {
        var bench = try EngineBench()
        bench.install("file.bin.part", EngineBench.bytes(100_000, 9))
        bench.install("file.bin.pawl", EngineBench.bytes(Journal.fileSize, 10))
        try expectRefusal(&bench, .journal)
    }

    @Test
    func `J05 a journal of a newer version stops the download, the error names the version, and no file is changed`()
        throws
    {
        var bench = try EngineBench()
        bench.install("file.bin.part", bench.bytes)
        try bench.installJournal(durable: RangeSet(ByteRange(0..<100)))
        bench.disk.overwrite(EngineBench.directory + "/file.bin.pawl", at: Int64(Journal.slotSize) + 8, with: [7])
        let error = try expectRefusal(&bench, .journal)
        for word in ["newer Pawl", "version 7", "file.bin.pawl"] {
            #expect(error.message.contains(word), "\(error.message)")
        }
    }

    /// Both files have the same tag and length.
    @Test
    func
        `V10 J06 the journal of parts from another URL stops the download, no file is changed, and the error names that URL without its secrets`()
        throws
    {
        var bench = try EngineBench()
        bench.install("file.bin.part", bench.bytes)
        let other = try HTTPURL(parsing: "http://elsewhere.example/file.bin?token=secret")
        try bench.installJournal(durable: RangeSet(ByteRange(0..<100)), url: other) {
            $0.url = other.withoutSecrets.serialized
            $0.urlHash = URLHash(of: other.withoutSecrets.serialized + " bytes=0-99")
        }
        let error = try expectRefusal(&bench, .journal)
        for word in ["another download", "elsewhere.example"] {
            #expect(error.message.contains(word), "\(error.message)")
        }
        #expect(!error.message.contains("secret"), "\(error.message)")
    }

    @Test func `a file that exists and has the given checksum is done, and nothing is asked for`() throws {
        var bench = try EngineBench()
        bench.settings.digest = SimulatedDigests().digest(bench.bytes)
        bench.install("file.bin", bench.bytes)
        let run = bench.run()
        #expect(run.outcome?.skipReason == .exists && run.outcome?.isVerified == true)
        #expect(run.requests.isEmpty)
        bench.install("file.bin", [1, 2, 3])
        let other = bench.run()
        #expect(other.errorCode == .fileExists)
        #expect(bench.contents("file.bin") == [1, 2, 3] && other.requests.isEmpty)
    }

    @Test func `J06 a journal that describes another partial file stops the download, and no file is changed`() throws {
        var bench = try EngineBench()
        bench.install("file.bin.part", bench.bytes)
        try bench.installJournal(durable: RangeSet(ByteRange(0..<100))) { $0.partialInode += 1 }
        let error = try expectRefusal(&bench, .journal)
        for word in ["file.bin.part", "file.bin.pawl"] { #expect(error.message.contains(word), "\(error.message)") }
    }

    @Test func `a journal's claims are trusted: only the missing bytes are fetched`() throws {
        var bench = try EngineBench()
        bench.settings.overlap = 0
        var held = bench.bytes
        held.replaceSubrange(40_000..<50_000, with: [UInt8](repeating: 0, count: 10_000))
        bench.install("file.bin.part", held)
        try bench.installJournal(durable: RangeSet([ByteRange(0..<40_000), ByteRange(50_000..<100_000)]))
        let run = bench.run()
        #expect(run.outcome?.isComplete == true)
        #expect(run.bodyBytes == 10_000)
        #expect(bench.listing == ["file.bin": bench.bytes])
    }

    @Test(arguments: [JournalRecord.State.downloading, .verified], [0, 1, 30_000])
    func `J07 D12 claims beyond the end of a shortened partial file are discarded`(
        _ state: JournalRecord.State, _ length: Int
    ) throws {
        var bench = try EngineBench()
        bench.install("file.bin.part", Array(bench.bytes[..<length]))
        try bench.installJournal(durable: RangeSet(ByteRange(0..<(state == .verified ? 100_000 : 90_000)))) {
            $0.state = state
        }
        let run = bench.run()
        #expect(run.outcome?.isComplete == true)
        let missing = Int64(100_000 - length)
        #expect((missing...(missing + bench.settings.overlap + 8192)).contains(run.bodyBytes), "\(run.bodyBytes)")
        #expect(bench.listing == ["file.bin": bench.bytes])
    }

    @Test(arguments: [JournalRecord.State.downloading, .verified])
    func `J07 a journal without its partial file claims nothing`(_ state: JournalRecord.State) throws {
        var bench = try EngineBench()
        try bench.installJournal(durable: RangeSet(ByteRange(0..<(state == .verified ? 100_000 : 90_000)))) {
            $0.state = state
        }
        let run = bench.run()
        #expect(run.outcome?.isComplete == true)
        #expect(run.requests.first?.fields.first("range") == "bytes=0-")
        #expect(bench.listing == ["file.bin": bench.bytes])
    }

    @Test func `J08 a partial file without a journal is set aside, not resumed`() throws {
        var bench = try EngineBench()
        let foreign = EngineBench.bytes(50_000, 3)
        bench.install("file.bin.part", foreign)
        #expect(bench.run().outcome?.isComplete == true)
        #expect(bench.listing == ["file.bin": bench.bytes, "file.bin.part.orphan-1": foreign])
    }

    /// The bytes are correct, but nothing proves it.
    @Test(arguments: [100_000, 99_999, 100_001, 1])
    func `J08 a partial file without a journal is set aside whatever its size, and the whole file is downloaded`(
        _ size: Int
    ) throws {
        var bench = try EngineBench()
        let held = Array((bench.bytes + [0]).prefix(size))
        bench.install("file.bin.part", held)
        let run = bench.run()
        #expect(run.outcome?.isComplete == true)
        #expect(run.bodyBytes >= 100_000)
        #expect(bench.listing == ["file.bin": bench.bytes, "file.bin.part.orphan-1": held])
    }

    // MARK: Existing files

    @Test(arguments: [FileStatus.Kind.regular, .directory, .symbolicLink, .other])
    func `D14 an existing target of any kind is left alone, without a network request`(_ kind: FileStatus.Kind) throws {
        var bench = try EngineBench()
        bench.disk.install(EngineBench.target, kind: kind)
        let run = bench.run()
        #expect(run.errorCode == .fileExists)
        #expect(run.requests.isEmpty)
        #expect(bench.names == ["file.bin"])
    }

    @Test(arguments: [FileStatus.Kind.directory, .other], ExistingFilePolicy.allCases)
    func `D14 a directory or a device is never replaced or skipped, and renamed around only where that was asked for`(
        _ kind: FileStatus.Kind, _ policy: ExistingFilePolicy
    ) throws {
        var bench = try EngineBench()
        bench.disk.install(EngineBench.target, kind: kind)
        let run = bench.run { $0.ifExists = policy }
        #expect(run.errorCode == (policy == .rename ? nil : .fileExists))
        #expect(run.requests.isEmpty == (policy != .rename))
        #expect(try bench.disk.openDirectory(EngineBench.directory).status("file.bin")?.kind == kind)
    }

    @Test func `with the skip policy an existing file is kept, without a network request`() throws {
        var bench = try EngineBench()
        bench.install("file.bin", [1, 2, 3])
        let run = bench.run { $0.ifExists = .skip }
        #expect(run.outcome == .init(isComplete: false, isVerified: false, skipReason: .exists))
        #expect(run.requests.isEmpty)
        #expect(bench.listing == ["file.bin": [1, 2, 3]])
    }

    @Test func `with the skip policy a server-chosen name is checked before any file is created`() throws {
        var bench = try EngineBench()
        bench.install("file.bin", [1, 2, 3])
        let run = bench.run {
            $0.ifExists = .skip
            $0.fileName = nil
        }
        #expect(run.outcome?.isSkipped == true)
        #expect(run.ending?.fileName == "file.bin")
        #expect(run.bodyBytes == 0)
        #expect(bench.listing == ["file.bin": [1, 2, 3]])
    }

    @Test func `with the rename policy the next free name is used`() throws {
        var bench = try EngineBench()
        bench.install("file.bin", [1])
        bench.install("file (1).bin", [2])
        let run = bench.run { $0.ifExists = .rename }
        #expect(run.ending?.fileName == "file (2).bin")
        #expect(bench.listing == ["file.bin": [1], "file (1).bin": [2], "file (2).bin": bench.bytes])
    }

    @Test(arguments: [FileStatus.Kind.regular, .symbolicLink])
    func `D14 with the replace policy the old file stays until the new one is complete`(_ kind: FileStatus.Kind) throws
    {
        var bench = try EngineBench()
        bench.disk.install(EngineBench.target, kind: kind)
        bench.origin.bytesPerSecond = 20_000
        let disk = bench.disk
        let kinds = Locked<Set<FileStatus.Kind?>>([])
        let run = bench.run {
            $0.ifExists = .replace
        } during: { _, runtime in
            for moment in stride(from: 0, to: 2000, by: 100) {
                runtime.after(.milliseconds(moment)) {
                    let status = try? disk.openDirectory(EngineBench.directory).status("file.bin")
                    kinds.withLock { _ = $0.insert(status?.kind) }
                }
            }
        }
        #expect(run.outcome?.isComplete == true)
        #expect(kinds.withLock { $0 } == [kind])
        #expect(bench.listing == ["file.bin": bench.bytes])
    }

    @Test func `a target that appears during the download is not overwritten, and no byte is lost`() throws {
        var bench = try EngineBench()
        bench.origin.bytesPerSecond = 50_000
        let disk = bench.disk
        let run = bench.run(during: { _, runtime in
            runtime.after(.milliseconds(300)) { disk.install(EngineBench.target, [9]) }
        })
        #expect(run.errorCode == .fileExists)
        #expect(bench.contents("file.bin") == [9])
        #expect(bench.contents("file.bin.part") == bench.bytes)
    }

    @Test(arguments: [true, false])
    func `D32 a partial file that is compressed in the background is no changed one, and one that lost bytes is`(
        isCompressed: Bool
    ) throws {
        var bench = try EngineBench(size: 400_000)
        bench.settings.maximumConnections = 1
        bench.origin.bytesPerSecond = 40_000
        let (disk, path) = (bench.disk, EngineBench.target + ".part")
        let run = bench.run(during: { _, runtime in
            runtime.after(.seconds(3)) {
                if isCompressed { return disk.compress(path) }
                guard let file = try? disk.openDirectory(EngineBench.directory).open("file.bin.part", writable: true)
                else { return }
                try? file.truncate(to: 1000)
                try? file.truncate(to: 400_000)
            }
        })
        #expect((run.errorCode == .partialFileChanged) == !isCompressed, "\(run.reports)")
        guard isCompressed else { return }
        #expect(run.outcome?.isComplete == true && run.requests.count == 1)
        #expect(bench.contents("file.bin") == bench.bytes)
    }

    // MARK: Adopting

    @Test(arguments: [1, 5000, 60_000, 99_999, 100_000])
    func `a prefix left by another program is resumed after its first and last bytes are compared`(
        _ count: Int
    ) throws {
        var bench = try EngineBench()
        bench.install("file.bin", Array(bench.bytes[..<count]))
        let run = bench.run { $0.adoptsPartialFile = true }
        #expect(run.outcome?.isComplete == true)
        let ranges = run.requests.compactMap { $0.fields.first("range") }
        if count > 4096 { #expect(ranges.first == "bytes=0-\(min(4096, count - 4096) - 1)") }
        #expect(ranges.contains { $0.hasPrefix("bytes=\(max(0, count - 4096))-") }, "\(ranges)")
        #expect(run.bodyBytes < Int64(100_000 - count + 2 * 4096 + 100_000 / 10 + 8192))
        #expect(bench.listing == ["file.bin": bench.bytes])
    }

    /// A version whose end is that of the file left behind, as many archives and images have it.
    @Test(arguments: [true, false], [SimulatedOrigin.Validator.strong, .none])
    func `V24 another version with the same end is not resumed`(
        isWhole: Bool, _ validator: SimulatedOrigin.Validator
    ) throws {
        var bench = try EngineBench()
        bench.origin.validator = validator
        let count = isWhole ? 100_000 : 60_000
        let held = EngineBench.bytes(count - 5000, 8) + bench.bytes[(count - 5000)..<count]
        bench.install("file.bin", held)
        let run = bench.run { $0.adoptsPartialFile = true }
        #expect(run.errorCode == .changed)
        #expect(bench.listing == ["file.bin": held])
    }

    @Test func `V24 with a digest the end alone is compared first, for the digest compares the rest`() throws {
        var bench = try EngineBench()
        bench.settings.digest = SimulatedDigests().digest(bench.bytes)
        bench.install("file.bin", Array(bench.bytes[..<60_000]))
        let run = bench.run { $0.adoptsPartialFile = true }
        #expect(run.outcome?.isVerified == true)
        #expect(run.requests.first?.fields.first("range") == "bytes=55904-")
    }

    @Test func `a partial file without a journal is adopted in place`() throws {
        var bench = try EngineBench()
        bench.install("file.bin.part", Array(bench.bytes[..<60_000]))
        let run = bench.run { $0.adoptsPartialFile = true }
        #expect(run.outcome?.isComplete == true)
        #expect(run.bodyBytes < 60_000)
        #expect(bench.listing == ["file.bin": bench.bytes])
    }

    private func other(_ kind: String, than bytes: [UInt8]) -> [UInt8] {
        switch kind {
        case "longer": bytes + [0]
        case "much longer": bytes + EngineBench.bytes(50_000, 8)
        default: EngineBench.bytes(60_000, 8)
        }
    }

    @Test(arguments: ["longer", "much longer", "different"])
    func `R21 a partial file that is longer than the server's file, or differs from it, is set aside`(
        _ kind: String
    ) throws {
        var bench = try EngineBench()
        let held = other(kind, than: bench.bytes)
        bench.install("file.bin.part", held)
        let run = bench.run { $0.adoptsPartialFile = true }
        #expect(run.outcome?.isComplete == true)
        #expect(bench.listing == ["file.bin": bench.bytes, "file.bin.part.orphan-1": held])
        #expect(try mark("file.bin.part.orphan-1", in: bench) == nil, "a stranger's file was marked")
    }

    private func mark(_ name: String, in bench: EngineBench) throws -> [UInt8]? {
        let file = try bench.disk.openDirectory(EngineBench.directory).open(name, writable: false)
        defer { try? file.close() }
        return try file.mark()
    }

    @Test(arguments: ["longer", "much longer", "different"], [true, false])
    func `D26 R21 a file with other content under the final name is set aside only if it may be replaced`(
        _ kind: String, _ mayReplace: Bool
    ) throws {
        var bench = try EngineBench()
        let held = other(kind, than: bench.bytes)
        bench.install("file.bin", held)
        let run = bench.run {
            $0.adoptsPartialFile = true
            if mayReplace { $0.ifExists = .replace }
        }
        guard mayReplace else {
            #expect(run.errorCode == .changed)
            #expect(bench.listing == ["file.bin": held])
            #expect(!run.reports.contains { if case .changed = $0 { true } else { false } })
            return
        }
        #expect(run.outcome?.isComplete == true)
        #expect(bench.listing == ["file.bin": bench.bytes, "file.bin.part.orphan-1": held])
        #expect(try mark("file.bin.part.orphan-1", in: bench) == nil, "a stranger's file was marked")
    }

    @Test(arguments: [true, false])
    func `R21 a file that cannot be adopted stays unchanged if changes are to fail`(_ isLonger: Bool) throws {
        var bench = try EngineBench()
        bench.settings.onChange = .fail
        let held = isLonger ? bench.bytes + [0] : EngineBench.bytes(60_000, 8)
        bench.install("file.bin", held)
        let run = bench.run { $0.adoptsPartialFile = true }
        #expect(run.errorCode == .changed)
        #expect(bench.listing == ["file.bin": held])
    }

    // MARK: Stopping

    @Test(arguments: [true, false], 0..<4)
    func `J13 J01 after a kill or power cut at any disk operation, the next run completes with the right bytes`(
        _ isPowerCut: Bool, _ seed: UInt64
    ) throws {
        var operation = 0
        while true {
            operation += 1
            var bench = try EngineBench(size: 120_000, seed: seed)
            bench.settings.maximumConnections = 2
            bench.origin.bytesPerSecond = 16_000
            if seed % 2 == 1 { bench.settings.digest = SimulatedDigests().digest(bench.bytes) }
            bench.disk.stopAfter(operations: operation)
            let first = bench.run()
            if first.outcome != nil { break }
            if isPowerCut { bench.disk.crash() } else { bench.disk.kill() }
            let between = bench.contents("file.bin")
            if let between, between != bench.bytes { Issue.record("operation \(operation): a wrong file has the name") }

            let second = bench.run()
            // The file was renamed and its journal is gone, so nothing but a digest shows that the right file has the
            // name.
            let isDone =
                between != nil
                && (bench.settings.digest == nil ? second.errorCode == .fileExists : second.outcome?.isVerified == true)
            if second.outcome?.isComplete != true, !isDone {
                Issue.record("operation \(operation): \(second.ending.map { "\($0.phase)" } ?? "no end")")
            }
            // A partial file cut off before its mark was durable is not recognised as Pawl's, and foreign files are
            // never removed.
            let others = bench.names.filter { $0 != "file.bin" && $0 != "file.bin.part.orphan-1" }
            if bench.contents("file.bin") != bench.bytes || !others.isEmpty {
                Issue.record("operation \(operation): \(bench.names) are left")
            }
        }
        // With a checkpoint and the finishing steps there are dozens of operations.
        #expect(operation > 20)
    }

    @Test(arguments: SimulatedDisk.Operation.allCases)
    func `whichever disk call fails, and whenever, the next run ends with the right bytes`(
        _ operation: SimulatedDisk.Operation
    ) throws {
        for reason in [StorageError.Reason.inputOutput, .noSpace] {
            var call = 0
            while true {
                call += 1
                var bench = try EngineBench(size: 120_000)
                bench.settings.maximumConnections = 2
                bench.origin.bytesPerSecond = 16_000
                bench.disk.faults = .failing(operation, call: call, with: reason)
                let first = bench.run()
                guard bench.disk.count(of: operation) >= call else { break }
                #expect(first.ending != nil, "\(operation) \(call): no end")
                #expect(bench.disk.openFileCount == 0, "\(operation) \(call): left open")
                bench.disk.faults = FaultPlan()
                let between = bench.contents("file.bin")
                if let between, between != bench.bytes {
                    Issue.record("\(operation) \(call): a wrong file has the name")
                }
                if first.outcome == nil {
                    let second = bench.run()
                    let isDone = between != nil && second.errorCode == .fileExists
                    if second.outcome?.isComplete != true, !isDone {
                        Issue.record(
                            "\(operation) \(call) \(reason): \(second.ending.map { "\($0.phase)" } ?? "no end")")
                    }
                }
                #expect(bench.contents("file.bin") == bench.bytes, "\(operation) \(call)")
            }
        }
    }

    @Test func `a pause at any moment leaves no file open, and stored bytes are not fetched again`() throws {
        for moment in stride(from: 0, through: 3000, by: 40) {
            var bench = try EngineBench(size: 300_000)
            bench.settings.maximumConnections = 1
            bench.origin.bytesPerSecond = 120_000
            let first = bench.run(during: { driver, runtime in runtime.after(.milliseconds(moment)) { driver.pause() } }
            )
            guard first.outcome == nil else { break }
            #expect(first.ending?.phase == .paused, "at \(moment) ms")
            #expect(bench.disk.openFileCount == 0, "at \(moment) ms")
            #expect(bench.contents("file.bin") == nil)
            let stored = first.ending?.stored ?? 0
            let second = bench.run()
            #expect(second.outcome?.isComplete == true, "at \(moment) ms")
            #expect(second.bodyBytes <= 300_000 - stored + bench.settings.overlap, "at \(moment) ms")
            #expect(bench.listing == ["file.bin": bench.bytes])
        }
    }

    @Test func `V01 a file that changed between two runs is fetched from zero, and the old bytes are set aside`() throws
    {
        var bench = try EngineBench(size: 300_000)
        bench.settings.maximumConnections = 2
        bench.origin.bytesPerSecond = 40_000
        let first = bench.run(during: { driver, runtime in runtime.after(.seconds(3)) { driver.pause() } })
        #expect(first.ending?.phase == .paused)
        let old = bench.contents("file.bin.part")
        bench.origin.versions[0] = .init(
            bytes: EngineBench.bytes(300_000, 2), entityTag: "\"two\"", lastModified: "Sun, 01 Jan 2023 00:00:00 GMT")
        let second = bench.run()
        #expect(second.outcome?.isComplete == true)
        #expect(second.reports.contains(.changed(.validator)))
        #expect(bench.listing == ["file.bin": bench.bytes, "file.bin.part.orphan-1": old])
    }

    @Test func `V01 if changes are to fail, a changed file leaves partial file and journal as they were`() throws {
        var bench = try EngineBench(size: 300_000)
        bench.settings.onChange = .fail
        bench.settings.maximumConnections = 2
        bench.origin.bytesPerSecond = 40_000
        _ = bench.run(during: { driver, runtime in runtime.after(.seconds(3)) { driver.pause() } })
        let before = bench.listing
        #expect(before.keys.sorted() == ["file.bin.part", "file.bin.pawl"])
        let old = bench.origin.versions[0]
        bench.origin.versions[0] = .init(
            bytes: EngineBench.bytes(300_000, 2), entityTag: "\"two\"", lastModified: "Sun, 01 Jan 2023 00:00:00 GMT")
        #expect(bench.run().errorCode == .changed)
        #expect(bench.names == before.keys.sorted())
        #expect(bench.contents("file.bin.part") == before["file.bin.part"])
        func claims(_ journal: [UInt8]?) -> RangeSet? {
            if case .record(let record)? = journal.map(Journal.decode) { record.durable } else { nil }
        }
        #expect(claims(bench.contents("file.bin.pawl")) == claims(before["file.bin.pawl"] ?? nil))
        // Once the old file is back, its progress counts again.
        bench.origin.versions[0] = old
        #expect(bench.run().outcome?.isComplete == true)
        #expect(bench.listing == ["file.bin": bench.bytes])
    }

    // MARK: Disks

    @Test(arguments: [true, false])
    func
        `D01 D02 a file that does not fit on the disk is refused before its bytes are fetched, and nothing is left behind`(
            _ reservesSpace: Bool
        ) throws
    {
        var bench = try EngineBench(size: 300_000, capacity: 200_000)
        bench.disk.features.reservesSpace = reservesSpace
        let run = bench.run()
        #expect(run.errorCode == .diskFull)
        #expect(run.bodyBytes == 0)
        #expect(bench.names == [])
        #expect(bench.disk.openFileCount == 0)
    }

    @Test func `D11 a file larger than the file system allows is refused before its bytes are fetched`() throws {
        var bench = try EngineBench(size: 300_000)
        bench.disk.features.largestFile = 200_000
        let run = bench.run()
        #expect(run.errorCode == .notWritable)
        #expect(run.bodyBytes == 0)
        #expect(bench.names == [])
    }

    @Test func `D02 D15 downloads work on a file system without reservation, locks or marks`() throws {
        var bench = try EngineBench(size: 300_000)
        bench.disk.features.reservesSpace = false
        bench.disk.features.hasLocks = false
        bench.disk.features.hasMarks = false
        bench.origin.bytesPerSecond = 40_000
        let first = bench.run(during: { driver, runtime in runtime.after(.milliseconds(500)) { driver.pause() } })
        #expect(first.ending?.phase == .paused)
        #expect(bench.run().outcome?.isComplete == true)
        #expect(bench.listing == ["file.bin": bench.bytes])
    }

    @Test func `D12 deleting the partial file during a download fails the download, and no file gets the final name`()
        throws
    {
        var bench = try EngineBench(size: 300_000)
        bench.origin.bytesPerSecond = 20_000
        let disk = bench.disk
        let run = bench.run(during: { _, runtime in
            runtime.after(.seconds(1)) { disk.delete(EngineBench.directory + "/file.bin.part") }
        })
        #expect(run.errorCode == .partialFileChanged)
        #expect(bench.contents("file.bin") == nil)
    }

    @Test
    func
        `V17 bytes with a wrong digest never get the final name and are kept as .part.bad, another version's under a new name`()
        throws
    {
        var bench = try EngineBench()
        bench.settings.digest = SimulatedDigests().digest([1, 2, 3])
        bench.settings.maximumConnections = 1
        let other = SimulatedOrigin.Version(
            bytes: EngineBench.bytes(100_000, 2), entityTag: "\"two\"", lastModified: "Sun, 02 Jan 2022 00:00:00 GMT")
        for names in [["file.bin.part.bad"], ["file.bin.part.bad", "file.bin.part.bad-1"]] {
            if names.count > 1 { bench.origin.versions = [other] }
            let run = bench.run()
            guard case .failed(let error)? = run.ending?.phase else {
                Issue.record("\(run.reports)")
                return
            }
            #expect(error.code == .digestMismatch && error.message.contains("“\(names.last ?? "")”"), "\(error)")
            #expect(bench.names == names)
            #expect(names.last.flatMap { bench.contents($0) } == bench.bytes)
            #expect(bench.disk.openFileCount == 0)
            #expect(run.requests.count == 1 && run.bodyBytes == 100_000)
        }
    }

    @Test(arguments: [true, false], [0, 1 << 20] as [Int64])
    func `V25 a version with a wrong digest is refused at once by the next run, and fetched again without its file`(
        isNamedByServer: Bool, _ largestHeldFile: Int64
    ) throws {
        var bench = try EngineBench()
        bench.largestHeldFile = largestHeldFile
        bench.settings.digest = SimulatedDigests().digest([1, 2, 3])
        func run(_ digest: Digest? = nil) -> EngineBench.Run {
            bench.run {
                if isNamedByServer { $0.fileName = nil }
                if let digest { $0.settings.digest = digest }
            }
        }
        #expect(run().errorCode == .digestMismatch)
        let again = run()
        #expect(again.errorCode == .digestMismatch && again.requests.count == 1 && again.bodyBytes < 100_000)
        #expect(bench.names == ["file.bin.part.bad"])
        // With the right digest the kept bytes are the file.
        let right = run(SimulatedDigests().digest(bench.bytes))
        #expect(right.outcome?.isVerified == true && right.requests.count == 1 && right.bodyBytes < 100_000)
        #expect(bench.listing == ["file.bin": bench.bytes])
        #expect(bench.disk.openFileCount == 0)
        bench.disk.delete(EngineBench.target)
        #expect(run().bodyBytes == 100_000)
        #expect(bench.names == ["file.bin.part.bad"])
    }

    /// A digest that an attacker can match proves nothing of bytes that may be another version's.
    @Test(arguments: [DigestAlgorithm.sha256, .md5], [true, false])
    func `V25 kept bytes become the file by a strong digest, or by a weak one while the server has their version`(
        _ algorithm: DigestAlgorithm, _ hasValidators: Bool
    ) throws {
        var bench = try EngineBench()
        if !hasValidators { bench.origin.validator = .none }
        bench.settings.digest = SimulatedDigests().digest([1, 2, 3])
        #expect(bench.run().errorCode == .digestMismatch)
        bench.settings.digest = SimulatedDigests().digest(algorithm, of: bench.bytes).flatMap {
            Digest(algorithm: algorithm, bytes: $0)
        }
        let run = bench.run()
        let isReused = algorithm.isSecure || hasValidators
        #expect(run.outcome?.isVerified == true)
        #expect((run.bodyBytes < 100_000) == isReused)
        #expect(bench.names == (isReused ? ["file.bin"] : ["file.bin", "file.bin.part.bad"]))
        #expect(bench.contents("file.bin") == bench.bytes)
    }

    @Test func `V25 kept bytes that do not match the new digest either stay, and the file is fetched`() throws {
        var bench = try EngineBench()
        bench.settings.digest = SimulatedDigests().digest([1, 2, 3])
        #expect(bench.run().errorCode == .digestMismatch)
        let kept = bench.bytes
        let other = SimulatedOrigin.Version(
            bytes: EngineBench.bytes(100_000, 2), entityTag: "\"two\"", lastModified: "Sun, 02 Jan 2022 00:00:00 GMT")
        bench.origin.versions = [other]
        bench.settings.digest = SimulatedDigests().digest(other.bytes)
        let run = bench.run()
        #expect(run.outcome?.isVerified == true && run.bodyBytes == 100_000)
        #expect(bench.listing == ["file.bin": other.bytes, "file.bin.part.bad": kept])
    }

    @Test(arguments: [true, false])
    func `V25 without attributes or validators the bytes come again, and are not kept a second time`(
        hasMarks: Bool
    ) throws {
        var bench = try EngineBench()
        bench.disk.features.hasMarks = hasMarks
        if hasMarks { bench.origin.validator = .none }
        bench.settings.digest = SimulatedDigests().digest([1, 2, 3])
        for _ in 0..<2 {
            let run = bench.run()
            guard case .failed(let error)? = run.ending?.phase else {
                Issue.record("\(run.reports)")
                return
            }
            #expect(error.code == .digestMismatch && error.message.contains("“file.bin.part.bad”"), "\(error)")
            #expect(bench.listing == ["file.bin.part.bad": bench.bytes])
        }
    }

    @Test(arguments: [true, false])
    func `a matching digest makes the file verified, whether it came from the caller or the server`(
        _ isCallers: Bool
    ) throws {
        var bench = try EngineBench()
        if isCallers {
            bench.settings.digest = SimulatedDigests().digest(bench.bytes)
        } else {
            bench.origin.sendsDigest = true
        }
        #expect(bench.run().outcome == .init(isComplete: true, isVerified: true))
        #expect(bench.listing == ["file.bin": bench.bytes])
    }

    @Test func `a missing directory is an error, without a network request`() throws {
        var bench = try EngineBench()
        let run = bench.run { $0.directory = "/nowhere" }
        #expect(run.errorCode == .notWritable)
        #expect(run.requests.isEmpty)
    }

    // MARK: Afterwards

    @Test func `a driver that has ended is released, along with its files`() throws {
        let bench = try EngineBench()
        let runtime = SimulatedRuntime(seed: 1, now: .zero)
        let network = SimulatedNetwork(bench.origin, runtime: runtime)
        weak var released: DownloadDriver?
        do {
            let hasEnded = Locked(false)
            let driver = DownloadDriver(
                Plan(settings: bench.settings, directory: EngineBench.directory),
                ports: Ports(transport: network, storage: bench.disk, runtime: runtime, digests: SimulatedDigests()),
                listener: ClosureListener(ended: { _ in hasEnded.withLock { $0 = true } }))
            released = driver
            driver.start()
            #expect(runtime.run(limit: .seconds(3600)) { hasEnded.withLock { $0 } })
            runtime.halt()
        }
        #expect(released == nil)
    }

    // MARK: Helpers

    /// Expects the download to fail with this code, without a network request and without any change.
    @discardableResult
    private func expectRefusal(_ bench: inout EngineBench, _ code: DownloadError.Code) throws -> DownloadError {
        let before = bench.listing
        let run = bench.run()
        #expect(run.errorCode == code)
        #expect(run.requests.isEmpty)
        #expect(bench.listing == before)
        #expect(bench.disk.openFileCount == 0)
        guard case .failed(let error)? = run.ending?.phase else { throw NotRefused() }
        return error
    }

    private struct NotRefused: Error {}
}
