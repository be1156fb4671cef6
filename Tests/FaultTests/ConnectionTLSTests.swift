import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@Suite struct `B5 Back ends and TLS` {
    private let content = FileBehaviour.pattern(count: 300_000)

    @Test func `N14 bytes of back ends with different ETags are never mixed`() async throws {
        let one = FileScript(FileBehaviour(content: content))
        var behaviour = FileBehaviour(content: FileBehaviour.pattern(count: content.count, seed: 9))
        behaviour.etag = "\"v2\""
        let other = FileScript(behaviour)
        let trial = try Trial(content) { [content] request, connection in
            // Connections of the name alternate between the two back ends.
            guard connection.number % 2 == 1 else { return try other.answer(request, connection) }
            guard connection.number == 1 else { return try one.answer(request, connection) }
            try connection.sendSliceHead(of: content, 0..<content.count)
            try connection.sendBody(content[..<100_000])
            try connection.sleep(.milliseconds(100))
            connection.close()
        }
        let after = try await trial.run { $0.settings.maximumConnections = 1 }
        after.expectWhole(content)
        #expect(after.requests.count == 3, "\(after.ranges)")
    }

    @Test func `N17 N18 HTTP-2 is never negotiated, so segments use separate HTTP-1.1 connections`() async throws {
        var tls = try await ServerTLS.shared()
        tls.applicationProtocols = ["h2", "http/1.1"]
        let trial = try Trial(content, tls: tls) { $0.bytesPerSecond = 250_000 }
        let after = try await trial.run()
        after.expectWhole(content)
        // If HTTP/2 had been negotiated, a connection would begin with PRI and another HTTP version.
        #expect(trial.server.malformedHeads.isEmpty)
        #expect(Set(after.requests.map(\.connection)).count >= 2, "\(after.ranges)")
    }

    @Test func `N17 if a server closes each connection after three requests, the next request opens a new one at once`()
        async throws
    {
        let trial = try Trial(content) { [content] request, connection in
            let start = request.rangeStart ?? 0
            let isLast = request.number % 3 == 0
            try connection.sendSlice(
                of: content, start..<min(start + 20_000, content.count), fields: isLast ? ["Connection: close"] : [])
            if isLast { connection.close() }
        }
        let after = try await trial.run { $0.settings.maximumConnections = 1 }
        after.expectWhole(content)
        #expect(after.hasFailures == false)
        #expect(after.requests.count <= 17)
        #expect(trial.server.connectionCount <= 7)
    }

    @Test
    func
        `N19 a server whose certificate is not trusted on resume gets no request, and the partial file stays unchanged`()
        async throws
    {
        let trial = try Trial(content, tls: try await .shared())
        try trial.leave(durable: 0..<100_000)
        let held = try Files.read(trial.partial)
        let stranger = try await CertificateAuthority()
        var configuration = TransportConfiguration()
        configuration.certificateAuthorityFile = stranger.certificate
        let failed = try await trial.run(transport: configuration)
        let error = failed.expectFailure(.tls, keeping: 100_000, of: content)
        #expect(error?.remedies == [.checkCertificate, .nameAuthority])
        #expect(failed.requests.isEmpty)
        #expect(failed.files[Trial.name + ".part"] == held)

        let after = try await trial.run()
        after.expectWhole(content)
        after.expectCost(requests: 8, bytes: content.count - 100_000 + 50_000)
    }

    enum Fault: CaseIterable { case expired, otherAuthority }

    @Test func `N19 a server that does not speak TLS is asked once, and the error names the likely cause`() async throws
    {
        var tls = try await ServerTLS.shared()
        tls.handshakeFault = { _ in HandshakeFault(.junk) }
        let trial = try Trial(content, tls: tls)
        let failed = try await trial.run()
        let error = try #require(failed.error)
        #expect(error.code == .tls && error.remedies == [.checkURL] && error.message.contains("http://"), "\(error)")
        #expect(trial.server.connectionCount == 1)
    }

    @Test(arguments: Fault.allCases)
    func `N19 a certificate that becomes invalid during a download fails the download and keeps its bytes`(
        fault: Fault
    ) async throws {
        var tls = try await ServerTLS.shared()
        let other = try ServerTLS(try await CertificateAuthority(days: fault == .expired ? -1 : 2))
        var trusted = tls.authority
        // The expired certificate's authority is trusted, so that only the validity period is wrong.
        if fault == .expired { trusted += other.authority }
        tls.identity = { connection in connection == 1 ? nil : other }
        let trial = try Trial(content, tls: tls) { [content] request, connection in
            try connection.sendSliceHead(of: content, 0..<content.count)
            try connection.sendBody(content[..<100_000])
            try connection.sleep(.milliseconds(100))
            connection.close()
        }
        let authorities = try TemporaryDirectory("trust")
        try Files.write(trusted, to: authorities.file("ca.pem"))
        var configuration = TransportConfiguration()
        configuration.certificateAuthorityFile = authorities.file("ca.pem")
        let after = try await trial.run({ $0.settings.maximumConnections = 1 }, transport: configuration)
        after.expectFailure(.tls, keeping: 100_000, of: content)
        #expect(after.requests.count == 1, "a request went to a server that is not the one")
        #expect(after.reports.count { if case .retrying = $0 { true } else { false } } <= 10)
    }
}
