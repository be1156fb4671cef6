import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@Suite struct `B5 Proxies and caches` {
    private let content = FileBehaviour.pattern(count: 300_000)

    @Test
    func
        `N20 a proxy that rejects its credentials fails the download at once, with progress kept and no secret in the error`()
        async throws
    {
        let trial = try Trial(content) { _, connection in
            try connection.send("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 5\r\n\r\nlogin")
        }
        try trial.leave(durable: 0..<100_000)
        var configuration = trial.transport
        configuration.proxies = try ProxySettings("http://user:secret@127.0.0.1:\(trial.server.port)")
        let after = try await trial.run(transport: configuration)
        let error = after.expectFailure(.refused, keeping: 100_000, of: content)
        #expect(error?.message.contains("rejected the user name or password") == true)
        #expect(!String(describing: error).contains("secret"))
        #expect(after.requests.map(\.method) == ["GET"])
    }

    @Test func `N20 a CONNECT answered by 503 is retried, one answered by 403 is not, and neither body is stored`()
        async throws
    {
        let trial = try Trial(content) { request, connection in
            try connection.send("HTTP/1.1 \(request.number < 3 ? 503 : 403) No\r\nContent-Length: 4\r\n\r\npage")
        }
        var configuration = trial.transport
        configuration.proxies = try ProxySettings("http://127.0.0.1:\(trial.server.port)")
        let after = try await trial.run(url: "https://origin.invalid/file.bin", transport: configuration)
        #expect(after.error?.code == .refused)
        #expect(
            after.error?.message.contains("the proxy does not allow a connection to the server (403 Forbidden)") == true
        )
        #expect(after.requests.map(\.method) == ["CONNECT", "CONNECT", "CONNECT"])
        #expect(after.files.isEmpty, "\(after.files.keys)")
    }

    @Test
    func `N21 after two wrong ranges from a cache, a request with Cache-Control: no-cache completes the download`()
        async throws
    {
        let script = FileScript(FileBehaviour(content: content))
        let trial = try Trial(content) { [content] request, connection in
            if request.fields.first("Cache-Control") == "no-cache" { return try script.answer(request, connection) }
            // The cache answers every request with the part that the first one fetched, whatever range is requested.
            try connection.sendSlice(of: content, 0..<100_000, fields: ["Age: 7"])
        }
        let after = try await trial.run { $0.settings.maximumConnections = 1 }
        after.expectWhole(content)
        #expect(after.requests.map { $0.fields.first("Cache-Control") } == [nil, nil, nil, "no-cache"])
        #expect(after.requests.last?.rangeStart.map { $0 >= 95_000 } ?? false, "what was held was fetched again")
        after.expectCost(requests: 4)
    }

    @Test
    func
        `N21 a cache that always answers with the wrong range fails the download, and none of its wrong bytes are stored`()
        async throws
    {
        let trial = try Trial(content) { [content] request, connection in
            try connection.sendSlice(of: content, 0..<100_000)
        }
        let after = try await trial.run { $0.settings.maximumConnections = 1 }
        after.expectFailure(.badResponse, keeping: 100_000, of: content)
        #expect(after.requests.count <= 14, "\(after.ranges)")
    }

    @Test func `N22 with a known digest, content transformed by a proxy is accepted or refused by that digest`()
        async throws
    {
        for digested in [content, FileBehaviour.pattern(count: 300_000, seed: 2)] {
            let trial = try Trial(content, script: transformed(content))
            let digest = try #require(Digest(algorithm: .sha256, bytes: sha256(digested)))
            let after = try await trial.run { $0.settings.digest = digest }
            if digested == content {
                after.expectWhole(content, verified: true)
            } else {
                after.expectFailure(.digestMismatch, of: content)
            }
        }
    }

    private func transformed(_ content: [UInt8]) -> ScriptedServer.Script {
        { _, connection in
            try connection.send(
                "HTTP/1.1 203 Non-Authoritative Information\r\nContent-Length: \(content.count)\r\nETag: \"v1\"\r\n\r\n"
            )
            try connection.sendBody(content[...])
        }
    }

    private func sha256(_ bytes: [UInt8]) -> [UInt8] {
        SHA256.hash(bytes)
    }
}
