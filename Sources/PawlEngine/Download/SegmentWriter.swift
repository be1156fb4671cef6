import PawlCore
import Synchronization

/// Stores the body of one exchange: gathers it in large buffers, writes them on the disk executor, counts.
///
/// Decides nothing: ``WriterMachine`` says under the lock what is to be done, and it is done once the lock is released.
/// At most two buffers are in use, one filling and one being written; when both are full the network is held. A pointer
/// handed in is kept only together with its memory.
final class SegmentWriter: ExchangeHandler {
    /// The destination of the bytes.
    struct Destination: Sendable {
        let file: any ByteSink
        let floor: SpaceFloor
        /// The hasher of the file's blocks; nil for bytes that do not come in the order of the file.
        var hasher: BlockHasher?
    }

    struct Counters: Sendable {
        var stored: Int64
        var received: Int64
        var isHeldByUs: Bool
    }

    typealias Sink = @Sendable (DownloadEvent) -> Void

    private struct State {
        var machine: WriterMachine
        var exchange: (any Exchange)?
        var destination: Destination?
        var flow: SpeedFlow?
        var hashedBlocks: [(index: Int64, hash: UInt64)] = []
        var error: ErrorResponse?
    }

    /// A response that is an error: the beginning of its body is read before its head is reported.
    private struct ErrorResponse {
        /// The head of the response; nil once it is reported, after which nothing more is read.
        var head: ResponseHead?
        var body: [UInt8] = []
    }

    /// A body that takes longer is reported as far as it has come.
    private static let errorBodyPatience: Duration = .seconds(1)

    private let id: ExchangeID
    private let request: TransportRequest
    private let isAlone: Bool
    private let runtime: any Runtime
    private let executor: any WorkExecutor
    private let limiter: SpeedLimiter
    private let sink: Sink
    private let state: Locked<State>

    /// `sink` is called from any thread and must not block.
    ///
    /// - Parameter isAlone: no other download has a connection to the host. Otherwise an answer that it is too busy is
    ///   likely about their number, and has to be known at once.
    init(
        id: ExchangeID, of request: TransportRequest, isAlone: Bool = true, runtime: any Runtime,
        executor: any WorkExecutor,
        pool: BufferPool, limiter: SpeedLimiter,
        sink: @escaping Sink
    ) {
        self.id = id
        self.request = request
        self.isAlone = isAlone
        self.runtime = runtime
        self.executor = executor
        self.limiter = limiter
        self.sink = sink
        state = Locked(State(machine: WriterMachine(pool)))
    }

    // MARK: - Told by the driver

    func attach(_ exchange: any Exchange) {
        let isAwaited = state.withLock { state in
            // An exchange that failed at once has been reported already and is let go of.
            if !state.machine.isOver { state.exchange = exchange }
            return state.error?.head != nil
        }
        if isAwaited { exchange.proceed() }
    }

    /// A range begins to flow.
    ///
    /// - Parameter horizon: of a stream: nothing from here on is written yet.
    func begin(_ body: BodyPlacement, horizon: Int64? = nil, to destination: Destination) {
        change { state in
            // One that was over before keeps nothing open.
            if !state.machine.isOver { state.destination = destination }
            return state.machine.begin(body, horizon: horizon)
        }
    }

    func setEnd(_ end: Int64) { change { $0.machine.setEnd(end) } }

    func setHorizon(_ position: Int64) { change { $0.machine.setHorizon(position) } }

    func cancel() { change { $0.machine.cancel() } }

    func flush() { change { $0.machine.flush() } }

    var counters: Counters {
        state.withLock {
            Counters(stored: $0.machine.stored, received: $0.machine.received, isHeldByUs: $0.machine.isHeldByUs)
        }
    }

    /// The blocks that were received whole and written since the last call.
    func takeHashedBlocks() -> [(index: Int64, hash: UInt64)] {
        state.withLock { state in
            defer { state.hashedBlocks = [] }
            return state.hashedBlocks
        }
    }

    // MARK: - Told by the transport

    func received(head: ResponseHead) {
        guard head.status >= 400, isAlone || head.status != 429 && head.status != 503 else {
            return sink(.received(id, head))
        }
        let exchange = state.withLock { state in
            state.error = ErrorResponse(head: head)
            return state.exchange
        }
        _ = runtime.schedule(after: Self.errorBodyPatience, on: executor) { [weak self] in self?.reportError() }
        exchange?.proceed()
    }

    /// Answers whether more may come.
    private func takeErrorBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let isWanted = state.withLock { state in
            guard let error = state.error, error.head != nil else { return false }
            let room = ErrorExplanation.maximumBody - error.body.count
            state.error?.body += bytes.prefix(room)
            return bytes.count < room
        }
        if !isWanted { reportError() }
        return isWanted
    }

    private func reportError() {
        let error = state.withLock { state in
            defer { state.error?.head = nil }
            return state.error
        }
        guard let error, var head = error.head else { return }
        head.explanation = ErrorExplanation.text(
            error.body, contentType: head.fields.first("content-type"), status: head.status,
            without: SentSecrets(request).removed(fromCut:))
        sink(.received(id, head))
    }

    func received(body: UnsafeRawBufferPointer, memory: (any ReceivedMemory)?) -> Bool {
        let (isError, flow) = state.withLock { state -> (Bool, SpeedFlow?) in
            guard state.error == nil else { return (true, nil) }
            return (false, state.machine.beginTaking() ? speedFlow(in: &state) : nil)
        }
        if isError { return takeErrorBody(body) }
        guard let flow else { return true }
        return take(body, memory, by: flow)
    }

    func ended(_ error: TransportError?) {
        reportError()
        let flow = state.withLock { state -> SpeedFlow? in
            defer { state.flow = nil }
            return state.flow
        }
        flow?.end()
        change { $0.machine.transportEnded(error) }
    }

    var pace: Pace? { state.withLock { speedFlow(in: &$0) }.pace }

    // MARK: - The limit

    private func speedFlow(in state: inout State) -> SpeedFlow {
        let flow = state.flow ?? limiter.makeFlow { [weak self] in self?.resumed() }
        state.flow = flow
        return flow
    }

    /// Takes as much as the limit lets pass; the machine keeps the rest. Answers whether more may come.
    private func take(_ bytes: UnsafeRawBufferPointer, _ memory: (any ReceivedMemory)?, by flow: SpeedFlow) -> Bool {
        let paid = flow.take(bytes.count)
        let effects = change { $0.machine.take(bytes, memory: memory, paid: paid) }
        if effects.isResumed { executor.submit { self.resumed() } }
        return !effects.isHeld
    }

    /// The limit lets more pass.
    private func resumed() {
        let work = state.withLock { state -> (bytes: [UInt8], flow: SpeedFlow)? in
            guard let bytes = state.machine.resume() else { return nil }
            return (bytes, speedFlow(in: &state))
        }
        guard let work else { return }
        _ = work.bytes.withUnsafeBytes { take($0, nil, by: work.flow) }
    }

    // MARK: - What the machine asks for

    @discardableResult
    private func change(_ body: (inout State) -> WriterMachine.Effects) -> WriterMachine.Effects {
        let (effects, exchange, destination) = state.withLock { state in
            let effects = body(&state)
            let exchange = effects.call == nil ? nil : state.exchange
            let destination = effects.write == nil ? nil : state.destination
            // The exchange holds its handler: else neither would ever be released, nor the driver and its buffers.
            if effects.report != nil { (state.exchange, state.destination) = (nil, nil) }
            return (effects, exchange, destination)
        }
        if let buffer = effects.write, let destination { write(buffer, to: destination) }
        switch effects.call {
        case .proceed: exchange?.proceed()
        case .cancel: exchange?.cancel()
        case nil: break
        }
        if let report = effects.report { sink(.ended(id, stored: report.stored, report.end)) }
        return effects
    }

    private func write(_ buffer: WriteBuffer, to destination: Destination) {
        if destination.file.isImmediate { return writeNow(buffer, to: destination) }
        runtime.diskExecutor.submit { self.writeNow(buffer, to: destination) }
    }

    private func writeNow(_ buffer: WriteBuffer, to destination: Destination) {
        var hasher = destination.hasher
        let parts = buffer.parts
        let blocks = parts.flatMap { hasher?.update($0) ?? [] }
        do throws(StorageError) {
            try destination.floor.admit(buffer.count)
            try destination.file.write(parts, at: buffer.offset)
            wrote(buffer, hasher, blocks)
        } catch {
            sink(.storageFailed(.storage(error)))
            change { $0.machine.failed(buffer) }
        }
    }

    private func wrote(_ buffer: WriteBuffer, _ hasher: BlockHasher?, _ blocks: [(index: Int64, hash: UInt64)]) {
        change { state in
            state.destination?.hasher = hasher
            state.hashedBlocks += blocks
            return state.machine.wrote(buffer)
        }
    }
}
