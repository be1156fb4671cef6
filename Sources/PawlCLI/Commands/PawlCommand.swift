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
            CommandGroup(name: "Shell", subcommands: [CompletionsCommand.self]),
        ])
}

extension PawlCommand {
    /// The names of the subcommands, in the order of the help.
    static let names: [String] = configuration.groupedSubcommands.flatMap(\.subcommands).compactMap { $0.configuration.commandName }
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
