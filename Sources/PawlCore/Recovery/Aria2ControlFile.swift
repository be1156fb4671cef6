/// The record that aria2 keeps of an unfinished download in `NAME.aria2`: the length of the file, and which of its
/// pieces are there (aria2's Technical Notes, "Control File"). It has no checksum, no URL and no validator, and aria2
/// syncs neither it nor the file.
package struct Aria2ControlFile: Hashable, Sendable {
    /// The length of the whole file, in bytes.
    package let total: Int64
    /// The number of bytes from the beginning in pieces that are complete.
    package let prefix: Int64

    /// The largest that is read: enough for the most pieces that aria2 makes of a file.
    package static let maximumSize = 16 << 20

    /// - Returns: nil for what is no control file of version 1, or of a download by BitTorrent.
    package init?(parsing bytes: [UInt8]) {
        var reader = Reader(bytes[...])
        guard reader.number(2) == 1, let extensions = reader.number(4), extensions & 1 == 0, reader.number(4) == 0,
            let pieceLength = reader.number(4), pieceLength > 0,
            let total = reader.number(8), total > 0, reader.number(8) != nil, let count = reader.number(4)
        else { return nil }
        let pieces = (total - 1) / pieceLength + 1
        guard count == (pieces - 1) / 8 + 1, let field = reader.take(Int(clamping: count)) else { return nil }
        self.total = total
        var complete: Int64 = 0
        for byte in field {
            // The first piece is the highest bit.
            let ones = Int64((~byte).leadingZeroBitCount)
            complete += ones
            if ones < 8 { break }
        }
        let (length, overflow) = min(complete, pieces).multipliedReportingOverflow(by: pieceLength)
        prefix = overflow ? total : min(length, total)
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

        mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }

        /// Reads a number in network byte order; nil at the end, and for one that an `Int64` cannot hold.
        mutating func number(_ count: Int) -> Int64? {
            guard let bytes = take(count) else { return nil }
            return Int64(exactly: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
    }
}
