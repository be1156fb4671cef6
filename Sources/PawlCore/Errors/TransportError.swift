/// A failure of an exchange below HTTP.
package struct TransportError: Error, Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// The name did not resolve.
        case nameResolution
        /// No connection: refused, unreachable, or no answer within the connect timeout.
        case connect
        /// The TLS handshake failed or the certificate was not accepted.
        case tls
        /// The certificate names other hosts than the one asked for.
        case wrongHost
        /// The peer does not speak TLS, as on a port for plain HTTP.
        case notTLS
        /// The peer closed or reset the connection before the message was complete (RFC 9112 §8).
        case truncated
        /// A connection kept from an earlier request was closed before its answer came: the server was about to close
        /// it as we sent, and the request may go out again at once (RFC 9112 §9.3.1).
        case stale
        /// The response is not HTTP/1.1 that we accept: framing, sizes or syntax.
        case malformed
        /// A proxy could not be reached, sent an invalid response, or could not reach the server at the moment.
        case proxy
        /// A proxy refused, and retrying will not help: it requires other credentials, or its rules forbid the request.
        case proxyRefused
        /// The caller does not want this address to be asked.
        case denied
        /// Anything else the client library reported.
        case other
    }

    package let reason: Reason
    /// A text for people and logs: no URL, no header value.
    package let detail: String

    package init(_ reason: Reason, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }
}
