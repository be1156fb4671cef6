import PawlCore
import PawlTestKit

/// A `multipart/byteranges` answer (RFC 9110 §14.6), correct unless changed.
struct MultipartAnswer {
    struct Part {
        /// The range that the part claims, true or not.
        var range: Range<Int>
        var body: [UInt8]
        var total: Int
        var unit = "bytes"
        var lines = ["Content-Type: application/octet-stream"]
    }

    var parts: [Part]
    var boundary = "THIS_STRING_SEPARATES"
    /// The field's whole value, or nil for the usual one.
    var contentType: String?
    var preamble = "\r\n"
    var hasEnd = true
    var epilogue: [UInt8] = []

    init(_ ranges: [Range<Int>], of content: [UInt8]) {
        parts = ranges.map { Part(range: $0, body: Array(content[$0]), total: content.count) }
    }

    /// The ranges of a `Range` field with several; nil for any other request.
    static func asked(_ request: RecordedRequest) -> [Range<Int>]? {
        guard let field = request.fields.first("Range"), field.contains(",") else { return nil }
        return field.dropFirst("bytes=".count).split(separator: ",").map { text in
            let ends = text.split(separator: "-").compactMap { Int($0) }
            return ends[0]..<ends[1] + 1
        }
    }

    var type: String { "Content-Type: \(contentType ?? "multipart/byteranges; boundary=\(boundary)")" }

    var body: [UInt8] {
        var bytes = Array(preamble.utf8)
        for part in parts {
            let range =
                "Content-Range: \(part.unit) \(part.range.lowerBound)-\(part.range.upperBound - 1)/\(part.total)"
            bytes +=
                Array("--\(boundary)\r\n\((part.lines + [range]).joined(separator: "\r\n"))\r\n\r\n".utf8) + part.body
                + Array("\r\n".utf8)
        }
        return bytes + (hasEnd ? Array("--\(boundary)--\r\n".utf8) : []) + epilogue
    }

    func send(_ connection: ServerConnection, _ lines: [String] = ["ETag: \"v1\""], cut: Int? = nil) throws {
        try connection.reply(206, lines + [type], body: body[...], cut: cut)
    }
}
