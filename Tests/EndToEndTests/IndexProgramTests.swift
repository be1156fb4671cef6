import PawlTestKit
import Testing

extension EndToEnd {
    @Suite("Links of a directory", .serialized, .timeLimit(.minutes(3)))
    struct IndexProgramTests {
        private static func server(_ pages: [String: String]) throws -> ScriptedServer {
            try ScriptedServer { request, connection in
                guard let page = pages[request.path] else {
                    return try connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                }
                let type = request.path == "/robots.txt" ? "text/plain" : "text/html"
                try connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(page.utf8.count)\r\n\r\n\(page)")
            }
        }

        private static let pages = [
            "/pub/": #"<a href="../">up</a> <a href="a.iso">a</a> <a href="sub/">sub</a>"#,
            "/pub/sub/": #"<a href="b.iso">b</a> <a href="deeper/">deeper</a>"#,
        ]

        @Test func `the links beneath a page are a list, with those of directories if asked for`() async throws {
            let server = try Self.server(Self.pages)
            defer { server.stop() }
            let flat = try await Program.run("index", server.url("/pub/"))
            #expect(flat.ending == ExitCode.done && flat.standardOutput == server.url("/pub/a.iso") + "\n", "\(flat)")
            #expect(flat.standardError.contains("--depth"), "\(flat.standardError)")
            #expect(!server.requests.contains { $0.path == "/pub/sub/" })
            let deep = try await Program.run("index", "--depth", "1", server.url("/pub/"))
            #expect(
                deep.standardOutput == server.url("/pub/a.iso") + "\n" + server.url("/pub/sub/b.iso") + "\n", "\(deep)")
        }

        @Test func `what robots.txt forbids is not read`() async throws {
            let server = try Self.server(
                Self.pages.merging(["/robots.txt": "User-agent: pawl\nDisallow: /pub/sub/\nDisallow: /*.iso$"]) { $1 })
            defer { server.stop() }
            let kept = try await Program.run("index", "--depth", "5", server.url("/pub/"))
            #expect(kept.ending == ExitCode.done && kept.standardOutput.isEmpty, "\(kept)")
            #expect(!server.requests.contains { $0.path == "/pub/sub/" })

            let closed = try Self.server(Self.pages.merging(["/robots.txt": "User-agent: *\nDisallow: /"]) { $1 })
            defer { closed.stop() }
            let refused = try await Program.run("index", closed.url("/pub/"))
            #expect(refused.ending == ExitCode.refused && refused.standardOutput.isEmpty, "\(refused)")
            #expect(closed.requests.map(\.path) == ["/robots.txt"])
        }
    }
}
