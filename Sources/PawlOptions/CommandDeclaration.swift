package import PawlCore

/// A command, declared once: its help, the manual and completions are made from this value, and its words are read by
/// its options.
package struct CommandDeclaration<Values>: Sendable {
    /// A word of a command line that is no option.
    package struct Operand: Sendable {
        /// The word that stands for it in help: `url`.
        package let name: String
        package let help: String
        /// The command can do without one.
        package let isOptional: Bool
        /// Whether several can be given; only the last operand is repeated.
        package let isRepeated: Bool
        package let completion: OptionCompletion
        /// Takes each word as it was given.
        package let set: OptionDeclaration<Values>.Setter

        package init(
            _ name: String, help: String, isOptional: Bool = false, isRepeated: Bool = false,
            completion: OptionCompletion = .none, set: @escaping OptionDeclaration<Values>.Setter
        ) {
            self.name = name
            self.help = help
            self.isOptional = isOptional
            self.isRepeated = isRepeated
            self.completion = completion
            self.set = set
        }

        /// The same operand of a larger value.
        package func within<Whole>(
            _ part: any WritableKeyPath<Whole, Values> & Sendable
        ) -> CommandDeclaration<Whole>.Operand {
            .init(name, help: help, isOptional: isOptional, isRepeated: isRepeated, completion: completion) {
                [set] (whole, text) throws(OptionValueProblem) in
                try set(&whole[keyPath: part], text)
            }
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

        /// The same options of a larger value.
        package func within<Whole>(
            _ part: any WritableKeyPath<Whole, Values> & Sendable
        ) -> CommandDeclaration<Whole>.Group {
            .init(title, options.within(part))
        }

        /// The last group of a command: what belongs to no subject, and the options that every command has.
        package static func others(_ options: [OptionDeclaration<Values>] = []) -> Self {
            Self("Options", options + OptionDeclaration.standard)
        }
    }

    package let name: String
    /// The summary in one sentence, for lists of commands.
    package let summary: String
    /// The usage, with a line for each form: `pawl get [<options>] <url> ...`
    package let usage: [String]
    /// The discussion in paragraphs; lines that begin with a blank stay as they are.
    package let discussion: String
    package let operands: [Operand]
    /// The groups of options in the order of the help. Of two with one title, the second continues the first.
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

    /// The spellings of all options, and whether a value follows each.
    package var takingValues: [ExactText: Bool] {
        let spellings = options.flatMap { option in
            option.spellings.map { (ExactText($0), option.argument != .none) }
        }
        return Dictionary(spellings) { first, _ in first }
    }

    /// - Parameter flag: `--max-speed`.
    package func option(_ flag: String) -> OptionDeclaration<Values>? { options.first { $0.flag.isExactly(flag) } }

    package var reader: CommandLineReader<Values> { CommandLineReader(options) }

    /// Reads the words behind the command: its options, and then its operands.
    ///
    /// - Throws: ``CommandLineProblem`` for the first word that cannot be used, or for an operand that is missing.
    package func read(_ words: [String], into values: inout Values) throws(CommandLineProblem) {
        var rest = try reader.read(words, into: &values)[...]
        for operand in operands {
            let given = operand.isRepeated ? rest : rest.prefix(1)
            guard operand.isOptional || !given.isEmpty else { throw .missing(operand.name) }
            for word in given {
                do throws(OptionValueProblem) {
                    try operand.set(&values, word)
                } catch {
                    throw .refused("<\(operand.name)>", accepted: error.accepted)
                }
            }
            rest = rest.dropFirst(given.count)
        }
        guard rest.isEmpty else { throw .tooMany(rest.count) }
    }

    /// Returns the whole text of `--help`.
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
            let options = groups.filter { $0.title.isExactly(title) }.flatMap(\.options).filter(\.isShown)
            parts.append(HelpText.section(title, options.map { $0.help(columns: columns) }))
        }
        return parts.joined(separator: "\n\n") + "\n"
    }
}

extension OptionDeclaration {
    package var isShown: Bool { !help.isEmpty }

    /// The option's lines of the help.
    package func help(columns: Int) -> String {
        var notes: [String] = []
        if !choices.isEmpty { notes.append("values: " + choices.joined(separator: ", ")) }
        if let initial { notes.append("default: " + initial) }
        return HelpText.entry(
            label, notes.isEmpty ? help : "\(help) (\(notes.joined(separator: "; ")))", columns)
    }

    /// The label in the help, such as `-x, --connections <number>`.
    package var label: String {
        let names = (letter.map { "-\($0), " } ?? "") + flag + (negation.map { "/" + $0 } ?? "")
        return names + (argument.word.map { " <\($0)>" } ?? "")
    }
}
