import PawlCore
package import PawlStore

/// Reads the lines of a shard, slice by slice. Blank ones do not count.
package final class ShardReader {
    private let reader: GzipReader
    private var rest: [UInt8] = []
    private var isAtEnd = false

    /// - Throws: for what is not gzip.
    package init(_ shard: StoreBody) throws(GzipReader.Failure) {
        reader = try GzipReader(shard.content, length: shard.length)
    }

    /// Returns the next lines; fewer than `count` only at the end. One that is too long comes as its beginning.
    package func next(_ count: Int) throws(GzipReader.Failure) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        while lines.count < count, let line = try nextLine() {
            if line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) { lines.append(line) }
        }
        return lines
    }

    /// Bytes are taken from the end of what was read once, so that a line costs no copy of the rest.
    private var start = 0

    private func nextLine() throws(GzipReader.Failure) -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            if let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                Self.append(rest[start..<end], to: &line)
                start = end + 1
                return line
            }
            Self.append(rest[start...], to: &line)
            (rest, start) = ([], 0)
            guard !isAtEnd, let next = try reader.next() else {
                isAtEnd = true
                return line.isEmpty ? nil : line
            }
            rest = next
        }
    }

    private static func append(_ bytes: ArraySlice<UInt8>, to line: inout [UInt8]) {
        line += bytes.prefix(max(0, ShardItem.lineLimit + 1 - line.count))
    }
}
