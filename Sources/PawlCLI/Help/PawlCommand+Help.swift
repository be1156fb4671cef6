import PawlCore
import PawlJobs
import PawlOptions

/// Answers to questions about the program: help, versions, and the table for its manual.
extension PawlCommand {
    /// Answers `help`, `--help` and `--version`; nil for other words.
    static func answer(to arguments: [String], columns: Int) -> String? {
        let version = "pawl \(ProgramVersion.text)\n"
        switch arguments.first.flatMap({ Question($0) }) {
        case .version: return version
        case .help: return help(columns: columns)
        case nil: break
        }
        switch arguments.first {
        // Read by scripts/manual-page.
        case "--help-json": return JSONValue.array(described.map(\.json)).encoded + "\n"
        case "help": return named(arguments.dropFirst().first)?.help(columns: columns) ?? help(columns: columns)
        default:
            // The service reads its own words.
            guard let command = named(arguments.first), command != ServeCommand.self else { return nil }
            return switch command.question(in: arguments.dropFirst()) {
            case .version: version
            case .help: command.help(columns: columns)
            case nil: nil
            }
        }
    }

    static func help(columns: Int) -> String {
        let parts = [
            "OVERVIEW: Download files. Interrupted downloads resume where they stopped.",
            """
            'pawl URL' is 'pawl get URL'. Run the same command again to resume. The final name of a file appears only once the file is complete.

            'pawl help TOPIC' explains the other options of a download; 'pawl get --help' lists the topics.
            """, "USAGE: pawl [<options>] <url> ...\n       pawl <subcommand>",
        ].map { HelpText.wrapped($0, columns) }
        let options = OptionDeclaration<Void>.standard.map { $0.help(columns: columns) }
        let commands = groups.map { title, commands in
            HelpText.section(
                title + " subcommands", commands.map { HelpText.entry($0.name, $0.described.summary, columns) })
        }
        let common = "COMMON OPTIONS OF A DOWNLOAD:\n" + HelpTopic.everydayOptions(columns: columns)
        let others =
            [HelpText.section("Options", options)] + commands
            + ["  See 'pawl help <subcommand>' for detailed help."]
        return (parts + [common + "\n" + others.joined(separator: "\n\n")]).joined(separator: "\n\n") + "\n"
    }
}
