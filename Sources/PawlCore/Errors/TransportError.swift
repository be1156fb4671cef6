/// How an exchange failed below HTTP.
package struct TransportError: Error, Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// The name did not resolve.
        case nameResolution
        /// No connection: refused, unreachable, or no answer within the connect timeout.
        case connect
        /// The TLS handshake failed or the certificate was not accepted.
        case tls
        /// The peer closed or reset the connection before the message was complete (RFC 9112 §8).
        case truncated
        /// A connection kept from an earlier request was closed before its answer came: the server was about to close it as we
        /// sent, and the request may go out again at once (RFC 9112 §9.3.1).
        case stale
        /// What came is not HTTP/1.1 that we accept: framing, sizes, syntax.
        case malformed
        /// A proxy could not be reached, made no sense, or could not reach the server just now.
        case proxy
        /// A proxy will not do what it is asked, however often: it wants other credentials, or its rules forbid it.
        case proxyRefused
        /// Anything else the client library reported.
        case other
    }

    package let reason: Reason
    /// For people and logs: no URL, no header value.
    package let detail: String

    package init(_ reason: Reason, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }
}
