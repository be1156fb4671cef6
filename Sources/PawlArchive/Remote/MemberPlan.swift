internal import PawlCore

/// The ranges of a remote archive that hold the selected members, and the places of their bytes once the ranges are
/// stored one after the other.
struct MemberPlan: Hashable, Sendable {
    /// The ranges, ascending and apart, at most `maximumRanges`.
    let ranges: [ByteRange]
    /// The offset of each range in the file of stretches.
    private let starts: [Int64]

    /// The largest size of a member beyond its name and data: a local header of 30 bytes, an extra field of 65,535 at
    /// most, and a data descriptor of 24 behind the data (APPNOTE 4.3.7, 4.3.9). Only the header itself gives the
    /// length of the extra field, so everything that may belong to it is fetched too, up to the next member.
    private static let maximumOverhead: Int64 = 30 + 65_535 + 24

    /// - Parameter maximumRanges: where there would be more, those that lie nearest to each other become one, with what
    ///   lies between them.
    init(_ entries: [ZipEntry], maximumRanges: Int = RangeSelection.maximumParts) {
        let wanted = RangeSet(
            entries.map { entry in
                let (most, overflow) = entry.headerOffset.addingReportingOverflow(
                    Int64(entry.rawName.count) + Self.maximumOverhead + entry.compressedSize)
                // Proven: the directory has shown that a member's bytes end behind its beginning.
                return ByteRange(entry.headerOffset..<(overflow ? entry.dataBound : min(entry.dataBound, most)))
            })
        ranges = Self.joined(wanted.ranges, most: maximumRanges)
        var next: Int64 = 0
        starts = ranges.map { range in
            defer { next += range.count }
            return next
        }
    }

    private static func joined(_ ranges: [ByteRange], most: Int) -> [ByteRange] {
        guard ranges.count > most else { return ranges }
        // The widest gaps stay.
        let gaps = zip(ranges, ranges.dropFirst()).enumerated().sorted {
            ($1.element.1.start - $1.element.0.end, $0.offset) < ($0.element.1.start - $0.element.0.end, $1.offset)
        }
        let kept = Set(gaps.prefix(most - 1).map(\.offset))
        var joined: [ByteRange] = []
        var start = ranges[0].start
        for (index, range) in ranges.enumerated() where index == ranges.count - 1 || kept.contains(index) {
            joined.append(ByteRange(start..<range.end))
            if index + 1 < ranges.count { start = ranges[index + 1].start }
        }
        return joined
    }

    var byteCount: Int64 { ranges.reduce(0) { $0 + $1.count } }

    /// Returns the offset of a position of the archive in the file of stretches; nil if it is in none.
    func offset(of position: Int64) -> Int64? {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].end <= position { low = middle + 1 } else { high = middle }
        }
        guard low < ranges.count, ranges[low].start <= position else { return nil }
        return starts[low] + position - ranges[low].start
    }
}
