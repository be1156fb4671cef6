import PawlCore
import PawlTestKit

extension ServerConnection {
    /// Sends a complete and correct 206 for these bytes, whatever was requested.
    func sendSlice(
        of content: [UInt8], _ range: Range<Int>, entityTag: String = "\"v1\"", fields: [String] = []
    ) throws {
        try sendSliceHead(of: content, range, entityTag: entityTag, fields: fields)
        try sendBody(content[range])
    }

    func sendSliceHead(
        of content: [UInt8], _ range: Range<Int>, entityTag: String = "\"v1\"", fields: [String] = []
    ) throws {
        let lines =
            [
                "HTTP/1.1 206 Partial Content",
                "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)",
                "Content-Length: \(range.count)", "ETag: \(entityTag)", "Date: Fri, 01 May 2026 12:00:00 GMT",
                "Last-Modified: Wed, 01 Jan 2020 00:00:00 GMT",
            ] + fields
        try send(lines.map { $0 + "\r\n" }.joined() + "\r\n")
    }
}

extension RecordedRequest {
    /// The first byte of the request's single range.
    var rangeStart: Int? {
        guard let range = fields.first("Range"), range.hasPrefix("bytes=") else { return nil }
        return Int(range.dropFirst("bytes=".count).prefix { $0 != "-" })
    }
}
