/// The positions of the wanted parts of a file in the file that holds them.
///
/// Packed, the wanted ranges follow one another without the gaps between them; sparse, each byte has the position that
/// it has in the whole.
package struct ResultLayout: Hashable, Sendable {
    package let selection: RangeSelection.Resolved
    package let isSparse: Bool

    package init(_ selection: RangeSelection.Resolved, isSparse: Bool) {
        self.selection = selection
        self.isSparse = isSparse
    }

    /// A part of the whole, and where its first byte stands.
    package struct Slice: Hashable, Sendable {
        package var range: ByteRange
        package var offset: Int64
    }

    /// Returns the wanted parts of a range of the whole, ascending.
    package func slices(of range: ByteRange) -> [Slice] {
        var slices: [Slice] = []
        var offset: Int64 = 0
        for wanted in selection.wanted.ranges {
            if let common = wanted.intersection(range) {
                slices.append(
                    Slice(range: common, offset: isSparse ? common.start : offset + (common.start - wanted.start)))
            }
            offset += wanted.count
        }
        return slices
    }

    /// The length of the file when it holds everything.
    package var length: Int64 { isSparse ? selection.wanted.upperBound : selection.wanted.count }

    /// Returns the least length of the file when it holds these parts of the whole.
    package func length(holding ranges: RangeSet) -> Int64 {
        ranges.ranges.last.flatMap { slices(of: $0).last }.map { $0.offset + $0.range.count } ?? 0
    }

    /// Returns the positions of the whole that a file of this length can hold.
    package func positions(within length: Int64) -> RangeSet {
        RangeSet(
            slices(of: ByteRange(0..<Int64.max)).compactMap { slice in
                let count = min(slice.range.count, length - slice.offset)
                return count > 0 ? ByteRange(slice.range.start..<slice.range.start + count) : nil
            })
    }

    /// The finished file is this one: nothing has to be put into another order, or there twice.
    package var isFinal: Bool { isSparse || selection.isAscending }

    /// The number of bytes of the result.
    package var resultLength: Int64 { isSparse ? length : selection.count }
}
