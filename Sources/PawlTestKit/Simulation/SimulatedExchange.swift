import PawlCore
import PawlEngine
import Synchronization

/// One exchange: a head after the latency, then chunks at the server's rate as long as the client accepts them.
final class SimulatedExchange: Exchange {
    /// How fast the bytes arrive.
    struct Pace: Sendable {
        let chunk: Int
        private let drip: Duration?
        private let bytesPerSecond: Int64
        private let totalBytesPerSecond: Int64?
        private let open: @Sendable () -> Int

        init(_ origin: SimulatedOrigin, request: Int, open: @escaping @Sendable () -> Int) {
            drip = origin.drips[request]
            chunk = drip == nil ? origin.chunk : 1
            bytesPerSecond = origin.bytesPerSecond
            totalBytesPerSecond = origin.totalBytesPerSecond
            self.open = open
        }

        /// The pause before each chunk.
        var pause: Duration {
            if let drip { return drip }
            let share = totalBytesPerSecond.map { $0 / Int64(max(1, open())) } ?? .max
            return .nanoseconds(Int64(chunk) * 1_000_000_000 / max(1, min(bytesPerSecond, share)))
        }
    }

    enum Ending: Sendable {
        case complete
        case dies(after: Int)
        case stalls(after: Int)
        case crawls
    }

    /// How an exchange left its connection.
    struct End: Sendable {
        /// Whether the connection can carry another request.
        var isKept: Bool
        /// Whether the whole body of a 200 was sent.
        var isWhole: Bool
    }

    private struct State {
        var version = -1
        var status = 0
        var body: ArraySlice<UInt8> = []
        var ending: Ending = .complete
        var sent = 0
        var mayFlow = false
        var isScheduled = false
        var hasEnded = false
        var hasHead = false
    }

    private let runtime: SimulatedRuntime
    private let handler: any ExchangeHandler
    private let pace: Pace
    private let count: @Sendable (ByteRange, _ version: Int) -> Void
    private let closed: @Sendable (End) -> Void
    private let state = Locked(State())

    init(
        runtime: SimulatedRuntime, handler: any ExchangeHandler, pace: Pace,
        count: @escaping @Sendable (ByteRange, _ version: Int) -> Void, closed: @escaping @Sendable (End) -> Void
    ) {
        self.runtime = runtime
        self.handler = handler
        self.pace = pace
        self.count = count
        self.closed = closed
    }

    func answer(_ reply: SimulatedNetwork.Reply) {
        switch reply {
        case .failure(let error): end(error)
        case .silence: break
        case .response(let head, let body, let ending, let version):
            let isOpen = state.withLock { state in
                guard !state.hasEnded else { return false }
                state.body = body
                state.version = version
                state.status = head.status
                state.ending = ending
                state.hasHead = true
                return true
            }
            if isOpen { handler.received(head: head) }
        }
    }

    func proceed() {
        state.withLock { $0.mayFlow = true }
        scheduleChunk()
    }

    func cancel() {
        runtime.after(.zero) { self.end(TransportError(.truncated, "cancelled"), isCancelled: true) }
    }

    private func scheduleChunk() {
        let delay = state.withLock { state -> Duration? in
            guard state.hasHead, state.mayFlow, !state.isScheduled, !state.hasEnded else { return nil }
            state.isScheduled = true
            if case .crawls = state.ending { return pace.pause * 50 }
            return pace.pause
        }
        if let delay { runtime.after(delay) { self.sendChunk() } }
    }

    private func sendChunk() {
        enum Step { case chunk(ArraySlice<UInt8>), complete, dead, silent }
        let step = state.withLock { state -> Step in
            state.isScheduled = false
            guard !state.hasEnded, state.mayFlow else { return .silent }
            var limit = state.body.count
            switch state.ending {
            case .complete, .crawls: break
            case .dies(let position):
                if state.sent >= position { return .dead }
                limit = min(limit, position - state.sent)
            case .stalls(let position):
                if state.sent >= position { return .silent }
                limit = min(limit, position - state.sent)
            }
            guard !state.body.isEmpty else { return .complete }
            let chunk = state.body.prefix(min(pace.chunk, limit))
            state.body = state.body.dropFirst(chunk.count)
            state.sent += chunk.count
            return .chunk(chunk)
        }
        switch step {
        case .silent: return
        case .dead: end(TransportError(.truncated, "connection reset"))
        case .complete: end(nil)
        case .chunk(let bytes):
            count(ByteRange(Int64(bytes.startIndex)..<Int64(bytes.endIndex)), state.withLock { $0.version })
            let goesOn = bytes.withUnsafeBytes { handler.received(body: $0, memory: nil) }
            if !goesOn { state.withLock { $0.mayFlow = false } }
            let isOver = state.withLock { $0.body.isEmpty && $0.mayFlow }
            if isOver, case .complete = state.withLock({ $0.ending }) { return end(nil) }
            scheduleChunk()
        }
    }

    /// The most bytes left of a short answer, as of a redirect or a refusal, that count as arrived: its connection can
    /// be reused.
    private static let shortAnswer = 512

    private func end(_ error: TransportError?, isCancelled: Bool = false) {
        let end = state.withLock { state -> End? in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            let isShort = state.hasHead && state.status >= 300 && state.body.count < Self.shortAnswer
            return End(
                isKept: error == nil || isCancelled && isShort,
                isWhole: error == nil && state.status == 200 && state.sent > 0)
        }
        guard let end else { return }
        closed(end)
        handler.ended(error)
    }
}
