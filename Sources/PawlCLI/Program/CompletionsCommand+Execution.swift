import ArgumentParser

extension CompletionsCommand: Subcommand {
    func execute(in session: Session) -> ExitCode {
        let shell: CompletionShell =
            switch self.shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        return session.write(ShellCompletions.script(for: shell))
    }
}
