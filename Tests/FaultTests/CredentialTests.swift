import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Expiring links, secrets, cookies, and servers that ask clients to wait or to log in.
@Suite struct `B4 Credentials and signed links` {
    static let content = FileBehaviour.pattern(count: 200_000)

    /// A server that redirects `/file.bin` to a new numbered link each time; a link works for `good` requests.
    private static func store(
        good: @escaping @Sendable (_ link: Int) -> Int, status: Int, cut: Int = 60_000
    ) throws -> Trial {
        let links = Tally()
        return try Trial(content) { request, connection in
            guard request.path != "/file.bin" else {
                return try connection.redirect("/store?sig=\(links.next("links"))")
            }
            let link = Int(request.query?.dropFirst(4) ?? "") ?? 0
            guard links.next("uses of \(link)") <= good(link) else { return try connection.reply(status) }
            try Served(content).answer(request, connection, cut: cut)
        }
    }

    @Test(arguments: [401, 403, 400, 410])
    func `H09 a link that expires midway is resolved again once, without a wait`(_ status: Int) async throws {
        let trial = try Self.store(good: { $0 == 1 ? 1 : .max }, status: status, cut: 120_000)
        let after = try await trial.runAlone()
        after.expectWhole(Self.content)
        #expect(after.requests.count { $0.path == "/file.bin" } == 2)
        #expect(after.reports.contains(.refreshing))
        #expect(after.took < .seconds(29), "the first renewal does not wait")
        after.expectCost(requests: 8, bytes: Self.content.count + 120_000)
    }

    @Test func `H09 a URL given in place of an expired one is asked at once, and the download resumes`() async throws {
        let trial = try Trial(Self.content) { request, connection in
            if request.path != "/elsewhere" { return try connection.reply(403) }
            try Served(Self.content).answer(request, connection)
        }
        try trial.leave(durable: 0..<100_000)
        let fresh = try HTTPURL(parsing: trial.server.url("/elsewhere"))
        let after = try await trial.run { $0.settings.freshURL = fresh }
        after.expectWhole(Self.content)
        #expect(after.requests.allSatisfy { $0.path == "/elsewhere" })
        #expect(after.reports.contains(.resumed(offset: 100_000)))
    }

    @Test func `H09 a URL in place of another that leads to another file is refused, and the stored bytes are kept`()
        async throws
    {
        let other = Served(FileBehaviour.pattern(count: 200_000, seed: 9), tag: "\"v2\"")
        let trial = try Trial(Self.content) { try other.answer($0, $1) }
        try trial.leave(durable: 0..<100_000)
        let fresh = try HTTPURL(parsing: trial.server.url("/elsewhere"))
        for policy in [ChangePolicy.fail, .restart] {
            let after = try await trial.run { ($0.settings.freshURL, $0.settings.onChange) = (fresh, policy) }
            after.expectFailure(.journal, keeping: 100_000, of: Self.content)
        }
    }

    @Test func `H09 header fields go to the origin of the URL that is asked in place of another`() async throws {
        let trial = try Trial(Self.content) { try Served(Self.content).answer($0, $1) }
        let fresh = try HTTPURL(parsing: "http://localhost:\(trial.server.port)/elsewhere")
        let after = try await trial.run { plan in
            plan.settings.freshURL = fresh
            plan.settings.callerFields = [HTTPField("X-Key", "sesame")]
        }
        after.expectWhole(Self.content)
        #expect(after.requests.allSatisfy { $0.path == "/elsewhere" && $0.fields.first("x-key") == "sesame" })
    }

    // MARK: Secrets

    @Test(arguments: [403, 404, 400, 500, 302])
    func
        `H10 no secret of a URL or header field appears in errors, reports or the journal, and only the owner can read the files`(
            _ status: Int
        ) async throws
    {
        let trial = try Trial(Self.content) { request, connection in
            if request.number == 1 { return try Served(Self.content).answer(request, connection, cut: 100_000) }
            switch status {
            case 302: try connection.redirect("ftp://eve:sesame@127.0.0.1/x?token=sesame")
            default: try connection.reply(status)
            }
        }
        let url = "http://user:sesame@127.0.0.1:\(trial.server.port)/file.bin?token=sesame&x-amz-signature=sesame"
        let after = try await trial.run(url: url) {
            $0.settings.maximumConnections = 1
            $0.settings.callerFields = [HTTPField("X-Api-Key", "sesame"), HTTPField("Cookie", "a=sesame")]
        }
        let error = try #require(after.error)
        var shown = [error.message, error.underlying ?? "", "\(error)", after.ending.finalURL.redacted]
        shown += after.reports.map { DownloadNotice($0, now: .zero) }.map {
            "\($0.message) \($0.facts) \(String(describing: $0.error))"
        }
        for text in shown { #expect(!text.contains("sesame") && !text.contains("c2VzYW1l"), "\(text)") }
        let journal = try #require(after.files["file.bin.pawl"])
        #expect(journal.firstRange(of: Array("sesame".utf8)) == nil)
        #expect(after.record?.durable.count ?? 0 > 0)
        for path in [trial.partial, trial.journal] { #expect(try Files.status(path).mode & 0o777 == 0o600) }
    }

    // MARK: Cookies

    @Test func `H11 a cookie set by a redirect to the same URL is sent with every later request`() async throws {
        let trial = try Trial(Self.content) { request, connection in
            guard request.fields.first("Cookie") == "pass=1; seen=yes" else {
                return try connection.reply(
                    302, ["Location: /file.bin", "Set-Cookie: pass=1; Path=/; HttpOnly", "Set-Cookie: seen=yes"])
            }
            try Served(Self.content).answer(request, connection, cut: 80_000)
        }
        let after = try await trial.runAlone()
        after.expectWhole(Self.content)
        #expect(after.sent("Cookie").dropFirst().allSatisfy { $0 == "pass=1; seen=yes" })
    }

    @Test func `H05 H11 a redirect to itself that sets a new cookie each time is given up after twenty redirects`()
        async throws
    {
        let trial = try Trial(Self.content) { request, connection in
            try connection.redirect("/file.bin", ["Set-Cookie: n=\(request.number)"])
        }
        let after = try await trial.runAlone()
        after.expectFailure(.redirect, of: Self.content)
        // With a range, and once without (R32).
        #expect(after.requests.count == 42)
    }

    @Test func `H11 no cookie is sent to another port after a redirect, whatever its Domain says`() async throws {
        let capture = try ScriptedServer { request, connection in
            try Served(Self.content).answer(request, connection, cut: 90_000)
        }
        defer { capture.stop() }
        let elsewhere = capture.url("/file.bin")
        let trial = try Trial(Self.content) { _, connection in
            try connection.redirect(
                elsewhere,
                [
                    "Set-Cookie: a=sesame", "Set-Cookie: b=sesame; Domain=127.0.0.1",
                    "Set-Cookie: c=sesame; Domain=.0.0.1; Path=/",
                ])
        }
        let after = try await trial.runAlone { $0.settings.callerFields = [HTTPField("Cookie", "own=sesame")] }
        after.expectWhole(Self.content)
        #expect(after.sent("Cookie").first == "own=sesame")
        #expect(capture.requests.allSatisfy { $0.fields.first("Cookie") == nil })
    }

    // MARK: Retry-After

    @Test(arguments: [("7", 7), ("soon", 0)])
    func `H12 a valid Retry-After from a busy server is respected, and an invalid one means Pawl's own wait`(
        _ value: String, _ seconds: Int
    ) async throws {
        for status in [429, 503] {
            let trial = try Trial(Self.content) {
                $0.statusOverrides = [1: status]
                $0.retryAfter = value
            }
            let after = try await trial.runAlone()
            after.expectWhole(Self.content)
            #expect(after.requests.count == 2)
            #expect(after.took >= .seconds(seconds) - .milliseconds(50) && after.took < .seconds(seconds + 15))
        }
    }

    // MARK: Challenges and hints

    @Test(arguments: [(407, 1), (401, 2)])
    func
        `H13 a 407 never gets the server's credentials, and a challenge that returns after an answer is not answered again`(
            _ status: Int, _ count: Int
        ) async throws
    {
        let trial = try Trial(Self.content) { _, connection in
            try connection.reply(
                status, ["Proxy-Authenticate: Basic realm=\"p\"", "WWW-Authenticate: Digest realm=\"o\", nonce=\"1\""])
        }
        let after = try await trial.run(url: "http://user:sesame@127.0.0.1:\(trial.server.port)/file.bin")
        after.expectFailure(.unauthorized, of: Self.content)
        #expect(after.requests.count == count)
        #expect(after.sent("Proxy-Authorization").allSatisfy { $0 == "-" })
    }

    @Test func `H13 credentials in the URL are sent with every request from the first on`() async throws {
        let trial = try Trial(Self.content) { request, connection in
            if request.fields.first("Authorization") == nil { return try connection.reply(401) }
            try Served(Self.content).answer(request, connection, cut: 70_000)
        }
        let after = try await trial.run(url: "http://user:sesame@127.0.0.1:\(trial.server.port)/file.bin")
        after.expectWhole(Self.content)
        #expect(Set(after.sent("Authorization")) == ["Basic dXNlcjpzZXNhbWU="])
    }

    @Test
    func `H14 Content-Location, Refresh and Link, Location in a 200, and a meta refresh in its page are not followed`()
        async throws
    {
        let page = Array("<html><head><meta http-equiv=\"refresh\" content=\"0;url=/elsewhere\"></head></html>".utf8)
        var served = Served(page)
        served.lines = [
            "Content-Location: /elsewhere", "Refresh: 0; url=/elsewhere", "Link: </elsewhere>; rel=duplicate",
            "Location: /elsewhere",
        ]
        let trial = try Trial(page) { [served] request, connection in try served.answer(request, connection) }
        let after = try await trial.runAlone()
        after.expectWhole(page)
        #expect(after.requests.map(\.path) == ["/file.bin"])
        #expect(after.ending.finalURL.path == "/file.bin")
    }
}
