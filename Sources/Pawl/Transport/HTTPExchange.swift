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
        /// The client waits for this promise before it reads on. Next: `flowing`, `ended`.
        case held(EventLoopPromise<Void>)
        /// The handler has heard the last of us.
        case ended
    }

    fileprivate struct State {
        var flow = Flow.flowing
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
        let promise = state.withLock { state -> EventLoopPromise<Void>? in
            switch state.flow {
            case .held(let promise):
                state.flow = .flowing
                return promise
            case .calling:
                state.flow = .calling(proceeded: true)
                return nil
            case .flowing, .ended:
                return nil
            }
        }
        guard let promise else { return }
        // Never on the caller's stack: on the event loop, completing the promise calls the handler before it returns.
        eventLoop.execute { promise.succeed() }
    }

    func cancel() {
        let (task, promise) = state.withLock { state in
            state.isCancelled = true
            return (state.task, state.takeHeldPromise())
        }
        // Not on the caller's stack either: `ended` would come from inside the handler's own call.
        eventLoop.execute {
            task?.cancel()
            // After a complete message, the client reports the cancellation only once the part it waits for is done with.
            promise?.fail(HTTPClientError.cancelled)
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
        return call { handler in
            handler.received(head: head)
            return false
        }
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        call { handler in
            buffer.withUnsafeReadableBytes { handler.received(body: $0) }
        }
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        let isStarted = state.withLock { $0.task != nil }
        // Before `execute` has returned we are on the stack of `start`, whose caller does not have the exchange yet.
        if isStarted { end(error) } else { endLater(error) }
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {
        end(nil)
    }

    // MARK: - Handler calls

    /// Calls the handler; the future holds the client back until the handler wants more.
    private func call(_ body: (any ExchangeHandler) -> Bool) -> EventLoopFuture<Void> {
        let mayCall = state.withLock { state in
            if state.isCancelled { return false }
            switch state.flow {
            case .flowing:
                state.flow = .calling(proceeded: false)
                return true
            case .ended:
                return false
            case .calling, .held:
                // Proven: AsyncHTTPClient delivers no part before the future of the last one is done with, whatever the peer sends.
                preconditionFailure("the client delivered a part while another was not done with")
            }
        }
        guard mayCall else { return eventLoop.makeFailedFuture(HTTPClientError.cancelled) }
        let wantsMore = body(handler)
        return state.withLock { state in
            guard case .calling(let proceeded) = state.flow else {
                // Proven: only this function leaves `calling`; `end` does on the same event loop, and not while it is here.
                preconditionFailure("the exchange left `calling` while the handler was being called")
            }
            state.flow = .flowing
            if state.isCancelled { return eventLoop.makeFailedFuture(HTTPClientError.cancelled) }
            // This future the event loop keeps ready made.
            if wantsMore || proceeded { return eventLoop.makeSucceededVoidFuture() }
            let promise = eventLoop.makePromise(of: Void.self)
            state.flow = .held(promise)
            return promise.futureResult
        }
    }

    private func endLater(_ error: any Error) {
        eventLoop.execute { self.end(error) }
    }

    private func end(_ error: (any Error)?) {
        eventLoop.assertInEventLoop()
        guard let last = state.withLock({ $0.end() }) else { return }
        // Lets go of the client, which has failed the request already and takes no notice.
        last.promise?.fail(HTTPClientError.cancelled)
        last.whenEnded?()
        handler.ended(
            error.map { error in
                let error = TransportError(error, isRequestSent: last.isRequestSent, isCancelled: last.isCancelled)
                return last.mayBeStale ? error.onKeptConnection : error
            })
    }
}

extension HTTPExchange.State {
    fileprivate mutating func takeHeldPromise() -> EventLoopPromise<Void>? {
        guard case .held(let promise) = flow else { return nil }
        flow = .flowing
        return promise
    }

    fileprivate struct Last {
        let promise: EventLoopPromise<Void>?
        let whenEnded: (@Sendable () -> Void)?
        let isRequestSent: Bool
        let isCancelled: Bool
        let mayBeStale: Bool
    }

    /// Nil when it has ended before.
    fileprivate mutating func end() -> Last? {
        if case .ended = flow { return nil }
        let last = Last(
            promise: takeHeldPromise(), whenEnded: whenEnded, isRequestSent: isRequestSent, isCancelled: isCancelled,
            mayBeStale: isOnKeptConnection && !isAnswered
        )
        flow = .ended
        // The task holds the delegate, which is this object.
        task = nil
        whenEnded = nil
        return last
    }
}
