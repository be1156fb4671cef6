import PawlCore
import Testing

/// A journal written by the last program that used format version 1.
@Suite struct JournalVersionTests {
    /// The second slot, with the only durable record.
    private static let slot =
        "5041574c4a524e4c0100000006010000010000000000000012c9059f071346ae3bc34104b040a3cc00070d000058e4026b0000000010000000e8c47496462341" +
        "27b287778defc7e6a802000000766d1f000000687474703a2f2f3132372e302e302e313a31383038302f6469736b2e62696e0983272dae9699a3080000006469" +
        "736b2e62696e010000400000000000010400000022763122011d0000005765642c203031204a616e20323032302030303a30303a303020474d54011d00000053" +
        "756e2c203232204e6f7620323032362031323a34373a323220474d54000000000000fe000000000000f1c1f70000000000005de4026b00000000000010000000" +
        "000001000000000000000000000000000d00000000000000000000000000422d17771c53372e"

    private static var file: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Journal.fileSize)
        let slot = Array(slot.utf8)
        for index in stride(from: 0, to: slot.count, by: 2) {
            let byte = UInt8(String(decoding: slot[index..<index + 2], as: UTF8.self), radix: 16)
            bytes[Journal.slotSize + index / 2] = byte ?? 0
        }
        return bytes
    }

    @Test func `J05 a version 1 record is read, and the URL without its secrets is its only identity`() throws {
        guard case .record(let record) = Journal.decode(Self.file) else {
            Issue.record("not read: \(Journal.decode(Self.file))")
            return
        }
        #expect(record.generation == 1 && record.state == .downloading)
        #expect(record.url == "http://127.0.0.1:18080/disk.bin" && record.targetName == "disk.bin")
        let url = try HTTPURL(parsing: "http://127.0.0.1:18080/disk.bin?token=abc")
        #expect(record.urlHash == JournalRecord.urlHash(for: url))
        #expect(record.identityHash == nil)
        #expect(record.representation.entityTag?.raw == "\"v1\"" && record.representation.total == 4 << 20)
        #expect(record.durable == RangeSet(ByteRange(0..<851_968)))
        #expect(record.blockHashes.isEmpty && record.blockSize == 1 << 20)
    }

    @Test func `J05 a version 1 journal is rewritten as version 2 without loss`() throws {
        guard case .record(var record) = Journal.decode(Self.file) else { throw Unread() }
        record.generation += 1
        record.identityHash = [UInt8](repeating: 3, count: JournalRecord.identityHashSize)
        var bytes = Self.file
        let slot = Journal.encode(record)
        bytes.replaceSubrange(0..<slot.count, with: slot)
        #expect(Journal.decode(bytes) == .record(record))
        #expect(slot[8] == 2)
    }

    private struct Unread: Error {}
}
