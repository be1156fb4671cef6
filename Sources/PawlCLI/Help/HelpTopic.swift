import PawlCore

/// A help page about one subject: `pawl help TOPIC`.
struct HelpTopic {
    let name: String
    /// Some words, for the list of topics.
    let summary: String
    let text: String
    /// The flags it explains, by their long names.
    let flags: [String]

    /// No page is wider than is easily read.
    static func columns(terminal width: Int) -> Int { min(max(width, 60), 100) }

    func page(columns: Int) -> String {
        let help = OptionHelp(columns: columns)
        let options = flags.flatMap(help.lines(for:))
        return (text.isEmpty ? "" : text.wrapped(to: columns) + "\n")
            + (options.isEmpty ? "" : (text.isEmpty ? "" : "\n") + options.joined(separator: "\n") + "\n")
    }

    /// The topic of a word that is none of the names: an option, or what others call the subject.
    static func meant(by word: String) -> HelpTopic? {
        all.first { topic in topic.flags.contains { $0.isExactly(word) } || topic.otherNames.contains { $0.isExactly(word.lowercased()) } }
    }

    private var otherNames: [String] {
        switch name {
        case "target": ["files", "names", "directories"]
        case "lists": ["patterns", "urls"]
        case "queue": ["parallel", "jobs"]
        case "sources": ["mirror", "mirrors", "metalink"]
        case "trust": ["checksum", "checksums", "hash", "verification"]
        case "limits": ["speed", "bandwidth"]
        case "ranges": ["range", "stream", "streaming"]
        case "archives": ["zip", "unpack", "unzip"]
        case "network": ["proxy", "proxies", "tls", "ssl", "certificates"]
        case "server": ["headers", "retries", "timeout", "timeouts"]
        case "login": ["password", "passwords", "cookies", "auth", "netrc"]
        case "output": ["json", "progress", "hooks", "messages"]
        case "defaults": ["config", "configuration", "environment"]
        case "exit-codes": ["exit", "codes", "status-codes"]
        default: []
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
        let width = all.map(\.name.count).max() ?? 0
        let topics = all.map { "  " + $0.name + String(repeating: " ", count: width - $0.name.count + 2) + $0.summary }
        return """
            pawl [get] [options] URL...   Download files; rerun to resume. Ctrl-C saves and stops.

            \(everydayFlags.flatMap(help.lines(for:)).joined(separator: "\n"))

            'pawl help TOPIC' shows the other options ('pawl help all' shows all):
            \(topics.joined(separator: "\n"))

            """
    }

    private static let everydayFlags = ["--output", "--directory", "--input-file", "--jobs", "--quiet"]
}
