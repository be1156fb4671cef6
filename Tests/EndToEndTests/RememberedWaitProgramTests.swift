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

        private static func get(_ words: [String], home: TemporaryDirectory) async throws -> Subprocess.Output {
            try await Subprocess.run(
                Program.path.get(), ["get", "-q", "-d", home.path] + words,
                environment: ["XDG_STATE_HOME": home.file("state")])
        }

        @Test
        func `N24 a wait of hours that two paths of a host asked for fails the next run at once, with the reason`()
            async throws
        {
            let (server, home) = (try Self.server(retryAfter: 7200), try TemporaryDirectory("remembered"))
            defer { server.stop() }
            // The first wait may be the path's alone.
            for path in ["/a", "/b"] {
                let output = try await Self.get([server.url(path)], home: home)
                #expect(output.ending == ExitCode.refused)
                #expect(output.standardError.contains("to wait 2:00:00 ("), "\(output.standardError)")
            }
            #expect(server.requests.count == 2)
            let third = try await Self.get([server.url("/c")], home: home)
            #expect(third.ending == ExitCode.refused)
            let told = third.standardError
            #expect(told.contains("127.0.0.1 was busy on") && told.contains(" GMT (Retry-After)"), "\(told)")
            #expect(server.requests.count == 2)
        }

        @Test func `N24 every file on a host that asked for a wait of hours fails instead of waiting`() async throws {
            let (server, home) = (try Self.server(retryAfter: 7200), try TemporaryDirectory("remembered"))
            defer { server.stop() }
            let urls = ["/a", "/b", "/c", "/d"].map { server.url($0) }
            let output = try await Self.get(["-j", "1"] + urls, home: home)
            #expect(output.ending == ExitCode.refused)
            #expect(output.standardError.split(separator: "\n").count == 4, "\(output.standardError)")
            #expect(server.requests.count == 2)
        }
    }
}
