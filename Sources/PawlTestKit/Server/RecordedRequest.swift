package import PawlCore

/// A request as received.
package struct RecordedRequest: Hashable, Sendable {
    /// The request's number on this server, from 1.
    package let number: Int
    /// The connection's number on this server, from 1.
    package let connection: Int
    package let method: String
    /// Path and query, byte for byte as sent.
    package let target: String
    package let fields: [HTTPField]
    /// All bytes up to and including the empty line.
    package let raw: [UInt8]

    package var path: String { String(target.prefix { $0 != "?" }) }

    package var query: String? {
        target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
    }
}

extension RecordedRequest {
    /// Parses a request; nil if the head is not one that Pawl should ever send.
    init?(head raw: [UInt8], number: Int, connection: Int) {
        let lines = String(decoding: raw, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: true)
        guard let start = lines.first?.split(separator: " ", omittingEmptySubsequences: false), start.count == 3,
            start[2] == "HTTP/1.1"
        else { return nil }
        var fields: [HTTPField] = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            fields.append(HTTPField(String(line[..<colon]), String(value)))
        }
        self.number = number
        self.connection = connection
        self.method = String(start[0])
        self.target = String(start[1])
        self.fields = fields
        self.raw = raw
    }
}
