/// What is said to a proxy before a connection through it is the server's.
///
/// Pure: bytes in, bytes or a verdict out.
package protocol ProxyHandshake: Sendable {
    /// The first bytes to send.
    func begin() -> [UInt8]

    /// To be called with whatever came, in pieces of any size, until it answers something final.
    mutating func receive(_ bytes: some Collection<UInt8>) -> ProxyHandshakeStep
}

package enum ProxyHandshakeStep: Hashable, Sendable {
    case needsMore
    case send([UInt8])
    /// Final: from here on the connection is the server's.
    case established
    /// Final.
    case failed(TransportError)

    /// Neither a server nor a proxy has reason to speak before it is spoken to, and a byte too many would be taken for the server's.
    static let saidTooMuch = failed(TransportError(.proxy, "the proxy's answer made no sense"))
}
