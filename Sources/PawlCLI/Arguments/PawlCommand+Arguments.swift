import PawlCore
import PawlJobs
import PawlOptions

/// Parses the words of a command line into a command.
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
        guard let command = command as? any JobSubcommand.Type else {
            return try command.parse(defaults.arguments(before: typed) + typed)
        }
        return try parsed(typed, as: command, defaults)
    }

    private static func parsed<Command: JobSubcommand>(
        _ typed: [String], as command: Command.Type, _ defaults: CommandDefaults
    ) throws(UsageError) -> Command {
        do throws(UsageError) {
            let parsed = try command.parse(defaults.arguments(before: typed) + typed)
            if !parsed.jobs.urls.contains(where: CurlLine.begins(with:)) { return parsed }
        } catch {
            // The options of another program, perhaps.
        }
        var peers = PeerWords(own: command.takingValues)
        let typed = try withoutPeerOptions(typed, &peers)
        var parsed = try command.parse(defaults.arguments(before: typed) + typed)
        parsed.jobs.words.dropped = peers.dropped
        return parsed
    }

    /// `pawl URL` is `pawl get URL`, with or without options in front.
    ///
    /// - Throws: for a word that is neither, or `help` about nothing.
    static func withCommand(_ arguments: [String]) throws(UsageError) -> [String] {
        switch arguments.first {
        case nil, "--help-json": return arguments
        case "version": return ["--version"]
        case "curl": return ["get"] + arguments
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
        _ typed: [String], _ peers: inout PeerWords
    ) throws(UsageError) -> [String] {
        let translated: [String]
        do throws(PeerProblem) {
            translated = try peers.translated(typed)
        } catch {
            throw UsageError(error)
        }
        guard
            translated.elementsEqual(typed, by: { $0.isExactly($1) }) || !peers.writesToOutput
                || OutputStream.standardOutput.isTerminal
        else {
            throw UsageError(
                "No output is named: -o - writes to stdout, -O saves a file."
            )
        }
        return translated
    }
}

/// A command whose words describe jobs, and may be those of another program.
protocol JobSubcommand: Subcommand {
    var jobs: JobArguments { get set }
}

extension GetCommand: JobSubcommand {}

extension AddCommand: JobSubcommand {}

extension UsageError {
    fileprivate init(_ problem: PeerProblem) {
        self.init(problem.messages.first ?? "")
        others = Array(problem.messages.dropFirst())
    }
}
