import PawlCore
import PawlOptions

/// The scripts by which shells complete a command line.
enum ShellCompletions {
    static func script(for shell: CompletionsCommand.Shell) -> String {
        let commands = (PawlCommand.described.map(\.name) + ["help"]).joined(separator: " ")
        return switch shell {
        case .bash: "complete -o default -W '\(commands)' pawl\n"
        case .zsh: "#compdef pawl\n_arguments '1:command:(\(commands))' '*:file:_files'\n"
        case .fish: "complete -c pawl -n __fish_use_subcommand -fa '\(commands)'\n"
        }
    }
}
