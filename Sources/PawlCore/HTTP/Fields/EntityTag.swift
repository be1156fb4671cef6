/// An entity tag (RFC 9110 §8.8.3), kept and compared byte for byte: nothing in it is unescaped, decoded or folded.
package struct EntityTag: Sendable {
    /// The field value as received, with its quotes and its `W/`: what goes into `If-Range`.
    package let raw: String

    /// `W/` is case-sensitive (RFC 9110 §8.8.3).
    package var isWeak: Bool { raw.utf8.starts(with: "W/".utf8) }

    /// Nil unless the value is `[ "W/" ] DQUOTE *etagc DQUOTE`. The tag may be empty: see ``isEmpty``.
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
