/// The first line of a response (RFC 9112 §4), also as servers shorten it: without a reason, without a version, or with
/// one that this connection cannot have.
struct StatusLine: Hashable, Sendable {
    let status: Int
    let isHTTP10: Bool

    private static let name = Array("http".utf8)

    /// Whether the first bytes of a response may become a status line.
    static func mayBegin(with bytes: [UInt8]) -> Bool {
        let begin = bytes.drop { ASCII.isBlank($0) || $0 == .carriageReturn }.prefix(5)
        guard begin.count == 5 else { return name.starts(with: begin.prefix(4).map(ASCII.lowercased)) }
        return begin.prefix(4).lazy.map(ASCII.lowercased).elementsEqual(name)
            && (begin.last == UInt8(ascii: "/") || begin.last.map(ASCII.isBlank) == true)
    }

    init?(_ line: ArraySlice<UInt8>) {
        var rest = line.drop(while: ASCII.isBlank)
        guard rest.prefix(4).lazy.map(ASCII.lowercased).elementsEqual(Self.name) else { return nil }
        rest = rest.dropFirst(Self.name.count)
        // NCSA's servers said `HTTP 200`.
        var version = [UInt8(ascii: "1"), UInt8(ascii: "0")]
        if rest.first == UInt8(ascii: "/") {
            let word = rest.dropFirst().prefix { !ASCII.isBlank($0) }
            version = Array(word.filter { $0 != UInt8(ascii: ".") })
            rest = rest[word.endIndex...]
        }
        let isKnown = ["10", "11", "2", "20", "3", "30"].contains { $0.utf8.elementsEqual(version) }
        let isParted = rest.first.map(ASCII.isBlank) == true
        rest = rest.drop(while: ASCII.isBlank)
        let digits = rest.prefix(while: ASCII.isDigit)
        guard isKnown, isParted, digits.count == 3, case .value(let status) = ASCII.decimal(digits), status >= 100
        else { return nil }
        self.status = Int(status)
        isHTTP10 = version.elementsEqual("10".utf8)
    }
}
