/// One link of the `Link` field (RFC 8288 §3): what it points to, as written, and its parameters.
package struct LinkField: Hashable, Sendable {
    /// A URI reference, not yet resolved.
    package let target: String
    private let parameters: [Parameter]

    private struct Parameter: Hashable {
        /// Lowercased, for names are alike in any case.
        let name: String
        let value: String
    }

    /// No real list of mirrors is longer; further links are ignored.
    package static let countLimit = 128

    /// The links of all field lines of one name.
    ///
    /// A line is read as far as it is well formed, by the steps of RFC 8288 appendix B.2: a broken link hides what
    /// follows it in its line, and nothing else.
    package static func parse(_ fieldValues: [String]) -> [LinkField] {
        var links: [LinkField] = []
        for value in fieldValues {
            var scanner = FieldScanner(value)
            while links.count < countLimit, let link = scanner.takeLink() { links.append(link) }
        }
        return links
    }

    /// The value of a parameter; of those given twice, the first, as RFC 8288 §3.3 and §3.4.1 want it. Empty for one
    /// without a value.
    package subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Whether one of the link's relation types is `name`, which is in lower case (RFC 8288 §3.3).
    package func hasRelation(_ name: String) -> Bool {
        (self["rel"] ?? "").lowercased().utf8.split(whereSeparator: ASCII.isBlank).contains {
            $0.elementsEqual(name.utf8)
        }
    }

    /// Whether the link is about another resource than the one requested (RFC 8288 §3.2).
    package var hasAnchor: Bool { self["anchor"] != nil }

    fileprivate init(target: String, parameters: [(name: String, value: String)]) {
        self.target = target
        self.parameters = parameters.map { Parameter(name: $0.name, value: $0.value) }
    }
}

extension FieldScanner {
    /// Returns the next link; nil at the end of the line, and where it is malformed.
    fileprivate mutating func takeLink() -> LinkField? {
        // RFC 9110 §5.6.1: empty elements of a list are skipped.
        repeat { skipBlanks() } while take(",")
        guard take("<") else { return nil }
        let target = take { $0 != UInt8(ascii: ">") }
        guard take(">") else { return nil }
        var parameters: [(name: String, value: String)] = []
        skipBlanks()
        while take(";") {
            guard let parameter = takeLinkParameter() else { return nil }
            if !parameter.name.isEmpty { parameters.append(parameter) }
            skipBlanks()
        }
        guard isAtEnd || next == UInt8(ascii: ",") else { return nil }
        return LinkField(target: String(decoding: target, as: UTF8.self), parameters: parameters)
    }

    /// Appendix B.3. A lone semicolon is a parameter without a name.
    private mutating func takeLinkParameter() -> (name: String, value: String)? {
        skipBlanks()
        let name = (takeToken() ?? "").lowercased()
        skipBlanks()
        guard take("=") else { return (name, "") }
        skipBlanks()
        guard next != UInt8(ascii: "\"") else { return takeQuotedString().map { (name, $0) } }
        // More than a token: `type=application/metalink4+xml` is written without quotes often.
        let value = take { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") && !ASCII.isBlank($0) }
        return (name, String(decoding: value, as: UTF8.self))
    }
}
