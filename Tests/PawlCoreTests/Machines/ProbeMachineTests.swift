import PawlCore
import Testing

@Suite struct ProbeMachineTests {
    private func machine(_ url: String, change: (inout DownloadSettings) -> Void = { _ in }) throws -> ProbeMachine {
        var settings = DownloadSettings(url: try HTTPURL(parsing: url))
        change(&settings)
        return ProbeMachine(settings: settings, cookies: CookieJar(), hash: { _, bytes in Array(bytes.prefix(16)) })
    }

    private func head(_ status: Int, _ fields: [(String, String)] = []) -> ResponseHead {
        ResponseHead(status: status, fields: fields.map { HTTPField($0.0, $0.1) })
    }

    private func next(_ actions: [ProbeMachine.Action]) -> ProbeMachine.Request? {
        for case .ask(let request) in actions { return request }
        return nil
    }

    @Test func `the probe's first request equals a download's first request`() throws {
        var machine = try machine("http://h/file")
        let request = machine.begin(wallClock: 0)
        #expect(request.fields.values("range") == ["bytes=0-"])
        #expect(request.fields.values("accept-encoding") == ["identity"])
        let answer = head(206, [("Content-Range", "bytes 0-9/10"), ("ETag", "\"a\"")])
        #expect(machine.received(answer, wallClock: 0) == [.answered(request.url, answer), .done(request.url, answer)])
    }

    @Test func `the probe follows and reports redirects, and refuses a loop`() throws {
        var machine = try machine("http://h/a")
        let first = machine.begin(wallClock: 0)
        let moved = head(302, [("Location", "/b")])
        let actions = machine.received(moved, wallClock: 0)
        let target = try HTTPURL(parsing: "http://h/b")
        #expect(actions.prefix(2) == [.answered(first.url, moved), .redirected(to: target)])
        #expect(next(actions)?.url == target)
        let back = machine.received(head(302, [("Location", "/a")]), wallClock: 0)
        guard case .failed(let error)? = back.last else { return #expect(Bool(false), "\(back)") }
        #expect(error.code == .redirect)
    }

    @Test func `a cookie is sent back, and allows one redirect to the same URL`() throws {
        var machine = try machine("http://h/a")
        let url = machine.begin(wallClock: 0).url
        let actions = machine.received(head(302, [("Location", "/a"), ("Set-Cookie", "seen=1")]), wallClock: 0)
        #expect(actions.first == .keepCookies(["seen=1"], from: url))
        #expect(next(actions)?.fields.values("cookie") == ["seen=1"])
    }

    @Test func `credentials are not sent to another origin after a redirect`() throws {
        var machine = try machine("http://user:word@h/a")
        #expect(machine.begin(wallClock: 0).fields.first("authorization")?.hasPrefix("Basic ") == true)
        let actions = machine.received(head(302, [("Location", "http://other/b")]), wallClock: 0)
        #expect(next(actions)?.url.host == "other")
        #expect(next(actions)?.fields.first("authorization") == nil)
    }

    @Test func `a Digest challenge is answered, and a 401 without credentials is the result`() throws {
        let challenge = head(
            401, [("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256")])
        var known = try machine("http://user:word@h/a") { $0.allowsOnlyDigest = true }
        _ = known.begin(wallClock: 0)
        let actions = known.received(challenge, wallClock: 0)
        #expect(actions.count == 1)
        #expect(next(actions)?.fields.first("authorization")?.hasPrefix("Digest ") == true)

        var unknown = try machine("http://h/a")
        let url = unknown.begin(wallClock: 0).url
        #expect(next(unknown.received(challenge, wallClock: 0))?.fields.first("range") == nil)
        #expect(unknown.received(challenge, wallClock: 0) == [.answered(url, challenge), .done(url, challenge)])
    }

    @Test func `a request lost on a kept connection is repeated once, and no other failure is`() throws {
        var machine = try machine("http://h/a")
        let request = machine.begin(wallClock: 0)
        let again = try machine.failed(TransportError(.stale, "closed"), wallClock: 0)
        #expect(again.isRepeat && again.url == request.url && again.fields == request.fields)
        // R32: the range may be the reason.
        let plain = try machine.failed(TransportError(.stale, "closed"), wallClock: 0)
        #expect(!plain.isRepeat && plain.fields.first("range") == nil)
        _ = try machine.failed(TransportError(.stale, "closed"), wallClock: 0)
        #expect(throws: DownloadError.self) { try machine.failed(TransportError(.truncated, "closed"), wallClock: 0) }
        var other = try self.machine("http://h/a")
        _ = other.begin(wallClock: 0)
        let error = #expect(throws: DownloadError.self) {
            try other.failed(TransportError(.tls, "expired"), wallClock: 0)
        }
        #expect(error?.code == .tls && error?.remedies.contains(.checkCertificate) == true)
    }

    @Test func `a repeated request answers a Digest challenge with its own nonce count`() throws {
        let challenge = head(
            401, [("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256")])
        var machine = try machine("http://user:word@h/a") { $0.allowsOnlyDigest = true }
        _ = machine.begin(wallClock: 0)
        let first = try #require(next(machine.received(challenge, wallClock: 0)))
        let again = try machine.failed(TransportError(.stale, "closed"), wallClock: 0)
        #expect(first.fields.first("authorization")?.contains("nc=00000001") == true)
        #expect(again.fields.first("authorization")?.contains("nc=00000002") == true)
    }

    @Test func `HEAD goes to the URL that the redirects led to`() throws {
        var machine = try machine("http://h/a")
        _ = machine.begin(wallClock: 0)
        _ = machine.received(head(302, [("Location", "/b")]), wallClock: 0)
        _ = machine.received(head(200), wallClock: 0)
        let request = machine.askHead(wallClock: 0)
        #expect(request.isHead && request.url.path == "/b")
        #expect(request.fields.first("range") == nil)
    }
}
