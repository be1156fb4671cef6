import PawlCore
import PawlTestKit
import Testing

@testable import PawlEngine

/// The block hashes of a journal, above all for a file of unknown length.
@Suite struct JournalBlocksTests {
    private static let size = BlockHasher.smallestBlock

    private static func hash(_ index: Int64) -> UInt64 { UInt64(index) &* 0x9E37_79B9 }

    private static func record(_ blocks: JournalBlocks, durable: RangeSet) -> JournalRecord {
        let claimed = blocks.claimed(durable, of: nil)
        return JournalRecord(
            generation: 1, id: [UInt8](repeating: 5, count: 16),
            owner: Owner(processID: 1, bootID: [], startTime: 0, hostName: "here"),
            state: .downloading, url: "http://origin.example/" + String(repeating: "x", count: 2000),
            urlHash: .xxh64(1), targetName: "f",
            representation: Representation(total: nil), partialDevice: 1, partialInode: 1, expectedDigest: nil,
            updated: 0, blockSize: size,
            durable: durable, blockHashes: claimed.hashes,
            recentBlocks: (claimed.recent + claimed.fresh).filter { claimed.hashes[$0] != nil })
    }

    /// 100 GiB, with a durable record for each 256 MiB. The test counts, rather than times, what is filtered, sorted
    /// and encoded four times a second.
    @Test func `D28 a file of unknown length keeps as many hashes as a slot holds, those of the newest blocks`() {
        var blocks = JournalBlocks(size: Self.size)
        for index in 0..<100 * 1024 as Range<Int64> {
            if index % 256 == 0 { blocks.beginGeneration() }
            blocks.note([(index, Self.hash(index))])
            guard blocks.hashes.count <= JournalBlocks.maximumCount, blocks.fresh.count + blocks.recent.count <= 2 * 256
            else {
                Issue.record("\(blocks.hashes.count) hashes after \(index) blocks")
                return
            }
        }
        let last = Int64(100 * 1024 - 1)
        let newest = last - Int64(JournalBlocks.maximumCount) * 3 / 4...last
        #expect(newest.allSatisfy { blocks.hashes[$0] == Self.hash($0) })
        #expect(!blocks.hashes.keys.contains { $0 > last })
    }

    /// Earlier, such a record lost all its hashes once there were some 2,700 of them.
    @Test(arguments: [100, 2048, 2049, 3000, 10_000] as [Int64])
    func `D28 a record of any length keeps the hashes of the newest blocks`(_ count: Int64) {
        var blocks = JournalBlocks(size: Self.size)
        for index in 0..<count {
            if index % 256 == 0 { blocks.beginGeneration() }
            blocks.note([(index, Self.hash(index))])
        }
        let written = Self.record(blocks, durable: RangeSet(ByteRange(0..<count * Self.size)))
        guard case .record(let found) = Journal.decode(Journal.file(holding: written)) else {
            Issue.record("not read back")
            return
        }
        #expect(found == written)
        #expect(
            found.blockHashes[count - 1] == Self.hash(count - 1)
                && found.blockHashes.count >= min(Int(count), JournalBlocks.maximumCount * 3 / 4))
        #expect(found.recentBlocks.contains(count - 1))
        // A run that resumes from the record keeps its hashes.
        #expect(JournalBlocks(durable: found, unsynced: nil).hashes == found.blockHashes)
    }

    @Test(arguments: [(.xxh64, .xxh3), (.xxh3, .xxh64)] as [(BlockHashFunction, BlockHashFunction)])
    func `J05 a run goes on with the function of the record that it resumes from`(
        _ function: BlockHashFunction, _ other: BlockHashFunction
    ) {
        var durable = Self.record(JournalBlocks(size: Self.size), durable: RangeSet())
        #expect(durable.blockHashFunction == .xxh3)
        durable.blockHashFunction = function
        durable.blockHashes = [0: 1]
        var unsynced = durable
        unsynced.blockHashes = [1: 2]
        #expect(JournalBlocks(durable: durable, unsynced: unsynced).hashes == [0: 1, 1: 2])
        unsynced.blockHashFunction = other
        let blocks = JournalBlocks(durable: durable, unsynced: unsynced)
        #expect(blocks.function == function && blocks.hashes == [0: 1])
        #expect(JournalBlocks(durable: nil, unsynced: unsynced).function == other)
    }

    @Test func `a file of known length keeps the hashes of all its blocks`() {
        let total = Int64(1) << 40
        let size = BlockHasher.blockSize(total: total)
        var blocks = JournalBlocks(size: size)
        for index in (0..<total / size).reversed() { blocks.note([(index, Self.hash(index))]) }
        #expect(blocks.hashes.count == Int(total / size))
        blocks.note([(7, 1)])
        #expect(blocks.hashes.count == Int(total / size) && blocks.hashes[7] == 1)
    }

    @Test func `the list of fresh blocks is bounded even without durable records`() {
        var blocks = JournalBlocks(size: Self.size)
        for index in 0..<10_000 as Range<Int64> { blocks.note([(index, 1)]) }
        #expect(blocks.fresh.count <= JournalBlocks.maximumCount)
        #expect(blocks.fresh.last == 9999)
    }

    @Test func `forgotten hashes make room, and are not forgotten twice`() {
        var blocks = JournalBlocks(size: Self.size)
        blocks.note((0..<2000).map { ($0, 1) })
        blocks.forget(in: [ByteRange(0..<1000 * Self.size)])
        #expect(blocks.hashes.count == 1000)
        blocks.note((0..<1000).map { ($0, 2) })
        #expect(blocks.hashes.count == 2000 && blocks.hashes[0] == 2 && blocks.hashes[1500] == 1)
        blocks.note((2000..<2100).map { ($0, 3) })
        // Of the remaining hashes, the oldest are forgotten first.
        #expect(blocks.hashes[1000] == nil && blocks.hashes[0] == 2 && blocks.hashes[2099] == 3)
    }
}
