package import PawlCore

/// What requests told servers in confidence. A server may send it back where no secret is expected, in an ETag or in a path it redirects to;
/// a log line must not repeat it.
package struct SentSecrets: Sendable {
    private var parts: Set<[UInt8]> = []

    package init() {}

    package init(_ request: TransportRequest) {
        self.init(request.url)
        for field in request.fields where !Self.plainFields.contains(field.name.lowercased()) { add(field) }
    }

    package init(_ url: HTTPURL) {
        if let userinfo = url.userinfo { add(wordsOf: Array(userinfo.utf8)) }
        for item in (url.query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            // An item without `=` is a value, as for `redacted`.
            add(item.firstIndex(of: UInt8(ascii: "=")).map { item[$0...].dropFirst() } ?? item)
        }
    }

    package mutating func formUnion(_ other: SentSecrets) { parts.formUnion(other.parts) }

    /// The text with `…` in place of each secret.
    package func removed(from text: String) -> String {
        var bytes = Array(text.utf8)
        // Longer ones first: of a secret that contains another, nothing may be left.
        for part in parts.sorted(by: { $0.count > $1.count }) where bytes.count >= part.count {
            while let range = bytes.firstRange(of: part) { bytes.replaceSubrange(range, with: Array("…".utf8)) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Shorter ones are words of any text, and shorter numbers are in any answer.
    private static let (shortest, shortestNumber) = (6, 12)

    private static let plainFields: Set<String> = [
        "accept", "accept-encoding", "host", "if-modified-since", "if-none-match", "if-range", "range", "user-agent",
    ]

    private static let separators = Set(" ,;:=\"&".utf8)

    private mutating func add(_ field: HTTPField) {
        let value = Array(field.value.utf8)
        add(value)
        add(wordsOf: value)
        let words = value.split(separator: UInt8(ascii: " "))
        if words.count == 2, String(decoding: words[0], as: UTF8.self).lowercased() == "basic", let pair = Base64.decode(words[1]) {
            add(wordsOf: pair)
        }
    }

    private mutating func add(wordsOf text: [UInt8]) {
        for word in text.split(whereSeparator: Self.separators.contains) { add(word) }
    }

    private mutating func add(_ text: some Sequence<UInt8>) {
        for bytes in [Array(text), PercentCoding.decode(text)] {
            let isNumber = bytes.allSatisfy { (0x30...0x39).contains($0) }
            if bytes.count >= (isNumber ? Self.shortestNumber : Self.shortest) { parts.insert(bytes) }
        }
    }
}
