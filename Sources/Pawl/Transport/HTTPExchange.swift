internal import NIOCore
internal import PawlCore
internal import PawlEngine
internal import Synchronization

/// The connection that carries an exchange. Used on its event loop only.
protocol ExchangeCarrier: AnyObject {
    /// The exchange has gone on after a pause.
    func exchangeWantsBytes()

    /// Closes the connection; nothing more of the exchange is wanted.
    func exchangeWasCancelled()
}

/// One exchange: a connection on one side, the engine's ``Exchange`` on the other.
///
/// Every call of the handler is made on `eventLoop`, which makes them one at a time. The lock guards what other threads
/// may touch; it is never held across a call outwards.
final class HTTPExchange: Exchange {
    fileprivate enum Flow {
        /// The handler may be called. Next: `calling`, `ended`.
        case flowing
        /// The handler is being called; `proceeded` notes a `proceed()` that came before its answer did. Next:
        /// `flowing`, `held`.
        case calling(proceeded: Bool)
        /// The handler wants nothing until `proceed()`. Next: `resuming`, `ended`.
        case held
        /// `proceed()` was called, and the event loop is on its way. Next: `flowing`, `ended`.
        case resuming
        /// The handler has heard the last of us.
        case ended
    }

    fileprivate enum Waiting {
        case body(ByteBuffer, ReceiveBuffers.KeptBuffer?)
        case end(TransportError?)
    }

    fileprivate struct State {
        var flow = Flow.flowing
        /// The data that the handler has not accepted yet, in order: the rest of a read, and bytes that came before a
        /// connection was closed.
        var waiting: [Waiting] = []
        var isCancelled = false
        var carrier: NIOLoopBound<any ExchangeCarrier>?
    }

    let request: TransportRequest
    private let handler: any ExchangeHandler
    private let eventLoop: any EventLoop
    private let state = Locked(State())
    private let whenEnded: @Sendable (HTTPExchange) -> Void

    init(
        _ request: TransportRequest, handler: any ExchangeHandler, eventLoop: any EventLoop,
        whenEnded: @escaping @Sendable (HTTPExchange) -> Void
    ) {
        self.request = request
        self.handler = handler
        self.eventLoop = eventLoop
        self.whenEnded = whenEnded
    }

    // MARK: - Exchange, on any thread

    func proceed() {
        let isHeld = state.withLock { state in
            switch state.flow {
            case .held:
                state.flow = .resuming
                return true
            case .calling:
                state.flow = .calling(proceeded: true)
                return false
            case .flowing, .resuming, .ended:
                return false
            }
        }
        // Never on the caller's stack: it would call the handler from inside the handler's own call.
        if isHeld { eventLoop.execute { self.resume() } }
    }

    func cancel() {
        let isFirst = state.withLock { state in
            if case .ended = state.flow { return false }
            defer { state.isCancelled = true }
            return !state.isCancelled
        }
        // Not on the caller's stack either: `ended` would come from inside the handler's own call.
        if isFirst { eventLoop.execute { self.abort(TransportError(.other, "cancelled")) } }
    }

    // MARK: - The carrier, on the event loop

    var isOver: Bool {
        state.withLock { state in
            if case .ended = state.flow { return true }
            return false
        }
    }

    /// Whether nothing is held back.
    var wantsBytes: Bool {
        state.withLock { state in
            guard case .flowing = state.flow else { return state.isCancelled }
            return state.waiting.isEmpty
        }
    }

    /// The handler's pace; nil once the exchange is over.
    var pace: Pace? { isOver ? nil : handler.pace }

    func isCarried(by carrier: any ExchangeCarrier) {
        state.withLock { $0.carrier = NIOLoopBound(carrier, eventLoop: eventLoop) }
    }

    func received(_ head: ResponseHead) {
        guard state.withLock({ $0.beginCall() }) else { return }
        handler.received(head: head)
        // No body before `proceed()`.
        state.withLock { $0.endCall(wantsMore: false) }
    }

    /// - Parameter memory: of the bytes, if the handler may keep it.
    func received(_ bytes: ByteBuffer, _ memory: ReceiveBuffers.KeptBuffer?) {
        let isNow = state.withLock { state in
            guard state.waiting.isEmpty, state.beginCall() else {
                state.keep(.body(bytes, memory))
                return false
            }
            return true
        }
        if isNow { deliver(bytes, memory) }
    }

    /// The carrier's last word. It comes to the handler after what came before it.
    func finished(_ error: TransportError?) {
        let isNow = state.withLock { state in
            state.carrier = nil
            guard case .flowing = state.flow, state.waiting.isEmpty else {
                state.keep(.end(error))
                return false
            }
            return true
        }
        if isNow { end(error) }
    }

    /// Ends now, whatever is held back. A carrier is told to close.
    func abort(_ error: TransportError) {
        let carrier = state.withLock { state in
            state.waiting = []
            return state.carrier
        }
        end(error)
        carrier?.value.exchangeWasCancelled()
    }

    // MARK: - The handler, on the event loop

    private func deliver(_ bytes: ByteBuffer, _ memory: ReceiveBuffers.KeptBuffer?) {
        let wantsMore = bytes.withUnsafeReadableBytes { handler.received(body: $0, memory: memory) }
        state.withLock { $0.endCall(wantsMore: wantsMore) }
    }

    private func resume() {
        state.withLock { $0.resume() }
        while let next = state.withLock({ $0.takeNext() }) {
            switch next {
            case .body(let bytes, let memory): deliver(bytes, memory)
            case .end(let error): return end(error)
            }
        }
        let carrier = state.withLock { state -> NIOLoopBound<any ExchangeCarrier>? in
            guard case .flowing = state.flow else { return nil }
            return state.carrier
        }
        carrier?.value.exchangeWantsBytes()
    }

    private func end(_ error: TransportError?) {
        eventLoop.assertInEventLoop()
        guard state.withLock({ $0.end() }) else { return }
        whenEnded(self)
        handler.ended(error)
    }
}

extension HTTPExchange.State {
    /// Begins a call of the handler. Returns false if it must not be called now or ever again.
    fileprivate mutating func beginCall() -> Bool {
        guard case .flowing = flow, !isCancelled else { return false }
        flow = .calling(proceeded: false)
        return true
    }

    fileprivate mutating func endCall(wantsMore: Bool) {
        guard case .calling(let proceeded) = flow else {
            // Proven: only this function leaves `calling`; the end does on the same event loop, and not while the
            // handler is being called.
            preconditionFailure("the exchange left `calling` while the handler was being called")
        }
        flow = wantsMore || proceeded ? .flowing : .held
    }

    fileprivate mutating func keep(_ item: HTTPExchange.Waiting) {
        switch flow {
        case .flowing, .calling, .held, .resuming: if !isCancelled { waiting.append(item) }
        case .ended: break
        }
    }

    fileprivate mutating func resume() {
        if case .resuming = flow { flow = .flowing }
    }

    /// The next thing to tell the handler, which is then being called if it is a part of the body.
    fileprivate mutating func takeNext() -> HTTPExchange.Waiting? {
        guard case .flowing = flow, !isCancelled, !waiting.isEmpty else { return nil }
        let next = waiting.removeFirst()
        if case .body = next { flow = .calling(proceeded: false) }
        return next
    }

    /// Ends the exchange. Returns false if it had ended before.
    fileprivate mutating func end() -> Bool {
        if case .ended = flow { return false }
        flow = .ended
        waiting = []
        carrier = nil
        return true
    }
}
