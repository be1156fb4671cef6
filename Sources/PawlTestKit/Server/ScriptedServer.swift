internal import PawlEngine
internal import Synchronization

/// An HTTP/1.1 server on the loopback interface, or on a unix socket, that sends exactly the bytes of its script, at
/// the script's pace.
///
/// It uses plain sockets and one thread per connection, and no HTTP library, so that it can send what no library would.
/// ``stop()`` must be called.
package final class ScriptedServer: Sendable {
    /// Answers one request. Returning leaves the connection open for the next request; throwing closes it.
    package typealias Script = @Sendable (RecordedRequest, ServerConnection) throws -> Void

    /// How a new connection is treated, before a byte of it is read.
    package enum Admission: Sendable {
        case serve
        /// Reset it at once.
        case reset
        /// Accept it, and never answer.
        case ignore
    }

    private struct State {
        var requests: [RecordedRequest] = []
        var connectionCount = 0
        var open: [Int: ServerConnection] = [:]
        var threads: [PosixThread] = []
        var malformedHeads: [[UInt8]] = []
        var isStopping = false
    }

    package let port: UInt16

    private let listener: CInt
    private let script: Script
    private let admit: @Sendable (_ open: Int) -> Admission
    private let security: Security?
    private let state = Locked(State())
    private let stopSignal: StopSignal
    private let bodyCounter = Counter()

    /// How the server speaks TLS instead of plain bytes.
    struct Security: Sendable {
        var makeWire: @Sendable (_ connection: Int) throws -> any Wire
        var handshakeFault: @Sendable (_ connection: Int) -> HandshakeFault?
    }

    /// - Parameter admit: Called for each new connection, with the number of other open ones.
    package convenience init(
        admit: @escaping @Sendable (_ open: Int) -> Admission = { _ in .serve }, script: @escaping Script
    ) throws {
        try self.init(security: nil, admit: admit, script: script)
    }

    /// On a unix socket at `path`, where nothing may be yet. ``port`` is 0.
    package convenience init(socket path: String, script: @escaping Script) throws {
        try self.init(
            security: nil, listener: (Sockets.listenLocally(at: path), 0), admit: { _ in .serve }, script: script)
    }

    init(
        security: Security?, listener: (descriptor: CInt, port: UInt16)? = nil,
        admit: @escaping @Sendable (_ open: Int) -> Admission, script: @escaping Script
    ) throws {
        self.security = security
        self.stopSignal = try StopSignal()
        (self.listener, self.port) = try listener ?? Sockets.listenOnLoopback()
        self.script = script
        self.admit = admit
        let acceptor = try PosixThread { [self] in acceptConnections() }
        state.withLock { $0.threads.append(acceptor) }
    }

    package func url(_ target: String = "/file") -> String {
        "\(security == nil ? "http" : "https")://127.0.0.1:\(port)\(target)"
    }

    // MARK: - Records

    /// Every request so far, in the order in which their heads were complete.
    package var requests: [RecordedRequest] { state.withLock { $0.requests } }

    /// Heads that were not HTTP/1.1; a test of a good client finds none.
    package var malformedHeads: [[UInt8]] { state.withLock { $0.malformedHeads } }

    /// Connections accepted so far, including refused ones.
    package var connectionCount: Int { state.withLock { $0.connectionCount } }

    package var openConnectionCount: Int { state.withLock { $0.open.count } }

    /// Bytes handed to the system by ``ServerConnection/sendBody(_:)``, over all responses.
    package var bodyBytesSent: Int { bodyCounter.count }

    /// Per open connection, the bytes that have reached the client's system: all bytes of TCP, read by the client or
    /// not.
    var acknowledgedBytes: [Int: Int] {
        let open = state.withLock { $0.open }
        return open.compactMapValues(\.acknowledgedBytes)
    }

    // MARK: - Stopping

    /// Refuses new connections, cuts open ones and joins all threads. Blocks while a script computes.
    package func stop() {
        guard stopSignal.raise() else { return }
        let (open, threads) = state.withLock { state in
            state.isStopping = true
            return (Array(state.open.values), state.threads)
        }
        open.forEach { $0.interrupt() }
        threads.forEach { $0.join() }
        // Connections accepted while the threads were collected.
        let late = state.withLock { state in Array(state.threads.dropFirst(threads.count)) }
        late.forEach { $0.join() }
    }

    // MARK: - Threads

    private func acceptConnections() {
        defer { Sockets.closeDescriptor(listener) }
        while true {
            let ready = Sockets.waitReadable([stopSignal.descriptor, listener], timeout: nil)
            if ready[0] { return }
            guard ready[1], let descriptor = Sockets.acceptConnection(listener) else { continue }
            take(descriptor)
        }
    }

    private func take(_ descriptor: CInt) {
        let (connection, others) = state.withLock { state in
            state.connectionCount += 1
            let connection = ServerConnection(
                number: state.connectionCount, descriptor: descriptor, stopSignal: stopSignal, bodyCounter: bodyCounter
            )
            defer { state.open[connection.number] = connection }
            return (connection, state.open.count)
        }
        let admission = admit(others)
        let thread = try? PosixThread { [self] in
            serve(connection, admission)
            connection.finish()
            state.withLock { _ = $0.open.removeValue(forKey: connection.number) }
        }
        state.withLock { state in
            guard let thread else {
                state.open.removeValue(forKey: connection.number)?.close()
                return
            }
            state.threads.append(thread)
            // ``stop()`` did not see this connection.
            if state.isStopping { connection.interrupt() }
        }
    }

    private func serve(_ connection: ServerConnection, _ admission: Admission) {
        switch admission {
        case .reset:
            connection.reset()
            return
        case .ignore:
            try? connection.ignore()
            return
        case .serve:
            break
        }
        if let security {
            guard let wire = try? security.makeWire(connection.number) else { return }
            connection.secure(wire, fault: security.handshakeFault(connection.number))
        }
        while let head = connection.nextHead() {
            let request = state.withLock { state -> RecordedRequest? in
                let number = state.requests.count + 1
                guard let request = RecordedRequest(head: head, number: number, connection: connection.number) else {
                    state.malformedHeads.append(head)
                    return nil
                }
                state.requests.append(request)
                return request
            }
            guard let request, (try? script(request, connection)) != nil else { return }
        }
    }
}
