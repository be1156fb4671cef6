import PawlCore
import Synchronization

/// The judge of an exchange while it may be the ordinary case. Called on the exchange's thread; must not block.
protocol RelayJudge: AnyObject, Sendable {
    /// Returns the length of the body if it is to be gathered; nil to hold it back until the relay is handed on.
    func accepts(_ head: ResponseHead) -> Int?

    /// The body is whole.
    func gathered()

    /// The exchange is not, or no longer, the ordinary case.
    func strayed()
}

/// Stands between an exchange and whoever handles it, and remembers what has come, so that the exchange can be handed
/// on in its middle: the next handler hears everything from the head on, in the same order, as if it came only now.
final class Relay: ExchangeHandler, Exchange {
    fileprivate enum Item {
        case head(ResponseHead)
        case body([UInt8])
        case end(TransportError?)
    }

    fileprivate struct State {
        var exchange: (any Exchange)?
        weak var judge: (any RelayJudge)?
        /// The items that were not delivered, in order. The body is one item for as long as it is gathered.
        var items: [Item] = []
        /// The length of the body that is being gathered; nil: nothing is.
        var wanted: Int?
        /// The next handler.
        var handler: (any ExchangeHandler)?
        /// The handler wants nothing until `proceed()`.
        var isHeld = false
        /// An item is being delivered, or is about to be.
        var isPumping = false
        /// The transport holds back what follows until it is told to proceed.
        var holdsTransport = false
        /// The transport was to proceed before its exchange was known.
        var owesProceed = false
        /// Calls go through without a stop.
        var isOpen = false
        var isCancelled = false
        /// The transport has said its last word.
        var hasEnded = false
        /// Called once the transport has said its last word.
        var closed: (@Sendable () -> Void)?
        /// Called once the next handler has heard what came before.
        var caughtUp: [@Sendable () -> Void] = []
    }

    /// The longest time that anybody waits until the next handler has heard what came before.
    private static let patience: Duration = .milliseconds(500)

    let request: TransportRequest
    private let runtime: any Runtime
    private let executor: any WorkExecutor
    private let state = Locked(State())

    /// - Parameter executor: what came before is delivered on it.
    init(_ request: TransportRequest, judge: any RelayJudge, runtime: any Runtime, executor: any WorkExecutor) {
        self.request = request
        (self.runtime, self.executor) = (runtime, executor)
        state.withLock { $0.judge = judge }
    }

    func attach(_ exchange: any Exchange) {
        let (isCancelled, owesProceed) = state.withLock { state in
            // The exchange holds its handler: one that is over would never be released.
            if !state.hasEnded { state.exchange = exchange }
            defer { state.owesProceed = false }
            return (state.isCancelled, state.owesProceed)
        }
        if isCancelled { exchange.cancel() } else if owesProceed { exchange.proceed() }
    }

    /// The gathered body.
    var body: [UInt8] {
        state.withLock { state in
            for case .body(let bytes) in state.items { return bytes }
            return []
        }
    }

    /// Hands the exchange on. Nothing is judged any more.
    func hand(to handler: any ExchangeHandler) {
        state.withLock { state in
            (state.handler, state.judge, state.wanted) = (handler, nil, nil)
        }
        pumpSoon()
    }

    /// Lets go of an exchange that nobody handles any more.
    ///
    /// - Parameter closed: called once nothing of the exchange is open, on any thread.
    func abandon(_ closed: @escaping @Sendable () -> Void) {
        let (exchange, hasEnded, caughtUp) = state.withLock { state in
            (state.judge, state.wanted, state.items, state.isCancelled) = (nil, nil, [], true)
            if !state.hasEnded { state.closed = closed }
            return (state.exchange, state.hasEnded, state.takeCaughtUp())
        }
        exchange?.cancel()
        if hasEnded { closed() }
        for call in caughtUp { call() }
    }

    /// Calls back once: when the next handler has heard what came before it, or will not hear it, or after half
    /// a second; at once if so already.
    func whenCaughtUp(_ call: @escaping @Sendable () -> Void) {
        let isDue = state.withLock { state in
            if !state.isOpen, !state.isCancelled { state.caughtUp.append(call) }
            return state.isOpen || state.isCancelled
        }
        if isDue { return call() }
        _ = runtime.schedule(after: Self.patience, on: executor) { [weak self] in self?.callCaughtUp() }
    }

    private func callCaughtUp() {
        for call in state.withLock({ $0.takeCaughtUp() }) { call() }
    }

    // MARK: From the transport

    func received(head: ResponseHead) {
        let (judge, handler) = state.withLock { state -> ((any RelayJudge)?, (any ExchangeHandler)?) in
            if state.isOpen { return (nil, state.handler) }
            if !state.isCancelled { state.items.append(.head(head)) }
            state.holdsTransport = true
            return (state.judge, nil)
        }
        if let handler { return handler.received(head: head) }
        guard let judge else { return pumpSoon() }
        guard let wanted = judge.accepts(head) else { return judge.strayed() }
        let exchange = state.withLock { state -> (any Exchange)? in
            // The exchange may have been handed on meanwhile.
            guard state.judge != nil else { return nil }
            var room: [UInt8] = []
            room.reserveCapacity(wanted)
            state.items.append(.body(room))
            (state.wanted, state.holdsTransport) = (wanted, false)
            return state.toProceed()
        }
        exchange?.proceed()
    }

    func received(body: UnsafeRawBufferPointer, memory: (any ReceivedMemory)?) -> Bool {
        enum Course {
            case through(any ExchangeHandler)
            case gathered, kept
            case strayed((any RelayJudge)?)
        }
        let course = state.withLock { state -> Course in
            if state.isOpen, let handler = state.handler { return .through(handler) }
            if let wanted = state.wanted, state.append(body, upTo: wanted) { return .gathered }
            if !state.isCancelled { state.items.append(.body(Array(body))) }
            state.holdsTransport = true
            guard state.judge != nil, state.wanted != nil else { return .kept }
            state.wanted = nil
            return .strayed(state.judge)
        }
        switch course {
        case .through(let handler): return handler.received(body: body, memory: memory)
        case .gathered: return true
        case .kept: pumpSoon()
        case .strayed(let judge): judge?.strayed()
        }
        return false
    }

    func ended(_ error: TransportError?) {
        let (judge, handler, closed, isWhole) = state.withLock {
            state -> ((any RelayJudge)?, (any ExchangeHandler)?, (@Sendable () -> Void)?, Bool) in
            (state.exchange, state.hasEnded) = (nil, true)
            defer { state.closed = nil }
            if state.isOpen {
                defer { state.handler = nil }
                return (nil, state.handler, state.closed, false)
            }
            let isWhole = error == nil && state.wanted.map { state.gatheredCount == $0 } ?? false
            // A cancelled exchange ends with an error: its bytes were not heard.
            state.items.append(.end(state.isCancelled ? error ?? Self.cancelled : error))
            return (state.judge, nil, state.closed, isWhole)
        }
        closed?()
        if let handler { return handler.ended(error) }
        guard let judge else { return pumpSoon() }
        if isWhole { judge.gathered() } else { judge.strayed() }
    }

    private static let cancelled = TransportError(.other, "cancelled")

    var pace: Pace? { state.withLock { $0.isOpen ? $0.handler : nil }?.pace }

    // MARK: From the next handler

    func proceed() {
        let exchange = state.withLock { state -> (any Exchange)? in
            state.isHeld = false
            return state.isOpen ? state.toProceed() : nil
        }
        if let exchange { exchange.proceed() } else { pumpSoon() }
    }

    func cancel() {
        let (exchange, caughtUp) = state.withLock { state -> ((any Exchange)?, [@Sendable () -> Void]) in
            state.isCancelled = true
            // The transport tells an end once, and it may have done so.
            if !state.isOpen { state.items = state.hasEnded ? [.end(Self.cancelled)] : [] }
            return (state.exchange, state.takeCaughtUp())
        }
        exchange?.cancel()
        pumpSoon()
        for call in caughtUp { call() }
    }

    // MARK: Delivering

    /// Never on the caller's stack: it would call the handler from inside the handler's own call.
    private func pumpSoon() {
        let isDue = state.withLock { state in
            guard state.handler != nil, !state.isOpen, !state.isPumping else { return false }
            state.isPumping = true
            return true
        }
        if isDue { executor.submit { self.pump() } }
    }

    private func pump() {
        while let (item, handler) = next() {
            switch item {
            case .head(let head):
                state.withLock { $0.isHeld = true }
                handler.received(head: head)
            case .body(let bytes):
                if bytes.isEmpty { continue }
                state.withLock { $0.isHeld = true }
                if bytes.withUnsafeBytes({ handler.received(body: $0, memory: nil) }) {
                    state.withLock { $0.isHeld = false }
                }
            case .end(let error):
                state.withLock { ($0.handler, $0.isPumping, $0.isOpen) = (nil, false, true) }
                handler.ended(error)
                return callCaughtUp()
            }
        }
        if state.withLock({ $0.isOpen }) { callCaughtUp() }
    }

    /// Takes the next item that may be delivered. Once there is none left, calls go through.
    private func next() -> (Item, any ExchangeHandler)? {
        var released: (any Exchange)?
        defer { released?.proceed() }
        return state.withLock { state in
            guard let handler = state.handler else {
                state.isPumping = false
                return nil
            }
            if let first = state.items.first {
                // An error is told at any time.
                var isError = false
                if case .end(.some) = first { isError = true }
                guard !state.isHeld || isError else {
                    state.isPumping = false
                    return nil
                }
                state.items.removeFirst()
                return (first, handler)
            }
            state.isPumping = false
            guard !state.isHeld else { return nil }
            state.isOpen = true
            if state.holdsTransport { released = state.toProceed() }
            return nil
        }
    }
}

extension Relay.State {
    fileprivate var gatheredCount: Int {
        for case .body(let bytes) in items { return bytes.count }
        return 0
    }

    fileprivate mutating func takeCaughtUp() -> [@Sendable () -> Void] {
        defer { caughtUp = [] }
        return caughtUp
    }

    /// Returns the exchange that is to proceed; nil if that is not known yet.
    fileprivate mutating func toProceed() -> (any Exchange)? {
        owesProceed = exchange == nil
        return exchange
    }

    /// Adds to the gathered body. Returns false if more came than was announced.
    fileprivate mutating func append(_ bytes: UnsafeRawBufferPointer, upTo wanted: Int) -> Bool {
        guard let last = items.indices.last, case .body(var gathered) = items[last],
            gathered.count + bytes.count <= wanted
        else { return false }
        // The only owner, so that nothing is copied.
        items[last] = .end(nil)
        gathered.append(contentsOf: bytes)
        items[last] = .body(gathered)
        return true
    }
}

/// An exchange that a ``DownloadDriver`` takes over: with the request that its machine will begin with.
package struct Handover: Sendable {
    let relay: Relay
    /// The connection of the exchange, as the gate counts it; nil once that is given back.
    let permit: (owner: HostGate.Owner, host: String)?
    /// The gate knows that the host serves it.
    let isServed: Bool

    /// Lets go of the exchange, whose connection counts until it is closed.
    ///
    /// - Parameter closed: called then by a download that has entered the gate; nil: nobody has, and the owner leaves.
    func drop(_ ports: Ports, closed: (@Sendable () -> Void)? = nil) {
        relay.abandon { [permit, isServed] in
            let now = ports.runtime.now
            if let permit { ports.gate.giveBack(permit.host, permit.owner, wasServed: isServed, at: now) }
            if let closed { closed() } else if let permit { ports.gate.leave(permit.owner, at: now) }
        }
    }
}
