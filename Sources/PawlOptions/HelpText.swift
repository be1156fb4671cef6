import PawlCore

/// The layout of help: a column of names, and a column of sentences.
package enum HelpText {
    /// Returns the column at which the second column begins. On a narrow terminal, sentences stand below the names.
    private static func indentation(_ columns: Int) -> Int { columns < 56 ? 6 : 26 }

    package static func section(_ title: String, _ entries: [String]) -> String {
        ([title.uppercased() + ":"] + entries).joined(separator: "\n")
    }

    package static func entry(_ label: String, _ text: String, _ columns: Int) -> String {
        let indentation = indentation(columns)
        let lines = wrapped(text, max(columns - indentation, 20)).utf8.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
        ).map { String(Substring($0)) }
        let margin = String(repeating: " ", count: indentation)
        let name = "  " + label
        let width = name.unicodeScalars.count
        // A long name stands alone.
        let (first, rest) =
            width < indentation
            ? (
                name + String(repeating: " ", count: indentation - width) + (lines.first ?? ""),
                Array(lines.dropFirst())
            )
            : (name, lines)
        return ([first] + rest.map { margin + $0 }).joined(separator: "\n")
    }

    /// Breaks each paragraph between words. Lines that begin with a blank stay as they are: commands to be copied,
    /// examples.
    ///
    /// - Parameter width: the columns of a word.
    package static func wrapped(
        _ text: String, _ columns: Int, width: (String) -> Int = { $0.unicodeScalars.count }
    ) -> String {
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { paragraph in
            guard paragraph.first != UInt8(ascii: " ") else { return String(Substring(paragraph)) }
            var lines: [(text: String, width: Int)] = []
            for bytes in paragraph.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) {
                let word = String(Substring(bytes))
                let width = width(word)
                if let last = lines.last, last.width + 1 + width <= columns {
                    lines[lines.count - 1] = (last.text + " " + word, last.width + 1 + width)
                } else {
                    lines.append((word, width))
                }
            }
            return lines.map(\.text).joined(separator: "\n")
        }.joined(separator: "\n")
    }
}
