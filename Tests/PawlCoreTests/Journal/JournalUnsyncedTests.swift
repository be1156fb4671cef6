import PawlCore
import PawlTestKit
import Testing

@Suite struct `B7 Unsynced slots` {
    private func record(_ generation: UInt64, durable: Range<Int64>, boot: UInt8 = 1) -> JournalRecord {
        JournalRecord(
            generation: generation, id: [UInt8](repeating: 5, count: 16),
            owner: Owner(processID: 7, bootID: [UInt8](repeating: boot, count: 16), startTime: 1, hostName: "here"),
            state: .downloading, url: "http://origin.example/file.bin", urlHash: .xxh64(9), targetName: "file.bin",
            representation: Representation(total: 1000, entityTag: EntityTag(parsing: "\"v\"")), partialDevice: 1,
            partialInode: 2, expectedDigest: nil, updated: 3, blockSize: BlockHasher.smallestBlock,
            durable: RangeSet(ByteRange(durable)), blockHashes: [:], recentBlocks: [])
    }

    private func file(_ records: [UnsyncedRecord], durable: JournalRecord? = nil) -> [UInt8] {
        var file = [UInt8](repeating: 0, count: Journal.fileSize)
        func put(_ slot: [UInt8], at offset: Int64) {
            file.replaceSubrange(Int(offset)..<Int(offset) + slot.count, with: slot)
        }
        if let durable { put(Journal.encode(durable), at: Journal.slotOffset(generation: durable.generation)) }
        for unsynced in records {
            put(Journal.encode(unsynced), at: Journal.unsyncedSlotOffset(generation: unsynced.record.generation))
        }
        return file
    }

    @Test func `the later of two unsynced records counts, doubtful or not`() {
        let older = UnsyncedRecord(record(4, durable: 0..<10))
        for newer in [
            UnsyncedRecord(record(5, durable: 0..<20)), UnsyncedRecord(record(5, durable: 0..<0), isDoubtful: true),
        ] {
            #expect(Journal.decodeUnsynced(file([older, newer])) == newer)
        }
    }

    @Test func `unsynced records and durable slots do not affect each other`() {
        let durable = record(3, durable: 0..<5)
        let unsynced = UnsyncedRecord(record(8, durable: 0..<500))
        #expect(Journal.decode(file([unsynced], durable: durable)) == .record(durable))
        #expect(Journal.decode(file([unsynced])) == .empty)
        #expect(Journal.decodeUnsynced(file([], durable: durable)) == nil)
        #expect(Journal.latest(file([unsynced], durable: durable)) == durable)
        #expect(Journal.latest(file([unsynced])) == unsynced.record)
    }

    @Test func `a journal from before unsynced records has none`() {
        let short = Array(file([], durable: record(3, durable: 0..<5)).prefix(2 * Journal.slotSize))
        #expect(Journal.decodeUnsynced(short) == nil)
        #expect(Journal.decode(short) == .record(record(3, durable: 0..<5)))
    }

    @Test func `J04 a damaged unsynced slot leaves the other one valid, and a damaged doubt is not trusted`() {
        let older = UnsyncedRecord(record(4, durable: 0..<10))
        let newer = UnsyncedRecord(record(5, durable: 0..<20), isDoubtful: true)
        let whole = file([older, newer])
        let start = Int(Journal.unsyncedSlotOffset(generation: 5))
        for position in start..<start + Journal.encode(newer).count {
            var damaged = whole
            damaged[position] ^= 0x40
            if Journal.decodeUnsynced(damaged) != older { Issue.record("byte \(position)") }
        }
    }

    @Test func `an unsynced record is useless after another boot, with an unknown boot, or when in doubt`() {
        let here = record(1, durable: 0..<10).owner
        #expect(UnsyncedRecord(record(1, durable: 0..<10)).isOfUse(to: here))
        #expect(!UnsyncedRecord(record(1, durable: 0..<10), isDoubtful: true).isOfUse(to: here))
        #expect(!UnsyncedRecord(record(1, durable: 0..<10, boot: 2)).isOfUse(to: here))
        var unknown = record(1, durable: 0..<10)
        unknown.owner.bootID = []
        #expect(!UnsyncedRecord(unknown).isOfUse(to: unknown.owner))
    }
}
