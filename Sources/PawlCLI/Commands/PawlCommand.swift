import ArgumentParser
import PawlCore
import PawlJobs

struct PawlCommand: AsyncParsableCommand {
    static let version = ProgramVersion.text

    static let configuration = CommandConfiguration(
        commandName: "pawl",
        abstract: "Downloads that survive: paused, killed, unplugged or cut off, they resume where they stopped.",
        discussion: """
            Running the same 'pawl get' again goes on with what an earlier run stored. A file that has its final name is whole.

            'pawl get --help' lists the common options; 'pawl help TOPIC' explains the rest.
            """,
        version: "pawl \(version)",
        subcommands: [],
        groupedSubcommands: [
            CommandGroup(
                name: "Downloads",
                subcommands: [GetCommand.self, ProbeCommand.self, StatusCommand.self, VerifyCommand.self]),
            CommandGroup(name: "Archives", subcommands: [ExtractCommand.self, ListCommand.self, PackCommand.self]),
            CommandGroup(
                name: "Service",
                subcommands: [
                    ServeCommand.self, AddCommand.self, DownloadsCommand.self, ShowCommand.self, WatchCommand.self, PauseCommand.self, ResumeCommand.self,
                    RetryDownloadsCommand.self, ChangeCommand.self, RemoveCommand.self, MoveCommand.self, LimitCommand.self, TokenCommand.self,
                ]),
        ])
}

extension PawlCommand {
    /// Nil when the arguments name no command.
    ///
    /// - Throws: what ArgumentParser has to say, help and the version included; ``UsageError`` for words that are no command.
    static func subcommand(from arguments: [String]) throws -> (any Subcommand)? {
        let words = ExtractOptions.settle(arguments)
        // By itself: the way through the parent takes as long as a small download. Help, and what is wrong, come from there all the same.
        if words.first == "get", let get = try? GetCommand.parse(Array(words.dropFirst())) { return get }
        var command = try parseAsRoot(try withoutPeerOptions(words))
        if let subcommand = command as? any Subcommand { return subcommand }
        // One of ArgumentParser's own, such as the one behind `--help`, throws its text.
        if !(command is PawlCommand) { try command.run() }
        return nil
    }

    /// The names of the subcommands, in the order of the help.
    static let commandNames: [String] = configuration.groupedSubcommands.flatMap(\.subcommands).compactMap { $0.configuration.commandName }

    /// `pawl URL` is `pawl get URL`, with or without options in front.
    ///
    /// - Throws: for a word that is neither, or `help` about nothing.
    static func withCommand(_ arguments: [String]) throws(UsageError) -> [String] {
        switch arguments.first {
        case nil, "--help", "-h", "--version": return arguments
        case "help":
            let topics = HelpTopic.all.map(\.name) + ["all"]
            guard arguments.count > 1, !(topics + commandNames).containsExactly(arguments[1]) else { return arguments }
            let suggestion = Suggestion.sentence(for: arguments[1], among: topics + commandNames)
            throw UsageError("There is no help about “\(arguments[1])”.\(suggestion) “pawl get --help” lists the topics, “pawl --help” the commands.")
        case let first?:
            if commandNames.containsExactly(first) || first.begins(with: "---") { return arguments }
            if first.begins(with: "-") || first.utf8.contains(where: { ":/.".utf8.contains($0) }) { return ["get"] + arguments }
            throw UsageError("There is no command “\(first)”.\(Suggestion.sentence(for: first, among: commandNames)) “pawl --help” lists them.")
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
        return [words[0]] + (try PeerWords(own: OptionHelp(of: help).takingValues).translated(Array(words.dropFirst())))
    }
}

/// A command that does something, as opposed to the one that only holds them.
protocol Subcommand: ParsableCommand, Sendable {
    /// - Throws: what ``Session/report(_:)`` can say.
    func execute(in session: Session) async throws -> ExitCode
}

extension Subcommand {
    static func help(columns: Int) -> String {
        PawlCommand.helpMessage(for: Self.self, columns: columns)
    }
}
