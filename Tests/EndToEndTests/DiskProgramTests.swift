import Foundation
import PawlTestKit
import Testing

extension EndToEnd {
    /// The built program on a disk that fails.
    @Suite(.serialized) struct `B6 Disk faults of the program` {
        static let content = FileBehaviour.pattern(count: 400_000)

        /// Runs the program under strace, which injects the fault into its system calls.
        private func run(
            injecting fault: String, _ server: ScriptedServer, _ target: String
        ) async throws -> Subprocess.Output {
            try await Subprocess.run(
                "strace",
                [
                    "-f", "-qq", "-e", "trace=pwrite64,fdatasync,fsync", "-e", "inject=\(fault)", "-o", "/dev/null",
                    Program.path.get(),
                    "get", "-q", server.url("/file.bin"), "-o", target,
                ])
        }

        @Test(
            arguments: [
                ("pwrite64:retval=0:when=1", ExitCode.disk, "The disk failed"),
                ("pwrite64:error=EIO:when=1", ExitCode.disk, "The disk failed"),
                ("pwrite64:error=EDQUOT:when=1", ExitCode.diskFull, "quota"),
                ("pwrite64:error=ENOSPC:when=1", ExitCode.diskFull, "full"),
                ("pwrite64:error=EROFS:when=1", ExitCode.disk, "read-only"),
                ("fsync:error=EIO:when=1", ExitCode.disk, "The disk failed"),
            ] as [(String, Subprocess.Ending, String)])
        func
            `D03 D04 D08 D09 D10 a failed write or sync ends the program with its exit code and reason, and the same command completes`(
                _ fault: String, _ code: Subprocess.Ending, _ word: String
            ) async throws
        {
            let server = try ScriptedServer(file: FileBehaviour(content: Self.content))
            defer { server.stop() }
            let directory = try TemporaryDirectory()
            let target = directory.file("file.bin")
            let output = try await run(injecting: fault, server, target)
            #expect(output.ending == code, "\(output.standardError)")
            #expect(output.standardError.contains(word), "\(output.standardError)")
            #expect(!Files.exists(target))
            let second = try await Program.run("get", "-q", server.url("/file.bin"), "-o", target)
            #expect(second.ending == ExitCode.done, "\(second.standardError)")
            #expect(try Files.isEqual(target, to: Self.content))
            #expect(try Files.names(directory.path) == ["file.bin"])
        }

        /// Downloads under a limit of 100,000 bytes for any file.
        private static func getWithLimit(
            _ server: ScriptedServer, _ directory: TemporaryDirectory
        ) async throws -> Subprocess.Output {
            let get = ["get", "-q", server.url("/file.bin"), "-o", directory.file("file.bin")]
            return try await Subprocess.run("prlimit", ["--fsize=100000", "--", Program.path.get()] + get)
        }

        @Test
        func
            `D11 a file larger than the process may write is refused before its content is fetched, and no signal kills the program`()
            async throws
        {
            let server = try ScriptedServer(file: FileBehaviour(content: Self.content))
            defer { server.stop() }
            let directory = try TemporaryDirectory()
            let output = try await Self.getWithLimit(server, directory)
            #expect(output.ending == ExitCode.disk, "\(output.ending)")
            #expect(output.standardError.contains("larger than this file system or the process limit allows"))
            #expect(server.requests.count == 1)
            #expect(try Files.names(directory.path) == [])
        }

        @Test func `D11 a file of unknown length fails once it reaches the process's file size limit`() async throws {
            var behaviour = FileBehaviour(content: Self.content)
            behaviour.framing = .chunked(size: 10_000)
            behaviour.honoursRanges = false
            let server = try ScriptedServer(file: behaviour)
            defer { server.stop() }
            let directory = try TemporaryDirectory()
            let output = try await Self.getWithLimit(server, directory)
            #expect(output.ending == ExitCode.disk, "\(output.ending) \(output.standardError)")
            #expect(!Files.exists(directory.file("file.bin")))
        }

        /// A server whose answers stall halfway through the file until the switch is on.
        private static func halting(_ isOpen: Switch) throws -> ScriptedServer {
            var behaviour = FileBehaviour(content: content)
            behaviour.stall = .init(afterBytes: 200_000) { isOpen.isOn }
            return try ScriptedServer(file: behaviour)
        }

        @Test func `D15 a second process with the same target is told which process holds it, and does no harm`()
            async throws
        {
            let isOpen = Switch()
            let server = try Self.halting(isOpen)
            defer { server.stop() }
            let directory = try TemporaryDirectory()
            let target = directory.file("file.bin")
            let command = ["get", "-q", "-x", "1", server.url("/file.bin"), "-o", target]
            let first = try Program.start(command)
            try await until("the first has a journal") { Files.exists(target + ".pawl") }
            try await until("that says something") { try await Program.status(of: target) != nil }
            let second = try await Program.run(command)
            #expect(second.ending == ExitCode.locked)
            #expect(second.standardError.contains("Process \(first.processID) on "), "\(second.standardError)")
            expectOneClearLine(second)
            isOpen.set(true)
            let ending = try await first.wait(timeout: .seconds(60))
            #expect(ending == ExitCode.done, "\(first.standardError)")
            #expect(try Files.isEqual(target, to: Self.content))
            #expect(try Files.names(directory.path) == ["file.bin"])
        }

        @Test(
            .disabled(
                if: ProcessInfo.processInfo.environment["PAWL_WITHOUT_ROOT"] != nil,
                "PAWL_WITHOUT_ROOT is set, and this needs root"))
        func
            `D17 in a directory that is no longer writable the finished file waits, and a later run renames it without the network`()
            async throws
        {
            try #require(
                getuid() == 0, "this test gives up being root, and so needs it; set PAWL_WITHOUT_ROOT=1 to leave it out"
            )
            let isOpen = Switch()
            let server = try Self.halting(isOpen)
            defer { server.stop() }
            let directory = try TemporaryDirectory()
            let target = directory.file("file.bin")
            try await owner("nobody", of: directory.path)
            // The build directory may be closed to other users.
            let copies = try TemporaryDirectory("program")
            try Files.setMode(copies.path, 0o755)
            // By another program: what a test beside this one starts would inherit the copy while it is written, and
            // then nobody may run it.
            let copy = try Subprocess("cp", [Program.path.get(), copies.file("pawl")])
            _ = try await copy.wait(timeout: .seconds(60))
            let command = [
                "--reuid=nobody", "--regid=nogroup", "--clear-groups", copies.file("pawl"), "get", "-q", "-x", "1",
                server.url("/file.bin"), "-o", target,
            ]
            let first = try Subprocess("setpriv", command)
            try await until("a journal") { Files.exists(target + ".pawl") || !first.running() }
            try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: directory.path)
            isOpen.set(true)
            let ending = try await first.wait(timeout: .seconds(60))
            #expect(ending == ExitCode.disk, "\(first.standardError)")
            #expect(first.standardError.contains("No permission to write"), "\(first.standardError)")
            #expect(!Files.exists(target))

            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
            let requests = server.requests.count
            let second = try await Subprocess.run("setpriv", command)
            #expect(second.ending == ExitCode.done, "\(second.standardError)")
            #expect(server.requests.count == requests)
            #expect(try Files.isEqual(target, to: Self.content))
        }

        private func owner(_ name: String, of path: String) async throws {
            let output = try await Subprocess.run("chown", [name, path])
            try #require(output.ending == .exited(0), "\(output.standardError)")
        }

        @Test func `D23 with very few file descriptors the program either succeeds or reports the shortage`()
            async throws
        {
            let server = try ScriptedServer(file: FileBehaviour(content: Self.content))
            defer { server.stop() }
            let directory = try TemporaryDirectory()
            let target = directory.file("file.bin")
            // With fewer than eight descriptors, the Swift runtime itself does not start.
            for limit in [8, 10, 12, 14, 16, 18, 20, 24, 32, 64] {
                let output = try await Subprocess.run(
                    "prlimit",
                    [
                        "--nofile=\(limit):\(limit)", "--", Program.path.get(), "get", "-q", server.url("/file.bin"),
                        "-o", target,
                    ])
                guard case .exited(let code) = output.ending else {
                    Issue.record("with \(limit): \(output.ending) \(output.standardError)")
                    continue
                }
                // 127: the system's loader failed before the program began.
                if code != 0, code != 127 {
                    #expect([3, 8].contains(code), "with \(limit): \(code) \(output.standardError)")
                    #expect(output.standardError.contains("pawl: "), "with \(limit): \(output.standardError)")
                }
                if Files.exists(target) { #expect(try Files.isEqual(target, to: Self.content), "with \(limit)") }
                for name in try Files.names(directory.path) { Files.remove(directory.file(name)) }
                if limit == 64 { #expect(code == 0) }
            }
        }
    }
}
