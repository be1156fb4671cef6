extension ShellWords {
    /// Splits a line into words as a POSIX shell does: at blanks, with quotes and backslashes taken away. Nothing else
    /// is special: variables, patterns, pipes and semicolons are text.
    ///
    /// - Returns: nil where a quote is not closed, or nothing follows a backslash.
    package static func split(_ line: String) -> [String]? {
        var words: [String] = []
        var word: String.UnicodeScalarView?
        var rest = line.unicodeScalars[...]
        func add(_ scalars: some Sequence<Unicode.Scalar>) {
            var grown = word ?? String.UnicodeScalarView()
            grown.append(contentsOf: scalars)
            word = grown
        }
        while let scalar = rest.popFirst() {
            switch scalar {
            case " ", "\t", "\n":
                if let word { words.append(String(word)) }
                word = nil
            case "'":
                guard let end = rest.firstIndex(of: "'") else { return nil }
                add(rest[..<end])
                rest = rest[rest.index(after: end)...]
            case "\"":
                guard let quoted = takeQuoted(&rest) else { return nil }
                add(quoted)
            case "\\":
                guard let next = rest.popFirst() else { return nil }
                add([next])
            default:
                add([scalar])
            }
        }
        if let word { words.append(String(word)) }
        return words
    }

    /// Between double quotes a backslash counts before a quote, a backslash, `$` and a backtick only.
    private static func takeQuoted(_ rest: inout Substring.UnicodeScalarView) -> [Unicode.Scalar]? {
        var quoted: [Unicode.Scalar] = []
        while let scalar = rest.popFirst() {
            if scalar == "\"" { return quoted }
            if scalar == "\\", let next = rest.first, "\"\\$`".unicodeScalars.contains(next) {
                quoted.append(next)
                rest.removeFirst()
            } else {
                quoted.append(scalar)
            }
        }
        return nil
    }
}
