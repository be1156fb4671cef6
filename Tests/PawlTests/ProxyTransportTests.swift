import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@testable import Pawl

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Requests sent to a proxy, and the treatment of its answers. `ScriptedServer` plays the proxy.
@Suite("HTTPTransport and proxies")
struct ProxyTransportTests {
    private static let credentials = "Basic dXNlcjpzZWNyZXQ="

    private func configuration(_ proxy: String, except: String = "") throws -> TransportConfiguration {
        var configuration = TransportConfiguration()
        configuration.connectTimeout = .seconds(5)
        configuration.proxies = try ProxySettings(proxy, exceptFor: except)
        return configuration
    }

    private func proxy(_ server: ScriptedServer, scheme: String = "http", signed: Bool = true) -> String {
        "\(scheme)://\(signed ? "user:secret@" : "")127.0.0.1:\(server.port)"
    }

    /// Runs exchanges one after the other on one transport.
    private func exchange(
        _ configuration: TransportConfiguration, _ urls: String...
    ) async throws -> [RecordingHandler.Record] {
        try await withTransport(configuration) { transport in
            var records: [RecordingHandler.Record] = []
            for url in urls {
                let handler = RecordingHandler()
                let request = TransportRequest(url: try HTTPURL(parsing: url), fields: [HTTPField("Range", "bytes=0-")])
                handler.attach(transport.start(request, handler: handler))
                records.append(try await handler.waitForEnd())
            }
            return records
        }
    }

    private func failure(_ record: RecordingHandler.Record?) throws -> TransportError {
        let end = try #require(record).end
        guard case .some(.some(let error)) = end else {
            throw ConformanceFailure("it ended with \(String(describing: end))")
        }
        return error
    }

    @Test(arguments: ["socks4://u:secret@h:1080", "socks4a://h"])
    func `N36 a request that would go through a SOCKS 4 proxy of the environment fails with what to give instead`(
        _ proxy: String
    ) async throws {
        var configuration = TransportConfiguration()
        configuration.proxies = ProxySettings(environment: ["all_proxy": proxy])
        let error = try failure(try await exchange(configuration, "http://one.invalid/a").first)
        #expect(error.reason == .proxyRefused)
        #expect("\(error)".contains("$all_proxy") && "\(error)".contains("socks5://"), "\(error)")
        #expect(!"\(error)".contains("secret"))
    }

    // MARK: Plain HTTP

    @Test
    func `an http URL goes to the proxy in absolute form, with credentials, and its host is not resolved locally`()
        async throws
    {
        let server = try ScriptedServer(file: FileBehaviour(content: [1, 2, 3]))
        defer { server.stop() }
        let records = try await exchange(
            configuration(proxy(server)), "http://one.invalid:8080/a%20b?x=1", "http://two.invalid/c",
            "http://[2001:db8::1]/d")
        #expect(records.map(\.body) == [[1, 2, 3], [1, 2, 3], [1, 2, 3]])
        #expect(
            server.requests.map(\.target) == [
                "http://one.invalid:8080/a%20b?x=1", "http://two.invalid/c", "http://[2001:db8::1]/d",
            ])
        #expect(
            server.requests.map { $0.fields.first("host") } == ["one.invalid:8080", "two.invalid", "[2001:db8::1]"])
        #expect(server.requests.allSatisfy { $0.fields.values("Proxy-Authorization") == [Self.credentials] })
        #expect(server.requests.allSatisfy { $0.method == "GET" && $0.fields.first("range") == "bytes=0-" })
        // The proxy answers for all servers, so one connection suffices.
        #expect(server.connectionCount == 1)
    }

    @Test func `an excepted host receives the request directly, without the proxy's credentials`() async throws {
        let server = try ScriptedServer(file: FileBehaviour(content: [1]))
        defer { server.stop() }
        let records = try await exchange(
            configuration("http://user:secret@192.0.2.1:9", except: "127.0.0.0/8"), server.url("/x"))
        #expect(records.first?.head?.status == 206)
        #expect(server.requests.map(\.target) == ["/x"])
        #expect(server.requests.first?.fields.first("proxy-authorization") == nil)
    }

    @Test func `a 407 to a plain request is the proxy's final refusal`() async throws {
        let server = try ScriptedServer { _, connection in
            try connection.send(
                "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 2\r\n\r\nno"
            )
        }
        defer { server.stop() }
        for signed in [true, false] {
            let record = try await exchange(configuration(proxy(server, signed: signed)), "http://one.invalid/").first
            let error = try failure(record)
            #expect(error.reason == .proxyRefused)
            #expect(error.detail.contains(signed ? "rejected the user name" : "requires a user name"))
            #expect(!error.detail.contains("secret"))
            #expect(record?.head == nil)
        }
    }

    @Test func `without a proxy, a 407 is an ordinary answer`() async throws {
        let server = try ScriptedServer { _, connection in
            try connection.send("HTTP/1.1 407 X\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        #expect(try await exchange(TransportConfiguration(), server.url()).first?.head?.status == 407)
    }

    // MARK: Tunnels

    @Test(
        arguments: [(407, .proxyRefused), (403, .proxyRefused), (502, .proxy), (503, .proxy), (504, .proxy)]
            as [(Int, TransportError.Reason)])
    func `a refused tunnel is the proxy's error, never the server's answer`(
        _ status: Int, _ reason: TransportError.Reason
    ) async throws {
        let server = try ScriptedServer { _, connection in
            try connection.send("HTTP/1.1 \(status) No\r\nContent-Length: 4\r\n\r\npage")
        }
        defer { server.stop() }
        let record = try await exchange(configuration(proxy(server)), "https://origin.invalid:8443/file?secret=1").first
        #expect(try failure(record).reason == reason)
        #expect(record?.head == nil && record?.body == [])
        #expect(server.requests.map(\.method) == ["CONNECT"])
        #expect(server.requests.first?.target == "origin.invalid:8443")
        #expect(server.requests.first?.fields.first("host") == "origin.invalid:8443")
        #expect(server.requests.first?.fields.values("Proxy-Authorization") == [Self.credentials])
        // The proxy receives no field of the request itself.
        #expect(server.requests.first?.fields.count == 2)
    }

    @Test func `a proxy that hangs up, sends invalid bytes or does not exist is reported as the proxy's failure`()
        async throws
    {
        let closing = try ScriptedServer { _, connection in connection.close() }
        let junk = try ScriptedServer { _, connection in try connection.send("SSH-2.0-junk\r\n\r\n") }
        let absent = try ScriptedServer { _, _ in }
        absent.stop()
        defer { [closing, junk].forEach { $0.stop() } }
        for server in [closing, junk, absent] {
            let error = try failure(try await exchange(configuration(proxy(server)), "https://origin.invalid/").first)
            #expect(error.reason == .proxy)
            #expect(error.detail.contains("proxy") && !error.detail.contains("secret"), "\(error)")
        }
        let plain = try failure(try await exchange(configuration(proxy(absent)), "http://origin.invalid/").first)
        #expect(
            plain.reason == .proxy && plain.detail.contains("127.0.0.1:\(absent.port) cannot be reached")
                && !plain.detail.contains("secret"))
    }

    @Test func `a proxy that never answers is dropped after the connect timeout`() async throws {
        let server = try ScriptedServer { _, connection in try connection.stall() }
        defer { server.stop() }
        var configuration = try configuration(proxy(server))
        configuration.connectTimeout = .milliseconds(200)
        let error = try failure(try await exchange(configuration, "https://origin.invalid/").first)
        #expect(error.reason == .proxy && error.detail.contains("timeout"))
    }

    @Test func `a cancel while the proxy is silent ends the exchange once and closes the connection`() async throws {
        let server = try ScriptedServer { _, connection in try connection.stall() }
        defer { server.stop() }
        try await withTransport(try configuration(proxy(server))) { transport in
            let handler = RecordingHandler()
            handler.attach(
                transport.start(
                    TransportRequest(url: try HTTPURL(parsing: "https://origin.invalid/"), fields: []), handler: handler
                ))
            while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
            handler.cancel()
            _ = try failure(try await handler.waitForEnd())
            while server.openConnectionCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    @Test func `a TLS connection to a proxy requires a valid certificate of the proxy`() async throws {
        let server = try ScriptedServer(tls: try await .shared(), file: FileBehaviour(content: [1, 2]))
        defer { server.stop() }
        let trust = try TemporaryDirectory("trust")
        try Files.write(try await ServerTLS.shared().authority, to: trust.file("ca.pem"))
        var trusting = try configuration(proxy(server, scheme: "https"))
        trusting.certificateAuthorityFile = trust.file("ca.pem")
        let record = try await exchange(trusting, "http://one.invalid/x").first
        #expect(record?.body == [1, 2])
        #expect(server.requests.map(\.target) == ["http://one.invalid/x"])

        let error = try failure(
            try await exchange(configuration(proxy(server, scheme: "https")), "http://one.invalid/x").first)
        #expect(error.reason == .proxy && error.detail.contains("no secure connection to the proxy"))
    }

    // MARK: SOCKS

    /// The conformance tests, except those about failing connections, which a proxy reports in its own way.
    static let conformanceBehindSOCKS = TransportConformance.names.filter { name in
        !["a refused connection", "a name that does not exist", "cancel while connecting", "a TLS handshake with"]
            .contains(where: name.hasPrefix)
    }

    @Test func `a SOCKS proxy passes the conformance checks of the transport`() async throws {
        let proxy = try await RealProxy(.microsocks)
        try await withTransport(try configuration(proxy.url("socks5h"))) { transport in
            for name in Self.conformanceBehindSOCKS {
                await #expect(throws: Never.self, "\(name)") { try await TransportConformance.run(name, on: transport) }
            }
        }
        try await proxy.stop()
    }

    @Test func `a SOCKS proxy reports a wrong password, a closed port and an unknown host name`() async throws {
        let proxy = try await RealProxy(.microsocks)
        let absent = try ScriptedServer { _, _ in }
        absent.stop()
        let wrong = try failure(
            try await exchange(configuration(proxy.url("socks5h", password: "wrong")), absent.url()).first)
        #expect(wrong.reason == .proxyRefused && !wrong.detail.contains("wrong"))
        let unsigned = try failure(try await exchange(configuration(proxy.urlWithoutCredentials), absent.url()).first)
        #expect(unsigned.reason == .proxyRefused && unsigned.detail.contains("requires a user name"))
        let refused = try failure(try await exchange(configuration(proxy.url("socks5h")), absent.url()).first)
        #expect(refused.reason == .proxy)
        let unknown = try failure(
            try await exchange(configuration(proxy.url("socks5")), "http://does-not-exist.invalid/").first)
        #expect(unknown.reason == .nameResolution && unknown.detail.contains("socks5h://"))
        try await proxy.stop()
    }

    // MARK: Addresses

    @Test func `only addresses of the allowed family are connected to`() async throws {
        let server = try ScriptedServer(file: FileBehaviour(content: [1]))
        defer { server.stop() }
        for (family, works) in [(AddressFamily.any, true), (.ipv4, true), (.ipv6, false)] {
            var configuration = TransportConfiguration()
            configuration.addressFamily = family
            // `localhost` has addresses of both families, and the server listens on IPv4 only.
            for url in [server.url(), "http://localhost:\(server.port)/file"] {
                let record = try await exchange(configuration, url).first
                #expect((record?.head?.status == 206) == works, "\(family) \(url): \(String(describing: record?.end))")
            }
        }
    }

    @Test(arguments: ["127.0.0.1", "lo"])
    func `connections succeed from a given local address or interface`(_ text: String) async throws {
        let server = try ScriptedServer(file: FileBehaviour(content: [1]))
        defer { server.stop() }
        var configuration = TransportConfiguration()
        configuration.bindAddress = text
        #expect(try await exchange(configuration, server.url()).first?.head?.status == 206)
    }

    @Test func `a foreign local address fails each connection, and an invalid one fails at once`() async throws {
        var configuration = TransportConfiguration()
        configuration.bindAddress = "192.0.2.1"
        #expect(try failure(try await exchange(configuration, "http://127.0.0.1:9/").first).reason == .other)
        for (text, family) in [("no-such-interface", AddressFamily.any), ("::1", .ipv4), ("127.0.0.1", .ipv6)] {
            configuration.bindAddress = text
            configuration.addressFamily = family
            let runtime = try LiveRuntime(eventLoops: 1)
            #expect(throws: TransportError.self) {
                try HTTPTransport(configuration: configuration, group: runtime.eventLoopGroup)
            }
            await runtime.shutdown()
        }
    }

    // MARK: Client certificates

    @Test func `an unusable certificate is refused at the start, with a helpful message`() async throws {
        let authority = try await CertificateAuthority()
        let other = try await CertificateAuthority()
        let files = try TemporaryDirectory("keys")
        let locked = files.file("locked.key")
        _ = try await Subprocess.run(
            "openssl", ["pkey", "-in", authority.serverKey, "-aes128", "-passout", "pass:x", "-out", locked])
        let cases: [(certificate: String?, key: String?, says: String)] = [
            ("/nonexistent.pem", nil, "cannot be read"), ("/dev/null", nil, "no certificate"),
            (authority.serverCertificate, nil, "no key file is given"),
            (authority.serverCertificate, "/dev/null", "no private key"),
            (authority.serverCertificate, locked, "encrypted"),
            (authority.serverCertificate, other.serverKey, "does not belong to"),
            (nil, authority.serverKey, "needs its certificate"),
        ]
        for (certificate, key, says) in cases {
            let runtime = try LiveRuntime(eventLoops: 1)
            var configuration = TransportConfiguration()
            configuration.clientCertificateFile = certificate
            configuration.privateKeyFile = key
            let error = #expect(throws: TransportError.self) {
                try HTTPTransport(configuration: configuration, group: runtime.eventLoopGroup)
            }
            #expect(
                error?.reason == .tls && error?.detail.contains(says) == true,
                "\(String(describing: error)), expected “\(says)”")
            await runtime.shutdown()
        }
    }

    @Test func `a certificate with its key is read from a pipe once, for every transport of a run`() async throws {
        let authority = try await CertificateAuthority()
        let both = try Files.read(authority.serverCertificate) + Files.read(authority.serverKey)
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        // The text fits into the pipe's buffer.
        #expect(write(ends[1], both, both.count) == both.count)
        close(ends[1])
        var configuration = TransportConfiguration()
        configuration.clientCertificateFile = "/dev/fd/\(ends[0])"
        configuration.pemFiles = PEMFiles()
        for _ in 0..<2 { try await withTransport(configuration) { _ in } }
    }

    private func withTransport<Result: Sendable>(
        _ configuration: TransportConfiguration, _ body: (HTTPTransport) async throws -> Result
    ) async throws -> Result {
        let runtime = try LiveRuntime(eventLoops: 2)
        let transport = try HTTPTransport(configuration: configuration, group: runtime.eventLoopGroup)
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(transport))
        } catch {
            result = .failure(error)
        }
        try await transport.shutdown()
        await runtime.shutdown()
        return try result.get()
    }
}
