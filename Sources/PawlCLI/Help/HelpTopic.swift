import PawlCore
import PawlOptions

/// A help page about one subject: `pawl help TOPIC`.
struct HelpTopic {
    let name: String
    /// The summary for the list of topics, a few words long.
    let summary: String
    let text: String
    /// The flags it explains, by their long names.
    let flags: [String]
    /// The names that other programs use for the subject.
    let otherNames: [String]

    /// Returns the width of a page, which is never wider than is easily read.
    static func columns(terminal width: Int) -> Int { min(max(width, 40), 100) }

    func page(columns: Int) -> String {
        let options = flags.compactMap(GetCommand.declaration.option).map { $0.help(columns: columns) }
        return (text.isEmpty ? "" : text.wrapped(to: columns) + "\n")
            + (options.isEmpty ? "" : (text.isEmpty ? "" : "\n") + options.joined(separator: "\n") + "\n")
    }

    /// The topic of a word that is none of the names.
    static func meant(by word: String) -> HelpTopic? {
        all.first { $0.otherNames.contains { $0.isExactly(word.lowercased()) } }
    }

    /// The flags of one subject of `pawl get`.
    static func flags(of title: String) -> [String] {
        GetCommand.declaration.groups.filter { $0.title.isExactly(title) }.flatMap(\.options).map(\.flag)
    }

    /// The answer to `pawl help TOPIC`, `pawl help OPTION`, `pawl get --help` and `pawl help get`; nil for other words.
    static func answer(to arguments: [String], columns: Int) -> String? {
        switch arguments.first {
        case "help" where arguments.count == 2:
            if arguments[1] == "get" { return everyday(columns: columns) }
            if arguments[1] == "all" { return GetCommand.help(columns: columns) }
            if let topic = all.first(where: { $0.name == arguments[1] }) { return topic.page(columns: columns) }
            guard PawlCommand.named(arguments[1]) == nil else { return nil }
            return OptionHelp.page(arguments[1], columns: columns) ?? meant(by: arguments[1])?.page(columns: columns)
        case "get":
            return GetCommand.question(in: arguments.dropFirst()) == .help ? everyday(columns: columns) : nil
        default: return nil
        }
    }

    /// `pawl get --help`: the common options, and where to find the others.
    static func everyday(columns: Int) -> String {
        var topics = Table()
        for topic in all { topics.row("  " + topic.name, topic.summary) }
        return """
            \("pawl [get] [options] URL...  Download; rerun to resume. Ctrl-C saves and stops.".wrapped(to: columns))

            \(everydayOptions(columns: columns))
            \("'pawl help TOPIC' shows others, 'pawl help OPTION' one, 'pawl help all' all:".wrapped(to: columns))
            \(topics.text(in: .utf8, columns: columns))
            """
    }

    /// The common options, a line each.
    static func everydayOptions(columns: Int) -> String {
        var options = Table()
        for (letter, flag, words) in everydayFlags {
            options.row("  " + letter + (GetCommand.declaration.option(flag)?.label ?? flag), words)
        }
        return options.text(in: .utf8, columns: columns)
    }

    /// The letter that users of curl and wget look for, the flag, and the words that someone new to the program needs;
    /// the whole help is that of the option.
    private static let everydayFlags = [
        ("", "--output", "Save as this file; - writes to stdout."),
        ("", "--directory", "Directory for the files. It must exist."),
        ("-c, ", "--adopt", "Resume a partial file of another program."),
        ("", "--input-file", "Download the URLs in this list."),
        ("", "--connections", "Maximum number of connections per file."),
        ("", "--checksum", "Fail unless the file has this checksum."),
        ("-H, ", "--header", "Send this header field to the URL's origin."),
        ("", "--limit", "Maximum speed of all files together: 500k, 2M."),
        ("", "--extract", "Unpack each archive once it is complete."),
        ("", "--quiet", "Show only errors."),
    ]
}
