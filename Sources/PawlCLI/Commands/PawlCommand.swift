import ArgumentParser
import PawlJobs

struct PawlCommand: AsyncParsableCommand {
    static let version = ProgramVersion.text

    static let configuration = CommandConfiguration(
        commandName: "pawl",
        abstract: "Download files. Interrupted downloads resume where they stopped.",
        discussion: """
            'pawl URL' is 'pawl get URL'. Run the same command again to resume. The final name of a file appears only once the file is complete.

            'pawl get --help' lists the common options, 'pawl help TOPIC' explains the others.
            """,
        version: "pawl \(version)",
        subcommands: [],
        groupedSubcommands: [
            CommandGroup(
                name: "Downloads",
                subcommands: [
                    GetCommand.self, ProbeCommand.self, StatusCommand.self, VerifyCommand.self, CleanCommand.self,
                ]),
            CommandGroup(name: "Archives", subcommands: [ExtractCommand.self, ListCommand.self, PackCommand.self]),
            CommandGroup(
                name: "Service",
                subcommands: [
                    ServeCommand.self, AddCommand.self, DownloadsCommand.self, ShowCommand.self, WatchCommand.self,
                    PauseCommand.self, ResumeCommand.self,
                    RetryDownloadsCommand.self, ChangeCommand.self, RemoveCommand.self, MoveCommand.self,
                    LimitCommand.self, TokenCommand.self,
                ]),
            CommandGroup(name: "Shell", subcommands: [CompletionsCommand.self]),
        ])
}

extension PawlCommand {
    /// The names of the subcommands, in the order of the help.
    static let names: [String] = configuration.groupedSubcommands.flatMap(\.subcommands).compactMap {
        $0.configuration.commandName
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
