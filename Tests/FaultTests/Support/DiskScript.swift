import Pawl
import PawlCore
import PawlTestKit

/// Answers with a part of a file as it was asked for, for scripts that add something of their own.
enum DiskScript {
    /// Where the range that was asked for begins and ends.
    static func range(_ request: RecordedRequest, _ content: [UInt8]) -> Range<Int> {
        let field = request.fields.first("Range")?.split(separator: "=").last ?? "0-"
        let ends = field.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        let start = min(ends.first.flatMap { $0 } ?? 0, content.count)
        let last = ends.count > 1 ? ends[1] ?? content.count - 1 : content.count - 1
        return start..<max(start, min(last + 1, content.count))
    }

    static func head(_ request: RecordedRequest, _ content: [UInt8]) -> String {
        let range = range(request, content)
        return """
            HTTP/1.1 206 Partial Content\r
            Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)\r
            Content-Length: \(range.count)\r
            ETag: "v1"\r
            Last-Modified: Wed, 01 Jan 2020 00:00:00 GMT\r
            Date: Fri, 01 May 2026 12:00:00 GMT\r
            \r

            """
    }

    static func answer(_ request: RecordedRequest, _ connection: ServerConnection, _ content: [UInt8]) throws {
        try connection.send(head(request, content))
        try connection.sendBody(content[range(request, content)])
    }
}

enum Sums {
    static func sha256(_ bytes: [UInt8]) -> Digest? {
        var digester = CryptoDigests().makeDigester(.sha256)
        bytes.withUnsafeBytes { digester.update($0) }
        return Digest(algorithm: .sha256, bytes: digester.finalize())
    }
}
