import PawlCore
import PawlOptions

/// The scripts by which shells complete a command line of `pawl`.
enum ShellCompletions {
    static func script(for shell: CompletionsCommand.Shell) -> String {
        let topics = HelpTopic.all.map { CompletionScript.Topic($0.name, summary: $0.summary) }
        let script = CompletionScript(
            program: "pawl", commands: PawlCommand.described, usual: GetCommand.name,
            helpTopics: topics + [.init("all", summary: "every option of pawl get")])
        return switch shell {
        case .bash: script.bash()
        case .zsh: script.zsh()
        case .fish: script.fish()
        }
    }

    /// Answers the call that a script makes.
    ///
    /// - Parameter arguments: those of the program; the words of the command line may name a service.
    /// - Returns: nil if it is no such call.
    static func answer(to arguments: [String]) async -> String? {
        guard arguments.first?.isExactly(CompletionScript.request) == true else { return nil }
        return await DownloadIDs.completions(arguments).map { $0 + "\n" }.joined()
    }
}
