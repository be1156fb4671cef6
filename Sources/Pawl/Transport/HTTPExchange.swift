internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import PawlCore
internal import PawlEngine
internal import Synchronization

/// One exchange: AsyncHTTPClient's delegate on one side, the engine's ``Exchange`` on the other.
///
/// Every call of the handler is made on `eventLoop`, which makes them one at a time. The lock guards what other threads may touch; it is
/// never held across a call outwards.
final class HTTPExchange: Exchange, HTTPClientResponseDelegate {
    typealias Response = Void

    fileprivate enum Flow {
        /// Nothing is awaited from the engine; `proceed()` means nothing. Next: `calling`, `ended`.
        case flowing
        /// The handler is being called; `proceeded` notes a `proceed()` that came before its answer did. Next: `flowing`, `held`.
        case calling(proceeded: Bool)
        /// The handler wants nothing until `proceed()`. Next: `resuming`, `ended`.
        case held
        /// `proceed()` was called, and the event loop is on its way. Next: `calling`, `flowing`, `ended`.
        case resuming
        /// The handler has heard the last of us.
        case ended
    }

    fileprivate enum End {
        case complete
        case failed(any Error)
    }

    fileprivate struct State {
        var flow = Flow.flowing
        /// The client waits for this before it reads on.
        var promise: EventLoopPromise<Void>?
        /// Came after a head that the handler has not yet gone on from. The client drops what it holds when a connection breaks, so one
        /// part is taken from it at once: a server that breaks off after each short burst must not bring nothing for ever.
        var part: ByteBuffer?
        /// The end came while the handler held, and waits for the part before it.
        var end: End?
        /// Present from the return of `execute` to the end.
        var task: HTTPClient.Task<Void>?
        var isCancelled = false
        /// Tells a failure to connect from a connection that broke.
        var isRequestSent = false
        /// Sent on a connection that had served before.
        var isOnKeptConnection = false
        var isAnswered = false
        var whenEnded: (@Sendable () -> Void)?
    }

    private let handler: any ExchangeHandler
    private let eventLoop: any EventLoop
    private let state: Locked<State>
    private let connections: ConnectionCount
    private let connectionsAtStart: Int

    init(
        handler: any ExchangeHandler, eventLoop: any EventLoop, connections: ConnectionCount,
        whenEnded: @escaping @Sendable () -> Void
    ) {
        self.handler = handler
        self.eventLoop = eventLoop
        self.connections = connections
        self.connectionsAtStart = connections.current
        self.state = Locked(State(whenEnded: whenEnded))
    }

    // MARK: - Start

    func started(_ task: HTTPClient.Task<Void>) {
        let isCancelled = state.withLock { state in
            if case .ended = state.flow { return false }
            state.task = task
            return state.isCancelled
        }
        if isCancelled { cancel() }
        // A client that was shut down hands out a failed task and tells the delegate nothing.
        task.futureResult.whenFailure { self.endLater($0) }
    }

    func failedToStart(_ error: any Error) {
        endLater(error)
    }

    // MARK: - Exchange

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

    private func resume() {
        let part = state.withLock { state -> ByteBuffer? in
            guard case .resuming = state.flow, !state.isCancelled else { return nil }
            defer { state.part = nil }
            state.flow = state.part == nil ? .flowing : .calling(proceeded: false)
            return state.part
        }
        if let part {
            let wantsMore = part.withUnsafeReadableBytes { handler.received(body: $0) }
            state.withLock { $0.answered(wantsMore: wantsMore) }
        }
        let (promise, end) = state.withLock { state -> (EventLoopPromise<Void>?, End?) in
            guard case .flowing = state.flow else { return (nil, nil) }
            defer { state.promise = nil }
            return (state.promise, state.end)
        }
        promise?.succeed()
        if let end { self.end(end) }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        // Not on the caller's stack either: `ended` would come from inside the handler's own call.
        eventLoop.execute {
            task?.cancel()
            let (promise, hasEnded) = self.state.withLock { state in
                defer { state.promise = nil }
                return (state.promise, state.end != nil)
            }
            // After a complete message, the client reports the cancellation only once the part it waits for is done with.
            promise?.fail(HTTPClientError.cancelled)
            // And when it has reported the end already, it says no more.
            if hasEnded { self.end(.failed(HTTPClientError.cancelled)) }
        }
    }

    // MARK: - HTTPClientResponseDelegate, on the event loop

    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
        let isOnKeptConnection = connections.current == connectionsAtStart
        state.withLock { state in
            state.isRequestSent = true
            state.isOnKeptConnection = isOnKeptConnection
        }
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        state.withLock { $0.isAnswered = true }
        let head = ResponseHead(
            status: Int(head.status.code),
            fields: head.headers.map { HTTPField($0.name, $0.value) },
            isHTTP10: head.version == .http1_0
        )
        return call(isHead: true) { handler in
            handler.received(head: head)
            return false
        }
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let kept = state.withLock { state -> EventLoopFuture<Void>? in
            switch state.flow {
            case .held, .resuming:
                guard !state.isCancelled else { return nil }
                let promise = eventLoop.makePromise(of: Void.self)
                (state.part, state.promise) = (buffer, promise)
                return promise.futureResult
            case .flowing, .calling, .ended: return nil
            }
        }
        return kept
            ?? call(isHead: false) { handler in
                buffer.withUnsafeReadableBytes { handler.received(body: $0) }
            }
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        let isStarted = state.withLock { $0.task != nil }
        // Before `execute` has returned we are on the stack of `start`, whose caller does not have the exchange yet.
        if isStarted { endInOrder(.failed(error)) } else { endLater(error) }
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {
        endInOrder(.complete)
    }

    /// The end comes after what came before it.
    private func endInOrder(_ end: End) {
        let isNow = state.withLock { state in
            switch state.flow {
            case .held where !state.isCancelled, .resuming where !state.isCancelled:
                state.end = end
                return false
            case .held, .resuming, .flowing, .calling, .ended: return true
            }
        }
        if isNow { self.end(end) }
    }

    // MARK: - Handler calls

    /// Calls the handler; the future holds the client back until the handler wants more. After a head one part is taken all the same.
    private func call(isHead: Bool, _ body: (any ExchangeHandler) -> Bool) -> EventLoopFuture<Void> {
        let mayCall = state.withLock { state in
            if state.isCancelled { return false }
            switch state.flow {
            case .flowing:
                state.flow = .calling(proceeded: false)
                return true
            case .ended:
                return false
            case .calling, .held, .resuming:
                // Proven: AsyncHTTPClient delivers no part before the future of the last one is done with, whatever the peer sends, and the
                // one that it may deliver after a head is kept.
                preconditionFailure("the client delivered a part while another was not done with")
            }
        }
        guard mayCall else { return eventLoop.makeFailedFuture(HTTPClientError.cancelled) }
        let wantsMore = body(handler)
        return state.withLock { state in
            state.answered(wantsMore: wantsMore)
            if state.isCancelled { return eventLoop.makeFailedFuture(HTTPClientError.cancelled) }
            // This future the event loop keeps ready made.
            guard case .held = state.flow, !isHead else { return eventLoop.makeSucceededVoidFuture() }
            let promise = eventLoop.makePromise(of: Void.self)
            state.promise = promise
            return promise.futureResult
        }
    }

    private func endLater(_ error: any Error) {
        eventLoop.execute { self.endInOrder(.failed(error)) }
    }

    private func end(_ end: End) {
        eventLoop.assertInEventLoop()
        guard let last = state.withLock({ $0.takeLast() }) else { return }
        // Lets go of the client, which has failed the request already and takes no notice.
        last.promise?.fail(HTTPClientError.cancelled)
        last.whenEnded?()
        switch end {
        case .complete: handler.ended(nil)
        case .failed(let error):
            let error = TransportError(error, isRequestSent: last.isRequestSent, isCancelled: last.isCancelled)
            handler.ended(last.mayBeStale ? error.onKeptConnection : error)
        }
    }
}

extension HTTPExchange.State {
    /// The handler has answered a call.
    fileprivate mutating func answered(wantsMore: Bool) {
        guard case .calling(let proceeded) = flow else {
            // Proven: only this function leaves `calling`; the end does on the same event loop, and not while the handler is being called.
            preconditionFailure("the exchange left `calling` while the handler was being called")
        }
        flow = wantsMore || proceeded ? .flowing : .held
    }

    fileprivate struct Last {
        let promise: EventLoopPromise<Void>?
        let whenEnded: (@Sendable () -> Void)?
        let isRequestSent: Bool
        let isCancelled: Bool
        let mayBeStale: Bool
    }

    /// Nil when it has ended before.
    fileprivate mutating func takeLast() -> Last? {
        if case .ended = flow { return nil }
        let last = Last(
            promise: promise, whenEnded: whenEnded, isRequestSent: isRequestSent, isCancelled: isCancelled,
            mayBeStale: isOnKeptConnection && !isAnswered
        )
        flow = .ended
        promise = nil
        part = nil
        end = nil
        // The task holds the delegate, which is this object.
        task = nil
        whenEnded = nil
        return last
    }
}
