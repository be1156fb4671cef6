import PawlOptions
import Testing

@testable import PawlCLI

@Suite struct ShellCompletionsTests {
    @Test(arguments: CompletionsCommand.Shell.allCases)
    func `each command is completed`(shell: CompletionsCommand.Shell) {
        let script = ShellCompletions.script(for: shell)
        for name in PawlCommand.names { #expect(script.contains(name), "\(name)") }
        #expect(!script.hasPrefix("#!"))
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
