import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// A partial file that another URL began: the list of mirrors does not name that URL, and the caller gives a new one.
@Suite struct `A partial file of another URL` {
    private static let held = RangeSet([ByteRange(0..<40_000), ByteRange(60_000..<70_000)])
    private static let date = "Sat, 01 Jan 2022 00:00:00 GMT"
    private static let otherDate = "Mon, 03 Jan 2022 00:00:00 GMT"

    /// The bytes of `origin.example` are stored in part; `moved.example` is asked for the rest.
    private static func bench(
        tag: String = "\"one\"", date: String = otherDate, flipped: Int? = nil, digests: [Digest] = [],
        expecting digest: Digest? = nil
    ) throws -> EngineBench {
        var bench = try EngineBench()
        var stored = bench.bytes
        stored.replaceSubrange(40_000..<60_000, with: [UInt8](repeating: 0, count: 20_000))
        stored.replaceSubrange(70_000..<100_000, with: [UInt8](repeating: 0, count: 30_000))
        bench.install("file.bin.part", stored)
        try bench.installJournal(durable: held) {
            ($0.representation.lastModified, $0.representation.date) = (Self.date, "Sun, 02 Jan 2022 00:00:00 GMT")
            ($0.representation.digests, $0.expectedDigest) = (digests, digest)
        }
        var bytes = bench.bytes
        if let flipped { bytes[flipped] ^= 1 }
        bench.mirrors["moved.example"] = SimulatedOrigin(
            versions: [.init(bytes: bytes, entityTag: tag, lastModified: date)])
        bench.settings.url = try HTTPURL(parsing: "http://moved.example/there.bin")
        return bench
    }

    private static func former() throws -> HTTPURL { try HTTPURL(parsing: "http://origin.example/file.bin") }

    private func expectResumed(_ run: EngineBench.Run, _ bench: EngineBench, _ evidence: UnprovenBytes.Evidence) throws
    {
        #expect(run.outcome?.isComplete == true, "\(String(describing: run.ending?.phase))")
        #expect(bench.contents("file.bin") == bench.mirrors["moved.example"]?.versions[0].bytes)
        #expect(bench.names == ["file.bin"])
        #expect(run.reports.contains(.resumed(offset: 50_000)))
        #expect(run.reports.contains(.tookOver(try Self.former(), evidence)))
        #expect(run.bytesByHost["origin.example"] == nil, "the former URL was asked")
    }

    private func expectRefused(_ run: EngineBench.Run, _ bench: EngineBench, before: [String: [UInt8]?]) {
        #expect(run.errorCode == .journal)
        #expect(bench.contents("file.bin.part") == before["file.bin.part"])
        #expect(bench.names == ["file.bin.part", "file.bin.pawl"])
        guard case .failed(let error)? = run.ending?.phase else { return }
        #expect(error.message.contains("http://origin.example/file.bin"), "\(error.message)")
        #expect(!error.remedies.contains(.removePartialFile))
        #expect(error.remedies.contains(.addFormerURL) && error.remedies.contains(.replacePartialFile))
    }

    @Test(arguments: [nil, "file.bin"])
    func `V28 the same tag, length and date resume what another URL began, once samples are the same`(
        _ name: String?
    ) throws {
        var bench = try Self.bench(date: Self.date)
        if name == nil { bench.settings.url = try HTTPURL(parsing: "http://moved.example/file.bin") }
        let run = bench.run { $0.fileName = name }
        try expectResumed(run, bench, .samples)
    }

    @Test func `V28 the same digest of both servers resumes what another URL began, and nothing is fetched twice`()
        throws
    {
        var bench = try Self.bench(tag: "\"two\"", digests: [#require(SimulatedDigests().digest(EngineBench().bytes))])
        bench.mirrors["moved.example"]?.sendsDigest = true
        let run = bench.run()
        try expectResumed(run, bench, .version)
        #expect(run.bodyBytes < 50_000 + 3 * 4096)
    }

    @Test func `V28 a file of equal length and date without a tag is no evidence`() throws {
        var bench = try Self.bench(date: Self.date)
        bench.mirrors["moved.example"]?.validator = .dateOnly
        let before = bench.listing
        expectRefused(bench.run(), bench, before: before)
    }

    @Test func `V28 digests that differ are of different files, also with the caller's consent`() throws {
        let other = try #require(Digest(algorithm: .sha256, bytes: [UInt8](repeating: 3, count: 32)))
        var bench = try Self.bench(tag: "\"two\"", digests: [other])
        bench.mirrors["moved.example"]?.sendsDigest = true
        bench.settings.adoptsPartialFile = true
        let before = bench.listing
        expectRefused(bench.run(), bench, before: before)
    }

    @Test func `V28 where another checksum, mirrors or a newer file are asked for, the other download is left alone`()
        throws
    {
        let other = try #require(Digest(algorithm: .sha256, bytes: [UInt8](repeating: 3, count: 32)))
        let mirror = try HTTPURL(parsing: "http://third.example/there.bin")
        let changes: [(inout EngineBench) -> Void] = [
            { $0.settings.digest = SimulatedDigests().digest($0.bytes) }, { $0.settings.onlyIfNewer = true },
            { $0.settings.mirrors = [Source(url: mirror)] },
        ]
        for change in changes {
            var bench = try Self.bench(expecting: other)
            change(&bench)
            let before = bench.listing
            let run = bench.run()
            #expect(run.errorCode == .journal)
            #expect(bench.listing == before && run.requests.isEmpty)
        }
    }

    @Test func `V28 the journal of another URL without its partial file is kept`() throws {
        var bench = try Self.bench()
        bench.disk.delete(EngineBench.directory + "/file.bin.part")
        let before = bench.listing
        #expect(bench.run().errorCode == .journal)
        #expect(bench.listing == before)
    }

    @Test(arguments: [nil, 0, 5000], [true, false])
    func `V28 a journal of another URL that claims nothing is in nobody's way, and bytes beside it are kept`(
        _ held: Int?, _ isRecordUnsynced: Bool
    ) throws {
        let other = try #require(Digest(algorithm: .sha256, bytes: [UInt8](repeating: 3, count: 32)))
        let mirror = try HTTPURL(parsing: "http://third.example/there.bin")
        let changes: [(inout EngineBench) -> Void] = [
            { _ in }, { $0.settings.digest = SimulatedDigests().digest($0.bytes) },
            { $0.settings.onlyIfNewer = true }, { $0.settings.mirrors = [Source(url: mirror)] },
            { $0.settings.ifExists = .rename },
        ]
        for change in changes {
            var bench = try EngineBench()
            if let held { bench.install("file.bin.part", EngineBench.bytes(held, 7)) }
            try bench.installJournal(durable: RangeSet()) { $0.expectedDigest = other }
            if isRecordUnsynced, let file = bench.contents("file.bin.pawl"), let record = Journal.latest(file) {
                var bytes = [UInt8](repeating: 0, count: Journal.fileSize)
                let slot = Journal.encode(UnsyncedRecord(record, isDoubtful: false))
                let start = Int(Journal.unsyncedSlotOffset(generation: record.generation))
                bytes.replaceSubrange(start..<start + slot.count, with: slot)
                bench.install("file.bin.pawl", bytes)
            }
            bench.mirrors["moved.example"] = bench.origin
            bench.settings.url = try HTTPURL(parsing: "http://moved.example/there.bin")
            change(&bench)
            let run = bench.run()
            #expect(run.outcome?.isComplete == true, "\(String(describing: run.ending?.phase))")
            #expect(bench.contents("file.bin") == bench.bytes)
            if held == 5000 { #expect(bench.listing.values.contains(EngineBench.bytes(5000, 7))) }
            #expect(bench.names.count == (held == 5000 ? 2 : 1), "\(bench.names)")
        }
    }

    @Test(arguments: Array(1...12))
    func `V28 what a killed run has begun and stored nothing of does not stop another URL`(_ operations: Int) throws {
        var bench = try EngineBench(size: 3_000_000)
        bench.disk.stopAfter(operations: operations)
        _ = bench.run()
        bench.disk.kill()
        let claims = bench.contents("file.bin.pawl").flatMap { file in
            let findings = JournalFindings(durable: nil, unsynced: Journal.decodeUnsynced(file), isTorn: false)
            if case .record = Journal.decode(file) { return true }
            return !findings.claimsNothing
        }
        guard claims != true else { return }
        var moved = bench.origin
        moved.versions = [
            .init(bytes: EngineBench.bytes(2_000_000, 9), entityTag: "\"nine\"", lastModified: Self.date)
        ]
        bench.mirrors["moved.example"] = moved
        bench.settings.url = try HTTPURL(parsing: "http://moved.example/there.bin")
        let run = bench.run()
        #expect(run.outcome?.isComplete == true, "\(String(describing: run.ending?.phase))")
        #expect(bench.contents("file.bin") == moved.versions[0].bytes)
    }

    /// The entry of the download whose bytes another URL takes over, and its settings.
    private static func formerEntry() throws -> (QueueEntry, DownloadSettings) {
        var entry = QueueEntry(
            id: DownloadID(1), url: try former(), host: "", directory: EngineBench.directory,
            fileName: "file.bin", target: 1)
        // As the journal's id has it.
        entry.markerNumber = 0x0505_0505_0505_0505
        return (entry, DownloadSettings(url: try former()))
    }

    @Test(arguments: Array(1...60), [true, false])
    func `V28 to remove the former download costs the one that took its bytes over nothing that its journal claims`(
        _ operations: Int, _ hasMarks: Bool
    ) throws {
        var bench = try Self.bench(tag: "\"two\"")
        bench.disk.features.hasMarks = hasMarks
        bench.settings.adoptsPartialFile = true
        bench.mirrors["moved.example"]?.bytesPerSecond = 20_000
        bench.disk.stopAfter(operations: operations)
        _ = bench.run()
        bench.disk.kill()
        let before = bench.listing
        let record = bench.contents("file.bin.pawl").flatMap(Journal.latest)
        let (entry, settings) = try Self.formerEntry()
        FileRemoval(bench.disk).remove(entry, settings)
        let isTaken = record?.urlHash == URLHash(of: JournalRecord.urlIdentity(of: bench.settings.url))
        if isTaken || record == nil { #expect(bench.listing == before, "\(operations)") }
        bench.mirrors["moved.example"]?.bytesPerSecond = 10_000_000
        let run = bench.run { $0.settings.ifExists = .skip }
        #expect(run.outcome?.isComplete == true || run.outcome?.skipReason == .exists, "\(operations)")
        #expect(bench.contents("file.bin") == bench.bytes, "\(operations)")
    }

    @Test(arguments: Array(stride(from: 1, to: 2600, by: 37)), [true, false])
    func `V28 to remove the former download while its bytes are taken over stops at the lock, or is noticed`(
        _ milliseconds: Int, _ hasLocks: Bool
    ) throws {
        var bench = try Self.bench(tag: "\"two\"")
        bench.disk.features.hasLocks = hasLocks
        bench.settings.adoptsPartialFile = true
        bench.mirrors["moved.example"]?.bytesPerSecond = 20_000
        let disk = bench.disk
        let (entry, settings) = try Self.formerEntry()
        let run = bench.run { _ in
        } during: { _, runtime in
            runtime.after(.milliseconds(milliseconds)) { FileRemoval(disk).remove(entry, settings) }
        }
        if hasLocks || run.outcome != nil {
            #expect(run.outcome?.isComplete == true, "\(milliseconds): \(String(describing: run.ending?.phase))")
            #expect(bench.contents("file.bin") == bench.bytes)
        } else {
            #expect(bench.contents("file.bin") == nil)
            let again = bench.run()
            #expect(again.outcome?.isComplete == true && bench.contents("file.bin") == bench.bytes)
        }
    }

    /// Unsynced claims that another version made must not count under the former one's validators.
    @Test(arguments: Array(stride(from: 100, to: 3000, by: 100)))
    func `V28 a kill while a checksum is to decide leaves nothing that the former URL takes for its own`(
        _ milliseconds: Int
    ) throws {
        var bench = try Self.bench(tag: "\"two\"", flipped: 45_000)
        let moved = bench.mirrors["moved.example"]?.versions[0].bytes ?? []
        let (url, digest) = (bench.settings.url, SimulatedDigests().digest(moved))
        bench.mirrors["moved.example"]?.bytesPerSecond = 15_000
        _ = bench.run(limit: .milliseconds(milliseconds)) { ($0.settings.url, $0.settings.digest) = (url, digest) }
        bench.disk.kill()
        guard bench.contents("file.bin") == nil else { return }
        bench.settings.url = try Self.former()
        let run = bench.run()
        #expect(run.outcome == nil || bench.contents("file.bin") == bench.bytes, "after \(milliseconds) ms")
    }

    @Test func `V28 samples that do not hold for other secrets start over with the old bytes aside`() throws {
        var bench = try Self.bench()
        bench.settings.url = try HTTPURL(parsing: "http://origin.example/file.bin?token=b")
        bench.origin.versions[0].entityTag = "\"two\""
        bench.origin.versions[0].bytes.append(7)
        bench.settings.adoptsPartialFile = true
        let run = bench.run()
        #expect(run.outcome?.isComplete == true)
        #expect(bench.contents("file.bin") == bench.bytes)
        #expect(bench.names.contains("file.bin.part.orphan-1"))
    }

    @Test func `V28 a connection that breaks within the samples costs only the sample`() throws {
        var bench = try EngineBench(size: 800_000)
        bench.install("file.bin.part", bench.bytes)
        try bench.installJournal(durable: RangeSet(ByteRange(0..<600_000)))
        var moved = bench.origin
        moved.versions[0].entityTag = "\"two\""
        moved.diesMidBody = 0.5
        bench.mirrors["moved.example"] = moved
        bench.settings.url = try HTTPURL(parsing: "http://moved.example/there.bin")
        bench.settings.adoptsPartialFile = true
        let run = bench.run()
        #expect(run.outcome?.isComplete == true, "\(String(describing: run.ending?.phase))")
    }

    @Test func `V28 a tag beside another date counts only if samples of the stored bytes are the same`() throws {
        var bench = try Self.bench()
        try expectResumed(bench.run(), bench, .samples)
        for place in [0, 39_999, 60_000, 65_000, 69_999] {
            var other = try Self.bench(flipped: place)
            let before = other.listing
            expectRefused(other.run(), other, before: before)
        }
    }

    @Test func `V28 another tag is refused, and what would help is named`() throws {
        var bench = try Self.bench(tag: "\"two\"")
        let before = bench.listing
        let run = bench.run()
        expectRefused(run, bench, before: before)
        guard case .failed(let error)? = run.ending?.phase else { return }
        #expect(error.message.contains("its ETag differs"), "\(error.message)")
        #expect(error.remedies.first == .compareExisting)
    }

    @Test(arguments: [nil, "file.bin"])
    func `V28 another tag is accepted with the caller's consent if samples are the same, and never called verified`(
        _ name: String?
    ) throws {
        var bench = try Self.bench(tag: "\"two\"")
        if name == nil { bench.settings.url = try HTTPURL(parsing: "http://moved.example/file.bin") }
        bench.settings.adoptsPartialFile = true
        let run = bench.run { $0.fileName = name }
        try expectResumed(run, bench, .samples)
        #expect(run.outcome?.isVerified == false)
    }

    @Test(arguments: [0, 1, 20_000, 39_999, 60_000, 69_999])
    func `V28 a byte that differs among the stored ones is found, and no two versions are mixed`(_ place: Int) throws {
        var bench = try Self.bench(tag: "\"two\"", flipped: place)
        bench.settings.adoptsPartialFile = true
        let before = bench.listing
        let run = bench.run()
        expectRefused(run, bench, before: before)
        guard case .failed(let error)? = run.ending?.phase else { return }
        #expect(!error.remedies.contains(.compareExisting), "it was compared already")
    }

    @Test func `V28 another length is refused at once`() throws {
        var bench = try Self.bench(tag: "\"two\"")
        bench.mirrors["moved.example"]?.versions[0].bytes.removeLast()
        bench.settings.adoptsPartialFile = true
        let before = bench.listing
        let run = bench.run()
        expectRefused(run, bench, before: before)
        #expect(run.requests.count == 1)
    }

    @Test func `V28 a server that ignores ranges cannot continue what another URL began`() throws {
        for consents in [false, true] {
            var bench = try Self.bench(tag: "\"two\"")
            bench.mirrors["moved.example"]?.ranges = .ignored
            bench.settings.adoptsPartialFile = consents
            let before = bench.listing
            expectRefused(bench.run(), bench, before: before)
        }
    }

    @Test(arguments: SimulatedOrigin.Validator.allCases)
    func `V28 a server that does not identify its version is refused, or gives the same bytes`(
        _ validator: SimulatedOrigin.Validator
    ) throws {
        var bench = try Self.bench(tag: "\"two\"")
        bench.mirrors["moved.example"]?.validator = validator
        bench.settings.adoptsPartialFile = true
        let before = bench.listing
        let run = bench.run()
        guard run.outcome == nil else { return try expectResumed(run, bench, .samples) }
        expectRefused(run, bench, before: before)
    }

    @Test func `V28 a given checksum decides at the end`() throws {
        var bench = try Self.bench(tag: "\"two\"")
        bench.settings.digest = SimulatedDigests().digest(bench.bytes)
        let run = bench.run()
        try expectResumed(run, bench, .digest)
        #expect(run.outcome?.isVerified == true)
    }

    @Test(arguments: [5, 39_999, 69_999])
    func `V28 where the checksum shows that the stored bytes are of another file, they are kept aside`(
        _ flipped: Int
    ) throws {
        var bench = try Self.bench(tag: "\"two\"", flipped: flipped)
        let bytes = bench.mirrors["moved.example"]?.versions[0].bytes ?? []
        bench.settings.digest = SimulatedDigests().digest(bytes)
        let run = bench.run()
        #expect(run.outcome?.isVerified == true)
        #expect(bench.contents("file.bin") == bytes)
        #expect(bench.names == ["file.bin", "file.bin.part.orphan-1"])
    }

    /// Bytes that only a digest holds together are on the disk, and the process is gone.
    private func takenOverByDigest() throws -> EngineBench? {
        var bench = try Self.bench(tag: "\"two\"", flipped: 5)
        let bytes = bench.mirrors["moved.example"]?.versions[0].bytes ?? []
        bench.settings.digest = SimulatedDigests().digest(bytes)
        bench.mirrors["moved.example"]?.bytesPerSecond = 15_000
        let run = bench.run(limit: .seconds(2))
        guard run.reports.contains(.tookOver(try Self.former(), .digest)) else { return nil }
        bench.disk.kill()
        bench.mirrors["moved.example"]?.bytesPerSecond = 10_000_000
        return bench
    }

    @Test(arguments: [true, false])
    func `V28 bytes of another URL are kept aside where a later run cannot use them`(_ knowsDigest: Bool) throws {
        var bench = try #require(try takenOverByDigest())
        if knowsDigest { bench.mirrors["moved.example"]?.ranges = .ignored } else { bench.settings.digest = nil }
        let run = bench.run()
        #expect(run.outcome?.isComplete == true, "\(String(describing: run.ending?.phase))")
        #expect(bench.contents("file.bin") == bench.mirrors["moved.example"]?.versions[0].bytes)
        let kept = try #require(bench.contents("file.bin.part.orphan-1"))
        #expect(kept[..<40_000] == bench.bytes[..<40_000])
    }

    /// A run takes back for one digest what an earlier one set aside for another.
    @Test(arguments: Array(1...40))
    func `V28 bytes that are taken back for a digest are not a later run's without it`(_ operations: Int) throws {
        var bench = try Self.bench(flipped: 45_000)
        let moved = bench.mirrors["moved.example"]?.versions[0].bytes ?? []
        let (former, digests) = (try Self.former(), SimulatedDigests())
        let (right, wrong) = (digests.digest(bench.bytes), digests.digest(moved))
        let first = bench.run { ($0.settings.url, $0.settings.digest) = (former, wrong) }
        try #require(first.errorCode == .digestMismatch)
        bench.disk.stopAfter(operations: operations)
        _ = bench.run { $0.settings.digest = right }
        bench.disk.kill()
        guard bench.contents("file.bin") == nil else { return }
        // What was verified only lacks its name.
        if let bytes = bench.contents("file.bin.pawl"), case .record(let record) = Journal.decode(bytes),
            record.state == .verified
        {
            return
        }
        let run = bench.run { $0.settings.adoptsPartialFile = true }
        #expect(run.outcome == nil || bench.contents("file.bin") == moved, "after \(operations)")
    }

    @Test func `V28 replacing what exists starts over and keeps the bytes of the other URL aside`() throws {
        var bench = try Self.bench(tag: "\"two\"", flipped: 5)
        bench.settings.ifExists = .replace
        let before = bench.listing
        let run = bench.run()
        #expect(run.outcome?.isComplete == true)
        #expect(bench.contents("file.bin") == bench.mirrors["moved.example"]?.versions[0].bytes)
        #expect(bench.contents("file.bin.part.orphan-1") == before["file.bin.part"])
    }

    @Test func `V28 renaming leaves the other download alone`() throws {
        var bench = try Self.bench(date: Self.date)
        bench.settings.ifExists = .rename
        let before = bench.listing
        let run = bench.run()
        #expect(run.outcome?.isComplete == true)
        for (name, bytes) in before { #expect(bench.contents(name) == bytes) }
    }

    @Test(arguments: [404, 403, 503])
    func `V28 a new URL that refuses leaves the stored bytes to the former one`(_ status: Int) throws {
        var bench = try Self.bench()
        bench.mirrors["moved.example"]?.refusal = status
        bench.settings.maximumRetries = 1
        let before = bench.listing
        let run = bench.run()
        #expect(run.outcome == nil)
        #expect(bench.contents("file.bin.part") == before["file.bin.part"])
        bench.settings.url = try Self.former()
        let resumed = bench.run()
        #expect(resumed.outcome?.isComplete == true && resumed.bodyBytes < 60_000)
    }

    @Test(arguments: Array(stride(from: 1, to: 60, by: 3)))
    func `V28 a kill while bytes are taken over costs nothing, whichever URL comes next`(_ operations: Int) throws {
        for isFormer in [false, true] {
            var bench = try Self.bench(tag: "\"two\"")
            bench.settings.adoptsPartialFile = true
            bench.mirrors["moved.example"]?.bytesPerSecond = 20_000
            bench.disk.stopAfter(operations: operations)
            _ = bench.run()
            bench.disk.kill()
            if isFormer { bench.settings.url = try Self.former() }
            bench.mirrors["moved.example"]?.bytesPerSecond = 10_000_000
            let run = bench.run { $0.settings.ifExists = .skip }
            #expect(run.outcome?.isComplete == true || run.outcome?.skipReason == .exists, "\(operations)")
            #expect(bench.contents("file.bin") == bench.bytes, "\(operations)")
        }
    }
}
