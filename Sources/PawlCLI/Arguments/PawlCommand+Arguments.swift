import ArgumentParser
import PawlConfiguration
import PawlCore

/// From the words of a command line to a command.
extension PawlCommand {
    /// Nil when the arguments name no command.
    ///
    /// - Parameter environment: where defaults come from; nowhere unless it is given.
    /// - Throws: what ArgumentParser has to say, help and the version included; ``UsageError`` for words that are no
    ///   command.
    static func subcommand(
        from arguments: [String], environment: (String) -> String? = { _ in nil }
    ) throws -> (any Subcommand)? {
        var words = withEmptyValues(ExtractOptions.settle(arguments))
        let denied = CommandDefaults.takeBack(&words)
        let defaults = try CommandDefaults(for: words, without: denied, environment: environment)
        // By itself: the way through the parent takes as long as a small download. Help, and what is wrong, come from
        // there all the same.
        if words.first == "get" {
            let typed = words.dropFirst()
            if let get = try? GetCommand.parse(defaults.arguments(before: typed) + typed) { return get }
        }
        let typed = try withoutPeerOptions(words)
        var command = try parseAsRoot(
            typed.prefix(1) + defaults.arguments(before: typed.dropFirst()) + typed.dropFirst())
        if let subcommand = command as? any Subcommand { return subcommand }
        // One of ArgumentParser's own, such as the one behind `--help`, throws its text.
        if !(command is PawlCommand) { try command.run() }
        return nil
    }

    /// `--user-agent=` has an empty value. ArgumentParser would take the next word for it, which is the URL.
    private static func withEmptyValues(_ arguments: [String]) -> [String] {
        let options = arguments.prefix { !$0.isExactly("--") }
        let words = options.flatMap { word -> [String] in
            let name = word.utf8.dropLast()
            guard word.begins(with: "--"), word.ends(with: "="), !name.contains(UInt8(ascii: "=")) else {
                return [word]
            }
            return [String(Substring(name)), ""]
        }
        return words + arguments.dropFirst(options.count)
    }

    /// `pawl URL` is `pawl get URL`, with or without options in front.
    ///
    /// - Throws: for a word that is neither, or `help` about nothing.
    static func withCommand(_ arguments: [String]) throws(UsageError) -> [String] {
        switch arguments.first {
        // The last two are ArgumentParser's, for scripts/man.
        case nil, "--help", "-h", "--version", "--experimental-dump-help", "--generate-completion-script":
            return arguments
        case "version": return ["--version"]
        case "get" where arguments.count == 2 && arguments[1] == "help": return ["help", "get"]
        case "help":
            if arguments.count == 2, !names.containsExactly(arguments[1]), let topic = HelpTopic.meant(by: arguments[1])
            {
                return ["help", topic.name]
            }
            let topics = HelpTopic.all.map(\.name) + ["all"]
            guard arguments.count > 1, !arguments[1].begins(with: "-"), !(topics + names).containsExactly(arguments[1])
            else { return arguments }
            let suggestion = Suggestion.sentence(for: arguments[1], among: topics + names)
            throw UsageError(
                "There is no help about “\(arguments[1])”.\(suggestion) “pawl get --help” lists the topics, “pawl --help” the commands."
            )
        case let first?:
            if names.containsExactly(first) || first.begins(with: "---") { return arguments }
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
    private static func withoutPeerOptions(_ words: [String]) throws(UsageError) -> [String] {
        let help: String
        switch words.first {
        case "get": help = GetCommand.help(columns: 200)
        case "add": help = AddCommand.help(columns: 200)
        default: return words
        }
        var peers = PeerWords(own: OptionHelp(of: help).takingValues)
        let typed = Array(words.dropFirst())
        let translated = try peers.translated(typed)
        guard
            translated.elementsEqual(typed, by: { $0.isExactly($1) }) || !peers.writesToOutput
                || OutputStream.standardOutput.isTerminal
        else {
            throw UsageError(
                "curl would write to stdout here, and Pawl saves a file. Use -o - to write to stdout, or -O to save the file."
            )
        }
        return [words[0]] + translated
    }
}
