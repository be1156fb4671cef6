import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// An error message quotes the server's own explanation: one line, and nothing of what was sent to it.
@Suite struct `What a server says of an error` {
    private static func trial(_ status: String, _ type: String, _ body: String, length: Int? = nil) throws -> Trial {
        try Trial(FileBehaviour.pattern(count: 1000)) { _, connection in
            let head =
                "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(length ?? body.utf8.count)\r\n\r\n"
            try connection.send(Array((head + body).utf8))
        }
    }

    private func message(_ trial: Trial, query: String = "") async throws -> String {
        let after = try await trial.run(path: "/file.bin" + query) { $0.settings.maximumRetries = 0 }
        return try #require(after.error).message
    }

    @Test func `it is quoted behind the status`() async throws {
        let trial = try Self.trial("403 No", "application/xml", "<Error><Message>Request has expired</Message></Error>")
        #expect(try await message(trial).hasSuffix("refused access (403 Forbidden: “Request has expired”)."))
        let after = try await trial.run { $0.settings.maximumRetries = 0 }
        #expect(after.error?.remedies == [.renewURL])
        let busy = try Self.trial(
            "503 No", "text/html", "<title>Back at noon</title>" + String(repeating: "x", count: 90_000))
        #expect(try await message(busy).contains("(503 Service Unavailable: “Back at noon”)"))
    }

    @Test func `a port that expects TLS is told by the words of its server`() async throws {
        let trial = try Self.trial("400 Bad Request", "text/plain", "Client sent an HTTP request to an HTTPS server.\n")
        #expect(try await message(trial).hasSuffix("). This port expects TLS: use https://."))
    }

    @Test func `a subscription that has expired needs no fresh link`() async throws {
        let trial = try Self.trial("403 No", "text/plain", "your subscription has expired")
        let after = try await trial.run { $0.settings.maximumRetries = 0 }
        #expect(after.error?.remedies == [.checkURL, .giveCredentials])
    }

    @Test func `secrets of the request are not repeated`() async throws {
        let trial = try Self.trial("403 No", "text/plain", "the key k3y-of-mine is unknown")
        let message = try await message(trial, query: "?api_key=k3y-of-mine")
        #expect(message.contains("“the key … is unknown”") && !message.contains("k3y-of-mine"))
    }

    @Test func `a body that does not end is waited for a second`() async throws {
        let trial = try Trial(FileBehaviour.pattern(count: 1000)) { _, connection in
            try connection.send(
                Array("HTTP/1.1 404 No\r\nContent-Type: text/plain\r\nContent-Length: 99\r\n\r\nno such bucket".utf8))
            try connection.sleep(.seconds(30))
        }
        let after = try await trial.run { $0.settings.maximumRetries = 0 }
        #expect(after.error?.message.contains("(404 Not Found: “no such bucket”)") == true)
        #expect(after.took < .seconds(10))
    }
}
