import PawlJobs
import Testing

@testable import PawlCLI

@Suite struct HookOptionTests {
    private static func hook(_ command: String) throws -> [String] {
        try GetCommand.parse(["--on-complete", command]).jobs.words.job.hook
    }

    @Test func `the hook command is split as a shell would split it, without running one`() throws {
        #expect(try Self.hook("notify 'all done' --x") == ["notify", "all done", "--x"])
        #expect(try ResolvedGet.of(["https://h/"]).jobs[0].hook == [])
    }

    @Test(arguments: ["", "  ", "''", "a 'b"])
    func `an empty or malformed hook command is a usage error`(_ text: String) {
        #expect(throws: UsageError.self) { try Self.hook(text) }
    }

    @Test func `the way a hook ended is put into words`() {
        #expect(HookEnding.exited(2).text == "ended with status 2")
        #expect(HookEnding.signalled(9).text == "was terminated by signal 9")
        #expect(
            HookEnding.notStarted("No such file or directory").text
                == "could not be started: No such file or directory")
    }
}
