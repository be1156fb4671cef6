/// A set of byte positions, kept as disjoint, non-adjacent, ascending ranges.
///
/// Insertion and subtraction are linear in the number of runs; a download has some dozens of them at most.
package struct RangeSet: Hashable, Sendable {
    package private(set) var ranges: [ByteRange] = []

    package init() {}

    package init(_ range: ByteRange) {
        insert(range)
    }

    package init(_ ranges: some Sequence<ByteRange>) {
        for range in ranges { insert(range) }
    }

    package var isEmpty: Bool { ranges.isEmpty }

    /// The number of bytes in the set.
    package var count: Int64 { ranges.reduce(0) { $0 + $1.count } }

    /// The end of the last range, zero for the empty set.
    package var upperBound: Int64 { ranges.last?.end ?? 0 }

    package func contains(_ range: ByteRange) -> Bool {
        range.isEmpty || ranges.contains { $0.contains(range) }
    }

    package func contains(_ position: Int64) -> Bool {
        ranges.contains { $0.start <= position && position < $0.end }
    }

    package func isSubset(of other: RangeSet) -> Bool {
        ranges.allSatisfy(other.contains(_:))
    }

    package mutating func insert(_ range: ByteRange) {
        guard !range.isEmpty else { return }
        var low = range.start
        var high = range.end
        // Adjacent runs join too: `<=`, not `<`.
        let first = ranges.firstIndex { $0.end >= low } ?? ranges.endIndex
        var last = first
        while last < ranges.endIndex, ranges[last].start <= high {
            low = min(low, ranges[last].start)
            high = max(high, ranges[last].end)
            last += 1
        }
        ranges.replaceSubrange(first..<last, with: [ByteRange(low..<high)])
    }

    package mutating func remove(_ range: ByteRange) {
        guard !range.isEmpty else { return }
        var kept: [ByteRange] = []
        kept.reserveCapacity(ranges.count + 1)
        for run in ranges {
            if run.start < range.start { kept.append(ByteRange(run.start..<min(run.end, range.start))) }
            if run.end > range.end { kept.append(ByteRange(max(run.start, range.end)..<run.end)) }
        }
        // A run wholly outside `range` satisfies exactly one of the two tests above with its own bounds, so nothing is
        // split twice.
        ranges = kept
    }

    package mutating func formUnion(_ other: RangeSet) {
        for range in other.ranges { insert(range) }
    }

    package mutating func subtract(_ other: RangeSet) {
        for range in other.ranges { remove(range) }
    }

    package func union(_ other: RangeSet) -> RangeSet {
        var result = self
        result.formUnion(other)
        return result
    }

    package func subtracting(_ other: RangeSet) -> RangeSet {
        var result = self
        result.subtract(other)
        return result
    }

    package func intersection(_ range: ByteRange) -> RangeSet {
        RangeSet(ranges.compactMap { $0.intersection(range) })
    }

    package func intersection(_ other: RangeSet) -> RangeSet {
        RangeSet(other.ranges.flatMap { intersection($0).ranges })
    }

    /// Returns the ranges missing from `0..<total`, in ascending order.
    package func gaps(upTo total: Int64) -> [ByteRange] {
        var gaps: [ByteRange] = []
        var position: Int64 = 0
        for run in ranges where position < total {
            if run.start > position { gaps.append(ByteRange(position..<min(run.start, total))) }
            position = max(position, run.end)
        }
        if position < total { gaps.append(ByteRange(position..<total)) }
        return gaps
    }
}
