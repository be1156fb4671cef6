/// Reads the server's explanation of an error from the body of its response: one line for people.
package enum ErrorExplanation {
    /// The number of bytes of a body that are examined.
    package static let maximumBody = 16 << 10
    static let maximumLength = 200

    /// Members of JSON that explain, the most exact first: RFC 9457, RFC 6749, and common use.
    private static let members = ["detail", "error_description", "message", "error", "title", "errors"]
    /// Elements of XML and HTML that do.
    private static let elements = ["message", "title"]

    /// The text of the member or element that explains; of plain text, the first line.
    ///
    /// - Parameter confidential: removes what must not be shown, before the text is cut.
    /// - Returns: a line of at most 200 characters without markup or control characters; nil if there is none, or if it
    ///   only names the status.
    package static func text(
        _ body: [UInt8], contentType: String?, status: Int, without confidential: (String) -> String = { $0 }
    ) -> String? {
        let body = body.starts(with: [0xEF, 0xBB, 0xBF]) ? body.dropFirst(3) : body[...]
        let found: String? =
            switch body.first(where: { !ASCII.isBlank($0) && $0 != 0x0A && $0 != 0x0D }) {
            case UInt8(ascii: "{"): (try? JSONValue(parsing: Array(body))).flatMap(explanation(in:))
            case UInt8(ascii: "<"): elements.lazy.compactMap { content(of: $0, in: body) }.first
            default: isPlain(contentType) ? String(decoding: body, as: UTF8.self) : nil
            }
        return found.map(confidential).flatMap(oneLine).flatMap { namesOnly(status, $0) ? nil : $0 }
    }

    private static func isPlain(_ contentType: String?) -> Bool {
        contentType?.utf8.prefix(10).map(ASCII.lowercased).elementsEqual("text/plain".utf8) ?? false
    }

    // MARK: JSON

    private static func explanation(in value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .array(let values): values.first.flatMap(explanation(in:))
        case .object(let found):
            members.lazy.compactMap { name in
                found.first { $0.key.isExactly(name) }.flatMap { explanation(in: $0.value) }
            }
            .first
        case .null, .boolean, .integer, .decimal: nil
        }
    }

    // MARK: Markup

    /// The first element with this name, in any case, that has text.
    private static func content(of name: String, in body: ArraySlice<UInt8>) -> String? {
        let folded = body.map(ASCII.lowercased)
        var rest = folded[...]
        while let start = rest.firstRange(of: Array("<\(name)".utf8)) {
            rest = rest[start.upperBound...]
            guard let next = rest.first, next == UInt8(ascii: ">") || ASCII.isBlank(next),
                let open = rest.firstIndex(of: UInt8(ascii: ">")),
                let close = rest.firstRange(of: Array("</\(name)".utf8)), open < close.lowerBound
            else { continue }
            let text = body[(body.startIndex + open + 1)..<(body.startIndex + close.lowerBound)]
            return decoded(String(decoding: withoutTags(text), as: UTF8.self))
        }
        return nil
    }

    private static func withoutTags(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var isTag = false
        return text.compactMap { byte in
            if byte == UInt8(ascii: "<") { isTag = true }
            defer { if byte == UInt8(ascii: ">") { isTag = false } }
            return isTag ? nil : byte
        }
    }

    private static let entities = [
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&#x27;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ]

    private static func decoded(_ text: String) -> String {
        entities.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    // MARK: One line

    private static func oneLine(_ text: String) -> String? {
        var scalars = String.UnicodeScalarView()
        var mayBreak = false
        for scalar in text.unicodeScalars.prefix(4 * maximumLength) {
            if scalar.properties.isWhitespace || scalar.steersTerminal {
                mayBreak = !scalars.isEmpty
                continue
            }
            if mayBreak { scalars.append(" ") }
            mayBreak = false
            scalars.append(scalar)
        }
        guard !scalars.isEmpty else { return nil }
        guard scalars.count > maximumLength else { return String(scalars) }
        return String(String.UnicodeScalarView(scalars.prefix(maximumLength - 1))) + "…"
    }

    /// Whether only the number and the reason phrase of the status are there, as in the title of many pages.
    private static func namesOnly(_ status: Int, _ line: String) -> Bool {
        func letters(_ text: String) -> [UInt8] {
            text.utf8.map(ASCII.lowercased).filter {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 >= 0x80
            }
        }
        let found = letters(line)
        return found.isEmpty || found == letters(StatusPhrase.of(status) ?? "") || found == letters("error")
    }
}
