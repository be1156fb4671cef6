import Foundation
import PawlTestKit
import Testing

extension EndToEnd {
    @Suite("The taskbar of a terminal", .serialized, .timeLimit(.minutes(3)))
    struct TaskbarProgramTests {
        /// A terminal with a shell that runs the program in the foreground. Presses Ctrl-Z once there is progress,
        /// resumes the program, and presses Ctrl-C once there is progress again.
        private static let person = """
            import os, pty, signal, sys
            leader, terminal = pty.fork()
            if leader == 0:
                signal.signal(signal.SIGTTOU, signal.SIG_IGN)
                child = os.fork()
                if child == 0:
                    os.setpgid(0, 0)
                    os.tcsetpgrp(0, os.getpid())
                    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
                    os.execv(sys.argv[1], sys.argv[1:])
                status = os.waitpid(child, os.WUNTRACED)[1]
                if os.WIFSTOPPED(status):
                    os.write(1, b"[stopped]")
                    os.kill(child, signal.SIGCONT)
                    status = os.waitpid(child, 0)[1]
                os.write(1, b"[ended]")
                os._exit(os.waitstatus_to_exitcode(status))
            seen, keys = b"", [(b"]9;4;1;", b"\\x1a"), (b"[stopped]", b""), (b"]9;4;1;", b"\\x03")]
            start = 0
            while True:
                try: data = os.read(terminal, 4096)
                except OSError: break
                if not data: break
                seen += data
                while keys and keys[0][0] in seen[start:]:
                    start = seen.index(keys[0][0], start) + len(keys[0][0])
                    os.write(terminal, keys.pop(0)[1])
            sys.stdout.write(seen.decode())
            sys.exit(os.waitstatus_to_exitcode(os.waitpid(leader, 0)[1]))
            """

        @Test func `progress is shown, and taken back when the program is suspended and when it ends`() async throws {
            var behaviour = FileBehaviour(content: FileBehaviour.pattern(count: 120_000))
            behaviour.stall = .init(afterBytes: 60_000)
            let server = try ScriptedServer(file: behaviour)
            defer { server.stop() }
            let home = try TemporaryDirectory("taskbar")
            let output = try await Subprocess.run(
                "python3", ["-c", Self.person, Program.path.get(), server.url(), "-d", home.path],
                environment: ["TERM": "xterm-256color", "WT_SESSION": "0", "XDG_STATE_HOME": home.file("state")])
            #expect(output.ending == ExitCode.interrupted, "\(output)")
            let (shown, taken) = ("\u{1B}]9;4;1;", "\u{1B}]9;4;0;0\u{1B}\\")
            let text = output.standardOutput
            let before = try #require(text.components(separatedBy: "[stopped]").first)
            #expect(before.contains(shown), "\(text)")
            #expect(before.components(separatedBy: "\u{1B}]9;4;").last?.hasPrefix("0;0") == true, "\(text)")
            let after = try #require(text.components(separatedBy: "[stopped]").last)
            #expect(after.contains(shown), "\(text)")
            let last = try #require(after.components(separatedBy: shown).last)
            #expect(last.contains(taken), "\(text)")
        }
    }
}
