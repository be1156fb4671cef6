/// The pieces of a file that are shown to be right, those being examined, and those that were wrong.
package struct PieceLedger: Hashable, Sendable {
    /// A piece that was wrong: how often, and who gave it.
    struct Wrong: Hashable, Sendable {
        var count = 0
        var givers: Set<SourceID> = []
    }

    let hashes: PieceHashes
    // Sets of indices, not of bytes.
    private var verified = RangeSet()
    private(set) var underCheck: Range<Int>?
    /// Written to while they were being looked at.
    private var touched = RangeSet()
    private(set) var wrong: [Int: Wrong] = [:]

    /// The number of bytes read at once, unless one piece is larger.
    static let batch: Int64 = 16 << 20

    init(_ hashes: PieceHashes) { self.hashes = hashes }

    var isVerified: Bool { verified.contains(ByteRange(0..<Int64(hashes.count))) }

    /// Bytes that may be other ones now.
    mutating func touch(_ range: ByteRange) {
        let pieces = hashes.pieces(in: range)
        guard let indices = ByteRange(start: Int64(pieces.lowerBound), end: Int64(pieces.upperBound)), !indices.isEmpty
        else { return }
        if !verified.isEmpty { verified.remove(indices) }
        if let underCheck { touched.formUnion(RangeSet(indices).intersection(ByteRange(underCheck))) }
    }

    /// The next pieces to look at, of those that are all there. Nil while some are being looked at, or when there are
    /// none.
    mutating func nextCheck(of written: RangeSet, total: Int64) -> Range<Int>? {
        guard underCheck == nil else { return nil }
        for run in written.ranges {
            let first = run.start / hashes.pieceLength + (run.start % hashes.pieceLength == 0 ? 0 : 1)
            let last = run.end >= total ? Int64(hashes.count) : run.end / hashes.pieceLength
            guard let whole = ByteRange(start: first, end: min(last, Int64(hashes.count))),
                let next = RangeSet(whole).subtracting(verified).ranges.first
            else { continue }
            let most = max(1, Self.batch / hashes.pieceLength)
            underCheck = Int(next.start)..<Int(min(next.end, next.start + most))
            return underCheck
        }
        return nil
    }

    /// Takes in what came of a look. Returns those of the wrong ones that are as they were when it began.
    mutating func checked(_ pieces: Range<Int>, wrong found: [Int]) -> [Int] {
        guard underCheck == pieces else { return [] }
        underCheck = nil
        var right = RangeSet(ByteRange(pieces))
        for index in found { right.remove(ByteRange(index..<index + 1)) }
        right.subtract(touched)
        verified.formUnion(right)
        for index in right.ranges.flatMap({ Int($0.start)..<Int($0.end) }) where wrong[index] != nil {
            wrong[index] = nil
        }
        defer { touched = RangeSet() }
        return found.filter { !touched.contains(Int64($0)) }
    }

    /// The look that is under way may have been what failed, and then its word will never come.
    mutating func abandonCheck() {
        underCheck = nil
        touched = RangeSet()
    }

    /// Notes that a piece was wrong, and returns how often it has been by now.
    mutating func note(wrong index: Int, from givers: [SourceID]) -> Int {
        wrong[index, default: Wrong()].count += 1
        wrong[index, default: Wrong()].givers.formUnion(givers)
        return wrong[index]?.count ?? 1
    }
}

extension ByteRange {
    fileprivate init(_ indices: Range<Int>) { self.init(Int64(indices.lowerBound)..<Int64(indices.upperBound)) }
}
