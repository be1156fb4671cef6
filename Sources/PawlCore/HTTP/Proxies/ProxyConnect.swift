/// A tunnel through an HTTP proxy by `CONNECT` (RFC 9110 §9.3.6).
package struct ProxyConnect: ProxyHandshake {
    private let target: String
    private let credentials: ProxyServer.Credentials?
    private var reader = HeadReader()

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
        Array(bytes).withUnsafeBytes { receive($0) }
    }

    private mutating func receive(_ bytes: UnsafeRawBufferPointer) -> ProxyHandshakeStep {
        var index = 0
        switch reader.read(bytes, from: &index) {
        case .needsMore: return .needsMore
        case .invalid: return .saidTooMuch
        case .head(let head, _):
            guard (200..<300).contains(head.status) else { return .failed(refusal(head.status)) }
            // "A server MUST NOT send any Transfer-Encoding or Content-Length" here, and a client must ignore them.
            return index == bytes.count ? .established : .saidTooMuch
        }
    }

    private func refusal(_ status: Int) -> TransportError {
        switch status {
        case 407: .proxyWantsCredentials(given: credentials != nil)
        case 408, 425, 429, 500...:
            TransportError(.proxy, "the proxy could not connect to the server (\(StatusPhrase.text(status)))")
        default:
            TransportError(
                .proxyRefused, "the proxy does not allow a connection to the server (\(StatusPhrase.text(status)))")
        }
    }
}

extension TransportError {
    /// The status 407 of RFC 9110 §15.5.8, and what a SOCKS proxy says instead.
    package static func proxyWantsCredentials(given: Bool) -> TransportError {
        TransportError(
            .proxyRefused,
            given
                ? "the proxy rejected the user name or password"
                : "the proxy requires a user name and password")
    }
}
