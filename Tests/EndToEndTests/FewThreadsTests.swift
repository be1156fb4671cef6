#if os(Linux)
import Foundation
import PawlTestKit
import Testing

extension EndToEnd {
    /// The program where the system has few threads for it (`ulimit -u`, pids.max).
    @Suite("Few threads", .serialized, .timeLimit(.minutes(5)))
    struct FewThreadsTests {
        private static let content = FileBehaviour.pattern(count: 300_000)

        /// A user who has no other processes, with a copy of the program and a directory that are theirs to use.
        private static func run(limit: Int, _ words: [String]) async throws -> Subprocess.Output {
            try await Subprocess.run(
                "prlimit",
                [
                    "--nproc=\(limit):\(limit)", "--", "setpriv", "--reuid=61234", "--regid=61234", "--clear-groups",
                    "--",
                ]
                    + words)
        }

        private static func world() async throws -> (program: String, directory: TemporaryDirectory) {
            let directory = try TemporaryDirectory("few")
            let program = directory.file("pawl")
            let copy = try await Subprocess.run("cp", [Program.path.get(), program])
            try #require(copy.ending == .exited(0), "\(copy.standardError)")
            try Files.setMode(program, 0o755)
            try Files.makeDirectory(directory.file("d"))
            try Files.setMode(directory.file("d"), 0o777)
            try Files.setMode(directory.path, 0o755)
            return (program, directory)
        }

        private static func canLimit() async -> Bool {
            guard let (program, _) = try? await world() else { return false }
            return (try? await run(limit: 1000, [program, "--version"]))?.ending == .exited(0)
        }

        @Test(.enabled("only root can run a program as a user without processes") { await canLimit() })
        func `N26 with few threads left the program completes, or says so with its own exit code`() async throws {
            let server = try ScriptedServer(file: FileBehaviour(content: Self.content))
            defer { server.stop() }
            let (program, directory) = try await Self.world()
            let target = directory.file("d/file.bin")
            for limit in [1, 2, 3, 4, 5, 6, 8, 12, 16] {
                let output = try await Self.run(
                    limit: limit, [program, "get", "-q", "--retries", "0", server.url("/file.bin"), "-o", target])
                if output.ending == ExitCode.done {
                    #expect(try Files.isEqual(target, to: Self.content), "with \(limit)")
                } else {
                    #expect(output.ending == .exited(20), "with \(limit): \(output.ending) \(output.standardError)")
                    #expect(output.standardError.contains("Cannot start a thread"), "\(output.standardError)")
                    #expect(limit < 6, "\(limit) are enough")
                }
                for name in try Files.names(directory.file("d")) { Files.remove(directory.file("d/\(name)")) }
            }
        }

        /// Not where a sanitizer reserves terabytes.
        private static func fits(_ bytes: Int) async -> Bool {
            guard let program = try? Program.path.get() else { return false }
            let output = try? await Subprocess.run("prlimit", ["--as=\(bytes)", "--", program, "--version"])
            return output?.ending == .exited(0)
        }

        @Test(
            .enabled("the program itself needs more address space") { await fits(300_000_000) },
            arguments: [300_000_000, 400_000_000, 450_000_000])
        func `N26 with little address space the program completes`(_ bytes: Int) async throws {
            let server = try ScriptedServer(file: FileBehaviour(content: Self.content))
            defer { server.stop() }
            let directory = try TemporaryDirectory("little")
            let target = directory.file("file.bin")
            let words = ["get", "-q", "--retries", "0", server.url("/file.bin"), "-o", target]
            let output = try await Subprocess.run("prlimit", ["--as=\(bytes)", "--", Program.path.get()] + words)
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(try Files.isEqual(target, to: Self.content))
        }

        @Test func `N26 a download of one small file needs few threads`() async throws {
            let isOpen = Switch()
            var behaviour = FileBehaviour(content: Self.content)
            behaviour.stall = .init(afterBytes: 200_000) { isOpen.isOn }
            let server = try ScriptedServer(file: behaviour)
            defer { server.stop() }
            let directory = try TemporaryDirectory()
            let download = try Program.start("get", "-q", server.url("/file.bin"), "-o", directory.file("file.bin"))
            try await until("the download is under way") {
                try #require(download.running(), "\(download.standardError)")
                return !server.requests.isEmpty && Files.exists(directory.file("file.bin.part"))
            }
            let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(download.processID)/task")
            // The one that waits for signals, four for tasks at most, an event loop, and one each for syncs and writes.
            #expect(threads.count <= 8, "\(threads.count)")
            isOpen.set(true)
            let output = try await download.output()
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
        }
    }
}
#endif
