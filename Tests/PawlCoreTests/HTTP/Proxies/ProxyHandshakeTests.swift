import PawlCore
import Testing

@Suite struct ProxyHandshakeTests {
    private static let credentials = try? ProxyServer(parsing: "http://user:secret@h").credentials

    /// The steps after feeding the bytes whole, after checking that feeding them one by one gives the same steps.
    private func outcome(
        _ handshake: some ProxyHandshake, _ bytes: [UInt8], at location: SourceLocation = #_sourceLocation
    ) -> [ProxyHandshakeStep] {
        func run(_ pieces: [[UInt8]]) -> [ProxyHandshakeStep] {
            var handshake = handshake
            return pieces.map { handshake.receive($0) }.filter { $0 != .needsMore }
        }
        let whole = run([bytes])
        let dripped = run(bytes.map { [$0] })
        #expect(whole == dripped, sourceLocation: location)
        return whole
    }

    private func reason(_ steps: [ProxyHandshakeStep]) -> TransportError.Reason? {
        guard case .failed(let error)? = steps.first else { return nil }
        return error.reason
    }

    // MARK: CONNECT

    @Test func `a CONNECT request has a Host field and credentials, and puts an IPv6 address in brackets`() {
        let plain = ProxyConnect(host: "example.org", port: 443, credentials: nil)
        #expect(
            String(decoding: plain.begin(), as: UTF8.self)
                == "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n")
        let signed = ProxyConnect(host: "::1", port: 8443, credentials: Self.credentials)
        let expected =
            "CONNECT [::1]:8443 HTTP/1.1\r\nHost: [::1]:8443\r\nProxy-Authorization: Basic dXNlcjpzZWNyZXQ=\r\n\r\n"
        #expect(String(decoding: signed.begin(), as: UTF8.self) == expected)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 200\r\nVia: x\r\n\r\n", "HTTP/1.1 204 N\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 200 OK\n\n",
        "HTTP/1.1 100 C\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
    ])
    func `any 2xx opens the tunnel`(_ answer: String) {
        let steps = outcome(ProxyConnect(host: "h", port: 443, credentials: nil), Array(answer.utf8))
        #expect(steps == [.established])
    }

    @Test(
        arguments: [
            ("407", .proxyRefused), ("403", .proxyRefused), ("405", .proxyRefused), ("302", .proxyRefused),
            ("101", .proxyRefused),
            ("500", .proxy), ("502", .proxy), ("503", .proxy), ("504", .proxy), ("429", .proxy), ("408", .proxy),
        ] as [(String, TransportError.Reason)])
    func `the status of a refused tunnel decides whether retrying can help`(
        _ status: String, _ expected: TransportError.Reason
    ) {
        let answer = "HTTP/1.1 \(status) X\r\nContent-Length: 3\r\n\r\nabc"
        let steps = outcome(ProxyConnect(host: "h", port: 443, credentials: nil), Array(answer.utf8))
        #expect(reason(steps) == expected)
    }

    @Test func `a 407 message depends on whether credentials were sent, and never shows them`() throws {
        let answer = Array("HTTP/1.1 407 X\r\n\r\n".utf8)
        guard case .failed(let without)? = outcome(ProxyConnect(host: "h", port: 443, credentials: nil), answer).first,
            case .failed(let with)? = outcome(ProxyConnect(host: "h", port: 443, credentials: Self.credentials), answer)
                .first
        else {
            Issue.record("no failure")
            return
        }
        #expect(without.detail.contains("requires a user name and password"))
        #expect(with.detail.contains("rejected the user name"))
        #expect(!with.detail.contains("secret") && !with.detail.contains("dXNlcjpzZWNyZXQ="))
    }

    @Test(arguments: [
        "SSH-2.0-x\r\n\r\n", "HTTP/9 200 OK\r\n\r\n", "HTTP/1.1 2000\r\n\r\n", "HTTP/1.1 20\r\n\r\n", "\r\n\r\nx",
        "HTTP/1.1 200 OK\r\n\r\nx",
    ])
    func `an invalid CONNECT answer, and bytes after the answer, fail`(_ answer: String) {
        var handshake = ProxyConnect(host: "h", port: 443, credentials: nil)
        #expect(reason([handshake.receive(Array(answer.utf8))]) == .proxy)
    }

    @Test func `an endless CONNECT answer, and endless interim answers, fail`() {
        var endless = ProxyConnect(host: "h", port: 443, credentials: nil)
        #expect(reason([endless.receive([UInt8](repeating: 65, count: 70_000))]) == .proxy)
        var interim = ProxyConnect(host: "h", port: 443, credentials: nil)
        let steps = (0..<30).map { _ in interim.receive(Array("HTTP/1.1 100 C\r\n\r\n".utf8)) }
        #expect(steps.contains { reason([$0]) == .proxy })
    }

    // MARK: SOCKS

    private func socks(_ destination: SOCKS5.Destination = .name("example.org"), signed: Bool = false) -> SOCKS5 {
        SOCKS5(destination, port: 443, credentials: signed ? Self.credentials : nil)
    }

    private static let granted: [UInt8] = [5, 0, 0, 1, 127, 0, 0, 1, 0x1F, 0x90]

    @Test func `a host name is passed to the SOCKS proxy unresolved`() {
        var socks = socks()
        #expect(socks.begin() == [5, 1, 0])
        let name = Array("example.org".utf8)
        #expect(socks.receive([5]) == .needsMore)
        #expect(socks.receive([0]) == .send([5, 1, 0, 3, 11] + name + [1, 0xBB]))
        #expect(socks.receive(Self.granted.dropLast()) == .needsMore)
        #expect(socks.receive(Self.granted.suffix(1)) == .established)
    }

    @Test func `IPv4 and IPv6 addresses are sent as bytes`() throws {
        var four = socks(.address(try #require(IPAddress("192.0.2.7"))))
        #expect(four.receive([5, 0]) == .send([5, 1, 0, 1, 192, 0, 2, 7, 1, 0xBB]))
        var six = socks(.address(try #require(IPAddress("2001:db8::1"))))
        #expect(
            six.receive([5, 0]) == .send([5, 1, 0, 4, 0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0xBB]))
    }

    @Test func `SOCKS credentials are sent only if the proxy asks for them`() {
        var asked = socks(signed: true)
        #expect(asked.begin() == [5, 2, 0, 2])
        #expect(asked.receive([5, 2]) == .send([1, 4] + Array("user".utf8) + [6] + Array("secret".utf8)))
        guard case .send(let request) = asked.receive([1, 0]) else {
            Issue.record("no request after signing in")
            return
        }
        #expect(request.prefix(4) == [5, 1, 0, 3])
        var unasked = socks(signed: true)
        guard case .send(let direct) = unasked.receive([5, 0]) else {
            Issue.record("no request")
            return
        }
        #expect(!direct.contains(6) || String(decoding: direct, as: UTF8.self).contains("secret") == false)
    }

    @Test(arguments: [[3, 7], [1, 4], [4, 16]] as [[Int]])
    func `the bound address in the proxy's reply is skipped, whatever its type`(_ kind: [Int]) {
        var socks = socks()
        _ = socks.receive([5, 0])
        let length = kind[0] == 3 ? [UInt8(kind[1])] : []
        let answer = [5, 0, 0, UInt8(kind[0])] + length + [UInt8](repeating: 9, count: kind[1] + 2)
        #expect(socks.receive(answer) == .established)
    }

    @Test(
        arguments: [
            (1, .proxy), (2, .proxyRefused), (3, .proxy), (4, .proxy), (5, .proxy), (6, .proxy), (7, .proxyRefused),
            (8, .proxyRefused), (99, .proxy),
        ] as [(UInt8, TransportError.Reason)])
    func `the SOCKS reply code decides whether retrying can help`(_ code: UInt8, _ expected: TransportError.Reason) {
        var socks = socks()
        _ = socks.receive([5, 0])
        // Two bytes suffice to recognise the failure.
        #expect(reason([socks.receive([5, code])]) == expected)
    }

    @Test func `a SOCKS proxy that rejects the credentials is a final failure`() {
        var none = socks()
        #expect(reason([none.receive([5, 0xFF])]) == .proxyRefused)
        var wrong = socks(signed: true)
        _ = wrong.receive([5, 2])
        #expect(reason([wrong.receive([1, 1])]) == .proxyRefused)
    }

    @Test(arguments: [[4, 0], [5, 2], [5, 0, 5], [72, 84, 84, 80]] as [[UInt8]])
    func `a reply that is not SOCKS 5, a method not offered, and surplus bytes fail`(_ bytes: [UInt8]) {
        var socks = socks()
        #expect(reason([socks.receive(bytes)]) == .proxy)
    }

    @Test func `a byte after the SOCKS reply is not taken for the server's`() {
        var socks = socks()
        _ = socks.receive([5, 0])
        #expect(reason([socks.receive(Self.granted + [0x48])]) == .proxy)
    }
}
