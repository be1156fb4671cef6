import PawlTestKit
import Testing

extension EndToEnd {
    /// The prompt for an archive's password, and how the program ends when nobody answers it.
    @Suite(.serialized, .timeLimit(.minutes(3)))
    struct PasswordPromptTests {
        /// Answers the prompt with a key or a signal, prints the output, and ends with the program's exit code.
        private static let person = """
            import os, pty, signal, sys, termios
            what = sys.argv[1]
            child, terminal = pty.fork()
            if child == 0: os.execv(sys.argv[2], sys.argv[2:])
            seen, isAsked = b"", False
            while True:
                try: data = os.read(terminal, 4096)
                except OSError: break
                if not data: break
                seen += data
                if not isAsked and b"Password of " in seen:
                    isAsked = True
                    if what == "TERM": os.kill(child, signal.SIGTERM)
                    else: os.write(terminal, bytes([int(what)]))
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            sys.stdout.write(seen.decode())
            sys.exit(code if isAsked else 99)
            """

        @Test(arguments: [("3", ExitCode.interrupted), ("4", .exited(17)), ("TERM", ExitCode.terminated)])
        func `Ctrl-C, Ctrl-D and a signal end the password prompt, each with its exit code, and leave no files`(
            _ what: String, _ ending: Subprocess.Ending
        ) async throws {
            let directory = try TemporaryDirectory("prompt")
            try Files.write("hidden".utf8, to: directory.file("secret"))
            let made = try await Subprocess.run(
                "sh", ["-c", "cd '\(directory.path)' && zip -q -P opensesame s.zip secret"])
            #expect(made.ending == ExitCode.done)
            let output = try await Subprocess.run(
                "python3", ["-c", Self.person, what, Program.path.get(), "extract", "--json", directory.file("s.zip")])
            #expect(output.ending == ending, "\(output.standardOutput)")
            #expect(
                output.standardOutput.contains(
                    #""event":"failed","code":"\#(what == "4" ? "passwordNeeded" : "stopped")""#),
                "\(output.standardOutput)")
            #expect(try Files.names(directory.path) == ["s.zip", "secret"])
        }
    }
}
