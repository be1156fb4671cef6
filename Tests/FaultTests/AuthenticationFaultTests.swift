import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

/// Servers that require a login, and servers that try to obtain credentials meant for others.
@Suite struct `B4 Authentication` {
    static let content = FileBehaviour.pattern(count: 200_000)
    static let credentials = Credentials(name: "me", password: "sesame")

    /// A server that accepts Digest only with its latest nonce, and counts the uses of that nonce.
    private static func digestTrial(
        usesOfNonce: Int = .max, cut: Int = 60_000, stale: Bool = true, first: [String] = []
    ) throws -> Trial {
        let tally = Tally()
        let issuedSoFar = Locked(0)
        return try Trial(content) { request, connection in
            let answer = AuthChallenge.parse(request.fields.values("authorization")).first { $0.scheme == "digest" }
            let issued = issuedSoFar.withLock { $0 }
            let isRight = answer.map { Self.isRight($0, target: request.target) } ?? false
            if isRight, answer?.parameters["nonce"] == "n\(issued)", tally.next("uses of n\(issued)") <= usesOfNonce {
                return try Served(content).answer(request, connection, cut: cut)
            }
            let isStale = isRight && stale ? ", stale=true" : ""
            let nonce = issuedSoFar.withLock { count in
                count += 1
                return count
            }
            try connection.reply(
                401,
                first.map { "WWW-Authenticate: \($0)" }
                    + [
                        "WWW-Authenticate: Digest realm=\"r\", qop=\"auth\", algorithm=SHA-256, nonce=\"n\(nonce)\"\(isStale)"
                    ])
        }
    }

    private static func isRight(_ answer: AuthChallenge, target: String) -> Bool {
        func h(_ text: String) -> String { SHA256.hash(Array(text.utf8)).hexadecimal }
        func part(_ name: String) -> String { answer.parameters[name] ?? "" }
        let right = h("\(h("me:r:sesame")):\(part("nonce")):\(part("nc")):\(part("cnonce")):auth:\(h("GET:\(target)"))")
        return part("response") == right && part("uri") == target && part("username") == "me"
    }

    @Test func `H13 one Digest challenge serves all connections, and each request has its own nonce count`()
        async throws
    {
        let trial = try Self.digestTrial(first: ["Basic realm=\"r\""])
        let after = try await trial.run {
            $0.settings.credentials = Self.credentials
            $0.settings.allowsOnlyDigest = true
            $0.settings.maximumConnections = 2
        }
        after.expectWhole(Self.content)
        #expect(after.sent("Authorization").filter { $0 == "-" }.count == 1)
        let counts = after.sent("Authorization").dropFirst().compactMap {
            AuthChallenge.parse([$0]).first?.parameters["nc"]
        }
        #expect(Set(counts).count == counts.count && counts.contains("00000002"), "\(counts)")
        #expect(after.requests.allSatisfy { !String(decoding: $0.raw, as: UTF8.self).contains("sesame") })
    }

    @Test(arguments: [true, false])
    func `H13 an expired nonce is replaced, and progress is kept`(_ stale: Bool) async throws {
        let trial = try Self.digestTrial(usesOfNonce: 1, stale: stale)
        let after = try await trial.runAlone { $0.settings.credentials = Self.credentials }
        after.expectWhole(Self.content)
        after.expectCost(requests: 20, bytes: Self.content.count + 60_000)
    }

    @Test(arguments: [
        ["Basic realm=\"r\""], ["Digest realm=\"r\", nonce=\"1\", qop=\"auth\""],
        ["Digest realm=\"r\", nonce=\"1\", stale=true"],
        ["Digest realm=\"r\", nonce=\"1\", algorithm=SHA-256", "Basic realm=\"r\""],
    ])
    func `H13 a wrong password is reported after at most six requests, without waits or the password in the error`(
        _ challenges: [String]
    ) async throws {
        let trial = try Trial(Self.content) { request, connection in
            try connection.reply(401, challenges.map { "WWW-Authenticate: \($0)" })
        }
        let after = try await trial.runAlone {
            $0.settings.credentials = Credentials(name: "me", password: "wrong sesame")
        }
        let error = after.expectFailure(.unauthorized, of: Self.content)
        #expect(error?.message.contains("password") == true && error?.message.contains("sesame") == false)
        #expect(after.requests.count <= 6)
        #expect(!after.reports.contains { if case .retrying = $0 { true } else { false } }, "\(after.reports)")
    }

    @Test func `H13 without credentials, the error names the authentication schemes that the server offers`()
        async throws
    {
        let trial = try Trial(Self.content) { _, connection in
            try connection.reply(401, ["WWW-Authenticate: Negotiate", "WWW-Authenticate: Basic realm=\"x\""])
        }
        let after = try await trial.runAlone()
        let error = after.expectFailure(.unauthorized, of: Self.content)
        #expect(error?.message.contains("Negotiate or Basic") == true && error?.remedies == [.giveCredentials])
        #expect(error?.facts.status == 401)
        // With a range, and once without (R32).
        #expect(after.requests.count == 2)
    }

    @Test func `H03 H04 no credentials or cookies are sent to another port after a redirect, even if challenged there`()
        async throws
    {
        let capture = try ScriptedServer { request, connection in
            try connection.reply(
                401,
                [
                    "WWW-Authenticate: Digest realm=\"r\", nonce=\"1\"", "WWW-Authenticate: Basic realm=\"r\"",
                    "WWW-Authenticate: Bearer",
                ])
        }
        defer { capture.stop() }
        let elsewhere = capture.url("/file.bin")
        let trial = try Trial(Self.content) { _, connection in
            try connection.redirect(elsewhere, ["Set-Cookie: a=sesame"])
        }
        for secret in 0..<2 {
            let after = try await trial.runAlone {
                if secret == 0 {
                    $0.settings.credentials = Self.credentials
                } else {
                    $0.settings.bearerToken = BearerToken("sesame")
                }
            }
            after.expectFailure(.unauthorized, of: Self.content)
            #expect(Set(after.sent("Authorization")) == [secret == 0 ? "Basic bWU6c2VzYW1l" : "Bearer sesame"])
        }
        // Each time with a range, and once without (R32).
        #expect(capture.requests.count == 4)
        for request in capture.requests {
            #expect(request.fields.first("authorization") == nil && request.fields.first("cookie") == nil)
        }
    }

    @Test func `H04 a redirect to a host with a netrc entry sends that entry, and never the netrc default`()
        async throws
    {
        let capture = try ScriptedServer { request, connection in try Served(Self.content).answer(request, connection) }
        defer { capture.stop() }
        let elsewhere = "http://localhost:\(capture.port)/file.bin"
        let trial = try Trial(Self.content) { _, connection in try connection.redirect(elsewhere) }
        let named = try Netrc(parsing: "machine 127.0.0.1 login a password 1 machine localhost login b password 2")
        let first = try await trial.runAlone { $0.settings.netrc = named }
        first.expectWhole(Self.content)
        #expect(first.sent("Authorization") == ["Basic YTox"])
        #expect(capture.requests.map { $0.fields.first("authorization") } == ["Basic Yjoy"])
        Files.remove(trial.target)
        let unnamed = try Netrc(parsing: "default login d password 3")
        let second = try await trial.runAlone { $0.settings.netrc = unnamed }
        second.expectWhole(Self.content)
        #expect(second.sent("Authorization") == ["Basic ZDoz"])
        #expect(capture.requests.last?.fields.first("authorization") == nil)
    }

    @Test func `H13 after a redirect on the same host, Digest reuses its nonce without another challenge`() async throws
    {
        let tally = Tally()
        let trial = try Trial(Self.content) { request, connection in
            let answer = AuthChallenge.parse(request.fields.values("authorization")).first { $0.scheme == "digest" }
            guard let answer, Self.isRight(answer, target: request.target) else {
                return try connection.reply(
                    401,
                    [
                        "WWW-Authenticate: Digest realm=\"r\", qop=\"auth\", algorithm=SHA-256, nonce=\"\(tally.next("n"))\""
                    ])
            }
            if request.path == "/file.bin" { return try connection.redirect("/real.bin") }
            try Served(Self.content).answer(request, connection)
        }
        let after = try await trial.runAlone { $0.settings.credentials = Self.credentials }
        after.expectWhole(Self.content)
        #expect(after.requests.map(\.path) == ["/file.bin", "/file.bin", "/real.bin"])
    }

    // MARK: Time

    @Test func `a download that exceeds its maximum time fails with a timeout and keeps its bytes`() async throws {
        let trial = try Trial(Self.content) { request, connection in
            try connection.send(
                "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-199999/200000\r\nContent-Length: 200000\r\nETag: \"v1\"\r\n\r\n"
            )
            try connection.sendBody(Self.content[..<100_000])
            try connection.sleep(.seconds(20))
        }
        let after = try await trial.runAlone { $0.settings.maximumTime = .seconds(2) }
        let error = after.expectFailure(.timeout, keeping: 90_000, of: Self.content)
        #expect(error?.remedies == [.tryAgain, .allowMoreTime])
        #expect(after.took >= .seconds(2))
    }

    @Test func `the maximum time ends a wait that the server requested`() async throws {
        let trial = try Trial(Self.content) {
            $0.statusOverrides = [1: 429]
            $0.retryAfter = "600"
        }
        let after = try await trial.runAlone { $0.settings.maximumTime = .seconds(30) }
        after.expectFailure(.timeout, of: Self.content)
        #expect(after.requests.count == 1)
    }
}
