/// An entity tag (RFC 9110 §8.8.3), kept and compared byte for byte: nothing in it is unescaped, decoded or folded.
package struct EntityTag: Sendable {
    /// The field value as received, with its quotes and its `W/`: what goes into `If-Range`.
    package let raw: String

    /// `W/` is case-sensitive (RFC 9110 §8.8.3).
    package var isWeak: Bool { raw.utf8.starts(with: "W/".utf8) }

    /// Parses a tag; nil unless the value is `[ "W/" ] DQUOTE *etagc DQUOTE`. The tag may be empty: see ``isEmpty``.
    package init?(parsing value: String) {
        var scanner = FieldScanner(value)
        let isWeak = scanner.take(literal: "W/")
        guard scanner.take("\"") else { return nil }
        let opaque = scanner.take(while: Self.isTagByte)
        guard scanner.take("\""), scanner.isAtEnd else { return nil }
        let text = String(decoding: opaque, as: UTF8.self)
        // U+FFFD stands where the header held bytes that are not UTF-8: what was there is lost, and two tags may look
        // like one.
        guard !text.unicodeScalars.contains("\u{FFFD}") else { return nil }
        raw = (isWeak ? "W/\"" : "\"") + text + "\""
    }

    /// `""` is a valid tag, and identifies nothing: servers that send it send it for every file.
    package var isEmpty: Bool { opaque.count == 2 }

    /// Whether the tag has the form of a digest of at least 128 bits in hexadecimal, as object stores make it of the
    /// content: `-` and a number of parts may follow.
    package var isLikelyDigest: Bool {
        let tag = opaque.dropFirst().dropLast()
        let digits = tag.prefix { ASCII.hexValue($0) != nil }
        let rest = tag.dropFirst(digits.count)
        let isCount = rest.first == UInt8(ascii: "-") && rest.count > 1 && rest.dropFirst().allSatisfy(ASCII.isDigit)
        return (32...128).contains(digits.count) && (rest.isEmpty || isCount)
    }

    /// Whether the tag only repeats the file's length and time of modification, as file servers make it (nginx, Apache,
    /// IIS, Caddy): it tells no more than they do then.
    ///
    /// - Parameter modified: in seconds since 1970; nil if it is not known, and any number may be it then.
    package func repeats(length: Int64, modified: Int64?) -> Bool {
        let words = opaque.dropFirst().dropLast().split { !ASCII.isAlphanumeric($0) }
        return [10, 16, 36].contains { radix in
            var isTold = false
            func tells(_ word: Substring.UTF8View) -> Bool {
                guard let number = Int64(String(Substring(word)), radix: radix) else { return false }
                let isMatch = number == length || modified.map { Self.isTime(number, $0) } ?? false
                isTold = isTold || isMatch
                return isMatch || number == 0 || modified == nil
            }
            let end = String(length, radix: radix).utf8
            return words.allSatisfy { word in
                if tells(word) { return true }
                guard word.suffix(end.count).map(ASCII.lowercased).elementsEqual(end), tells(word.dropLast(end.count))
                else { return false }
                isTold = true
                return true
            } && isTold
        }
    }

    /// Whether a number is this time in units of a second or less since 1970, or in Windows' of 100 ns since 1601.
    private static func isTime(_ number: Int64, _ seconds: Int64) -> Bool {
        [1, 1_000, 1_000_000, 1_000_000_000].contains { number / $0 == seconds }
            || number / 10_000_000 - 11_644_473_600 == seconds
    }

    /// Strong comparison (RFC 9110 §8.8.3.2): the only one that allows bytes to be combined.
    package func stronglyEquals(_ other: EntityTag) -> Bool { !isWeak && self == other }

    /// Weak comparison (RFC 9110 §8.8.3.2).
    package func weaklyEquals(_ other: EntityTag) -> Bool { opaque.elementsEqual(other.opaque) }

    private var opaque: Substring.UTF8View { raw.utf8.dropFirst(isWeak ? 2 : 0) }

    /// `etagc`: no blanks, no quote, no control character; obs-text is allowed.
    private static func isTagByte(_ byte: UInt8) -> Bool { byte > 0x20 && byte != UInt8(ascii: "\"") && byte != 0x7F }
}

extension EntityTag: Hashable {
    /// `String` would call two canonically equivalent texts equal; entity tags are bytes.
    package static func == (left: EntityTag, right: EntityTag) -> Bool { left.raw.utf8.elementsEqual(right.raw.utf8) }

    package func hash(into hasher: inout Hasher) { hasher.combine(raw) }
}
