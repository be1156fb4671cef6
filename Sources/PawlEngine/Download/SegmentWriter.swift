import PawlCore
import Synchronization

/// Stores the body of one exchange: gathers it in large buffers, writes them on the disk executor, counts.
///
/// Decides nothing: where the bytes go and where they end is told by the driver. At most two buffers are in use, one filling and one
/// being written; when both are full the network is held. Pointers handed in are never kept.
final class SegmentWriter: ExchangeHandler {
    /// A range begins to flow.
    struct Target: Sendable {
        let file: any ByteSink
        let floor: SpaceFloor
        /// Where the first byte after the overlap is stored.
        let position: Int64
        let end: Int64?
        /// The bytes held just before `position`, which the body must begin with.
        let overlap: [UInt8]
        let hasher: BlockHasher
        /// The response itself ends at `end`, so the connection can be kept for another request.
        let endsWithMessage: Bool
        /// Of a stream: nothing from here on is written yet.
        var horizon: Int64?
        /// Of an answer with several parts: how to take it apart, and what is expected.
        var parts: Parts?
    }

    struct Parts: Sendable {
        /// What may follow the last boundary before nothing more is read.
        static let maximumEpilogueLength = 4096
        var reader: MultipartByteRanges
        var order: PartOrder
        /// Up to here the boundary behind a part has shown that the part was as long as it said. What lies behind may be boundary and
        /// header in place of content, so nobody is told that it is stored.
        var proven: Int64
        /// Of the part that is coming.
        var partEnd: Int64?
        var epilogue = 0
    }

    struct Counters: Sendable {
        var stored: Int64
        var received: Int64
        var isHeldByUs: Bool
    }

    typealias Sink = @Sendable (DownloadEvent) -> Void

    private let id: ExchangeID
    private let runtime: any Runtime
    private let executor: any WorkExecutor
    private let pool: BufferPool
    private let limiter: SpeedLimiter
    private let sink: Sink
    private let state: Locked<State>
    private let flow = Locked<SpeedFlow?>(nil)

    /// `sink` is called from any thread and must not block.
    init(
        id: ExchangeID, runtime: any Runtime, executor: any WorkExecutor, pool: BufferPool, limiter: SpeedLimiter,
        sink: @escaping Sink
    ) {
        self.id = id
        self.runtime = runtime
        self.executor = executor
        self.pool = pool
        state = Locked(State(pool: pool))
        self.limiter = limiter
        self.sink = sink
    }

    // MARK: Told by the driver

    func attach(_ exchange: any Exchange) {
        state.withLock { state in
            // An exchange that failed at once has been reported already and is let go of.
            if !state.endReported { state.exchange = exchange }
        }
    }

    func begin(_ target: Target) {
        let exchange = state.withLock { state -> (any Exchange)? in
            guard state.verdict == nil, !state.transportEnded else { return nil }
            state.target = target
            state.overlapLeft = target.overlap[...]
            state.position = target.position
            state.stored = target.position
            // A nearer end may have been set while the target was being made ready.
            state.end = [state.end, target.end].compactMap { $0 }.min()
            state.hasher = target.parts == nil ? target.hasher : nil
            state.parts = target.parts
            state.horizon = [state.horizon, target.horizon].compactMap { $0 }.max()
            return state.exchange
        }
        if state.withLock({ $0.end.map { $0 <= target.position } ?? false && $0.overlapLeft.isEmpty }) {
            conclude(.boundReached)
        }
        exchange?.proceed()
    }

    /// Moves the end. Nearer: bytes already past it stay, as they are the same bytes another connection will store there. Farther, though
    /// never past what the response brings: too late, when the former end has been reached.
    func setEnd(_ end: Int64) {
        let isPast = state.withLock { state in
            state.end = end
            return state.position >= end && state.target != nil
        }
        if isPast { conclude(.boundReached) }
    }

    /// Lets what lies before a position be written.
    func setHorizon(_ position: Int64) {
        let job = state.withLock { state -> WriteBuffer? in
            state.horizon = max(state.horizon ?? 0, position)
            return state.nextJob()
        }
        if let job { write(job) }
        release()
        settle()
    }

    func cancel() { conclude(.cancelled) }

    /// Writes what has gathered, so that a slow connection does not keep its bytes in memory for long.
    func flush() {
        let job = state.withLock { state -> WriteBuffer? in
            guard !state.isWriting, state.full.isEmpty, let buffer = state.filling, buffer.count > 0, state.isBeforeHorizon(buffer)
            else { return nil }
            state.filling = nil
            state.isWriting = true
            return buffer
        }
        if let job { write(job) }
    }

    var counters: Counters {
        state.withLock {
            // Until it is told where the bytes go, it is not the server that is slow.
            // Nor after the server finished, while bytes wait for the reader of a stream.
            let isWaiting = ($0.target == nil || $0.transportEnded) && !$0.endReported
            return Counters(
                stored: $0.claimed, received: $0.received,
                isHeldByUs: isWaiting || $0.isHeldByDisk || !$0.unpaid.isEmpty)
        }
    }

    /// The blocks that were received whole and written since the last call.
    func takeHashedBlocks() -> [(index: Int64, hash: UInt64)] {
        state.withLock { state in
            defer { state.hashedBlocks = [] }
            return state.hashedBlocks
        }
    }

    // MARK: Told by the transport

    func received(head: ResponseHead) {
        sink(.received(id, head))
    }

    func received(body: UnsafeRawBufferPointer) -> Bool {
        let isWanted = state.withLock { state in
            state.isTaking = state.verdict == nil && state.target != nil && !state.storageFailed
            return state.isTaking
        }
        return isWanted ? take(body) : true
    }

    var pace: Pace? { speedFlow.pace }

    /// Stores as much as the limit lets pass and keeps the rest. Answers whether more may come.
    private func take(_ body: UnsafeRawBufferPointer) -> Bool {
        let paid = speedFlow.take(body.count)
        let mayGoOn = accept(UnsafeRawBufferPointer(rebasing: body[..<paid]), unpaid: body[paid...])
        let mayResume = state.withLock { state in
            defer { (state.isTaking, state.mayResume) = (false, false) }
            return state.mayResume
        }
        if mayResume { executor.submit { self.resumed() } }
        return mayGoOn
    }

    private var speedFlow: SpeedFlow {
        flow.withLock { flow in
            let made = flow ?? limiter.makeFlow { [weak self] in self?.resumed() }
            flow = made
            return made
        }
    }

    /// The limit lets more pass.
    private func resumed() {
        let unpaid = state.withLock { state -> [UInt8] in
            if state.isTaking {
                state.mayResume = true
                return []
            }
            state.isTaking = !state.unpaid.isEmpty
            return state.unpaid
        }
        guard !unpaid.isEmpty else { return }
        if unpaid.withUnsafeBytes(take) { state.withLock { $0.exchange }?.proceed() }
    }

    /// Stores what is paid for and keeps the rest. Answers whether more may come.
    private func accept(_ body: UnsafeRawBufferPointer, unpaid: Slice<UnsafeRawBufferPointer>) -> Bool {
        var job: WriteBuffer?
        var verdict: StreamEnd?
        let mayGoOn = state.withLock { state -> Bool in
            guard state.verdict == nil, !state.storageFailed else {
                state.unpaid = []
                return true
            }
            state.received += Int64(body.count)
            verdict = state.accept(body)
            state.unpaid = verdict == nil ? Array(unpaid) : []
            job = state.nextJob()
            state.isHeldByDisk = state.isFull
            return !state.isHeldByDisk && state.unpaid.isEmpty
        }
        if let job { write(job) }
        if let verdict { conclude(verdict) }
        return mayGoOn
    }

    func ended(_ error: TransportError?) {
        flow.withLock { flow in
            flow?.end()
            flow = nil
        }
        state.withLock { state in
            // It has arrived, and the limit can no longer hold it back.
            if !state.unpaid.isEmpty, !state.isTaking, state.verdict == nil {
                state.received += Int64(state.unpaid.count)
                state.verdict = state.unpaid.withUnsafeBytes { state.accept($0) }
            }
            state.unpaid = []
            state.transportEnded = true
            state.verdict = state.verdict ?? error.map { .failed($0) } ?? .complete
        }
        settle()
    }

    // MARK: Inside

    /// One write at a time for each writer, so that hashing sees the bytes in order.
    private func write(_ buffer: WriteBuffer) {
        runtime.diskExecutor.submit { [self] in
            guard let (target, hasher) = state.withLock({ state in state.target.map { ($0, state.hasher) } }) else {
                return pool.put(buffer)
            }
            var updated = hasher
            let blocks = updated?.update(buffer.filled) ?? []
            do throws(StorageError) {
                try target.floor.admit(buffer.count)
                try target.file.write(buffer.filled, at: buffer.offset)
                wrote(buffer, updated, blocks)
            } catch {
                pool.put(buffer)
                failed(error)
            }
        }
    }

    private func wrote(_ buffer: WriteBuffer, _ hasher: BlockHasher?, _ blocks: [(index: Int64, hash: UInt64)]) {
        let next = state.withLock { state -> WriteBuffer? in
            state.isWriting = false
            state.stored = buffer.offset + Int64(buffer.count)
            state.hasher = hasher
            state.hashedBlocks += blocks
            return state.nextJob()
        }
        pool.put(buffer)
        if let next { write(next) }
        release()
        settle()
    }

    private func failed(_ error: StorageError) {
        state.withLock { state in
            state.isWriting = false
            state.storageFailed = true
            state.dropBuffers()
            state.verdict = state.verdict ?? .cancelled
        }
        sink(.storageFailed(.storage(error)))
        conclude(.cancelled)
    }

    private func release() {
        let exchange = state.withLock { state -> (any Exchange)? in
            let wasHeld = state.isHeldByDisk
            state.isHeldByDisk = state.isFull
            return wasHeld && !state.isHeldByDisk && state.unpaid.isEmpty ? state.exchange : nil
        }
        exchange?.proceed()
    }

    private func conclude(_ verdict: StreamEnd) {
        let exchange = state.withLock { state -> (any Exchange)? in
            state.verdict = state.verdict ?? verdict
            if verdict == .cancelled { state.isUnwanted = true }
            return state.transportEnded ? nil : state.exchange
        }
        exchange?.cancel()
        settle()
    }

    /// Reports the end once the transport is silent and every byte taken is in the file.
    private func settle() {
        var job: WriteBuffer?
        let report = state.withLock { state -> (Int64, StreamEnd)? in
            guard state.transportEnded, !state.endReported, let verdict = state.verdict else { return nil }
            state.dropUnproven()
            if state.isWriting { return nil }
            if !state.storageFailed, let buffer = state.full.first ?? state.filling, buffer.count > 0 {
                // What the reader has no room for yet is kept until it has, unless nobody wants it any more.
                guard state.isBeforeHorizon(buffer) else {
                    guard state.isUnwanted else { return nil }
                    state.dropBuffers()
                    state.endReported = true
                    (state.exchange, state.target) = (nil, nil)
                    return (state.claimed, verdict)
                }
                if state.full.isEmpty { state.filling = nil } else { state.full.removeFirst() }
                state.isWriting = true
                job = buffer
                return nil
            }
            state.endReported = true
            state.dropBuffers()
            // The exchange holds its handler: without this neither would ever be let go of, nor the driver and its buffers.
            state.exchange = nil
            state.target = nil
            return (state.claimed, verdict)
        }
        if let job { write(job) }
        if let (stored, verdict) = report { sink(.ended(id, stored: stored, verdict)) }
    }
}
