import PawlCore
import Testing

/// Journals written by the last programs that used format versions 1 to 3.
@Suite struct JournalVersionTests {
    /// The second slot, with the only durable record.
    private static let first =
        "5041574c4a524e4c0100000006010000010000000000000012c9059f071346ae3bc34104b040a3cc00070d000058e4026b0000000010000000e8c47496462341"
        + "27b287778defc7e6a802000000766d1f000000687474703a2f2f3132372e302e302e313a31383038302f6469736b2e62696e0983272dae9699a3080000006469"
        + "736b2e62696e010000400000000000010400000022763122011d0000005765642c203031204a616e20323032302030303a30303a303020474d54011d00000053"
        + "756e2c203232204e6f7620323032362031323a34373a323220474d54000000000000fe000000000000f1c1f70000000000005de4026b00000000000010000000"
        + "000001000000000000000000000000000d00000000000000000000000000422d17771c53372e"

    private static let second =
        "5041574c4a524e4c02000000540100000100000000000000422b5bcccb2584ae26f5e3ca9a62240a006e660000e10d076b0000000010000000ca4c4764502d40"
        + "b9a610cc52b0a5060d02000000766d1f000000687474703a2f2f3132372e302e302e313a31383038302f6469736b2e62696e0983272dae9699a3080000006469"
        + "736b2e62696e01808d5b000000000001110000002235653062653130302d35623864383022011d0000005765642c203031204a616e20323032302030303a3030"
        + "3a303020474d54011d0000005765642c203235204e6f7620323032362031363a33333a333820474d54000000000000fe000000000000f04192000000000000e4"
        + "0d076b00000000000010000000000001000000000000000000000000e02e0000000000020000000000000083be175ca23cf329010000004a08f56811a2b5ff02"
        + "0000000000000001000000015a9bcf02591dbb90c8ae2cd732c59bc24e1345803b418f8e6ea2b97525a6e90fca8493dced4f6e53"

    private static let third =
        "5041574c4a524e4c030000006e0100000100000000000000ee2e198c5f55807e20562cefef56412400d85f000048ca096b0000000010000000dd36be777e694c"
        + "47a844bb6d32c4ecd102000000766d1f000000687474703a2f2f3132372e302e302e313a31383038302f6469736b2e62696e01f43ecc1c8677e53d92411c0537"
        + "1fd20e468e929d01509158ce85a5aaffb85ab1080000006469736b2e62696e01808d5b000000000001110000002235656230626531302d35623864383022011d"
        + "0000005765642c203031204a616e20323032302030303a30303a303020474d54011d0000004672692c203237204e6f7620323032362031383a32323a30302047"
        + "4d54000000000000fe00000000000009a85c00000000000048ca096b0000000000001000000000000101000000000000000000000000e02e0000000000020000"
        + "000000000083be175ca23cf329010000004a08f56811a2b5ff02000000000000000100000001041c4863c97c7c425fb2b4ce02b5f3e5d1dd26ea4346dee2302c"
        + "0de9b7a3ed1104862097de77a903"

    private static func file(_ slot: String) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Journal.fileSize)
        let slot = Array(slot.utf8)
        for index in stride(from: 0, to: slot.count, by: 2) {
            let byte = UInt8(String(decoding: slot[index..<index + 2], as: UTF8.self), radix: 16)
            bytes[Journal.slotSize + index / 2] = byte ?? 0
        }
        return bytes
    }

    @Test func `J05 a version 1 record is read, and the URL without its secrets is its only identity`() throws {
        guard case .record(let record) = Journal.decode(Self.file(Self.first)) else {
            Issue.record("not read: \(Journal.decode(Self.file(Self.first)))")
            return
        }
        #expect(record.generation == 1 && record.state == .downloading)
        #expect(record.url == "http://127.0.0.1:18080/disk.bin" && record.targetName == "disk.bin")
        let url = try HTTPURL(parsing: "http://127.0.0.1:18080/disk.bin?token=abc")
        #expect(record.urlHash == .xxh64(of: JournalRecord.urlIdentity(of: url)))
        #expect(record.identityHash == nil)
        #expect(record.representation.entityTag?.raw == "\"v1\"" && record.representation.total == 4 << 20)
        #expect(record.durable == RangeSet(ByteRange(0..<851_968)))
        #expect(record.blockHashes.isEmpty && record.blockSize == 1 << 20)
    }

    @Test func `J05 a version 2 record is read, with hashes of its own kind`() throws {
        guard case .record(let record) = Journal.decode(Self.file(Self.second)) else { throw Unread() }
        #expect(record.generation == 1 && record.targetName == "disk.bin" && record.representation.total == 6_000_000)
        let url = try HTTPURL(parsing: "http://127.0.0.1:18080/disk.bin?token=abc")
        #expect(record.urlHash == .xxh64(of: JournalRecord.urlIdentity(of: url)))
        #expect(record.identityHash?.count == JournalRecord.identityHashSize)
        #expect(record.durable == RangeSet(ByteRange(0..<3_072_000)) && record.recentBlocks == [0, 1])
        #expect(record.blockHashFunction == .xxh64)
        #expect(record.blockHashes == [0: 0x29F3_3CA2_5C17_BE83, 1: 0xFFB5_A211_68F5_084A])
    }

    @Test func `J05 a version 3 record is read, and says nothing of adopted bytes`() throws {
        guard case .record(let record) = Journal.decode(Self.file(Self.third)) else { throw Unread() }
        #expect(record.generation == 1 && record.targetName == "disk.bin" && record.representation.total == 6_000_000)
        let url = try HTTPURL(parsing: "http://127.0.0.1:18080/disk.bin?token=abc")
        #expect(record.urlHash == URLHash(of: JournalRecord.urlIdentity(of: url)))
        #expect(record.blockHashFunction == .xxh3 && record.blockHashes.count == 2)
        #expect(record.durable == RangeSet(ByteRange(0..<3_072_000)) && record.adopted == 0)
    }

    @Test(arguments: [first, second, third])
    func `J05 an earlier journal is rewritten as this version without loss`(_ slot: String) throws {
        guard case .record(var record) = Journal.decode(Self.file(slot)) else { throw Unread() }
        record.generation += 1
        record.identityHash = [UInt8](repeating: 3, count: JournalRecord.identityHashSize)
        var bytes = Self.file(slot)
        let rewritten = Journal.encode(record)
        bytes.replaceSubrange(0..<rewritten.count, with: rewritten)
        #expect(Journal.decode(bytes) == .record(record))
        #expect(rewritten[8] == 4)
    }

    private struct Unread: Error {}
}
