/// A tunnel through an HTTP proxy by `CONNECT` (RFC 9110 §9.3.6).
package struct ProxyConnect: ProxyHandshake {
    /// Far longer than any proxy's answer.
    private static let largestAnswer = 64 * 1024
    private static let maximumInterimResponses = 20

    private let target: String
    private let credentials: ProxyServer.Credentials?
    private var received: [UInt8] = []
    /// Where the search for the end of the head goes on.
    private var searched = 0
    private var interimResponses = 0

    package init(host: String, port: Int, credentials: ProxyServer.Credentials?) {
        target = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
        self.credentials = credentials
    }

    package func begin() -> [UInt8] {
        // Host is required and equals the target (RFC 9110 §7.2, RFC 9112 §3.2.3).
        let authorization = credentials.map { "Proxy-Authorization: \($0.basicField)\r\n" } ?? ""
        return Array("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\(authorization)\r\n".utf8)
    }

    package mutating func receive(_ bytes: some Collection<UInt8>) -> ProxyHandshakeStep {
        received += bytes
        while let end = headEnd() {
            guard let status = Self.status(of: received[..<end]) else { return .saidTooMuch }
            if (100..<200).contains(status), status != 101 {
                interimResponses += 1
                if interimResponses > Self.maximumInterimResponses { return .saidTooMuch }
                received.removeFirst(end)
                searched = 0
                continue
            }
            guard (200..<300).contains(status) else { return .failed(refusal(status)) }
            // "A server MUST NOT send any Transfer-Encoding or Content-Length" here, and a client must ignore them.
            return end == received.count ? .established : .saidTooMuch
        }
        return received.count > Self.largestAnswer ? .saidTooMuch : .needsMore
    }

    /// Just past the empty line.
    private mutating func headEnd() -> Int? {
        let lineFeed = UInt8(ascii: "\n")
        while searched < received.count {
            defer { searched += 1 }
            guard received[searched] == lineFeed else { continue }
            let rest = received[..<searched]
            if rest.last == lineFeed || rest.suffix(2) == [lineFeed, UInt8(ascii: "\r")] { return searched + 1 }
        }
        return nil
    }

    /// Of `HTTP/1.1 200 whatever`.
    private static func status(of head: ArraySlice<UInt8>) -> Int? {
        let start = Array(head.prefix(13))
        guard start.count == 13, start.starts(with: "HTTP/1.".utf8), ASCII.isDigit(start[7]),
            start[8] == UInt8(ascii: " "),
            !ASCII.isDigit(start[12]), case .value(let status) = ASCII.decimal(start[9..<12])
        else { return nil }
        return Int(status)
    }

    private func refusal(_ status: Int) -> TransportError {
        switch status {
        case 407: .proxyWantsCredentials(given: credentials != nil)
        case 408, 425, 429, 500...:
            TransportError(.proxy, "the proxy could not connect to the server (status \(status))")
        default: TransportError(.proxyRefused, "the proxy does not allow a connection to the server (status \(status))")
        }
    }
}

extension TransportError {
    /// The status 407 of RFC 9110 §15.5.8, and what a SOCKS proxy says instead.
    package static func proxyWantsCredentials(given: Bool) -> TransportError {
        TransportError(
            .proxyRefused,
            given
                ? "the proxy does not accept the user name and password it was given"
                : "the proxy wants a user name and a password")
    }
}
