#if os(Linux)
import Foundation
import PawlTestKit
import Testing

extension EndToEnd {
    /// The resources of the program by the time it fetches one small file: none that the file does not need.
    @Suite("Start", .timeLimit(.minutes(2)))
    struct StartTests {
        @Test func `N26 a small file takes one event loop, one thread for the disk and those of tasks`() async throws {
            try await withSmallDownload { process in
                let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
                // With the one that waits for signals, and at most four for tasks: where nothing keeps them from
                // running, two.
                #expect(threads.count <= 7, "\(threads.count)")
                let folder = "/proc/\(process)/fd"
                let files = try FileManager.default.contentsOfDirectory(atPath: folder)
                    .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
                #expect(files.filter { $0.contains("eventpoll") }.count == 1, "\(files)")
            }
        }

        @Test func `Z15 libarchive and libcrypto are not loaded by a program that needs neither`() async throws {
            try await withSmallDownload { process in
                let maps = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
                #expect(maps.contains("libc.so") || maps.contains("ld-musl"))
                #expect(!maps.contains("libarchive.so"))
                #expect(!maps.contains("libcrypto.so"))
            }
        }

        @Test(.enabled("only root can hide libarchive from a program") { await hidesLibArchive() })
        func `Z15 without libarchive the error names its packages`() async throws {
            let directory = try TemporaryDirectory()
            let archive = directory.file("file.tar.gz")
            try Data("one".utf8).write(to: URL(fileURLWithPath: directory.file("one.txt")))
            let made = try await Subprocess.run("tar", ["czf", archive, "-C", directory.path, "one.txt"])
            try #require(made.ending == .exited(0), "\(made.standardError)")
            let output = try await Self.withoutLibArchive([
                Program.path.get(), "extract", archive, "-d", directory.file("out"),
            ])
            #expect(output.ending != .exited(0))
            #expect(output.standardError.contains("libarchive13"), "\(output.standardError)")
            #expect(!Files.exists(directory.file("out")))
        }

        private static func withoutLibArchive(_ words: [String]) async throws -> Subprocess.Output {
            let script = """
                for file in $(ldconfig -p | sed -n 's/.*libarchive[.]so[.]13.* => //p'); do
                    mount --bind /dev/null "$(readlink -f "$file")" || exit 99
                done
                exec "$@"
                """
            return try await Subprocess.run("unshare", ["-m", "sh", "-c", script, "sh"] + words)
        }

        private static func hidesLibArchive() async -> Bool {
            guard let program = try? Program.path.get() else { return false }
            return (try? await withoutLibArchive([program, "--version"]))?.ending == .exited(0)
        }

        /// The program while it waits for the second half of a file of 10 KiB.
        private func withSmallDownload(_ look: (Int32) throws -> Void) async throws {
            let isOpen = Switch()
            let content = FileBehaviour.pattern(count: 10_240)
            var behaviour = FileBehaviour(content: content)
            behaviour.stall = .init(afterBytes: 5_000) { isOpen.isOn }
            let server = try ScriptedServer(file: behaviour)
            defer { server.stop() }
            let directory = try TemporaryDirectory()
            let target = directory.file("file.bin")
            let download = try Program.start("get", "-q", server.url("/file.bin"), "-o", target)
            try await until("the file has been asked for") {
                try #require(download.running(), "\(download.standardError)")
                return !server.requests.isEmpty
            }
            try look(download.processID)
            isOpen.set(true)
            let output = try await download.output()
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(try Files.isEqual(target, to: content))
        }
    }
}
#endif
