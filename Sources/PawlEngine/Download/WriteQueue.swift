/// The buffers of one exchange: the one that fills, those that wait, and the one that is being written.
///
/// Each buffer goes back to the pool exactly once: after its write, or when nobody wants it written any more.
struct WriteQueue: Sendable {
    private let pool: BufferPool
    private var filling: WriteBuffer?
    private var full: [WriteBuffer] = []
    /// Whether a write is under way: one at a time, so that hashing sees the bytes in order.
    private(set) var isWriting = false
    /// The position from which on nothing of a stream is written yet.
    private var horizon: Int64?
    /// Everything before this position has been written.
    private var stored: Int64 = 0
    /// Bytes from here on may turn out not to belong to the file; nil when that cannot be.
    private var proven: Int64?

    init(_ pool: BufferPool) { self.pool = pool }

    mutating func begin(at position: Int64, proven: Int64?) {
        stored = position
        self.proven = proven
    }

    /// The position up to which bytes that are known to belong to the file have been written.
    var claimed: Int64 { min(stored, proven ?? .max) }

    /// Whether no bytes wait to be written.
    var isEmpty: Bool { full.isEmpty && filling == nil }

    /// Whether both buffers are taken: one waits while the other is written, or until the reader of a stream has got
    /// further.
    var isFull: Bool {
        guard let next = full.first else { return false }
        return isWriting || !isBeforeHorizon(next)
    }

    // MARK: - Filling

    /// - Parameters:
    ///   - memory: what the bytes were received into, if it can be kept.
    ///   - end: where the bytes are expected to end, so that no buffer is larger than it needs to be.
    mutating func append(
        _ bytes: Slice<UnsafeRawBufferPointer>, in memory: (any ReceivedMemory)?, at start: Int64,
        expectedEnd end: Int64?
    ) {
        var (rest, position) = (bytes, start)
        while !rest.isEmpty {
            if let memory, keep(UnsafeRawBufferPointer(rebasing: rest), in: memory, at: position) { return }
            if filling?.isKeeping ?? false { completeBuffer() }
            let buffer = filling ?? startBuffer(at: position, expecting: end.map { $0 - position })
            let count = min(rest.count, buffer.room)
            buffer.append(UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
            rest = rest.dropFirst(count)
            position += Int64(count)
            if buffer.room == 0 { completeBuffer() }
        }
    }

    /// Leaves bytes where they were received, if there are many. Not behind a few that were copied: a change from one
    /// to the other ends a write early.
    private mutating func keep(
        _ bytes: UnsafeRawBufferPointer, in memory: any ReceivedMemory, at position: Int64
    ) -> Bool {
        if let filling, !filling.isKeeping, filling.count < BufferPool.smallest { return false }
        guard pool.reserve(memory, for: bytes) else { return false }
        if let filling, !filling.isKeeping || filling.room < memory.size { completeBuffer() }
        let buffer = filling ?? pool.makeKeeping()
        if filling == nil { buffer.offset = position }
        filling = buffer
        buffer.keep(bytes, in: memory)
        if buffer.room < BufferMemory.leastKept { completeBuffer() }
        return true
    }

    private mutating func startBuffer(at position: Int64, expecting count: Int64?) -> WriteBuffer {
        let buffer = pool.take(for: count)
        buffer.offset = position
        filling = buffer
        return buffer
    }

    /// The next bytes belong elsewhere.
    mutating func completeBuffer() {
        guard let buffer = filling else { return }
        full.append(buffer)
        filling = nil
    }

    /// Everything before a position is now known to belong to the file.
    mutating func prove(upTo position: Int64) { proven = position }

    // MARK: - Writing

    mutating func raiseHorizon(to position: Int64) { horizon = max(horizon ?? 0, position) }

    /// The buffer to write now, which then counts as being written.
    ///
    /// - Parameter isFlush: the one that fills may go as well, when no full one is ahead of it.
    mutating func next(isFlush: Bool) -> WriteBuffer? {
        guard !isWriting else { return nil }
        let first = full.first ?? (isFlush ? filling : nil)
        guard let buffer = first, isBeforeHorizon(buffer) else { return nil }
        if full.isEmpty { filling = nil } else { full.removeFirst() }
        isWriting = true
        return buffer
    }

    mutating func wrote(_ buffer: WriteBuffer) {
        stored = buffer.offset + Int64(buffer.count)
        failed(buffer)
    }

    mutating func failed(_ buffer: WriteBuffer) {
        isWriting = false
        pool.put(buffer)
    }

    private func isBeforeHorizon(_ buffer: WriteBuffer) -> Bool {
        horizon.map { buffer.offset + Int64(buffer.count) <= $0 } ?? true
    }

    // MARK: - Dropping

    /// Once nothing can prove them any more: by now another exchange may be bringing what belongs there.
    mutating func dropUnproven() {
        if let proven { drop { $0.offset >= proven } }
    }

    mutating func dropAll() { drop { _ in true } }

    private mutating func drop(where isDropped: (WriteBuffer) -> Bool) {
        for buffer in full + [filling].compactMap(\.self) where isDropped(buffer) { pool.put(buffer) }
        full.removeAll(where: isDropped)
        if let buffer = filling, isDropped(buffer) { filling = nil }
    }
}
