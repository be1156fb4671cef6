import Foundation
import PawlEngine
import PawlTestKit
import Testing

extension EndToEnd {
    /// The programs in `Examples`.
    @Suite("Examples", .serialized, .timeLimit(.minutes(3)))
    struct ExampleProgramTests {
        private static let content = (0..<(4 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

        let directory: TemporaryDirectory

        init() throws { directory = try TemporaryDirectory("examples") }

        /// Starts a program in the directory of the test.
        ///
        /// - Parameter input: the name of a file in it.
        private func start(_ name: String, _ arguments: String..., input: String = "/dev/null") throws -> Subprocess {
            let program = try #require(Subprocess.built(name))
            let script = "cd \"$0\" && input=$1 && shift && exec \"$@\" <\"$input\""
            return try Subprocess("sh", ["-c", script, directory.path, input, program] + arguments)
        }

        @Test func `the button pauses and resumes, also in the next process`() async throws {
            let hold = Hold()
            let world = try ScriptedWorld(Self.content) { $0.stall = hold.stall(afterBytes: 64 << 10) }
            #expect(mkfifo(directory.file("button"), 0o600) == 0)
            // Open for both, so that the program's end of it never closes.
            let button = open(directory.file("button"), O_RDWR)
            defer { close(button) }
            func press() { #expect(write(button, "\n", 1) == 1) }
            let saved = directory.file("disk.iso.resume")

            // Each answer brings a little, so that the file is not complete after all of them.
            let first = try start("ToggleExample", world.url, "disk.iso", input: "button")
            try await until("the server holds the file back") { Files.exists(directory.file("disk.iso.part")) }
            for _ in 0..<3 {
                press()
                try await until("it is paused") { Files.exists(saved) }
                Files.remove(saved)
                let requests = world.server.requests.count
                press()
                try await until("it runs") { world.server.requests.count > requests }
            }
            press()
            try await until("it is paused") { Files.exists(saved) }
            first.kill9()
            #expect(try await first.wait(timeout: .seconds(60)) == .signalled(SIGKILL))

            hold.end()
            let output = try await start("ToggleExample", world.url, "disk.iso").output()
            #expect(output.ending == .exited(0) && !Files.exists(saved), "\(output)")
            #expect(!output.standardOutput.contains(" 0 of them from before"), "\(output)")
            #expect(try Files.isEqual(directory.file("disk.iso"), to: Self.content))
        }

        @Test func `one manager downloads no file twice`() async throws {
            let world = try ScriptedWorld(Array("one".utf8))
            let urls = ["a", "b", "a"].map { world.server.url("/\($0).bin") }
            let first = try await start("OnceExample", ".", urls[0], urls[1], urls[2]).output()
            #expect(first.ending == .exited(0), "\(first)")
            #expect(first.standardOutput.split(separator: "\n").count { $0.hasSuffix("downloaded") } == 3)
            #expect(world.server.requests.count == 2)
            let second = try await start("OnceExample", ".", urls[0], urls[1]).output()
            #expect(second.standardOutput.split(separator: "\n").count { $0.hasSuffix("was there") } == 2, "\(second)")
            #expect(try Files.names(directory.path).filter { !$0.hasPrefix(".") } == ["a.bin", "b.bin"])
        }

        @Test func `several connections fill one file`() async throws {
            let world = try ScriptedWorld(Self.content) { $0.bytesPerSecond = 1 << 20 }
            let output = try await start("SegmentsExample", world.url, "disk.iso", "4").output()
            #expect(output.ending == .exited(0), "\(output)")
            let most = output.standardOutput.split(separator: "\n").map { $0.count { $0 == "-" } }.max()
            #expect(most ?? 0 > 1, "\(output)")
            #expect(try Files.isEqual(directory.file("disk.iso"), to: Self.content))
        }

        @Test func `an archive is downloaded, unpacked and packed again`() async throws {
            try Files.makeDirectory(directory.file("tables"))
            try Files.write("1,2".utf8, to: directory.file("tables/a.csv"))
            let script = "cd \"$0\" && \"$1\" pack made.zip tables && rm -r tables"
            let made = try await Subprocess.run("sh", ["-c", script, directory.path, Program.path.get()])
            #expect(made.ending == ExitCode.done, "\(made)")
            let world = try ScriptedWorld(Files.read(directory.file("made.zip")))
            let output = try await start("ArchiveExample", world.server.url("/tables.zip"), "tables.zip", "again.zip")
                .output()
            #expect(output.ending == .exited(0), "\(output)")
            #expect(try Files.text(directory.file("tables/a.csv")) == "1,2")
            #expect(try Files.isEqual(directory.file("again.zip"), to: Files.read(directory.file("made.zip"))))
        }
    }
}
