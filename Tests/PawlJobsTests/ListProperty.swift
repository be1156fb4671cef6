import PawlJobs

// `scripts/fuzz` compiles this file and the properties as one module.
#if canImport(PawlTestKit)
import PawlTestKit
#endif

extension ParserProperty {
    /// The properties of texts that name several downloads.
    static let lists = [
        ParserProperty(name: "url-pattern", check: urlPattern),
        ParserProperty(name: "download-list", check: downloadList),
    ]

    private static func urlPattern(_ bytes: [UInt8]) throws(Violation) {
        let input = String(decoding: bytes, as: UTF8.self)
        let plain = try? URLPattern(parsing: URLPattern.escaped(input))
        try claim(
            plain?.count == 1 && plain?.expansion(0).url == input,
            "escaped, it stands for something else: \(input.debugDescription)")
        guard let pattern = try? URLPattern(parsing: input) else { return }
        try claim((1...URLPattern.countLimit).contains(pattern.count), "\(pattern.count) URLs")
        // Check only the first 50 expansions and the last, which represent the others.
        for index in Array(0..<min(pattern.count, 50)) + [pattern.count - 1] {
            let expansion = pattern.expansion(index)
            try claim(
                expansion.values.count == pattern.choiceCount,
                "\(expansion.values.count) values for \(pattern.choiceCount) choices")
            try claim(
                pattern.choiceCount > 0 || expansion.values.isEmpty && pattern.count == 1,
                "several of a text without a choice")
            let names = (1...max(1, pattern.choiceCount)).map { "#\($0)" }.joined(separator: "/")
            let name = try? NamePattern(parsing: names, choiceCount: pattern.choiceCount).name(expansion.values)
            try claim(
                pattern.choiceCount == 0 ? name == names : name?.utf8.count { $0 == 0x2F } == pattern.choiceCount - 1,
                "a choice made a directory: \(name.debugDescription)")
        }
    }

    private static func downloadList(_ bytes: [UInt8]) throws(Violation) {
        let (whole, problem) = read(bytes, pieceLength: max(1, bytes.count))
        let (dripped, sameProblem) = read(bytes, pieceLength: 1)
        try claim(whole == dripped && problem == sameProblem, "cut elsewhere, it is read otherwise")
        let lineCount = bytes.count { $0 == 0x0A } + 1
        if let problem {
            // A page in place of a list is a problem of no line, and then nothing was read.
            try claim(
                (1...lineCount).contains(problem.line) || (problem.line == 0 && whole.isEmpty),
                "a problem in line \(problem.line) of \(lineCount)")
        }
        var line = 0
        for entry in whole {
            try claim(entry.line > line && entry.line <= lineCount, "line \(entry.line) after \(line)")
            line = entry.line
            try claim(
                !entry.urls.isEmpty && entry.urls.allSatisfy { isClean($0) && !$0.isEmpty }, "the URLs of line \(line)")
            for option in entry.options {
                try claim(
                    option.line > line && option.line <= lineCount, "an option in line \(option.line) after \(line)")
                line = option.line
                try claim(
                    !option.name.isEmpty && !option.name.contains("=") && isClean(option.name) && isClean(option.value),
                    "the option of line \(line)")
            }
        }
    }

    /// Whether the text has no byte that a line cannot hold, and no blank at either end.
    private static func isClean(_ text: String) -> Bool {
        let isBlank = { (byte: UInt8?) in byte == 0x20 || byte == 0x09 }
        return !text.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F } && !isBlank(text.utf8.first)
            && !isBlank(text.utf8.last)
    }

    private static func read(_ bytes: [UInt8], pieceLength: Int) -> ([DownloadList.Entry], DownloadList.Problem?) {
        var list = DownloadList()
        do throws(DownloadList.Problem) {
            for start in stride(from: 0, to: bytes.count, by: pieceLength) {
                try list.feed(bytes[start..<min(bytes.count, start + pieceLength)])
            }
            try list.finish()
        } catch {
            return (list.entries, error)
        }
        return (list.entries, nil)
    }
}
