/// One field line of a message (RFC 9110 §5).
public struct HTTPField: Hashable, Sendable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Whether the field has this name, in any case (RFC 9110 §5.1).
    package func isNamed(_ name: String) -> Bool {
        guard self.name.utf8.count == name.utf8.count else { return false }
        return self.name.withBytes(and: name) { mine, other in
            mine.indices.allSatisfy { ASCII.lowercased(mine[$0]) == ASCII.lowercased(other[$0]) }
        } ?? zip(self.name.utf8, name.utf8).allSatisfy { ASCII.lowercased($0) == ASCII.lowercased($1) }
    }

    /// Whether the field may prove who asks. Every name that is not known to be harmless may.
    package var mayBeSecret: Bool {
        if isNamed("referer") || isNamed("origin") { return (try? HTTPURL(parsing: value))?.hasSecrets ?? true }
        let lower = name.utf8.map(ASCII.lowercased)
        return !Self.harmless.contains { isNamed($0) }
            && !Self.harmlessPrefixes.contains { lower.starts(with: $0.utf8) }
    }

    /// Names of fields that describe the client or its preferences, or its user without proof.
    private static let harmless = [
        "accept", "accept-charset", "accept-language", "cache-control", "dnt", "from", "pragma", "priority",
        "save-data", "sec-gpc", "te", "upgrade-insecure-requests", "user-agent", "x-requested-with",
    ]
    private static let harmlessPrefixes = ["sec-ch-", "sec-fetch-"]

    /// Whether Pawl alone sets the field; a caller's is an error.
    package var isReserved: Bool { Self.reserved.contains { isNamed($0) } }

    /// Whether the field is dropped where a person types or pastes it: it is reserved, belongs to the connection of the
    /// browser that it was copied from, or asks for less than the whole file.
    package var isDropped: Bool { isReserved || Self.unwanted.contains { isNamed($0) } }

    private static let reserved = [
        "range", "if-range", "accept-encoding", "host", "connection", "transfer-encoding", "content-length",
    ]
    /// Fields of one connection (RFC 9110 §7.6.1), of requests with a body, and of conditional requests (§13.1).
    private static let unwanted = [
        "te", "trailer", "upgrade", "http2-settings", "keep-alive", "proxy-connection", "expect", "if-match",
        "if-none-match", "if-modified-since", "if-unmodified-since",
    ]
}

extension Sequence<HTTPField> {
    /// The values of every line with this name, in the order received.
    package func values(_ name: String) -> [String] {
        // Mostly there is none, and then nothing is allocated.
        var values: [String] = []
        for field in self where field.isNamed(name) { values.append(field.value) }
        return values
    }

    package func first(_ name: String) -> String? { first { $0.isNamed(name) }?.value }

    /// The members of the lists that all lines with this name hold together (RFC 9110 §5.6.1), in lower case.
    package func members(_ name: String) -> [String] {
        values(name).flatMap { (value: String) in
            if !value.isEmpty, value.allBytes(ASCII.isTokenByte) { return [value.lowercased()] }
            return Array(value.utf8).split(separator: UInt8(ascii: ",")).map {
                String(decoding: ASCII.trimmingBlanks($0).map(ASCII.lowercased), as: UTF8.self)
            }
        }
        .filter { !$0.isEmpty }
    }
}

/// Status and fields of a final response.
package struct ResponseHead: Hashable, Sendable {
    package let status: Int
    package let fields: [HTTPField]
    /// Whether the message is HTTP/1.0, whose close-delimited bodies cannot be told from cut ones.
    package let isHTTP10: Bool
    /// Explanation of an error by the server, in one line without secrets: see ``ErrorExplanation``.
    package var explanation: String?

    package init(status: Int, fields: [HTTPField], isHTTP10: Bool = false) {
        self.status = status
        self.fields = fields
        self.isHTTP10 = isHTTP10
    }
}
