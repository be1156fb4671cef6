package import PawlCore
package import PawlStore

/// Reads a manifest: its head, and then the lines of the items.
package final class ManifestReader {
    package let head: ManifestHead
    private let reader: GzipReader
    private var rest: [UInt8] = []
    private var start = 0

    /// - Throws: `.batch` for what is no manifest.
    package init(_ body: StoreBody) throws(WorkError) {
        do throws(GzipReader.Failure) {
            reader = try GzipReader(body.content, length: body.length)
        } catch {
            throw WorkError(.batch, "A manifest cannot be read. \(error.message)")
        }
        (rest, start) = ([], 0)
        var first: JSONValue?
        first = try Self.line(reader, &rest, &start)
        guard let first else { throw WorkError(.batch, "A manifest is empty.") }
        head = try ManifestHead(jsonValue: first)
    }

    /// Returns the next line; nil after the last.
    package func next() throws(WorkError) -> JSONValue? { try Self.line(reader, &rest, &start) }

    private static func line(
        _ reader: GzipReader, _ rest: inout [UInt8], _ start: inout Int
    ) throws(WorkError) -> JSONValue? {
        while true {
            if let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(rest[start..<end])
                start = end + 1
                guard let value = try? JSONValue(parsing: line) else {
                    throw WorkError(.batch, "A manifest has a line that is not JSON.")
                }
                return value
            }
            rest.removeFirst(start)
            start = 0
            do throws(GzipReader.Failure) {
                guard let next = try reader.next() else { return nil }
                rest += next
            } catch {
                throw WorkError(.batch, "A manifest cannot be read. \(error.message)")
            }
        }
    }
}
