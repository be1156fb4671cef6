/// A cursor over a field value, with the lexical rules that most fields share (RFC 9110 §5.6).
///
/// It works on bytes, not on `Character`s: in Swift, CR LF is one `Character`, and so is a quote followed by a
/// combining mark.
package struct FieldScanner {
    private var rest: ArraySlice<UInt8>

    /// Scans `text` without the blanks at its ends, which are not part of a field value (RFC 9110 §5.5).
    package init(_ text: String) {
        rest = ASCII.trimmingBlanks(Array(text.utf8)[...])
    }

    package var isAtEnd: Bool { rest.isEmpty }

    package var next: UInt8? { rest.first }

    /// Consumes `byte` if it comes next, and says whether it did.
    package mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == byte.value else { return false }
        rest.removeFirst()
        return true
    }

    /// Consumes all of `literal` or nothing.
    package mutating func take(literal: String) -> Bool {
        guard rest.starts(with: literal.utf8) else { return false }
        rest.removeFirst(literal.utf8.count)
        return true
    }

    package mutating func take(while isMember: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let run = rest.prefix(while: isMember)
        rest.removeFirst(run.count)
        return run
    }

    package mutating func skipBlanks() {
        _ = take(while: ASCII.isBlank)
    }

    /// `token` of RFC 9110 §5.6.2; nil, with nothing consumed, when none comes next.
    package mutating func takeToken() -> String? {
        let run = take(while: ASCII.isTokenByte)
        return run.isEmpty ? nil : String(decoding: run, as: UTF8.self)
    }

    /// `quoted-string` of RFC 9110 §5.6.4, unescaped; nil when it is unterminated or holds a control character.
    package mutating func takeQuotedString() -> String? {
        guard take("\"") else { return nil }
        var content: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), Self.isQuotable(escaped) else { return nil }
                content.append(escaped)
            default:
                guard Self.isQuotable(byte) else { return nil }
                content.append(byte)
            }
        }
        return nil
    }

    private static func isQuotable(_ byte: UInt8) -> Bool { byte == 0x09 || (byte >= 0x20 && byte != 0x7F) }
}
