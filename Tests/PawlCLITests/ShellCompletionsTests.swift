import ArgumentParser
import Testing

@testable import PawlCLI

@Suite struct ShellCompletionsTests {
    @Test(arguments: [CompletionShell.bash, .zsh, .fish])
    func `help is completed with its topics, and paths where an option takes one`(shell: CompletionShell) {
        let script = ShellCompletions.script(for: shell)
        let lines = script.split(separator: "\n")
        // The fish script names the commands' own flags in one line each; topics stand together in one, too.
        #expect(
            lines.contains { line in HelpTopic.all.allSatisfy { line.contains($0.name) } && line.contains("verify") })
        #expect(script.count > PawlCommand.completionScript(for: shell).count)
    }

    /// The generated scripts are changed where they hold a certain text. What each change puts in shows that the text
    /// was found.
    @Test(arguments: [
        (
            CompletionShell.bash,
            [
                "compopt -o filenames", "local prev=\"${3}\"\n    [[ \"${prev}\" = =",
                "            _pawl_get\n            return",
            ]
        ),
        (.zsh, ["        _pawl_get\n        return", "'--if-exists=[", "{-o+,--output=}"]),
        (.fish, ["or set unparsed_tokens $unparsed_tokens[1] get"]),
    ])
    func `each change of a generated script is made`(shell: CompletionShell, parts: [String]) {
        let script = ShellCompletions.script(for: shell)
        for part in parts { #expect(script.contains(part), "\(part)") }
        #expect(!script.hasPrefix("#!"))
    }
}
