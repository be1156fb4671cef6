package import PawlCore

/// The secrets that requests sent to servers. A server may echo them where no secret is expected, in an ETag or in the
/// path of a redirect; a log line must not repeat them.
package struct SentSecrets: Sendable {
    private var parts: Set<[UInt8]> = []

    package init() {}

    package init(_ request: TransportRequest) {
        self.init(request.url)
        for field in request.fields where !Self.plainFields.contains(field.name.lowercased()) { add(field) }
    }

    package init(_ url: HTTPURL) {
        if let userinfo = url.userinfo { add(pair: Array(userinfo.utf8)) }
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

    /// The text with `…` in place of each secret, and of the beginning of one at the end of a text that may be cut off.
    package func removed(fromCut text: String) -> String {
        let bytes = Array(removed(from: text).utf8)
        let cut = parts.compactMap { part in
            (Self.shortest..<max(part.count, Self.shortest)).last { bytes.suffix($0).elementsEqual(part.prefix($0)) }
        }
        guard let length = cut.max() else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: bytes.dropLast(length), as: UTF8.self) + "…"
    }

    /// Shorter ones occur in any text, unless they are all that a field holds.
    private static let (shortest, shortestNumber) = (6, 12)

    private static let plainFields: Set<String> = [
        "accept", "accept-encoding", "host", "if-modified-since", "if-none-match", "if-range", "range", "user-agent",
    ]

    private static let separators = Set(" ,;:=\"&".utf8)

    private mutating func add(_ field: HTTPField) {
        let value = Array(field.value.utf8)
        switch field.name.lowercased() {
        case "referer": if let page = try? HTTPURL(parsing: field.value) { formUnion(SentSecrets(page)) }
        case "authorization": add(credentials: value)
        default:
            add(value, isWhole: true)
            add(wordsOf: value)
        }
    }

    /// `auth-scheme token68` or `auth-scheme name=value, …` (RFC 9110 §11.4). Of Digest, most is what anybody may see.
    private mutating func add(credentials: [UInt8]) {
        let scheme = credentials.prefix { $0 != UInt8(ascii: " ") }
        let rest = Array(credentials.dropFirst(scheme.count + 1))
        add(rest, isWhole: true)
        switch String(decoding: scheme, as: UTF8.self).lowercased() {
        case "basic": if let pair = Base64.decode(rest) { add(pair: pair) }
        case "digest":
            for parameter in rest.split(separator: UInt8(ascii: ",")) {
                let parts = parameter.split(separator: UInt8(ascii: "="), maxSplits: 1)
                guard parts.count == 2,
                    Self.confidentialParameters.contains(parts[0].filter { $0 != UInt8(ascii: " ") })
                else { continue }
                add(parts[1].filter { $0 != UInt8(ascii: "\"") }, isWhole: true)
            }
        default: add(wordsOf: rest)
        }
    }

    private static let confidentialParameters = Set(["username", "response", "cnonce"].map { Array($0.utf8) })

    /// `name:password`, which may itself hold colons.
    private mutating func add(pair: [UInt8]) {
        add(pair, isWhole: true)
        add(pair.prefix { $0 != UInt8(ascii: ":") }, isWhole: true)
        add(pair.drop { $0 != UInt8(ascii: ":") }.dropFirst(), isWhole: true)
    }

    private mutating func add(wordsOf text: [UInt8]) {
        for word in text.split(whereSeparator: Self.separators.contains) { add(word) }
    }

    /// - Parameter isWhole: it is all that was said in confidence there, and no word of it.
    private mutating func add(_ text: some Sequence<UInt8>, isWhole: Bool = false) {
        for bytes in [Array(text), PercentCoding.decode(text)] {
            let isNumber = !isWhole && bytes.allSatisfy { (0x30...0x39).contains($0) }
            if bytes.count >= (isNumber ? Self.shortestNumber : Self.shortest) { parts.insert(bytes) }
        }
    }
}
