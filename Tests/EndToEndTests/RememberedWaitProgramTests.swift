import Foundation
import PawlTestKit
import Testing

extension EndToEnd {
    @Suite("Hosts that asked clients to wait", .serialized, .timeLimit(.minutes(10)))
    struct RememberedWaitProgramTests {
        private static func server(retryAfter seconds: Int) throws -> ScriptedServer {
            try ScriptedServer { _, connection in
                try connection.send("HTTP/1.1 503 Busy\r\nRetry-After: \(seconds)\r\nContent-Length: 0\r\n\r\n")
            }
        }

        private static func get(_ words: String..., home: TemporaryDirectory) async throws -> Subprocess.Output {
            try await Subprocess.run(
                Program.path.get(), ["get", "-q", "-d", home.path] + words,
                environment: ["XDG_STATE_HOME": home.file("state")])
        }

        @Test func `N24 a wait of hours that an earlier run was told of fails the next run at once, with the reason`()
            async throws
        {
            let (server, home) = (try Self.server(retryAfter: 7200), try TemporaryDirectory("remembered"))
            defer { server.stop() }
            let first = try await Self.get(server.url("/a"), home: home)
            #expect(first.ending == ExitCode.refused)
            #expect(first.standardError.contains("120 minutes"), "\(first.standardError)")
            #expect(server.requests.count == 1)
            let second = try await Self.get(server.url("/b"), home: home)
            #expect(second.ending == ExitCode.refused)
            let told = second.standardError
            #expect(told.contains("127.0.0.1 was busy on") && told.contains(" GMT (Retry-After)"), "\(told)")
            #expect(server.requests.count == 1)
        }

        @Test func `N24 every file on a host that asked for a wait of hours fails instead of waiting`() async throws {
            let (server, home) = (try Self.server(retryAfter: 7200), try TemporaryDirectory("remembered"))
            defer { server.stop() }
            let output = try await Self.get("-j", "1", server.url("/a"), server.url("/b"), server.url("/c"), home: home)
            #expect(output.ending == ExitCode.refused)
            #expect(output.standardError.split(separator: "\n").count == 3, "\(output.standardError)")
            #expect(server.requests.count == 1)
        }

        @Test func `N24 a short remembered wait is reported and waited for`() async throws {
            let home = try TemporaryDirectory("remembered")
            let content = FileBehaviour.pattern(count: 1000)
            let server = try ScriptedServer { request, connection in
                guard request.path != "/busy" else {
                    return try connection.send("HTTP/1.1 503 Busy\r\nRetry-After: 3\r\nContent-Length: 0\r\n\r\n")
                }
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                try connection.sendBody(content[...])
            }
            defer { server.stop() }
            // The program stops while it waits and leaves the rest of the wait to the next run.
            let busy = try await Self.get(server.url("/busy"), "--max-time", "1s", home: home)
            #expect(busy.ending == .exited(14), "\(busy.standardError)")
            let environment = ["XDG_STATE_HOME": home.file("state")]
            let output = try await Subprocess.run(
                Program.path.get(), ["get", "--json", server.url("/a"), "-o", home.file("a")], environment: environment)
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            // If starting the second program takes three seconds, no wait is left.
            let events = try Program.events(in: output.standardOutput)
            if let retrying = events.first(where: { $0["event"] as? String == "retrying" }) {
                #expect((retrying["message"] as? String)?.contains("was busy on") == true)
            }
        }
    }
}
