import PawlCore

/// A command, declared once: its help, the manual and completions are made from this value, and its words are read by
/// its options.
package struct CommandDeclaration<Values>: Sendable {
    /// The words of a command line that are no options.
    package struct Operand: Hashable, Sendable {
        /// The word that stands for it in help: `url`.
        package let name: String
        package let help: String

        package init(_ name: String, help: String) {
            self.name = name
            self.help = help
        }
    }

    /// Options of one subject.
    package struct Group: Sendable {
        package let title: String
        package let options: [OptionDeclaration<Values>]

        package init(_ title: String, _ options: [OptionDeclaration<Values>]) {
            self.title = title
            self.options = options
        }
    }

    package let name: String
    /// One sentence, for lists of commands.
    package let summary: String
    /// One line for each form: `pawl get [<options>] <url> ...`
    package let usage: [String]
    /// Paragraphs; lines that begin with a blank stay as they are.
    package let discussion: String
    package let operands: [Operand]
    /// In the order of the help. Of two with one title, the second continues the first.
    package let groups: [Group]

    package init(
        _ name: String, summary: String, usage: [String], discussion: String = "", operands: [Operand] = [],
        groups: [Group]
    ) {
        self.name = name
        self.summary = summary
        self.usage = usage
        self.discussion = discussion
        self.operands = operands
        self.groups = groups
    }

    package var options: [OptionDeclaration<Values>] { groups.flatMap(\.options) }

    package var reader: CommandLineReader<Values> { CommandLineReader(options) }

    /// All that `--help` shows.
    package func help(columns: Int) -> String {
        var parts = [HelpText.wrapped("OVERVIEW: " + summary, columns)]
        if !discussion.isEmpty { parts.append(HelpText.wrapped(discussion, columns)) }
        parts.append("USAGE: " + usage.joined(separator: "\n       "))
        if !operands.isEmpty {
            parts.append(
                HelpText.section("Arguments", operands.map { HelpText.entry("<\($0.name)>", $0.help, columns) }))
        }
        var titles: [String] = []
        for group in groups where !titles.contains(where: group.title.isExactly) { titles.append(group.title) }
        for title in titles {
            let options = groups.filter { $0.title.isExactly(title) }.flatMap(\.options)
            parts.append(HelpText.section(title, options.map { $0.help(columns: columns) }))
        }
        return parts.joined(separator: "\n\n") + "\n"
    }
}

extension OptionDeclaration {
    /// The option's lines of the help.
    package func help(columns: Int) -> String {
        var notes: [String] = []
        if !choices.isEmpty { notes.append("values: " + choices.joined(separator: ", ")) }
        if let initial { notes.append("default: " + initial) }
        return HelpText.entry(
            label, notes.isEmpty ? help : "\(help) (\(notes.joined(separator: "; ")))", columns)
    }

    /// As `-x, --connections <number>`.
    package var label: String {
        let names = letter.map { "-\($0), \(flag)" } ?? flag
        return switch argument {
        case .none: names
        case .value(let word), .values(let word): "\(names) <\(word)>"
        }
    }
}
