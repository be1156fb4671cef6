import PawlCore
import PawlOptions

/// From the words of a command line to a command.
extension PawlCommand {
    /// The command that the arguments name; nil if they name none.
    ///
    /// - Parameter environment: where defaults come from; nowhere unless it is given.
    static func subcommand(
        from arguments: [String], environment: (String) -> String? = { _ in nil }
    ) throws(UsageError) -> (any Subcommand)? {
        var words = ExtractOptions.settle(arguments)
        guard let command = named(words.first) else { return nil }
        let denied = CommandDefaults.takeBack(&words)
        let defaults = try CommandDefaults(for: words, without: denied, environment: environment)
        let typed = Array(words.dropFirst())
        do throws(UsageError) {
            return try command.parse(defaults.arguments(before: typed) + typed)
        } catch {
            guard command == GetCommand.self || command == AddCommand.self else { throw error }
            let typed = try withoutPeerOptions(typed, of: command)
            return try command.parse(defaults.arguments(before: typed) + typed)
        }
    }

    /// `pawl URL` is `pawl get URL`, with or without options in front.
    ///
    /// - Throws: for a word that is neither, or `help` about nothing.
    static func withCommand(_ arguments: [String]) throws(UsageError) -> [String] {
        switch arguments.first {
        case nil, "--help-json": return arguments
        case "version": return ["--version"]
        case "get" where arguments.count == 2 && arguments[1] == "help": return ["help", "get"]
        case "help":
            guard let word = arguments.dropFirst().first, !["--help", "-h", "--version"].containsExactly(word),
                !names.containsExactly(word), HelpTopic.answer(to: ["help", word], columns: 80) == nil
            else { return arguments }
            let known = HelpTopic.all.map(\.name) + names + GetCommand.declaration.options.map(\.name)
            let suggestion = Suggestion.sentence(for: word, among: known)
            throw UsageError(
                "There is no help about “\(word)”.\(suggestion) “pawl get --help” lists the topics, “pawl --help” the commands."
            )
        case let first?:
            if names.containsExactly(first) || Question(first) != nil { return arguments }
            if first.begins(with: "-") || first.utf8.contains(where: { ":/.".utf8.contains($0) }) {
                return ["get"] + arguments
            }
            if first.isEmpty { throw UsageError("The first argument is empty; a command or a URL was expected.") }
            throw UsageError(
                "There is no command “\(first)”.\(Suggestion.sentence(for: first, among: names)) “pawl --help” lists them."
            )
        }
    }

    /// - Throws: for an option of another program that Pawl lacks.
    private static func withoutPeerOptions(
        _ typed: [String], of command: any Subcommand.Type
    ) throws(UsageError) -> [String] {
        var peers = PeerWords(own: command.takingValues)
        let translated = try peers.translated(typed)
        guard
            translated.elementsEqual(typed, by: { $0.isExactly($1) }) || !peers.writesToOutput
                || OutputStream.standardOutput.isTerminal
        else {
            throw UsageError(
                "curl would write to stdout here, and Pawl saves a file. Use -o - to write to stdout, or -O to save the file."
            )
        }
        return translated
    }
}
