import ArgumentParser
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
    /// - Throws: what ArgumentParser has to say, help and the version included.
    static func subcommand(from arguments: [String]) throws -> (any Subcommand)? {
        let words = ExtractOptions.settle(arguments)
        // By itself: the way through the parent takes as long as a small download. Help, and what is wrong, come from there all the same.
        if words.first == GetCommand.configuration.commandName, let get = try? GetCommand.parse(Array(words.dropFirst())) { return get }
        var command = try parseAsRoot(words)
        if let subcommand = command as? any Subcommand { return subcommand }
        // One of ArgumentParser's own, such as the one behind `--help`, throws its text.
        if !(command is PawlCommand) { try command.run() }
        return nil
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
