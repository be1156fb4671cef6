/// The `Content-Disposition` field of a response (RFC 6266), as far as it proposes a file name.
///
/// The name is decoded but untrusted: it must pass through `FileName.sanitize(_:)` before it is used on a disk.
package struct ContentDisposition: Equatable, Sendable {
    /// `attachment`, `inline` or another; lowercased.
    package let type: String

    /// From `filename*` if that is there and can be decoded, else from `filename`; nil when both are missing or empty.
    package let fileName: String?

    /// Nil when the field is absent, malformed, names a parameter twice, or occurs twice with different values.
    package init?(fieldValues: [String]) {
        guard let value = fieldValues.first, fieldValues.allSatisfy({ $0.utf8.elementsEqual(value.utf8) }) else {
            return nil
        }
        var scanner = FieldScanner(value)
        guard let type = scanner.takeToken(), let parameters = scanner.takeParameters() else { return nil }
        self.type = type.lowercased()
        // A quoted ext-value is not one (RFC 8187 §3.2.1), so that `filename*` is then as good as absent.
        let extended = parameters["filename*"].flatMap { $0.isQuoted ? nil : Self.decodeExtendedValue($0.text) }
        // The plain form is taken literally: it is never percent-decoded (RFC 6266 appendix C.2).
        fileName = [extended, parameters["filename"]?.text].compactMap(\.self).first { !$0.isEmpty }
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
    /// `*( ";" name "=" value )` to the end of the field, by lowercased name; nil when it is malformed or a name occurs
    /// twice.
    ///
    /// Empty parameters, as in a trailing `;`, are skipped: many servers write them.
    fileprivate mutating func takeParameters() -> [String: ParameterValue]? {
        var parameters: [String: ParameterValue] = [:]
        skipBlanks()
        while !isAtEnd {
            guard take(";") else { return nil }
            skipBlanks()
            if isAtEnd || next == UInt8(ascii: ";") { continue }
            guard let name = takeToken()?.lowercased() else { return nil }
            skipBlanks()
            guard take("=") else { return nil }
            skipBlanks()
            guard let value = takeParameterValue(), parameters.updateValue(value, forKey: name) == nil else {
                return nil
            }
            skipBlanks()
        }
        return parameters
    }

    private mutating func takeParameterValue() -> ParameterValue? {
        if next == UInt8(ascii: "\"") {
            return takeQuotedString().map { ParameterValue(text: $0, isQuoted: true) }
        }
        // Wider than a token: brackets, `@` and raw UTF-8 are often sent without quotes, and cannot be mistaken for
        // anything else.
        let run = take { $0 > 0x20 && $0 != 0x7F && !"\";,".utf8.contains($0) }
        return run.isEmpty ? nil : ParameterValue(text: String(decoding: run, as: UTF8.self), isQuoted: false)
    }
}
