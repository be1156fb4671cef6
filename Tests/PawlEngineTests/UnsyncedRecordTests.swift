import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

/// A killed process leaves its writes in the page cache. The unsynced record lists them, and must never claim more than
/// the disk will hold.
@Suite struct `B7 Unsynced record` {
    private static func bench(_ seed: UInt64, size: Int = 400_000) throws -> EngineBench {
        var bench = try EngineBench(size: size, seed: seed)
        bench.origin.bytesPerSecond = 20_000
        bench.origin.chunk = 1448
        bench.settings.maximumConnections = 3
        return bench
    }

    /// The offset from which a killed download's next run resumes.
    private func resumedFrom(_ run: EngineBench.Run) -> Int64 {
        for case .resumed(let offset) in run.reports { return offset }
        return 0
    }

    private struct Stored: Sendable {
        var samples: [(at: Instant, bytes: Int64)] = []

        func bytes(at moment: Instant) -> Int64 { samples.last { $0.at <= moment }?.bytes ?? 0 }
    }

    @Test(arguments: 0..<40)
    func `J01 a kill costs only what was written in the last half second`(_ seed: UInt64) throws {
        var bench = try Self.bench(seed)
        let stored = Locked(Stored())
        let life = Duration.milliseconds(300 + Int(seed) * 150)
        let begun = Locked<Instant?>(nil)
        _ = bench.run(
            limit: life,
            progress: { progress, now in
                begun.withLock { $0 = $0 ?? now }
                stored.withLock { $0.samples.append((now, progress.bytesStored)) }
            })
        let start = try #require(begun.withLock { $0 })
        let due = stored.withLock { $0.bytes(at: start + (life - .milliseconds(500))) }
        bench.disk.kill()

        let run = bench.run()
        #expect(resumedFrom(run) >= due)
        // Each of three connections holds a chunk in memory, and the bytes of half a second.
        #expect(run.bodyBytes <= 400_000 - due + 3 * (4096 + 1448))
        #expect(bench.listing == ["file.bin": bench.bytes])
    }

    @Test(arguments: 0..<40)
    func `J02 after a power cut at least the synced bytes are resumed, and the file is right`(_ seed: UInt64) throws {
        var bench = try Self.bench(seed)
        let durable = Locked<Int64>(0)
        _ = bench.run(
            limit: .milliseconds(500 + Int(seed) * 150),
            progress: { progress, _ in durable.withLock { $0 = progress.bytesDurable } })
        bench.disk.crash()

        let run = bench.run()
        #expect(run.outcome?.isComplete == true)
        #expect(resumedFrom(run) >= durable.withLock { $0 })
        bench.disk.crash()
        #expect(bench.contents("file.bin") == bench.bytes)
    }

    @Test(arguments: 0..<20)
    func `D04 D05 J01 after a failed writeback and a kill, bytes that never reached the disk are not trusted`(
        _ seed: UInt64
    ) throws {
        var bench = try Self.bench(seed)
        let durable = Locked<Int64>(0)
        _ = bench.run(
            limit: .milliseconds(700 + Int(seed) * 200),
            progress: { progress, _ in durable.withLock { $0 = progress.bytesDurable } })
        bench.disk.kill()
        bench.disk.failWriteback()

        let run = bench.run()
        #expect(run.outcome?.isComplete == true)
        #expect(resumedFrom(run) <= durable.withLock { $0 } + 100_000)
        bench.disk.crash()
        #expect(bench.contents("file.bin") == bench.bytes, "bytes that never reached the disk were believed")
    }

    /// Only the next run's sync reports the failed writeback, and that run may end before it has acted on the error.
    /// The run after it then goes on from the last checkpoint, and may meet the same error at its own first sync: it
    /// ends with it, and believes nothing.
    @Test(arguments: 0..<16, [2900, 3100, 4500])
    func `D05 J01 after a second run is killed while learning of a failed writeback, lost bytes are not trusted`(
        _ calls: Int, _ milliseconds: Int
    ) throws {
        var bench = try Self.bench(3)
        _ = bench.run(limit: .milliseconds(milliseconds))
        bench.disk.kill()
        bench.disk.failWriteback()
        bench.disk.stopAfter(operations: calls)
        _ = bench.run(limit: .milliseconds(100))
        bench.disk.kill()

        var run = bench.run()
        if run.outcome == nil {
            #expect(run.errorCode == .diskError)
            run = bench.run()
        }
        bench.disk.crash()
        #expect(run.outcome?.isComplete == true)
        #expect(bench.contents("file.bin") == bench.bytes, "bytes that never reached the disk were believed")
    }

    /// Only the failing sync reports the error: a process killed right after it must not leave a record that is
    /// believed.
    @Test(arguments: [SimulatedDisk.Operation.sync, .syncData], 1..<50)
    func `D05 J01 after a failed sync and a kill at any call, bytes that never reached the disk are not trusted`(
        _ operation: SimulatedDisk.Operation, _ calls: Int
    ) throws {
        var bench = try Self.bench(UInt64(calls), size: 120_000)
        bench.disk.faults = .failing(operation, with: .inputOutput)
        bench.disk.stopAfter(operations: calls)
        _ = bench.run()
        bench.disk.faults = FaultPlan()
        bench.disk.kill()

        let run = bench.run()
        bench.disk.crash()
        let bytes = bench.contents("file.bin")
        #expect(bytes == bench.bytes || bytes == nil, "bytes that never reached the disk were believed")
        #expect(bytes != nil || run.outcome == nil, "whole, and gone after a power cut")
    }

    /// Neither a mark nor a creation time distinguishes the foreign file from the partial file, whose inode number it
    /// has.
    @Test(arguments: 3..<12)
    func `D25 a foreign file is not taken for the partial file of a journal without a durable record`(
        _ tenths: Int
    ) throws {
        var bench = try Self.bench(1)
        (bench.disk.features.hasMarks, bench.disk.features.recordsCreation) = (false, false)
        _ = bench.run(limit: .milliseconds(tenths * 100))
        bench.disk.kill()
        guard let journal = bench.contents("file.bin.pawl"), let unsynced = Journal.decodeUnsynced(journal),
            !unsynced.record.durable.isEmpty
        else { return }
        guard case .empty = Journal.decode(journal) else { return }
        let stranger = EngineBench.bytes(400_000, 99)
        let file = try bench.disk.openDirectory(EngineBench.directory).open("file.bin.part", writable: true)
        try file.write(stranger, at: 0)
        try file.sync()
        try file.close()
        let run = bench.run()
        #expect(bench.listing.values.contains(stranger), "\(String(describing: run.errorCode)) \(bench.listing.keys)")
        #expect(bench.contents("file.bin").map { $0 == bench.bytes } ?? true)
    }

    @Test func `J06 the unsynced record of another URL is refused unless an answer shows the same file`() throws {
        var bench = try Self.bench(1)
        _ = bench.run(limit: .seconds(1))
        bench.disk.kill()
        let before = bench.contents("file.bin.part")
        let url = try HTTPURL(parsing: "http://origin.example/other.bin")
        let versions = bench.origin.versions
        bench.origin.versions[0].entityTag = "\"other\""
        let run = bench.run { $0.settings.url = url }
        #expect(run.errorCode == .journal)
        #expect(run.requests.count == 1)
        #expect(bench.contents("file.bin.part") == before)
        bench.origin.versions = versions
        #expect(bench.run { $0.settings.url = url }.outcome?.isComplete == true)
        #expect(bench.contents("file.bin") == bench.bytes)
    }

    @Test func `J12 a download that finishes at once creates no journal`() throws {
        var bench = try EngineBench(size: 100_000)
        _ = bench.run()
        #expect(bench.disk.count(of: .create) == 1)
    }
}
