import PawlCore
import Testing

@Suite struct PieceHashesTests {
    private func hashes(_ count: Int, length: Int64 = 100) throws -> PieceHashes {
        try PieceHashes(
            algorithm: .md5, pieceLength: length,
            hashes: (0..<count).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: 16) })
    }

    @Test func `all pieces except the last have the same length`() throws {
        let pieces = try hashes(3)
        #expect(pieces.count == 3)
        #expect(pieces.hash(ofPiece: 2) == [UInt8](repeating: 2, count: 16))
        #expect(pieces.hash(ofPiece: 3) == nil && pieces.hash(ofPiece: -1) == nil)
        #expect(pieces.hashes.count == 3)
        #expect(pieces.range(ofPiece: 1, total: 250) == ByteRange(100..<200))
        #expect(pieces.range(ofPiece: 2, total: 250) == ByteRange(200..<250))
        #expect(pieces.range(ofPiece: 3, total: 250) == nil && pieces.range(ofPiece: -1, total: 250) == nil)
    }

    @Test(
        arguments: [
            (0, 0, true), (0, 1, false), (1, 1, true), (1, 100, true), (1, 101, false),
            (2, 101, true), (3, 300, true), (3, 301, false), (3, 200, false),
        ] as [(Int, Int64, Bool)])
    func `the number of piece hashes must match the length`(_ count: Int, _ total: Int64, _ isRight: Bool) throws {
        #expect(try hashes(count).fits(total) == isRight)
    }

    @Test(
        arguments: [
            (0, 1, 0..<1), (99, 100, 0..<1), (99, 101, 0..<2), (100, 100, 0..<0),
            (250, 900, 2..<3), (1000, 2000, 3..<3),
        ] as [(Int64, Int64, Range<Int>)])
    func `the pieces of a range are those that contain a byte of the range`(
        _ start: Int64, _ end: Int64, _ expected: Range<Int>
    ) throws {
        #expect(try hashes(3).pieces(in: ByteRange(start..<end)) == expected)
    }

    @Test func `the largest representable piece length and total do not trap`() throws {
        let pieces = try hashes(2, length: .max)
        #expect(pieces.range(ofPiece: 0, total: .max) == ByteRange(0..<Int64.max))
        #expect(pieces.range(ofPiece: 1, total: .max) == nil)
        #expect(!pieces.fits(.max))
        #expect(pieces.pieces(in: ByteRange(Int64.max - 1..<Int64.max)) == 0..<1)
    }

    @Test func `an invalid list of piece hashes is refused`() {
        #expect(throws: PieceHashesError.self) { try PieceHashes(algorithm: .md5, pieceLength: 0, hashes: []) }
        #expect(throws: PieceHashesError.self) { try PieceHashes(algorithm: .md5, pieceLength: -1, hashes: []) }
        let error = #expect(throws: PieceHashesError.self) {
            try PieceHashes(algorithm: .sha256, pieceLength: 1, hashes: [[UInt8](repeating: 0, count: 32), [1, 2]])
        }
        #expect(error?.message == "The hash of piece 1 has 2 bytes; a sha-256 hash has 32.")
        #expect(throws: PieceHashesError.self) {
            try PieceHashes(
                algorithm: .md5, pieceLength: 1,
                hashes: Array(repeating: [UInt8](repeating: 0, count: 16), count: PieceHashes.maximumPieces + 1))
        }
    }
}
