import PawlCore
import PawlEngine

/// Reads a file of JSON lines, as far as it has whole ones.
struct RecordReader {
    private let file: any FileContent
    private var buffer: [UInt8] = []
    private var start = 0
    /// The end of the last line that was returned.
    private(set) var position: Int64 = 0

    init(_ file: any FileContent) { self.file = file }

    /// Returns the next line and where it is, with its end; nil at the end, and at a line that is not whole.
    mutating func next() throws(StorageError) -> (value: JSONValue, range: ByteRange)? {
        while true {
            if let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
                guard let value = try? JSONValue(parsing: Array(buffer[start..<end])) else { return nil }
                let range = ByteRange(position..<position + Int64(end + 1 - start))
                (start, position) = (end + 1, range.end)
                return (value, range)
            }
            buffer.removeFirst(start)
            start = 0
            let piece = try file.read(64 << 10, at: position + Int64(buffer.count))
            guard !piece.isEmpty, buffer.count <= 1 << 20 else { return nil }
            buffer += piece
        }
    }
}
