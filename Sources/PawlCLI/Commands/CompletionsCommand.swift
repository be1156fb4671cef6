import ArgumentParser

struct CompletionsCommand: ParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Print the completions for a shell.",
        discussion: """
              pawl completions bash >~/.local/share/bash-completion/completions/pawl
              pawl completions zsh >~/.zfunc/_pawl
              pawl completions fish >~/.config/fish/completions/pawl.fish

            For zsh, ~/.zfunc must be in fpath before compinit runs.
            """)

    enum Shell: String, CaseIterable, ExpressibleByArgument, Sendable { case bash, zsh, fish }

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell
}
