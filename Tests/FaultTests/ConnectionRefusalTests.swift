import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

@Suite struct `B5 Connections refused` {
    private let content = FileBehaviour.pattern(count: 200_000)

    @Test func `N01 a reset of one connection too many is taken as a connection limit`() async throws {
        // The first answer goes on once the connection beside it has been reset: how fast anything is does not matter.
        let server = Locked<ScriptedServer?>(nil)
        // Half of it is more than the client reads before it hears of the reset.
        let content = FileBehaviour.pattern(count: 8 << 20)
        var behaviour = FileBehaviour(content: content)
        behaviour.maximumConnections = 1
        behaviour.refusal = .reset
        behaviour.stall = FileBehaviour.Stall(afterBytes: 50_000) {
            server.withLock { $0.map { $0.connectionCount > 1 && $0.openConnectionCount == 1 } ?? false }
        }
        let script = FileScript(behaviour)
        let trial = try Trial(content, admit: script.admit, script: script.answer)
        server.withLock { $0 = trial.server }
        defer { server.withLock { $0 = nil } }
        // On one event loop, the reset is heard of before the rest of the answer has come.
        let after = try await trial.run(eventLoops: 1)
        after.expectWhole(content)
        after.expectCost(requests: 1, bytes: content.count)
        #expect(trial.server.connectionCount == 2)
    }

    @Test func `N02 if all connections are refused, each wait lasts as long as the server asks`() async throws {
        let trial = try Trial { behaviour in
            // After the first wait, one request of the three is the repetition without a range (R32).
            behaviour.statusOverrides = [1: 503, 2: 503, 3: 503, 4: 503]
            behaviour.retryAfter = "40"
        }
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.took >= .seconds(119), "it came back too soon: \(after.took)")
        #expect(after.requests.count <= 8)
    }

    @Test func `N02 a server that refuses every request without naming a wait is given up after ten tries`()
        async throws
    {
        let trial = try Trial { _, connection in
            try connection.send("HTTP/1.1 429 No\r\nContent-Length: 0\r\n\r\n")
        }
        let after = try await trial.run()
        let error = after.expectFailure(.refused, of: trial.content)
        #expect(error?.message.contains("too busy (429 Too Many Requests)") ?? false, "\(String(describing: error))")
        #expect(after.requests.count == 10)
        // Ten tries have nine waits between them, drawn from 0 up to 0.5, 1, 2, 4 … 60 s.
        #expect(after.took > .seconds(3) && after.took < .seconds(252), "\(after.took)")
    }

    @Test
    func `N16 a kept connection that closes as a request is sent costs one immediate repetition and is not a failure`()
        async throws
    {
        let script = FileScript(FileBehaviour(content: content))
        let trial = try Trial(content) { [content] request, connection in
            switch request.number {
            // A complete answer with fewer bytes than requested, so the connection is kept for the remainder.
            case 1: try connection.sendSlice(of: content, 0..<20_000)
            case 2: connection.close()
            default: try script.answer(request, connection)
            }
        }
        let after = try await trial.run { $0.settings.maximumConnections = 1 }
        after.expectWhole(content)
        try #require(after.requests.count == 3)
        #expect(after.requests[1].connection == after.requests[0].connection, "the connection was not kept")
        #expect(after.requests[2].connection != after.requests[1].connection)
        #expect(after.requests[2].raw == after.requests[1].raw, "another request")
        #expect(after.hasFailures == false, "it counted as a failure")
        #expect(after.bodyBytes <= content.count + 4096)
    }

    /// With one event loop, every request finds the connection that the previous one left.
    @Test(arguments: [302, 401])
    func `N23 after a redirect or challenge, a request lost on a closing connection is repeated once on a new one`(
        _ status: Int
    ) async throws {
        let served = Locked<Set<Int>>([])
        let trial = try Trial(content) { [content] request, connection in
            let isSecond = !served.withLock { $0.insert(request.connection).inserted }
            if isSecond { return connection.close() }
            let isFirst =
                request.path == "/file.bin" && request.fields.first("Authorization")?.hasPrefix("Digest") != true
            guard isFirst else { return try Served(content).answer(request, connection) }
            let field =
                status == 302 ? "Location: /b" : "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\""
            try connection.reply(status, [field])
        }
        let after = try await trial.run(
            {
                $0.settings.maximumConnections = 1
                $0.settings.credentials = Credentials(name: "u", password: "p")
            }, eventLoops: 1)
        after.expectWhole(content)
        // The first request, the lost one, and its repetition on a new connection: as many as curl needs.
        #expect(after.requests.count == 3, "\(after.requests.map { $0.path })")
        #expect(after.requests[1].connection == after.requests[0].connection, "the connection was not kept")
        #expect(after.requests[1].path == after.requests[2].path)
        #expect(after.hasFailures == false)
    }
}

extension Aftermath {
    /// Whether a failure was counted and waited out.
    // Tests compare this with `false`: if `!after.hasFailures` failed, the test would print the whole value with every
    // byte of the files.
    var hasFailures: Bool { reports.contains { if case .retrying = $0 { true } else { false } } }
}
