import PawlCore

/// A command line of curl in one text, as the “Copy as cURL” of a browser writes it.
package enum CurlLine {
    /// Whether a command line of curl begins with this word.
    package static func begins(with word: String) -> Bool { isProgram(word) || isLine(word) }

    static func isProgram(_ word: String) -> Bool { ["curl", "curl.exe"].containsExactly(word) }

    /// Whether a word is a whole command line, or a request that was copied in another form.
    static func isLine(_ word: String) -> Bool {
        isOtherForm(word) || ["curl ", "curl.exe "].contains { word.begins(with: $0) }
    }

    private static func isOtherForm(_ text: String) -> Bool {
        ["Invoke-WebRequest ", "$session = New-Object ", "fetch(", "await fetch("].contains { text.begins(with: $0) }
    }

    /// The words behind `curl`.
    ///
    /// - Throws: for a line that a shell would not read as one command without expansions.
    package static func words(_ line: String) throws(PeerProblem) -> [String] {
        var text = line.unicodeScalars.filter { $0 != "\r" }
        while text.last == "\n" || text.last == " " { text.removeLast() }
        let isOfPowerShell = zip(text, text.dropFirst()).contains { $0 == "`" && $1 == "\n" }
        guard !isOtherForm(line), !isOfPowerShell else {
            throw PeerProblem(messages: ["This form cannot be read. In the browser, choose “Copy as cURL (bash)”."])
        }
        do throws(ShellWords.Problem) {
            let words = isOfCommandPrompt(text) ? try promptWords(text) : try ShellWords.split(text, asCommand: true)
            return Array(words.dropFirst())
        } catch {
            let message =
                switch error {
                case .unfinished:
                    "The curl command is cut off: a quote is not closed, or its last character is an escape."
                case .special("\n"): "The curl command is followed by a second line. Give one command."
                case .special(let scalar):
                    "Pawl runs no shell: “\(scalar)” is not allowed outside single quotes. Give the curl command alone, with single quotes around its URL and values."
                }
            throw PeerProblem(messages: [message])
        }
    }

    // MARK: Windows

    /// Whether the line is for cmd.exe, which escapes with a caret: `^"`, or a caret at the end of a line.
    private static func isOfCommandPrompt(_ text: String.UnicodeScalarView) -> Bool {
        guard let quote = text.firstIndex(where: { $0 == "\"" || $0 == "'" }), text[quote] == "\"" else { return false }
        return text[..<quote].last == "^" || zip(text, text.dropFirst()).contains { $0 == "^" && $1 == "\n" }
    }

    /// Splits a line as cmd.exe and then the C library of Windows do.
    private static func promptWords(_ line: String.UnicodeScalarView) throws(ShellWords.Problem) -> [String] {
        var words: [String] = []
        var word: String?
        var (isQuoted, slashes) = (false, 0)
        var rest = try withoutCarets(line)[...]
        func add(_ text: String) {
            if word == nil { word = "" }
            word?.append(text)
        }
        while let scalar = rest.popFirst() {
            if scalar == "\\" {
                slashes += 1
                continue
            }
            // Before a quote, two backslashes are one, and one that is left makes the quote text.
            let isEscaped = scalar == "\"" && slashes % 2 == 1
            if slashes > 0 { add(String(repeating: "\\", count: scalar == "\"" ? slashes / 2 : slashes)) }
            slashes = 0
            if scalar == "\"", !isEscaped {
                if isQuoted, rest.first == "\"" {
                    rest.removeFirst()
                    add("\"")
                } else {
                    isQuoted.toggle()
                    add("")
                }
            } else if !isQuoted, scalar == " " || scalar == "\t" {
                if let word { words.append(word) }
                word = nil
            } else {
                add(String(scalar))
            }
        }
        guard !isQuoted else { throw .unfinished }
        if slashes > 0 { add(String(repeating: "\\", count: slashes)) }
        return words + (word.map { [$0] } ?? [])
    }

    /// The line that cmd.exe hands on. A caret makes the next character text; one at the end of a line joins the next.
    private static func withoutCarets(_ line: String.UnicodeScalarView) throws(ShellWords.Problem) -> [Unicode.Scalar] {
        var plain: [Unicode.Scalar] = []
        var isQuoted = false
        var rest = line[...]
        while let scalar = rest.popFirst() {
            if scalar == "^", !isQuoted {
                if rest.first == "\n" { rest.removeFirst() }
                guard let next = rest.popFirst() else { throw .unfinished }
                plain.append(next)
                continue
            }
            if scalar == "\"" { isQuoted.toggle() }
            if scalar == "\n" || !isQuoted && "|&<>".unicodeScalars.contains(scalar) { throw .special(scalar) }
            plain.append(scalar)
        }
        return plain
    }
}
