import PawlCore

/// A help page about one subject: `pawl help TOPIC`.
struct HelpTopic {
    let name: String
    /// Some words, for the list of topics.
    let summary: String
    let text: String
    /// The flags it explains, by their long names.
    let flags: [String]
    /// What others call the subject.
    let otherNames: [String]

    /// No page is wider than is easily read.
    static func columns(terminal width: Int) -> Int { min(max(width, 40), 100) }

    func page(columns: Int) -> String {
        let help = OptionHelp(columns: columns)
        let options = flags.flatMap(help.lines(for:))
        return (text.isEmpty ? "" : text.wrapped(to: columns) + "\n")
            + (options.isEmpty ? "" : (text.isEmpty ? "" : "\n") + options.joined(separator: "\n") + "\n")
    }

    /// The topic of a word that is none of the names.
    static func meant(by word: String) -> HelpTopic? {
        all.first { topic in
            topic.flags.contains { $0.isExactly(word) } || topic.otherNames.contains { $0.isExactly(word.lowercased()) }
        }
    }

    /// What answers `pawl help TOPIC`, `pawl get --help` and `pawl help get`; nil for other words.
    static func answer(to arguments: [String], columns: Int) -> String? {
        switch arguments.first {
        case "help" where arguments.count == 2:
            if arguments[1] == "get" { return everyday(columns: columns) }
            if arguments[1] == "all" { return GetCommand.help(columns: columns) + "\n" }
            return all.first { $0.name == arguments[1] }?.page(columns: columns)
        case "get":
            let words = arguments.prefix { $0 != "--" }
            return words.contains("-h") || words.contains("--help") ? everyday(columns: columns) : nil
        default: return nil
        }
    }

    /// `pawl get --help`: the common options, and where to find the others.
    static func everyday(columns: Int) -> String {
        let help = OptionHelp(columns: columns)
        var topics = Table()
        for topic in all { topics.row("  " + topic.name, topic.summary) }
        return """
            \("pawl [get] [options] URL...  Download; rerun to resume. Ctrl-C saves and stops.".wrapped(to: columns))

            \(everydayFlags.flatMap(help.lines(for:)).joined(separator: "\n"))

            \("'pawl help TOPIC' shows the other options ('pawl help all' shows all):".wrapped(to: columns))
            \(topics.text(in: .utf8, columns: columns))
            """
    }

    private static let everydayFlags = ["--output", "--directory", "--input-file", "--jobs", "--quiet"]
}
