internal import PawlEngine
internal import Synchronization

/// One connection, controlled by the script that answers its requests. Used by one thread; only ``interrupt()`` is
/// called from others.
package final class ServerConnection: Sendable {
    /// Thrown into a script when the client has disconnected or the server stops. A script need not catch it.
    package struct Gone: Error {}

    private enum Socket {
        case open(CInt)
        case closed
    }

    /// The connection's number on this server, from 1.
    package let number: Int

    private let socket: Locked<Socket>
    /// Bytes received that are not yet part of a request.
    private let received = Locked<[UInt8]>([])
    private let security = Locked(Security())
    private let stopSignal: StopSignal
    private let bodyCounter: Counter

    private struct Security {
        var wire: (any Wire)?
        var fault: HandshakeFault?
    }

    init(number: Int, descriptor: CInt, stopSignal: StopSignal, bodyCounter: Counter) {
        self.number = number
        self.socket = Locked(.open(descriptor))
        self.stopSignal = stopSignal
        self.bodyCounter = bodyCounter
    }

    // MARK: - For scripts

    /// Sends bytes verbatim; over TLS, as application data.
    package func send(_ bytes: some Collection<UInt8>) throws {
        try sendContent(Array(bytes)[...])
    }

    package func send(_ text: String) throws {
        try sendContent(Array(text.utf8)[...])
    }

    /// Sends bytes and counts them as body.
    package func sendBody(_ bytes: ArraySlice<UInt8>) throws {
        try sendContent(bytes) { bodyCounter.add($0) }
    }

    /// Sends in pieces with a pause after each.
    package func drip(_ bytes: some Collection<UInt8>, piece: Int, every pause: Duration) throws {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            try sendContent(rest.prefix(piece))
            rest = rest.dropFirst(piece)
            try sleep(pause)
        }
    }

    /// Sends `piece` again and again until the client hangs up or the server stops, then throws ``Gone``.
    package func sendForEver(_ piece: some Collection<UInt8>) throws -> Never {
        let piece = Array(piece)
        while true { try sendBody(piece[...]) }
    }

    /// Waits for `duration`; throws ``Gone`` as soon as the server stops.
    package func sleep(_ duration: Duration) throws {
        if Sockets.waitReadable([stopSignal.descriptor], timeout: duration)[0] { throw Gone() }
    }

    /// Sends nothing more until the client hangs up or the server stops, then throws ``Gone``.
    package func stall() throws {
        while true { try absorb() }
    }

    /// The first bytes of the request's body; a script that does not ask leaves them to the next request.
    package func body(count: Int) throws -> [UInt8] {
        while received.withLock({ $0.count }) < count { try absorb() }
        return received.withLock { received in
            defer { received.removeFirst(count) }
            return Array(received.prefix(count))
        }
    }

    /// Ends the connection with FIN after the bytes already sent; over TLS with a close_notify before it, unless
    /// `notify` is false.
    package func close(notify: Bool = true) {
        if notify { try? sendFarewell() }
        closeSocket(resetting: false)
    }

    /// Ends the connection with RST; the client may lose bytes that it has not read yet.
    package func reset() {
        closeSocket(resetting: true)
    }

    /// Limits how much the system accepts from the script before the client reads.
    package func limitSendBuffer(bytes: Int) throws {
        Sockets.setSendBuffer(try descriptor(), bytes: bytes)
    }

    // MARK: - For the server

    /// Installs the wire, before anything is sent or received.
    func secure(_ wire: any Wire, fault: HandshakeFault?) {
        security.withLock { $0 = Security(wire: wire, fault: fault) }
    }

    /// Installs a wire inside the current one, between two requests: all later bytes pass through both.
    func nest(_ wire: any Wire) {
        security.withLock { $0.wire = $0.wire.map { NestedWire(outer: $0, inner: wire) } ?? wire }
    }

    /// Reads whatever arrives, including a client's first handshake message, and answers nothing.
    func ignore() throws -> Never {
        while true { _ = try receive() }
    }

    /// Called last on the connection's own thread.
    func finish() {
        close()
        let wire = security.withLock { security in
            defer { security = Security() }
            return security.wire
        }
        wire?.dispose()
    }

    /// The bytes of the next request's head, or nil after the client's last request.
    func nextHead() -> [UInt8]? {
        let end = Array("\r\n\r\n".utf8)
        while true {
            let head = received.withLock { received -> [UInt8]? in
                guard let range = received.firstRange(of: end) else { return nil }
                defer { received.removeSubrange(..<range.upperBound) }
                return Array(received[..<range.upperBound])
            }
            if let head { return head }
            guard (try? absorb()) != nil else { return nil }
        }
    }

    /// Wakes a script that is blocked in a send or a receive.
    package func interrupt() {
        // Shut down under the lock, so that the descriptor cannot have been closed and reused meanwhile.
        socket.withLock { socket in
            if case .open(let descriptor) = socket { Sockets.shutdownBoth(descriptor) }
        }
    }

    /// How many sent bytes the client's system has acknowledged, TLS and heads included; nil if unknown.
    var acknowledgedBytes: Int? {
        socket.withLock { socket in
            if case .open(let descriptor) = socket { Sockets.acknowledged(descriptor) } else { nil }
        }
    }

    private func descriptor() throws -> CInt {
        try socket.withLock { socket in
            guard case .open(let descriptor) = socket else { throw Gone() }
            return descriptor
        }
    }

    // MARK: - Internals

    /// Waits for bytes from the client.
    private func receive() throws -> [UInt8] {
        let descriptor = try descriptor()
        let ready = Sockets.waitReadable([stopSignal.descriptor, descriptor], timeout: nil)
        guard !ready[0], let bytes = Sockets.receiveSome(descriptor), !bytes.isEmpty else { throw Gone() }
        return bytes
    }

    /// Waits for bytes from the client and keeps their content for the next request.
    private func absorb() throws {
        var bytes = try receive()
        if let wire = security.withLock({ $0.wire }) {
            do {
                let opened = try wire.open(bytes)
                try reply(opened.reply)
                bytes = opened.content
            } catch {
                try transmit(wire.failureReply()[...])
                throw Gone()
            }
        }
        received.withLock { $0 += bytes }
    }

    /// Sends the handshake's reply, as far as the fault lets it.
    private func reply(_ bytes: [UInt8]) throws {
        guard let fault = security.withLock({ $0.fault }) else { return try transmit(bytes[...]) }
        try transmit(bytes.prefix(fault.afterBytes))
        security.withLock { $0.fault?.afterBytes -= min(bytes.count, fault.afterBytes) }
        guard bytes.count > fault.afterBytes else { return }
        switch fault.kind {
        case .stall: try ignore()
        case .close: close(notify: false)
        case .reset: reset()
        case .junk:
            try transmit(Array("220 mail.example ESMTP ready\r\n".utf8)[...])
            close(notify: false)
        }
        throw Gone()
    }

    private func sendFarewell() throws {
        guard let wire = security.withLock({ $0.wire }) else { return }
        try transmit(wire.farewell()[...])
    }

    /// The unit of counting after a send: over TLS, a record is larger than its content.
    private static let sealedPiece = 64 * 1024

    private func sendContent(_ bytes: ArraySlice<UInt8>, count: (Int) -> Void = { _ in }) throws {
        guard let wire = security.withLock({ $0.wire }) else { return try transmit(bytes, count: count) }
        var rest = bytes
        while !rest.isEmpty {
            let piece = rest.prefix(Self.sealedPiece)
            guard let sealed = try? wire.seal(piece) else { throw Gone() }
            try transmit(sealed[...])
            count(piece.count)
            rest = rest.dropFirst(piece.count)
        }
    }

    private func transmit(_ bytes: ArraySlice<UInt8>, count: (Int) -> Void = { _ in }) throws {
        let descriptor = try descriptor()
        try bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                guard let sent = Sockets.sendSome(descriptor, UnsafeRawBufferPointer(rebasing: rest)) else {
                    throw Gone()
                }
                count(sent)
                rest = rest.dropFirst(sent)
            }
        }
    }

    private func closeSocket(resetting: Bool) {
        socket.withLock { socket in
            guard case .open(let descriptor) = socket else { return }
            if resetting { Sockets.resetOnClose(descriptor) }
            Sockets.closeDescriptor(descriptor)
            socket = .closed
        }
    }
}

/// A descriptor that is readable for ever once the server stops, so that every wait can include it.
final class StopSignal: Sendable {
    let descriptor: CInt
    private let writing: Locked<CInt?>

    init() throws {
        let (reading, writing) = try Sockets.makePipe()
        self.descriptor = reading
        self.writing = Locked(writing)
    }

    /// Raises the flag. Returns true for the first call.
    func raise() -> Bool {
        writing.withLock { writing in
            guard let end = writing else { return false }
            // A pipe without a writer polls as hung up.
            Sockets.closeDescriptor(end)
            writing = nil
            return true
        }
    }

    deinit {
        _ = raise()
        Sockets.closeDescriptor(descriptor)
    }
}

final class Counter: Sendable {
    private let value = Locked(0)

    var count: Int { value.withLock { $0 } }

    func add(_ amount: Int) {
        value.withLock { $0 += amount }
    }
}
