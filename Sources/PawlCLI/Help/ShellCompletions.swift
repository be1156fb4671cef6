import PawlCore
import PawlOptions

/// The scripts by which shells complete a command line of `pawl`.
enum ShellCompletions {
    static func script(for shell: CompletionsCommand.Shell) -> String {
        let topics = HelpTopic.all.map { DescribedTopic($0.name, summary: $0.summary) }
        let script = CompletionScript(
            program: "pawl", commands: PawlCommand.described.map(\.forShells), usual: GetCommand.name,
            helpTopics: topics + [DescribedTopic("all", summary: "every option of pawl get")])
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

extension CommandDescription {
    fileprivate var forShells: DescribedCommand {
        DescribedCommand(
            name, summary: summary,
            options: options.map {
                DescribedOption(
                    names: $0.spellings, help: $0.help, label: $0.value ?? "value",
                    value: $0.value == nil ? .none : DescribedValue($0.completion, choices: $0.choices),
                    repeats: $0.isRepeated)
            },
            operands: operands.map {
                DescribedOperand($0.name, value: DescribedValue($0.completion), repeats: $0.isRepeated)
            })
    }
}

extension DescribedValue {
    fileprivate init(_ completion: OptionCompletion, choices: [String] = []) {
        self =
            switch completion {
            case .none: choices.isEmpty ? .any : .words(choices)
            case .file: .file
            case .directory: .directory
            case .words(let words): .words(words)
            case .ids: .called(["ids"])
            }
    }
}
