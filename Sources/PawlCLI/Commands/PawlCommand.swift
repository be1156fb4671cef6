import PawlCore
import PawlOptions

/// The program: its commands.
enum PawlCommand {
    static let groups: [(title: String, commands: [any Subcommand.Type])] = [
        (
            "Downloads",
            [
                GetCommand.self, IndexCommand.self, ProbeCommand.self, StatusCommand.self, VerifyCommand.self,
                CleanCommand.self,
            ]
        ),
        ("Batches", [ShardCommand.self, WorkCommand.self, ManifestCommand.self]),
        ("Archives", [ExtractCommand.self, ListCommand.self, PackCommand.self]),
        (
            "Service",
            [
                ServeCommand.self, AddCommand.self, DownloadsCommand.self, ShowCommand.self, WatchCommand.self,
                PauseCommand.self, ResumeCommand.self, RetryDownloadsCommand.self, ChangeCommand.self,
                RemoveCommand.self, MoveCommand.self, LimitCommand.self, TokenCommand.self,
            ]
        ),
        ("Setup", [ConfigCommand.self, CompletionsCommand.self]),
    ]

    static let all = groups.flatMap(\.commands)

    /// The names of the commands, in the order of the help.
    static let names = all.map { $0.name }

    static func named(_ word: String?) -> (any Subcommand.Type)? {
        word.flatMap { word in all.first { $0.name.isExactly(word) } }
    }

    /// The commands as their declarations describe them: for completions, and for the manual.
    static var described: [CommandDescription] { all.map { $0.described } }
}
