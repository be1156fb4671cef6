import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Where redirects may lead, and which fields follow them.
@Suite struct `B4 HEAD and redirects` {
    static let content = FileBehaviour.pattern(count: 100_000)

    @Test(arguments: [403, 405, 404, 501, 200])
    func `H01 H02 no HEAD request is ever sent`(_ status: Int) async throws {
        let trial = try Trial(Self.content) { request, connection in
            if request.method == "HEAD" { return try connection.reply(status, ["Content-Length: 0"]) }
            try Served(Self.content).answer(request, connection)
        }
        let after = try await trial.runAlone()
        after.expectWhole(Self.content)
        #expect(after.requests.map(\.method) == ["GET"])
        #expect(after.ranges == ["bytes=0-"], "its bytes are kept")
    }

    // MARK: Credentials

    static let secrets = [
        HTTPField("Authorization", "Bearer sesame"), HTTPField("Cookie", "session=sesame"),
        HTTPField("Proxy-Authorization", "Basic sesame"),
        HTTPField("X-Api-Key", "sesame"), HTTPField("Referer", "http://intranet.example/sesame"),
    ]

    @Test func `H03 H04 after a redirect to another port, only the original server gets the caller's secrets`()
        async throws
    {
        let capture = try ScriptedServer { request, connection in
            try Served(Self.content).answer(request, connection, cut: 50_000)
        }
        defer { capture.stop() }
        let elsewhere = capture.url("/file.bin")
        let trial = try Trial(Self.content) { _, connection in try connection.redirect(elsewhere) }
        let origin = try HTTPURL(parsing: trial.server.url("/file.bin"))
        var url = origin
        url.userinfo = "user:sesame"
        let given = url
        let after = try await trial.runAlone {
            $0.settings.url = given
            $0.settings.callerFields = Self.secrets.filter { $0.name != "Authorization" }
        }
        after.expectWhole(Self.content)
        #expect(capture.requests.count >= 2)
        for request in capture.requests {
            let text = String(decoding: request.raw, as: UTF8.self)
            #expect(!text.lowercased().contains("sesame") && !text.contains("dXNlcjpzZXNhbWU="), "\(text)")
            #expect(request.fields.values("host") == ["127.0.0.1:\(capture.port)"])
        }
        let first = try #require(after.requests.first)
        #expect(first.fields.values("authorization") == ["Basic dXNlcjpzZXNhbWU="])
        #expect(first.fields.values("x-api-key") == ["sesame"])
    }

    @Test func `H03 a redirect to a signed link on another server drops the Authorization field`() async throws {
        let store = try ScriptedServer { request, connection in
            if request.fields.first("authorization") != nil { return try connection.reply(400) }
            try Served(Self.content).answer(request, connection)
        }
        defer { store.stop() }
        let signed = store.url("/file.bin?X-Amz-Signature=1")
        let trial = try Trial(Self.content) { _, connection in try connection.redirect(signed, status: 307) }
        let after = try await trial.runAlone {
            $0.settings.callerFields = [HTTPField("Authorization", "Bearer sesame")]
        }
        after.expectWhole(Self.content)
        #expect(store.requests.count == 1)
    }

    @Test func `H04 a user name and password in a Location are not sent`() async throws {
        let capture = try ScriptedServer(file: FileBehaviour(content: Self.content))
        defer { capture.stop() }
        let port = capture.port
        let trial = try Trial(Self.content) { _, connection in
            try connection.redirect("http://eve:sesame@127.0.0.1:\(port)/file.bin")
        }
        let after = try await trial.runAlone()
        after.expectWhole(Self.content)
        #expect(capture.requests.allSatisfy { $0.fields.first("authorization") == nil })
    }

    // MARK: Schemes

    @Test func `H06 a redirect from https to http is refused; if allowed, it is followed without secrets`() async throws
    {
        let plain = try ScriptedServer(file: FileBehaviour(content: Self.content))
        defer { plain.stop() }
        let target = plain.url("/file.bin")
        let trial = try Trial(Self.content, tls: try await ServerTLS.shared()) { _, connection in
            try connection.redirect(target)
        }
        let refused = try await trial.runAlone { $0.settings.callerFields = Self.secrets }
        let error = refused.expectFailure(.redirect, of: Self.content)
        #expect(error?.message.contains("not encrypted") == true)
        #expect(plain.requests.isEmpty && refused.requests.count == 2)

        let allowed = try await trial.runAlone {
            $0.settings.callerFields = Self.secrets
            $0.settings.allowsInsecureRedirect = true
        }
        allowed.expectWhole(Self.content)
        #expect(plain.requests.allSatisfy { !String(decoding: $0.raw, as: UTF8.self).contains("sesame") })
    }

    @Test(arguments: ["file:///etc/passwd", "data:text/plain,x"])
    func `H07 a redirect to a scheme other than http or https is refused`(_ location: String) async throws {
        let trial = try Trial(Self.content) { _, connection in try connection.redirect(location) }
        let after = try await trial.runAlone()
        let error = after.expectFailure(.redirect, of: Self.content)
        #expect(error?.message.contains("http") == true)
        // With a range, and once without (R32).
        #expect(after.requests.count == 2)
        #expect(after.names.isEmpty)
    }

    // MARK: URLs

    @Test(arguments: ["http://127.0.0.1\\@evil.example/x", "http://"])
    func `H08 a malformed or misleading host in a Location is refused`(_ url: String) async throws {
        let trial = try Trial(Self.content) { _, connection in try connection.redirect(url) }
        let after = try await trial.runAlone()
        after.expectFailure(.redirect, of: Self.content)
        #expect(after.requests.count == 2)
    }

    @Test(arguments: [
        ("/a\\b", "/a%5Cb"), ("/a b", "/a%20b"), ("/%0d%0aX-Evil:%201", "/%0d%0aX-Evil:%201"),
        ("/a?b=\"<>", "/a?b=%22%3C%3E"), ("/x#frag", "/x"),
        ("/../../etc/passwd", "/etc/passwd"), ("/a%2Fb", "/a%2Fb"), ("?only", "/start?only"), ("/\u{E9}", "/%C3%A9"),
        ("/a%zz", "/a%25zz"),
    ])
    func `H08 the path of a Location is normalized and percent-encoded before it is sent`(
        _ location: String, _ sent: String
    ) async throws {
        let trial = try Trial(Self.content) { request, connection in
            if request.number == 1 { return try connection.redirect(location) }
            try Served(Self.content).answer(request, connection)
        }
        let after = try await trial.runAlone(path: "/start")
        after.expectWhole(Self.content)
        let raw = String(decoding: try #require(after.requests.last).raw, as: UTF8.self)
        #expect(raw.hasPrefix("GET \(sent) HTTP/1.1\r\n"), "\(raw)")
        #expect(after.requests.allSatisfy { $0.fields.first("X-Evil") == nil && $0.fields.values("host").count == 1 })
    }

    @Test(arguments: ["[::ffff:127.0.0.1]", "0x7f.1", "127.1", "2130706433"])
    func `H08 an unusually written IP address is shown, and sent in Host, as it was given`(_ host: String) async throws
    {
        let trial = try Trial(Self.content)
        let url = "http://\(host):\(trial.server.port)/file.bin"
        #expect(try HTTPURL(parsing: url).redacted == url)
        let after = try await trial.run(url: url) { $0.settings.maximumConnections = 1 }
        // Whether such a name means an address is up to the resolver; the Host field is up to Pawl.
        if after.outcome != nil {
            after.expectWhole(Self.content)
        } else {
            after.expectFailure(.network, of: Self.content)
        }
        #expect(after.requests.allSatisfy { $0.fields.values("host") == ["\(host):\(trial.server.port)"] })
    }
}
