import PawlOptions
import Testing

@testable import PawlCLI

@Suite struct ShellCompletionsTests {
    @Test(arguments: CompletionsCommand.Shell.allCases)
    func `each command, topic, option and choice is completed`(shell: CompletionsCommand.Shell) {
        let script = ShellCompletions.script(for: shell)
        for name in PawlCommand.names + HelpTopic.all.map(\.name) { #expect(script.contains(name), "\(name)") }
        for option in PawlCommand.described.flatMap(\.options) {
            for text in [String(option.spellings.last?.dropFirst(2) ?? "")] + option.choices {
                #expect(script.contains(text), "\(text)")
            }
        }
        #expect(!script.hasPrefix("#!"))
    }

    @Test func `only the call of a script is answered`() async {
        #expect(await ShellCompletions.answer(to: ["get", "---complete"]) == nil)
        #expect(await ShellCompletions.answer(to: []) == nil)
        let call = [CompletionScript.request, "ids", "--", "", "show", "--service", "/nonexistent/socket"]
        #expect(await ShellCompletions.answer(to: call) == "")
    }

    @Test func `paths and ids are offered where an option or an argument takes one`() throws {
        let commands = PawlCommand.described
        let get = try #require(commands.first { $0.name == "get" })
        #expect(get.options.first { $0.spellings.contains("--directory") }?.completion == .directory)
        #expect(get.options.first { $0.spellings.contains("-i") }?.completion == .file)
        for command in commands {
            for option in command.options where ["file", "file or url", "list"].contains(option.value) {
                #expect(
                    option.completion == .file || ["--select", "--no-proxy"].contains(option.spellings.last),
                    "\(command.name): \(option.spellings)")
            }
            for operand in command.operands where operand.name == "id" { #expect(operand.completion == .ids) }
        }
    }
}
