extension CompletionsCommand: Subcommand {
    func execute(in session: Session) -> ExitCode { session.write(ShellCompletions.script(for: shell)) }
}
