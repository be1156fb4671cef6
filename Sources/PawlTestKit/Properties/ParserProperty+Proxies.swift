internal import PawlCore

extension ParserProperty {
    /// The first line names a proxy; the second lists the hosts that bypass it.
    static func proxy(_ bytes: [UInt8]) throws(Violation) {
        let lines = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false).map { text(Array($0)) }
        if let server = try? ProxyServer(parsing: lines[0]) {
            try claim((1...65_535).contains(server.port), "a port that is none: \(server.port)")
            try claim(
                (try? ProxyServer(parsing: "\(server)"))?.description == "\(server)",
                "\(server) is read otherwise than it is written")
            try claim(!"\(server)".contains("@"), "credentials are shown")
        }
        guard lines.count > 1 else { return }
        let bypass = ProxyBypass(parsing: lines[1])
        for url in ["http://example.org/", "https://a.example.org:8443/", "http://192.0.2.7/", "http://[2001:db8::1]/"]
        {
            guard let url = try? HTTPURL(parsing: url) else { continue }
            let withAll = ProxyBypass(parsing: lines[1] + "," + (url.isIPv6 ? "[\(url.host)]" : url.host))
            try claim(withAll.covers(url), "an entry of its own does not cover \(url.host)")
            try claim(!bypass.covers(url) || !lines[1].isEmpty, "an empty list covers \(url.host)")
        }
    }

    /// Byte 0 selects the handshake; the rest is the proxy's answer, fed whole and in pieces.
    static func proxyHandshake(_ bytes: [UInt8]) throws(Violation) {
        guard let kind = bytes.first else { return }
        let answer = Array(bytes.dropFirst())
        let credentials = kind & 2 == 0 ? nil : (try? ProxyServer(parsing: "http://user:secret@h"))?.credentials
        if kind & 1 == 0 {
            try check(ProxyConnect(host: "example.org", port: 443, credentials: credentials), answer)
        } else {
            try check(SOCKS5(.name("example.org"), port: 443, credentials: credentials), answer)
        }
    }

    private static func check(_ handshake: some ProxyHandshake, _ answer: [UInt8]) throws(Violation) {
        /// Steps up to and including the first final one.
        func run(pieces size: Int) -> [ProxyHandshakeStep] {
            var handshake = handshake
            var steps: [ProxyHandshakeStep] = []
            var rest = answer[...]
            while !rest.isEmpty {
                let step = handshake.receive(rest.prefix(size))
                rest = rest.dropFirst(size)
                if step != .needsMore { steps.append(step) }
                switch step {
                case .needsMore, .send: break
                case .established, .failed: return steps
                }
            }
            return steps
        }
        let dripped = run(pieces: 1)
        try claim(dripped == run(pieces: 1), "the same bytes mean two things")
        if run(pieces: answer.count + 1).last == .established {
            try claim(dripped.last == .established, "what is granted whole is refused in pieces")
        }
        for case .failed(let error) in dripped {
            try claim(error.reason == .proxy || error.reason == .proxyRefused, "an error of another kind: \(error)")
            try claim(!error.detail.contains("secret"), "an error repeats a password")
        }
    }
}
