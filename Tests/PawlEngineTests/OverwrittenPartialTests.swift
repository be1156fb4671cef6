import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@Suite("Partial files that somebody has overwritten, simulated")
struct OverwrittenPartialTests {
    /// The inode and the mark stay, so only the hashes of blocks show it.
    @Test(arguments: 0..<4)
    func `a partial file that was overwritten in place after a kill gives none of its bytes to the result`(
        seed: Int
    ) throws {
        let size = 5 << 20
        var bench = try EngineBench(size: size, seed: UInt64(seed) + 1)
        bench.settings.maximumConnections = 1 + seed % 2
        bench.settings.smallestPiece = 1 << 20
        bench.settings.overlap = 0
        bench.origin.bytesPerSecond = 1 << 20
        let first = bench.run(limit: .milliseconds(1700 + 100 * Int64(seed)))
        #expect(first.ending == nil)
        bench.disk.kill()
        let journal = try #require(bench.contents("file.bin.pawl"))
        #expect(Journal.decodeUnsynced(journal)?.record.blockHashes.isEmpty == false)
        bench.disk.overwrite(EngineBench.directory + "/file.bin.part", at: 0, with: EngineBench.bytes(size, 99))

        bench.origin.bytesPerSecond = 64 << 20
        let second = bench.run()
        #expect(second.outcome?.isComplete == true, "\(String(describing: second.ending?.phase))")
        #expect(bench.contents("file.bin") == bench.bytes)
    }

    @Test func `one damaged block costs the bytes without a hash, and no block whose hash agrees`() throws {
        let size = 5 << 20
        var bench = try EngineBench(size: size)
        bench.settings.maximumConnections = 1
        bench.settings.overlap = 0
        bench.origin.bytesPerSecond = 1 << 20
        let first = bench.run(limit: .milliseconds(3500))
        #expect(first.ending == nil)
        bench.disk.kill()
        let journal = try #require(bench.contents("file.bin.pawl"))
        let hashed = try #require(Journal.decodeUnsynced(journal)?.record.blockHashes.count)
        #expect(hashed >= 2)
        bench.disk.overwrite(EngineBench.directory + "/file.bin.part", at: 1 << 20, with: [1, 2, 3])
        let second = bench.run()
        #expect(bench.contents("file.bin") == bench.bytes)
        #expect(
            second.bodyBytes <= Int64(size - (hashed - 1) << 20),
            "\(second.bodyBytes) of \(size), \(hashed) blocks had hashes")
    }

    /// The last block that has a hash is wrong, and so are the bytes behind it, which have none. Once the block has
    /// been fetched again, and before anything of that is recorded, every hash agrees.
    @Test(arguments: 0..<8)
    func `bytes that a review has dropped stay dropped, whenever the run is cut off`(seed: Int) throws {
        let size = 6 << 20
        var bench = try EngineBench(size: size, seed: UInt64(seed) + 1)
        bench.settings.maximumConnections = 1
        bench.settings.overlap = 0
        bench.origin.bytesPerSecond = 1 << 20
        let first = bench.run(limit: .milliseconds(3600))
        #expect(first.ending == nil)
        bench.disk.crash()
        let journal = try #require(bench.contents("file.bin.pawl"))
        guard case .record(let record) = Journal.decode(journal) else {
            Issue.record("no record: \(Journal.decode(journal))")
            return
        }
        let last = try #require(record.blockHashes.keys.max())
        let (start, end) = (Int(last * record.blockSize), Int(record.durable.ranges.last?.end ?? 0))
        #expect(end > start + Int(record.blockSize))
        bench.disk.overwrite(
            EngineBench.directory + "/file.bin.part", at: Int64(start), with: EngineBench.bytes(end - start, 99))

        bench.origin.bytesPerSecond = 8 << 20
        _ = bench.run(limit: .milliseconds(Int64(60 + 40 * seed)))
        bench.disk.kill()
        _ = bench.run()
        let isRight = bench.contents("file.bin") == bench.bytes
        #expect(isRight)
    }
}
