/// The handshake with a proxy, before the connection through it belongs to the server.
///
/// Pure: bytes in, bytes or a verdict out.
package protocol ProxyHandshake: Sendable {
    /// The first bytes to send.
    func begin() -> [UInt8]

    /// Call it with the received bytes, in pieces of any size, until it returns a final answer.
    mutating func receive(_ bytes: some Collection<UInt8>) -> ProxyHandshakeStep
}

package enum ProxyHandshakeStep: Hashable, Sendable {
    case needsMore
    case send([UInt8])
    /// Final: from here on the connection belongs to the server.
    case established
    /// Final.
    case failed(TransportError)

    /// The failure for bytes sent too early. Neither a server nor a proxy may send anything before the request, and a
    /// surplus byte would be taken for the server's.
    static let saidTooMuch = failed(TransportError(.proxy, "the proxy sent an invalid response"))
}
