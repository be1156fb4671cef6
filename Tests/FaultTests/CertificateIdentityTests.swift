import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Matching certificates to hosts, with real certificates, on every kind of connection.
@Suite struct `B5 Certificate identity` {
    enum Way: CaseIterable {
        case direct
        case tunnel
        /// Through a proxy that is itself reached over TLS.
        case tunnelOverTLS
        /// The certificate belongs to the proxy, which answers for servers without TLS.
        case proxy
    }

    private static let authorities = Task {
        (trusted: try await CertificateAuthority(), stranger: try await CertificateAuthority())
    }

    @Test(arguments: CertificateCase.all)
    func `H15 on every kind of connection, only a host that its certificate names receives a request`(
        _ row: CertificateCase
    ) async throws {
        let tls = try await Self.server(of: row)
        for way in Way.allCases {
            let (record, requests) = try await get(from: row.host, tls, way)
            guard !row.isAccepted else {
                Self.expectAnswer(record, requests, "\(way)")
                continue
            }
            let error = try Self.failure(record)
            let ofAnotherHost = row.isTrusted && row.days > 0
            #expect(error.reason == (way == .proxy ? .proxy : ofAnotherHost ? .wrongHost : .tls), "\(way): \(error)")
            #expect(requests.allSatisfy { $0.method == "CONNECT" }, "\(way): \(requests.map(\.method))")
            #expect(!requests.flatMap(\.fields).contains { $0.name.lowercased().hasSuffix("authorization") }, "\(way)")
        }
    }

    @Test(arguments: [("exact", "a_b.test", "a_b.test"), ("wildcard", "a_b.files.test", "*.files.test")])
    func `H16 a host name with an underscore works over a direct TLS connection`(
        _ what: String, host: String, name: String
    ) async throws {
        let tls = try await Self.authorities.value.trusted.makeServer(names: [.dns(name)], commonName: "server")
        let (record, requests) = try await get(from: host, tls, .direct)
        Self.expectAnswer(record, requests, what)
    }

    @Test func `H15 a client with its own certificate still verifies the server's`() async throws {
        let authority = try await Self.authorities.value.trusted
        let client = try await authority.makeClient()
        for (host, isAccepted) in [("127.0.0.1", true), ("files.test", false)] {
            var tls = try await authority.makeServer(names: [.address([127, 0, 0, 1])], commonName: "files.test")
            tls.asksForCertificates = true
            let (record, requests) = try await get(from: host, tls, .direct) { $0.clientCertificateFile = client.both }
            #expect(requests.isEmpty != isAccepted)
            guard !isAccepted else {
                Self.expectAnswer(record, requests, host)
                continue
            }
            #expect([.tls, .wrongHost].contains(try Self.failure(record).reason))
        }
    }

    @Test(arguments: Way.allCases)
    func `H15 with certificate verification turned off, any certificate is accepted`(_ way: Way) async throws {
        let tls = try await Self.authorities.value.stranger
            .makeServer(names: [.dns("other.test")], commonName: "other", days: -1)
        let (record, requests) = try await get(from: "files.test", tls, way) { $0.verifiesCertificates = false }
        Self.expectAnswer(record, requests, "\(way)")
    }

    @Test(
        arguments: [
            ([.address([127, 0, 0, 1])], "the certificate is for 127.0.0.1, not for files.test"),
            (
                [.dns("one.test"), .dns("*.two.test")],
                "the certificate is for one.test, *.two.test, not for files.test"
            ),
            (
                (1...9).map { .dns("\($0).test") },
                "the certificate is for 1.test, 2.test, 3.test and others, not for files.test"
            ),
            (
                [.dns("\u{1B}[2Jevil.test"), .dns("a\nb.test"), .dns("good.test")],
                "the certificate is for good.test, not for files.test"
            ),
            (
                [.dns(String(repeating: "a", count: 9_000))],
                "the certificate is for \(String(repeating: "a", count: 100))…, not for files.test"
            ),
            ([], "the certificate names no host (a common name alone does not count), so it is not for files.test"),
        ] as [([CertificateName], String)])
    func `H15 the error for a wrong host lists the hosts that the certificate names`(
        _ names: [CertificateName], _ text: String
    ) async throws {
        let tls = try await Self.authorities.value.trusted.makeServer(names: names, commonName: "files.test")
        for way in Way.allCases {
            let error = try Self.failure(try await get(from: "files.test", tls, way).record)
            #expect(error.detail == (way == .proxy ? "no secure connection to the proxy: " : "") + text)
        }
    }

    // MARK: - One request

    private static func server(of row: CertificateCase) async throws -> ServerTLS {
        let authorities = try await authorities.value
        return try await (row.isTrusted ? authorities.trusted : authorities.stranger)
            .makeServer(names: row.names, commonName: row.commonName, days: row.days)
    }

    /// Sends a GET with a password. Returns what came back, and all requests that the server and the proxy received.
    private func get(
        from host: String, _ tls: ServerTLS, _ way: Way, _ change: (inout TransportConfiguration) -> Void = { _ in }
    ) async throws -> (record: RecordingHandler.Record, requests: [RecordedRequest]) {
        let authority = try await Self.authorities.value.trusted
        let server = try Self.makeServer(tls, way, proxy: try ServerTLS(authority))
        defer { server.stop() }
        let authorityOfHost = (host.contains(":") ? "[\(host)]" : host) + ":\(server.port)"
        var configuration = TransportConfiguration()
        configuration.certificateAuthorityFile = authority.certificate
        configuration.knownAddresses = [host: "127.0.0.1"]
        configuration.proxies =
            switch way {
            case .direct: ProxySettings()
            case .tunnel: try ProxySettings("http://127.0.0.1:\(server.port)")
            case .tunnelOverTLS: try ProxySettings("https://127.0.0.1:\(server.port)")
            case .proxy: try ProxySettings("https://user:secret@\(authorityOfHost)")
            }
        change(&configuration)
        let url = way == .proxy ? "http://origin.test/file" : "https://\(authorityOfHost)/file"
        let record = try await Self.exchange(url, configuration)
        // Once all connections are closed, the server has read everything that was sent.
        try await until("the server has seen the end of every connection") { server.openConnectionCount == 0 }
        #expect(server.malformedHeads.isEmpty)
        return (record, server.requests)
    }

    private static func makeServer(_ tls: ServerTLS, _ way: Way, proxy: ServerTLS) throws -> ScriptedServer {
        let ownTLS: ServerTLS? =
            switch way {
            case .direct, .proxy: tls
            case .tunnel: nil
            case .tunnelOverTLS: proxy
            }
        return try ScriptedServer(tls: ownTLS) { request, connection in
            guard request.method == "CONNECT" else { return try connection.reply(200, body: [1, 2, 3]) }
            try connection.send("HTTP/1.1 200 Connected\r\n\r\n")
            try connection.beginTLS(tls)
        }
    }

    private static func exchange(
        _ url: String, _ configuration: TransportConfiguration
    ) async throws -> RecordingHandler.Record {
        let runtime = try LiveRuntime(eventLoops: 1)
        let transport = try HTTPTransport(configuration: configuration, group: runtime.eventLoopGroup)
        let handler = RecordingHandler()
        let request = TransportRequest(
            url: try HTTPURL(parsing: url), fields: [HTTPField("Authorization", "Basic dTpw")])
        handler.attach(transport.start(request, handler: handler))
        let record = await Result(catching: { try await handler.waitForEnd(timeout: .seconds(60)) })
        try await transport.shutdown()
        await runtime.shutdown()
        return try record.get()
    }

    private static func failure(_ record: RecordingHandler.Record) throws -> TransportError {
        guard case .some(.some(let error)) = record.end else {
            throw ConformanceFailure("it was accepted: \(String(describing: record.head))")
        }
        return error
    }

    private static func expectAnswer(_ record: RecordingHandler.Record, _ requests: [RecordedRequest], _ way: String) {
        #expect(record.end == .some(nil), "\(way)")
        #expect(record.head?.status == 200 && record.body == [1, 2, 3], "\(way)")
        #expect(requests.last?.fields.values("Authorization") == ["Basic dTpw"], "\(way)")
    }
}

extension Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
