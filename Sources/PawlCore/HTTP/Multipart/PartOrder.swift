/// The parts of a `multipart/byteranges` response that are accepted: those requested, in the order requested. A server
/// may send neighbours as one.
///
/// RFC 9110 §15.3.7.2 allows any other order, but it is too rare to justify tracking holes behind the last byte: the
/// ranges are then requested one by one.
package struct PartOrder: Hashable, Sendable {
    /// The number of unrequested bytes that are read to reach requested ones.
    package static let maximumDetour: Int64 = 16 << 20

    private var expected: ArraySlice<ByteRange>
    private var total: Int64?

    /// - Parameter total: of the file, where it is known; else the first part that tells one decides.
    package init(_ expected: [ByteRange], total: Int64?) {
        self.expected = expected[...]
        self.total = total
    }

    /// Every part asked for has been admitted.
    package var isComplete: Bool { expected.isEmpty }

    /// Whether the next part is one to take.
    package mutating func admits(_ range: ByteRange, total found: Int64?) -> Bool {
        if let total, let found, total != found { return false }
        guard let next = expected.first, range.start == next.start else { return false }
        var rest = expected
        while let next = rest.first, next.end <= range.end { rest.removeFirst() }
        // It ends within a range, or continues past the last range it should contain.
        let merged = expected[..<rest.startIndex]
        guard rest.first.map({ range.end <= $0.start }) ?? true, merged.last?.end == range.end,
            range.count - merged.reduce(0, { $0 + $1.count }) <= Self.maximumDetour
        else { return false }
        expected = rest
        total = total ?? found
        return true
    }
}
