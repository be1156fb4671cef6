import Foundation
import PawlTestKit
import Testing

extension EndToEnd {
    @Suite("Notifications", .serialized, .timeLimit(.minutes(3)))
    struct NotifyProgramTests {
        /// Runs `pawl get --notify` with a notify-send that writes down its words, one a line.
        private static func words(_ target: String, bus: String) async throws -> [String] {
            let server = try ScriptedServer(file: FileBehaviour(content: FileBehaviour.pattern(count: 1000)))
            defer { server.stop() }
            let home = try TemporaryDirectory("notify")
            let program = home.file("notify-send")
            try Files.write(Array("#!/bin/sh\nprintf '%s\\n' \"$@\" > '\(home.file("words"))'\n".utf8), to: program)
            let made = try await Subprocess.run("chmod", ["+x", program])
            #expect(made.ending == ExitCode.done)
            let output = try await Subprocess.run(
                Program.path.get(), ["get", "--notify", "-d", home.path, server.url(target)],
                environment: [
                    "PATH": "\(home.path):/usr/bin:/bin", "DBUS_SESSION_BUS_ADDRESS": bus, "XDG_RUNTIME_DIR": home.path,
                    "XDG_STATE_HOME": home.file("state"),
                ])
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(!output.standardError.contains("\u{07}"))
            guard Files.exists(home.file("words")) else { return [] }
            let told = String(decoding: try Files.read(home.file("words")), as: UTF8.self)
            return told.split(separator: "\n").map(String.init)
        }

        @Test func `the end of a run is told once, with the file's name as plain text`() async throws {
            let words = try await Self.words("/--icon=%3Cb%3E", bus: "unix:path=/nowhere")
            #expect(words.count == 5 && words.prefix(4) == ["-a", "Pawl", "--", "Download complete"], "\(words)")
            #expect(words.last?.contains("1000 B") == true && words.last?.contains("<") == false, "\(words)")
        }

        @Test func `without a session bus nothing is started`() async throws {
            #expect(try await Self.words("/a", bus: "").isEmpty)
        }
    }
}
