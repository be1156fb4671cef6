import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@Suite struct `B3 Framing: pages instead of files` {
    private static let page = Array("<html><form>Log in</form></html>".utf8)

    private static func answer(
        _ status: String = "200 OK", type: String = "text/html; charset=utf-8", _ more: String = ""
    ) -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\n\(more)Content-Length: \(page.count)\r\n\r\n"
    }

    private func trial(_ head: String = answer()) throws -> Trial {
        try Trial(Self.page) { request, connection in
            if request.path == "/portal.zip" {
                try connection.send("HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n")
            } else {
                try connection.send(head)
                try connection.send(Self.page)
            }
        }
    }

    @Test(arguments: [
        "/file.zip", "/file.tar.gz", "/model.safetensors?token=a", "/portal.zip", "/data.json", "/FILE.ISO",
    ])
    func `L21 a web page in place of another type of file is refused, and nothing is stored`(path: String) async throws
    {
        let trial = try trial()
        let after = try await trial.run(path: path) { $0.fileName = nil }
        #expect(after.names == [])
        #expect(after.error?.code == .badResponse)
        #expect(after.error?.message.contains("web page instead of the file") ?? false)
        #expect(after.error?.remedies == [.openInBrowser, .giveCookies, .acceptWebPage])
        #expect(after.error?.recovery == .giveUp)
        after.expectCost(requests: path == "/portal.zip" ? 4 : 2)
    }

    @Test func `L21 whether a web page is expected depends on the caller's file name before the URL's`() async throws {
        let trial = try trial()
        let refused = try await trial.run(path: "/download") { $0.fileName = "file.iso" }
        #expect(refused.error?.code == .badResponse)
        let stored = try await trial.run(path: "/download.zip") { $0.fileName = "index.html" }
        #expect(stored.files == ["index.html": Self.page])
    }

    @Test(arguments: [
        ("/", "index.html"), ("/index.html", "a"), ("/page.php?id=7", "a"), ("/release/v1.2", "a"),
        ("/example.org", "a"), ("/a", "a"),
    ])
    func `L21 a web page is stored if neither the URL nor the file name rules it out`(
        path: String, name: String
    ) async throws {
        let trial = try trial()
        let after = try await trial.run(path: path) { $0.fileName = name }
        #expect(after.files == [name: Self.page])
    }

    @Test(arguments: [
        answer(type: "application/octet-stream"), answer(type: "text/plain"),
        answer("200 OK", "Content-Disposition: attachment; filename=file.zip\r\n"),
    ])
    func `L21 a body that the server does not declare as a web page, or names as a file, is stored`(
        head: String
    ) async throws {
        let trial = try trial(head)
        let after = try await trial.run(path: "/file.zip")
        after.expectWhole(Self.page)
    }

    @Test func `L21 a web page is stored if the caller accepts one`() async throws {
        let trial = try trial()
        let after = try await trial.run(path: "/file.zip") { $0.settings.allowsWebPage = true }
        after.expectWhole(Self.page)
    }

    @Test func `L21 a web page under a name without an extension is detected by the digest`() async throws {
        let trial = try trial()
        let after = try await trial.run(path: "/latest") {
            $0.fileName = "latest"
            $0.settings.digest = Digest(algorithm: .sha256, bytes: [UInt8](repeating: 1, count: 32))
        }
        #expect(after.error?.code == .digestMismatch)
        #expect(after.names == ["latest.part.bad"])
    }

    @Test func `L21 a login page on resume is refused, and partial file and journal stay in place`() async throws {
        let content = FileBehaviour.pattern(count: 300_000)
        let trial = try Trial(content) { _, connection in
            try connection.send(Self.answer())
            try connection.send(Self.page)
        }
        try trial.leave(durable: 0..<100_000)
        let after = try await trial.run()
        let error = after.expectFailure(.badResponse, keeping: 100_000, of: content)
        #expect(error?.message.contains("web page") ?? false, "\(String(describing: error))")
        #expect(after.names == [Trial.name + ".part", Trial.name + ".pawl"])
        after.expectCost(requests: 2)
    }

    @Test func `L21 a 511 response is reported as a network that requires a login`() async throws {
        let trial = try trial(Self.answer("511 Network Authentication Required"))
        let after = try await trial.run()
        let error = after.expectFailure(.refused, of: Self.page)
        #expect(error?.message.contains("requires a login first (511 Network Authentication Required)") ?? false)
        #expect(error?.recovery == .retryAfter(nil))
        // With a range, and once without (R32).
        after.expectCost(requests: 2)
    }
}
