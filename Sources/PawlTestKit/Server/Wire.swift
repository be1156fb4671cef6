/// What lies between the bytes of a script and those of the socket; nothing does where HTTP is spoken in the clear.
///
/// It makes no system call, so that a script stays the master of the connection beneath: it can close that in the middle of a
/// handshake, or without the word of farewell that the protocol asks for. Used by the thread of its connection only.
protocol Wire: Sendable {
    /// What arrived bytes mean to the script, and what goes back at once. Throws when they mean nothing; `failureReply` may then hold
    /// an alert.
    func open(_ bytes: [UInt8]) throws -> (content: [UInt8], reply: [UInt8])
    /// Bytes of the script as the socket is to carry them.
    func seal(_ bytes: ArraySlice<UInt8>) throws -> [UInt8]
    /// The word of farewell; empty where there is none.
    func farewell() -> [UInt8]
    /// What is left to say when `open` has thrown.
    func failureReply() -> [UInt8]
    /// The last call.
    func dispose()
}

/// Breaks off the server's side of a handshake.
package struct HandshakeFault: Sendable {
    package enum Kind: Sendable {
        case stall
        case close
        case reset
        /// Bytes that are no TLS, and FIN.
        case junk
    }

    package var kind: Kind
    /// This much of what the server has to say is sent first.
    package var afterBytes: Int

    package init(_ kind: Kind, afterBytes: Int = 0) {
        self.kind = kind
        self.afterBytes = afterBytes
    }
}
