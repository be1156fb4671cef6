import PawlAria2
import PawlCore
import Testing

@testable import PawlServer

@Suite struct `aria2's RPC` {
    @Test(
        arguments: [
            ([(0, 0)], 10, 4, "00"), ([(0, 10)], 10, 4, "e0"), ([(0, 4)], 10, 4, "80"), ([(1, 8)], 10, 4, "40"),
            ([(0, 3), (4, 7)], 10, 4, "00"), ([(8, 10)], 10, 4, "20"),
            ([(0, 9)], 9, 1, "ff80"), ([(7, 9)], 9, 1, "0180"),
        ] as [([(Int64, Int64)], Int64, Int64, String)])
    func `a bitfield has a bit for each piece that is whole`(
        _ ranges: [(Int64, Int64)], _ total: Int64, _ length: Int64, _ text: String
    ) {
        #expect(Bitfield.text(ranges.map { ByteRange($0.0..<$0.1) }, total: total, pieceLength: length) == text)
    }

    @Test func `a file without bytes, or of unknown length, has no bitfield`() {
        #expect(Bitfield.text([], total: 0, pieceLength: 4) == nil)
        #expect((Bitfield.pieces(0, 4), Bitfield.pieces(4, 4), Bitfield.pieces(5, 4)) == (0, 1, 2))
    }

    @Test(arguments: [1, 1 << 20, 1 << 40, (1 << 50) + 1, .max] as [Int64])
    func `however long a file is said to be, its pieces can be told`(_ total: Int64) {
        let length = Bitfield.pieceLength(1 << 20, of: total)
        #expect(length.nonzeroBitCount == 1 && length >= 1 << 20)
        #expect(Bitfield.pieces(total, length) <= 1 << 20)
        #expect(total / length >= 1 << 19 || length == 1 << 20)
        let text = Bitfield.text([ByteRange(0..<1), ByteRange(total - 1..<total)], total: total, pieceLength: length)
        #expect(text?.utf8.count.isMultiple(of: 2) == true)
    }

    /// Pages of `tellWaiting` and `tellStopped`; compared with aria2 1.37.
    @Test(
        arguments: [
            (0, 2, 5, 0..<2), (3, 9, 5, 3..<5), (5, 1, 5, 5..<5), (9, 1, 5, 5..<5), (-1, 2, 5, 3..<5),
            (-2, 2, 5, 2..<4), (-5, 9, 5, 0..<1), (-6, 1, 5, 0..<0),
            (0, 0, 5, 0..<0), (0, 1000, 0, 0..<0), (-1, 1000, 0, 0..<0), (.max, .max, 5, 5..<5), (0, .max, 5, 0..<5),
            (-1, .max, 5, 0..<5),
        ] as [(Int, Int, Int, Range<Int>)])
    func `a part of a list is counted from its beginning or its end`(
        _ offset: Int, _ count: Int, _ size: Int, _ indices: Range<Int>
    ) {
        #expect(Aria2.Extract(offset: offset, count: count).indices(of: size) == indices)
    }

    @Test func `a GID is the beginning of an id`() throws {
        #expect(GID(of: "2089b05e-cca3-d829-8000-000000000000").text == "2089b05ecca3d829")
        let gid = try #require(GID("2089B05ECCA3D829"))
        #expect(isDownloadID(gid.id))
        #expect(GID(of: gid.id) == gid)
        for text in ["", "2089b05ecca3d82", "2089b05ecca3d8290", "2089b05ecca3d82g", "0000000000000000"] {
            #expect(GID(text) == nil, "\(text)")
        }
    }

    @Test func `the beginning of a GID is the beginning of an id`() {
        #expect(GID.idPrefix(of: "2") == "2")
        #expect(GID.idPrefix(of: "2089B05E") == "2089b05e")
        #expect(GID.idPrefix(of: "2089b05ec") == "2089b05e-c")
        #expect(GID.idPrefix(of: "2089b05ecca3d829") == "2089b05e-cca3-d829")
        for text in ["", "x", "2089b05e-", "2089b05ecca3d8290"] { #expect(GID.idPrefix(of: text) == nil, "\(text)") }
    }
}
