import ArgumentParser

struct CompletionsCommand: ParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Print the completions for a shell.",
        discussion: """
              bash:  pawl completions bash > ~/.local/share/bash-completion/completions/pawl
              zsh:   pawl completions zsh > ~/.zfunc/_pawl       (with fpath+=~/.zfunc before compinit in ~/.zshrc)
              fish:  pawl completions fish > ~/.config/fish/completions/pawl.fish
            """)

    enum Shell: String, CaseIterable, ExpressibleByArgument, Sendable { case bash, zsh, fish }

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell
}
