/// The hashes of the pieces of a file: all of one length but the last, which may be shorter (RFC 5854 §4.1.3).
///
/// With them a wrong byte costs one piece, and the source that sent it is known.
public struct PieceHashes: Hashable, Sendable {
    /// A list that is longer is refused: it would be larger than many files it describes.
    public static let maximumPieces = 1 << 20

    public let algorithm: DigestAlgorithm
    /// The length of a piece in bytes; the last piece may be shorter.
    public let pieceLength: Int64
    /// The hashes one after the other: a list of small arrays would take three times the memory.
    private let bytes: [UInt8]

    /// - Parameters:
    ///   - pieceLength: in bytes, more than zero.
    ///   - hashes: one for each piece, in the order of the file.
    /// - Throws: ``PieceHashesError``, whose message says what is wrong with them.
    public init(algorithm: DigestAlgorithm, pieceLength: Int64, hashes: [[UInt8]]) throws(PieceHashesError) {
        guard pieceLength > 0 else {
            throw PieceHashesError(message: "The piece length is \(pieceLength) bytes; it must be at least 1.")
        }
        guard hashes.count <= Self.maximumPieces else {
            throw PieceHashesError(
                message: "There are \(hashes.count) piece hashes; at most \(Self.maximumPieces) are accepted.")
        }
        guard let wrong = hashes.firstIndex(where: { $0.count != algorithm.byteCount }) else {
            self.algorithm = algorithm
            self.pieceLength = pieceLength
            bytes = hashes.flatMap { $0 }
            return
        }
        throw PieceHashesError(
            message:
                "The hash of piece \(wrong) has \(hashes[wrong].count) bytes; a \(algorithm.rawValue) hash has \(algorithm.byteCount)."
        )
    }

    /// The number of pieces.
    public var count: Int { bytes.count / algorithm.byteCount }

    /// The hashes of all pieces, in the order of the file.
    public var hashes: [[UInt8]] { (0..<count).compactMap(hash(ofPiece:)) }

    /// Returns the hash of a piece; nil if there is no such piece.
    public func hash(ofPiece index: Int) -> [UInt8]? {
        guard (0..<count).contains(index) else { return nil }
        return Array(bytes[index * algorithm.byteCount..<(index + 1) * algorithm.byteCount])
    }

    /// Whether a file of `total` bytes has exactly these pieces.
    public func fits(_ total: Int64) -> Bool { Int64(count) == Self.count(total: total, pieceLength: pieceLength) }

    /// Returns the range of a piece in a file of `total` bytes; nil for one that lies outside.
    package func range(ofPiece index: Int, total: Int64) -> ByteRange? {
        guard index >= 0, Int64(index) < Self.count(total: total, pieceLength: pieceLength) else { return nil }
        let start = Int64(index) * pieceLength
        return ByteRange(start: start, end: total - start < pieceLength ? total : start + pieceLength)
    }

    /// The pieces that have a byte in `range`.
    package func pieces(in range: ByteRange) -> Range<Int> {
        guard !range.isEmpty else { return 0..<0 }
        let first = min(range.start / pieceLength, Int64(count))
        let last = min((range.end - 1) / pieceLength + 1, Int64(count))
        return Int(first)..<Int(last)
    }

    private static func count(total: Int64, pieceLength: Int64) -> Int64 {
        total <= 0 ? 0 : (total - 1) / pieceLength + 1
    }
}

/// Says why a list is not one of piece hashes.
public struct PieceHashesError: Error, Equatable {
    public let message: String
}
