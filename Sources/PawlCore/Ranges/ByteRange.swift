/// A half-open interval of byte positions, `start..<end`, in a representation.
///
/// Inclusive positions exist only where a header is written or parsed (RFC 9110 §14.1.2); everywhere else a range is
/// half-open, so that adjacent ranges share a bound and an empty range can be written.
public struct ByteRange: Hashable, Sendable {
    public let start: Int64
    public let end: Int64

    /// Creates a range; nil if `start` is negative or `end` lies before `start`.
    public init?(start: Int64, end: Int64) {
        guard start >= 0, end >= start else { return nil }
        self.start = start
        self.end = end
    }

    /// Creates a range from bounds that the caller has already ordered; a wrong order is our own bug and traps.
    package init(_ bounds: Range<Int64>) {
        // Proven: positions from outside go through `init?(start:end:)`.
        precondition(bounds.lowerBound >= 0, "negative byte position \(bounds.lowerBound)")
        start = bounds.lowerBound
        end = bounds.upperBound
    }

    public var count: Int64 { end - start }
    public var isEmpty: Bool { end == start }

    package func contains(_ other: ByteRange) -> Bool { start <= other.start && other.end <= end }

    package func overlaps(_ other: ByteRange) -> Bool { start < other.end && other.start < end }

    /// Returns the bytes in both ranges; nil if they share none.
    package func intersection(_ other: ByteRange) -> ByteRange? {
        let low = max(start, other.start)
        let high = min(end, other.end)
        return low < high ? ByteRange(low..<high) : nil
    }
}

extension ByteRange: CustomStringConvertible {
    public var description: String { "\(start)..<\(end)" }
}
