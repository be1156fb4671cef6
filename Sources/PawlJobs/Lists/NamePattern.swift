/// A file name with the choices of a ``URLPattern``: `#1` is the first choice, `#2` the second. A `#` before no digit
/// is itself.
package struct NamePattern: Hashable, Sendable {
    private enum Part: Hashable, Sendable {
        case text(String)
        /// The value of a choice, from 0.
        case value(Int)
    }

    private let parts: [Part]

    /// - Parameter choiceCount: how many there are to name. With none, the text is the name.
    package init(parsing text: String, choiceCount: Int) throws(URLPatternError) {
        guard choiceCount > 0 else {
            parts = [.text(text)]
            return
        }
        var parts: [Part] = []
        var plain = String.UnicodeScalarView()
        var rest = Substring(text).unicodeScalars
        while let scalar = rest.popFirst() {
            let digits = rest.prefix { ("0"..."9").contains($0) }
            guard scalar == "#", !digits.isEmpty else {
                plain.append(scalar)
                continue
            }
            guard let number = Int(String(digits)), (1...choiceCount).contains(number) else {
                throw URLPatternError(
                    message:
                        "“#\(String(digits))” refers to no pattern: the URL has \(choiceCount == 1 ? "one, #1" : "#1 to #\(choiceCount)")."
                )
            }
            if !plain.isEmpty { parts.append(.text(String(plain))) }
            plain = String.UnicodeScalarView()
            parts.append(.value(number - 1))
            rest = rest.dropFirst(digits.count)
        }
        if !plain.isEmpty { parts.append(.text(String(plain))) }
        self.parts = parts
    }

    /// Whether names differ at all.
    package var varies: Bool {
        parts.contains { part in
            if case .value = part { true } else { false }
        }
    }

    /// - Parameter values: of ``URLPattern/Expansion``. A slash in one of them becomes `_`, so that a choice never
    ///   makes a directory.
    package func name(_ values: [String]) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            // By bytes: in `Character`s, a slash that a combining mark follows is no slash.
            case .value(let index):
                String(
                    decoding: values[index].utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }, as: UTF8.self
                )
            }
        }.joined()
    }
}
