import PawlOptions

struct CompletionsCommand: Sendable {
    static let name = "completions"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Print the completions for a shell.", usage: ["pawl completions <shell>"],
        discussion: """
              pawl completions bash >~/.local/share/bash-completion/completions/pawl
              pawl completions zsh >~/.zfunc/_pawl
              pawl completions fish >~/.config/fish/completions/pawl.fish

            For zsh, ~/.zfunc must be in fpath before compinit runs.
            """,
        operands: [
            .init("shell", help: "bash, zsh or fish.", completion: .words(Shell.allCases.map(\.rawValue))) {
                (command, text) throws(OptionValueProblem) in
                guard let shell = Shell(rawValue: text) else {
                    throw OptionValueProblem(oneOf: Shell.allCases.map(\.rawValue))
                }
                command.shell = shell
            }
        ],
        groups: [.others()])

    enum Shell: String, CaseIterable, Sendable { case bash, zsh, fish }

    /// Always read, since the operand is required.
    var shell = Shell.bash
}
