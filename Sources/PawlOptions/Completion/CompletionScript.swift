import PawlCore

/// The completions of a program for bash, zsh and fish, made from descriptions of its commands.
///
///     let script = CompletionScript(program: "pawl", commands: commands, usual: "get", helpTopics: topics)
///     print(script.zsh())
///
/// The three scripts offer the same: commands as the first word, the options and operands of the command, without
/// options that were given and do not repeat, and values after `--name `, `--name=` and `-n `, also where `n` is the
/// last of several letters. bash and zsh complete the value in `-nVALUE` as well. After `--` there are no options.
package struct CompletionScript: Sendable {
    /// The first argument of the hidden call that a script makes for ``OptionCompletion/ids``:
    ///
    ///     pawl ---complete ids -- PREFIX WORD ...
    ///
    /// PREFIX is the value as far as it was typed, perhaps empty. The words are those of the command line before it,
    /// without the program: `show`, `--service`, `/run/pawl.sock`. The program prints candidates, one a line. Those
    /// that do not begin with the prefix are left out; errors are not shown.
    package static let request = "---complete"

    /// A topic of `help` that is no command.
    package struct Topic: Hashable, Sendable {
        let name: String
        /// The summary shown beside the name, where a shell can.
        let summary: String

        package init(_ name: String, summary: String = "") {
            self.name = name
            self.summary = summary
        }
    }

    let program: String
    let commands: [CommandDescription]
    let usual: String
    let topics: [Topic]

    /// - Parameters:
    ///   - commands: with or without `help`, whose operand is a topic or a command in any case.
    ///   - usual: the command of a line whose first word names none.
    package init(program: String, commands: [CommandDescription], usual: String, helpTopics: [Topic] = []) {
        self.program = program
        self.usual = usual
        let others = commands.filter { !$0.name.isExactly("help") }.map(Self.inLines)
        let topics =
            helpTopics.map { Topic($0.name, summary: Self.line($0.summary)) }
            + others.map { Topic($0.name, summary: $0.summary) }
        let described = commands.first { $0.name.isExactly("help") }.map(Self.inLines)
        var help = described ?? CommandDescription(name: "help", summary: "Explain a command or a topic.")
        help.operands = [.init(name: "topic", completion: .words(topics.map(\.name)))]
        self.topics = topics
        self.commands = others + [help]
    }

    /// The start of the names of a script's functions.
    var function: String { "_" + program }

    /// Returns the command with its help in single lines: a shell shows it beside a name, and a line of a script is one
    /// line of the file.
    private static func inLines(_ command: CommandDescription) -> CommandDescription {
        var command = command
        command.summary = line(command.summary)
        for index in command.options.indices {
            command.options[index].help = line(command.options[index].help)
            command.options[index].value = command.options[index].value.map(line)
        }
        for index in command.operands.indices { command.operands[index].name = line(command.operands[index].name) }
        return command
    }

    private static func line(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    }

    /// Quotes a word of a script for bash or zsh.
    static func quoted(_ text: String) -> String { isPlain(text) ? text : quotedAlways(text) }

    static func quotedAlways(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

    /// Whether the text is one word of a script as it is.
    static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "-_./".utf8.contains($0) }
    }

    /// Puts a backslash before each of these ASCII characters.
    static func escaped(_ text: String, _ characters: String) -> String {
        String(
            decoding: text.utf8.flatMap { byte in
                characters.utf8.contains(byte) ? [UInt8(ascii: "\\"), byte] : [byte]
            }, as: UTF8.self)
    }
}

extension CommandDescription.Option {
    /// The candidates for the value.
    var offered: OptionCompletion { choices.isEmpty ? completion : .words(choices) }

    /// The letters of the names with one hyphen.
    var letters: [String] { spellings.filter { !$0.begins(with: "--") }.map { String($0.dropFirst()) } }

    /// The names with two hyphens, without them.
    var longNames: [String] { spellings.filter { $0.begins(with: "--") }.map { String($0.dropFirst(2)) } }
}
