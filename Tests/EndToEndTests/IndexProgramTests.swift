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
            #expect(!flat.standardError.contains("Pages read"), "\(flat.standardError)")
            #expect(!server.requests.contains { $0.path == "/pub/sub/" })
            let deep = try await Program.run("index", "--depth", "1", server.url("/pub/"))
            #expect(
                deep.standardOutput == server.url("/pub/a.iso") + "\n" + server.url("/pub/sub/b.iso") + "\n", "\(deep)")
        }

        @Test func `a bucket of S3 is listed to its end, and the list is one for -i`() async throws {
            let server = try ScriptedServer { request, connection in
                let body =
                    switch request.target {
                    case "/b?list-type=2":
                        "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t/1</NextContinuationToken>"
                            + "<Contents><Key>x [1-9].bin</Key></Contents></ListBucketResult>"
                    case "/b?list-type=2&continuation-token=t%2F1":
                        "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>y</Key></Contents></ListBucketResult>"
                    case "/b/x%20%5B1-9%5D.bin", "/b/y": "content"
                    default: ""
                    }
                let status = body.isEmpty ? "404 Not Found" : "200 OK"
                try connection.send("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
            defer { server.stop() }
            let listed = try await Program.run("index", server.url("/b?list-type=2"))
            #expect(
                listed.standardOutput == server.url("/b/x%20%5B1-9%5D.bin") + "\n" + server.url("/b/y") + "\n",
                "\(listed)")
            let directory = try TemporaryDirectory("index")
            try Files.write(listed.standardOutput.utf8, to: directory.file("list"))
            let output = try await Program.run("get", "-q", "-i", directory.file("list"), "-d", directory.path)
            #expect(output.ending == ExitCode.done, "\(output)")
            #expect(try Files.names(directory.path) == ["list", "x [1-9].bin", "y"])
        }

        @Test func `nothing of another host is listed, or asked for`() async throws {
            let other = try Self.server(Self.pages)
            defer { other.stop() }
            let place = "http://localhost:\(other.port)/pub/"
            let server = try ScriptedServer { request, connection in
                let status = request.path == "/robots.txt" ? "404 Not Found" : "302 Found"
                try connection.send(
                    "HTTP/1.1 \(status)\r\nLocation: \(place)\r\nContent-Length: 0\r\n\r\n")
            }
            defer { server.stop() }
            let output = try await Program.run("index", server.url("/pub/"))
            #expect(output.ending == ExitCode.refused && output.standardOutput.isEmpty, "\(output)")
            #expect(other.requests.isEmpty, "\(other.requests.map(\.path))")
        }

        @Test func `a redirect is followed within the path and robots.txt only`() async throws {
            let moves = ["/pub": "/pub/", "/pub/a/": "/pub/b/", "/pub/c/": "/private/", "/pub/d/": "/pub/secret/"]
            let pages = [
                "/robots.txt": "User-agent: *\nDisallow: /pub/secret/",
                "/pub/": #"<a href="a/">a</a> <a href="c/">c</a> <a href="d/">d</a>"#,
                "/pub/b/": #"<a href="b.iso">b</a>"#,
            ]
            let server = try ScriptedServer { request, connection in
                if let target = moves[request.path] {
                    return try connection.send(
                        "HTTP/1.1 301 Moved Permanently\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n")
                }
                let page = pages[request.path] ?? ""
                let status = page.isEmpty ? "404 Not Found" : "200 OK"
                try connection.send("HTTP/1.1 \(status)\r\nContent-Length: \(page.utf8.count)\r\n\r\n\(page)")
            }
            defer { server.stop() }
            let output = try await Program.run("index", "--depth", "1", server.url("/pub"))
            #expect(output.ending == .exited(1), "\(output)")
            #expect(output.standardOutput == server.url("/pub/b/b.iso") + "\n", "\(output)")
            #expect(output.standardError.contains("not complete"), "\(output.standardError)")
            #expect(output.standardError.contains("robots.txt keeps out: 1"), "\(output.standardError)")
            #expect(
                server.requests.map(\.path) == [
                    "/robots.txt", "/pub", "/pub/", "/pub/a/", "/pub/b/", "/pub/c/", "/pub/d/",
                ])
        }

        @Test func `the limit of a page names no option, because none raises it`() async throws {
            let server = try ScriptedServer { request, connection in
                guard request.path.elementsEqual("/pub/") else {
                    return try connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                }
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 17000000\r\n\r\n<html>")
            }
            defer { server.stop() }
            let output = try await Program.run("index", server.url("/pub/"))
            #expect(output.ending == .exited(12) && output.standardOutput.isEmpty, "\(output)")
            #expect(output.standardError.contains("limit is 16.0 MiB"), "\(output.standardError)")
            #expect(!output.standardError.contains("--max-filesize"), "\(output.standardError)")
        }

        /// A terminal that runs the program. Presses Ctrl-C once one page was read.
        private static let person = #"""
            import os, pty, sys
            program, terminal = pty.fork()
            if program == 0: os.execv(sys.argv[1], sys.argv[1:])
            seen, key = b"", b"\x03"
            while True:
                try: data = os.read(terminal, 4096)
                except OSError: break
                if not data: break
                seen += data
                if b"Pages read: 1. " in seen and key:
                    os.write(terminal, key)
                    key = b""
            sys.stdout.write(seen.decode())
            sys.exit(os.waitstatus_to_exitcode(os.waitpid(program, 0)[1]))
            """#

        @Test func `a terminal shows how many pages were read, and a stopped walk lists nothing`() async throws {
            let server = try ScriptedServer { request, connection in
                // The page beneath never comes.
                guard let page = request.path.elementsEqual("/pub/sub/") ? nil : Self.pages[request.path] ?? "" else {
                    return
                }
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(page.utf8.count)\r\n\r\n\(page)")
            }
            defer { server.stop() }
            let output = try await Subprocess.run(
                "python3", ["-c", Self.person, Program.path.get(), "index", "--depth", "1", server.url("/pub/")],
                environment: ["TERM": "xterm-256color"])
            #expect(output.ending == ExitCode.interrupted, "\(output)")
            let text = output.standardOutput
            #expect(text.contains("Pages read: 1. To be read: 1. Links found: 1."), "\(text)")
            #expect(text.contains("nothing is listed"), "\(text)")
            #expect(!text.contains("a.iso"), "\(text)")
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
