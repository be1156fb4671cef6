/// The layer between a script's bytes and the socket's; HTTP in the clear has none.
///
/// A wire makes no system call, so that the script keeps control of the connection beneath: it can close that in the
/// middle of a handshake, or without the farewell that the protocol requires. Used only on its connection's thread.
protocol Wire: Sendable {
    /// Returns the content of received bytes, and the reply to send at once. Throws if the bytes are invalid;
    /// `failureReply` may then hold an alert.
    func open(_ bytes: [UInt8]) throws -> (content: [UInt8], reply: [UInt8])
    /// The bytes that the socket is to carry for these bytes of the script.
    func seal(_ bytes: ArraySlice<UInt8>) throws -> [UInt8]
    /// The protocol's closing message; empty if it has none.
    func farewell() -> [UInt8]
    /// The last bytes to send after `open` has thrown.
    func failureReply() -> [UInt8]
    /// Called last.
    func dispose()
}

/// Breaks off the server's side of a handshake.
package struct HandshakeFault: Sendable {
    package enum Kind: Sendable {
        case stall
        case close
        case reset
        /// Bytes that are not TLS, then FIN.
        case junk
    }

    package var kind: Kind
    /// How many bytes of the server's handshake are sent first.
    package var afterBytes: Int

    package init(_ kind: Kind, afterBytes: Int = 0) {
        self.kind = kind
        self.afterBytes = afterBytes
    }
}
