import ArgumentParser
import Testing

@testable import PawlCLI

@Suite struct ShellCompletionsTests {
    @Test(arguments: [CompletionShell.bash, .zsh, .fish])
    func `help is completed with its topics, and paths where an option takes one`(shell: CompletionShell) {
        let script = ShellCompletions.script(for: shell)
        let lines = script.split(separator: "\n")
        // The fish script names the commands' own flags in one line each; topics stand together in one, too.
        #expect(lines.contains { line in HelpTopic.all.allSatisfy { line.contains($0.name) } && line.contains("verify") })
        #expect(script.count > PawlCommand.completionScript(for: shell).count)
    }
}
