/// The `Content-Disposition` field of a response (RFC 6266), as far as it proposes a file name.
///
/// Scripts write it by hand, so more than the grammar is taken where only one name can be meant: a value without quotes
/// goes on to the next semicolon, blanks and commas included; the type may be missing; and a quoted path of Windows,
/// whose backslashes quote nothing, counts by its last component.
///
/// The name is decoded but untrusted: it must pass through `FileName.sanitize(_:)` before it is used on a disk.
package struct ContentDisposition: Equatable, Sendable {
    /// `attachment`, `inline` or another; lowercased. Empty where the field begins with a parameter.
    package let type: String

    /// From `filename*` if that is there and can be decoded, else from `filename`; nil when both are missing or empty.
    package let fileName: String?

    /// Nil when the field is absent, malformed, names a parameter twice, or occurs twice with different values.
    package init?(fieldValues: [String]) {
        guard let value = fieldValues.first, fieldValues.allSatisfy({ $0.utf8.elementsEqual(value.utf8) }) else {
            return nil
        }
        var scanner = FieldScanner(value)
        var ahead = scanner
        guard let word = ahead.takeToken() else { return nil }
        ahead.skipBlanks()
        let hasType = ahead.next != UInt8(ascii: "=")
        if hasType { scanner = ahead }
        guard let parameters = scanner.takeParameters(isFirst: !hasType) else { return nil }
        type = hasType ? word.lowercased() : ""
        let extended = parameters["filename*"].map { ($0.isQuoted, Self.decodeExtendedValue($0.text)) }
        // The plain form is taken literally: it is never percent-decoded (RFC 6266 appendix C.2).
        let plain = parameters["filename"]?.text
        // A quoted ext-value is not one (RFC 8187 §3.2.1), and only better than no name.
        let names = extended?.0 == true ? [plain, extended?.1] : [extended?.1, plain]
        fileName = names.compactMap(\.self).first { !$0.isEmpty }
    }

    /// `ext-value` of RFC 8187 §3.2.1: charset, `'`, language, `'`, percent-encoded text. Nil when it cannot be decoded
    /// without loss.
    ///
    /// Unescaped ASCII bytes that should be escaped are accepted: JavaScript's `encodeURIComponent` leaves `'()*`
    /// alone.
    private static func decodeExtendedValue(_ text: String) -> String? {
        let parts = text.utf8.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].allSatisfy({ $0 < 0x80 }), let bytes = PercentCoding.decodeStrictly(parts[2])
        else {
            return nil
        }
        switch String(decoding: parts[0], as: UTF8.self).lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(latin1: bytes)
        default: return nil
        }
    }
}

extension String {
    /// Each byte of ISO 8859-1 is the Unicode scalar of the same number.
    init(latin1 bytes: [UInt8]) {
        var scalars = UnicodeScalarView()
        scalars.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
        self.init(scalars)
    }
}

private struct ParameterValue {
    var text: String
    var isQuoted: Bool
}

extension FieldScanner {
    /// `*( ";" name "=" value )` to the end of the field, by lowercased name; nil when it is malformed. Of two with one
    /// name the first counts, as in browsers.
    ///
    /// Empty parameters, as in a trailing `;`, are skipped: many servers write them.
    ///
    /// - Parameter isFirst: the field begins with a parameter.
    fileprivate mutating func takeParameters(isFirst: Bool) -> [String: ParameterValue]? {
        var parameters: [String: ParameterValue] = [:]
        var isFirst = isFirst
        skipBlanks()
        while !isAtEnd {
            guard isFirst || take(";") else { return nil }
            isFirst = false
            skipBlanks()
            if isAtEnd || next == UInt8(ascii: ";") { continue }
            guard let name = takeToken()?.lowercased() else { return nil }
            skipBlanks()
            guard take("=") else { return nil }
            skipBlanks()
            guard let value = takeParameterValue() else { return nil }
            parameters.merge([name: value]) { (first, _) in first }
            skipBlanks()
        }
        return parameters
    }

    private mutating func takeParameterValue() -> ParameterValue? {
        if next == UInt8(ascii: "\"") {
            let text = takeWindowsPath() ?? takeWhole { $0.takeQuotedString() } ?? takeOpenString()
            return text.map { ParameterValue(text: $0, isQuoted: true) }
        }
        // Wider than a token: blanks, commas, brackets, `@` and raw UTF-8 are often sent without quotes, and cannot be
        // mistaken for anything else.
        let run = ASCII.trimmingBlanks(take { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F && !"\";".utf8.contains($0) })
        return run.isEmpty ? nil : ParameterValue(text: String(decoding: run, as: UTF8.self), isQuoted: false)
    }

    /// Takes something, or nothing at all.
    private mutating func takeWhole(_ take: (inout FieldScanner) -> String?) -> String? {
        var ahead = self
        guard let text = take(&ahead) else { return nil }
        self = ahead
        return text
    }

    /// The rest of the field behind a quote that nothing closes.
    private mutating func takeOpenString() -> String? {
        var ahead = self
        _ = ahead.take("\"")
        let text = ahead.take { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F && $0 != UInt8(ascii: "\"") }
        guard ahead.isAtEnd else { return nil }
        self = ahead
        return String(decoding: text, as: UTF8.self)
    }

    /// The last component of a quoted path that begins with a drive or with `\\`; nil, with nothing consumed, if there
    /// is none.
    private mutating func takeWindowsPath() -> String? {
        var ahead = self
        _ = ahead.take("\"")
        let path = ahead.take { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F && $0 != UInt8(ascii: "\"") }
        let isDrive =
            path.count > 3 && path.dropFirst().starts(with: ":\\".utf8) && ASCII.isLetter(path[path.startIndex])
        guard isDrive || path.starts(with: "\\\\".utf8), ahead.take("\"") else { return nil }
        self = ahead
        return path.split(separator: UInt8(ascii: "\\")).last.map { String(decoding: $0, as: UTF8.self) }
    }
}
