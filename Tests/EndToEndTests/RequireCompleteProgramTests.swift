import Foundation
import PawlTestKit
import Testing

extension EndToEnd {
    @Suite("Files that may be truncated", .serialized, .timeLimit(.minutes(10)))
    struct RequireCompleteProgramTests {
        private static let content = FileBehaviour.pattern(count: 50_000)

        private static func server() throws -> ScriptedServer {
            try ScriptedServer { _, connection in
                try connection.send("HTTP/1.1 200 OK\r\n\r\n")
                try connection.sendBody(content[...])
                connection.close()
            }
        }

        @Test
        func
            `L24 with --require-complete a possibly truncated file has its own exit code, and the hook and the events say why`()
            async throws
        {
            let (server, directory) = (try Self.server(), try TemporaryDirectory("cut"))
            defer { server.stop() }
            let (file, told) = (directory.file("f"), directory.file("told"))
            let hook = "sh -c 'echo $PAWL_STATUS $PAWL_CODE $PAWL_EXIT_CODE >\(told)'"
            let output = try await Program.run(
                "get", server.url("/f"), "-o", file, "--require-complete", "--json", "--on-complete", hook)
            #expect(output.ending == .exited(19), "\(output.standardError)")
            #expect(output.standardError.contains("--require-complete"))
            let events = try Program.events(in: output.standardOutput)
            let failed = try #require(events.first { $0["event"] as? String == "failed" })
            #expect(failed["code"] as? String == "incomplete" && failed["exitCode"] as? Int == 19)
            #expect(try String(decoding: Files.read(told), as: UTF8.self) == "failed incomplete 19\n")
            #expect(!Files.exists(file) && Files.exists(file + ".part"))
            // The next run asks the server again.
            let again = try await Program.run("get", server.url("/f"), "-o", file, "--require-complete", "-q")
            #expect(again.ending == .exited(19) && server.requests.count > 1)
            #expect(again.standardError.contains("--require-complete"))
        }

        @Test func `L24 without --require-complete the summary counts a possibly truncated file as incomplete`()
            async throws
        {
            let (server, directory) = (try Self.server(), try TemporaryDirectory("cut"))
            defer { server.stop() }
            let (file, told) = (directory.file("f"), directory.file("told"))
            let hook = "sh -c 'echo $PAWL_STATUS $PAWL_COMPLETE >\(told)'"
            let output = try await Program.run("get", server.url("/f"), "-o", file, "--json", "--on-complete", hook)
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            let events = try Program.events(in: output.standardOutput)
            let completed = try #require(events.first { $0["event"] as? String == "completed" })
            #expect(completed["complete"] as? Bool == false)
            #expect(events.last?["incomplete"] as? Int == 1 && events.last?["completed"] as? Int == 1)
            #expect(try String(decoding: Files.read(told), as: UTF8.self) == "completed no\n")
        }
    }
}
