/// The `Content-Disposition` field of a response (RFC 6266), as far as it proposes a file name.
///
/// Scripts write it by hand, so more than the grammar is taken where only one name can be meant: a value without quotes
/// goes on to the next semicolon, blanks and commas included; single quotes around it are none of the name; the type
/// may be missing; what follows a value up to the next semicolon is passed over; and a quoted path of Windows, whose
/// backslashes quote nothing, counts by its last component.
///
/// The name is decoded but untrusted: it must pass through `FileName.sanitize(_:)` before it is used on a disk.
package struct ContentDisposition: Equatable, Sendable {
    /// `attachment`, `inline` or another; lowercased. Empty where the field begins with a parameter.
    package let type: String

    /// The file name from `filename*` if that is there and can be decoded, else from `filename`; nil if both are
    /// missing or empty.
    package let fileName: String?

    /// The first field that has a name, else the first that is well-formed; nil without any.
    package init?(fieldValues: [String]) {
        let all = fieldValues.compactMap(Self.init)
        guard let chosen = all.first(where: { $0.fileName != nil }) ?? all.first else { return nil }
        self = chosen
    }

    private init?(_ value: String) {
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
    /// Unescaped bytes that should be escaped are accepted: JavaScript's `encodeURIComponent` leaves `'()*` alone, and
    /// some scripts escape nothing. U+FFFD stands for bytes that were lost before they came here.
    private static func decodeExtendedValue(_ text: String) -> String? {
        let parts = text.utf8.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, !text.unicodeScalars.contains("\u{FFFD}"),
            let bytes = PercentCoding.decodeStrictly(parts[2])
        else {
            return nil
        }
        switch String(decoding: parts[0], as: UTF8.self).lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return parts[2].allSatisfy { $0 < 0x80 } ? String(latin1: bytes) : nil
        default: return nil
        }
    }
}

extension String {
    /// Creates a text from ISO 8859-1, each byte of which is the Unicode scalar of the same number.
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
            guard let value = takeParameterValue(isExtended: name.utf8.last == UInt8(ascii: "*")) else { return nil }
            parameters.merge([name: value]) { (first, _) in first }
            _ = take { Self.isText($0) && $0 != UInt8(ascii: ";") }
        }
        return parameters
    }

    private static func isText(_ byte: UInt8) -> Bool { (byte >= 0x20 || byte == 0x09) && byte != 0x7F }

    private mutating func takeParameterValue(isExtended: Bool) -> ParameterValue? {
        if next == UInt8(ascii: "\"") {
            let text = takeWhole { $0.takeQuotedName() } ?? takeWhole { $0.takeOpenString() }
            return text.map { ParameterValue(text: $0, isQuoted: true) }
        }
        if !isExtended, let text = takeWhole({ $0.takeSingleQuoted() }) {
            return ParameterValue(text: text, isQuoted: true)
        }
        // Wider than a token: blanks, commas, brackets, `@` and raw UTF-8 are often sent without quotes, and cannot be
        // mistaken for anything else.
        let run = ASCII.trimmingBlanks(take { Self.isText($0) && !"\";".utf8.contains($0) })
        return run.isEmpty ? nil : ParameterValue(text: String(decoding: run, as: UTF8.self), isQuoted: false)
    }

    /// Takes something, or nothing at all.
    private mutating func takeWhole(_ take: (inout FieldScanner) -> String?) -> String? {
        var ahead = self
        guard let text = take(&ahead) else { return nil }
        self = ahead
        return text
    }

    /// A quoted string. A backslash before anything but a quote or a backslash quotes nothing, and separates
    /// directories instead.
    private mutating func takeQuotedName() -> String? {
        guard take("\"") else { return nil }
        var content: [UInt8] = []
        var isPath = false
        while true {
            content += take { Self.isText($0) && !"\"\\".utf8.contains($0) }
            if take("\"") { return Self.text(content, isPath: isPath) }
            guard take("\\"), let quoted = next, Self.isText(quoted) else { return nil }
            if "\"\\".utf8.contains(quoted) {
                content.append(quoted)
                _ = take(Unicode.Scalar(quoted))
            } else {
                content.append(UInt8(ascii: "\\"))
                isPath = true
            }
        }
    }

    /// The last component of a path; other names as they are.
    private static func text(_ content: some Collection<UInt8>, isPath: Bool) -> String {
        let last = isPath ? content.split(separator: UInt8(ascii: "\\")).last : nil
        return last.map { String(decoding: $0, as: UTF8.self) } ?? String(decoding: content, as: UTF8.self)
    }

    /// Takes the text behind a quote that nothing closes, or nothing but the quote that a backslash precedes.
    private mutating func takeOpenString() -> String? {
        _ = take("\"")
        let content = take { Self.isText($0) && $0 != UInt8(ascii: "\"") }
        guard isAtEnd || take("\"") else { return nil }
        return Self.text(content, isPath: content.contains(UInt8(ascii: "\\")))
    }

    /// Up to the first single quote with which the value ends; others are apostrophes.
    private mutating func takeSingleQuoted() -> String? {
        guard take("'") else { return nil }
        var content: [UInt8] = []
        while true {
            content += take { Self.isText($0) && !"'\"".utf8.contains($0) }
            guard take("'") else { return nil }
            var ahead = self
            ahead.skipBlanks()
            if ahead.isAtEnd || ahead.next == UInt8(ascii: ";") { return String(decoding: content, as: UTF8.self) }
            content.append(UInt8(ascii: "'"))
        }
    }
}
