import PawlCore

extension ShellWords {
    /// The reason why a line cannot be split.
    package enum Problem: Error, Hashable, Sendable {
        /// A quote is not closed, or nothing follows a backslash.
        case unfinished
        /// A character with a meaning that only a shell knows.
        case special(Unicode.Scalar)
    }

    /// Splits a line into words as a POSIX shell does: at blanks, with quotes and backslashes taken away.
    ///
    /// - Parameter isCommand: pipes, expansions, redirections and further lines are problems; otherwise they are text.
    package static func split(
        _ line: String.UnicodeScalarView, asCommand isCommand: Bool
    ) throws(Problem) -> [String] {
        var words: [String] = []
        var word: String.UnicodeScalarView?
        var rest = line[...]
        func add(_ scalars: some Sequence<Unicode.Scalar>) {
            if word == nil { word = String.UnicodeScalarView() }
            word?.append(contentsOf: scalars)
        }
        while let scalar = rest.popFirst() {
            switch scalar {
            case "'":
                guard let end = rest.firstIndex(of: "'") else { throw .unfinished }
                add(rest[..<end])
                rest = rest[rest.index(after: end)...]
            case "\"": add(try takeQuoted(&rest, asCommand: isCommand))
            case "$" where rest.first == "'":
                rest.removeFirst()
                add(try takeEscaped(&rest).unicodeScalars)
            case "\\":
                guard let next = rest.popFirst() else { throw .unfinished }
                if next != "\n" { add([next]) }
            case _ where isCommand && "|;&<>()`$\n".unicodeScalars.contains(scalar): throw .special(scalar)
            case " ", "\t", "\n":
                if let word { words.append(String(word)) }
                word = nil
            default: add([scalar])
            }
        }
        if let word { words.append(String(word)) }
        return words
    }

    /// Splits a line into words. Variables, patterns, pipes and semicolons are text.
    ///
    /// - Returns: nil where a quote is not closed, or nothing follows a backslash.
    package static func split(_ line: String) -> [String]? { try? split(line.unicodeScalars, asCommand: false) }

    /// Reads up to the closing double quote. A backslash counts there only before a quote, a backslash, `$`, a backtick
    /// and a line break.
    private static func takeQuoted(
        _ rest: inout Substring.UnicodeScalarView, asCommand isCommand: Bool
    ) throws(Problem) -> [Unicode.Scalar] {
        var quoted: [Unicode.Scalar] = []
        while let scalar = rest.popFirst() {
            if scalar == "\"" { return quoted }
            if scalar == "\\", let next = rest.first, "\"\\$`\n".unicodeScalars.contains(next) {
                if next != "\n" { quoted.append(next) }
                rest.removeFirst()
            } else if isCommand, scalar == "$" || scalar == "`" {
                throw .special(scalar)
            } else {
                quoted.append(scalar)
            }
        }
        throw .unfinished
    }

    /// The text behind `$'`, in which `\n`, `\x21`, `\u0021` and `\041` stand for characters (POSIX.1-2024 §2.2.4).
    private static func takeEscaped(_ rest: inout Substring.UnicodeScalarView) throws(Problem) -> String {
        var bytes: [UInt8] = []
        func number(_ radix: UInt32, atMost digits: Int) -> UInt32? {
            var value: UInt32?
            for _ in 0..<digits {
                guard let next = rest.first, let digit = UInt32(String(next), radix: Int(radix)) else { break }
                // Proven: at most eight digits of base 16 fit.
                value = (value ?? 0) * radix + digit
                rest.removeFirst()
            }
            return value
        }
        while let scalar = rest.popFirst() {
            if scalar == "'" { return String(systemBytes: bytes) }
            guard scalar == "\\" else {
                bytes += String(scalar).utf8
                continue
            }
            guard let escape = rest.first else { throw .unfinished }
            if let byte = number(8, atMost: 3) {
                bytes.append(UInt8(truncatingIfNeeded: byte))
                continue
            }
            rest.removeFirst()
            switch escape {
            case "n": bytes.append(0x0A)
            case "r": bytes.append(0x0D)
            case "t": bytes.append(0x09)
            case "x": bytes.append(UInt8(truncatingIfNeeded: number(16, atMost: 2) ?? 0))
            case "u", "U":
                guard var code = number(16, atMost: escape == "u" ? 4 : 8) else { throw .unfinished }
                // Browsers escape the units of UTF-16, of which two are one character.
                if (0xD800..<0xDC00).contains(code), rest.starts(with: "\\u".unicodeScalars) {
                    rest.removeFirst(2)
                    guard let low = number(16, atMost: 4), (0xDC00..<0xE000).contains(low) else { throw .unfinished }
                    code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
                }
                guard let scalar = Unicode.Scalar(code) else { throw .unfinished }
                bytes += String(scalar).utf8
            default: bytes += String(escape).utf8
            }
        }
        throw .unfinished
    }
}
