/// Which parts of a `multipart/byteranges` answer are taken: those asked for, in the order asked for. A server may send neighbours as one.
///
/// Any other order is allowed by RFC 9110 §15.3.7.2, and so rare that what it would save is not worth knowing of holes behind the last byte:
/// the ranges are asked for one by one then.
package struct PartOrder: Hashable, Sendable {
    /// How much that nobody asked for is read on the way to what was.
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
        // It ends within one, or goes on past the last one that it is said to bring.
        let merged = expected[..<rest.startIndex]
        guard rest.first.map({ range.end <= $0.start }) ?? true, merged.last?.end == range.end,
            range.count - merged.reduce(0, { $0 + $1.count }) <= Self.maximumDetour
        else { return false }
        expected = rest
        total = total ?? found
        return true
    }
}
