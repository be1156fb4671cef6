import PawlCore

extension SegmentWriter {
    /// The state of one exchange's body: what has arrived, where it belongs, and the buffers that hold it until it is written.
    struct State {
        let pool: BufferPool
        var exchange: (any Exchange)?
        var target: Target?
        var overlapLeft: ArraySlice<UInt8> = []
        /// Where the next byte to arrive belongs.
        var position: Int64 = 0
        var end: Int64?
        var parts: Parts?
        var horizon: Int64?
        var stored: Int64 = 0
        var received: Int64 = 0
        var filling: WriteBuffer?
        var full: [WriteBuffer] = []
        var isWriting = false
        var isHeldByDisk = false
        /// Received, but not yet allowed by the limit: the rest of one part of the body.
        var unpaid: [UInt8] = []
        /// A part is being taken from the limit, which may say "go on" before the rest is put down as unpaid.
        var isTaking = false
        var mayResume = false
        /// Set once: why this exchange is over, whatever the transport says afterwards.
        var verdict: StreamEnd?
        var transportEnded = false
        /// Whatever the verdict: what a reader has no room for yet is not to be kept for it.
        var isUnwanted = false
        var endReported = false
        var hasher: BlockHasher?
        var hashedBlocks: [(index: Int64, hash: UInt64)] = []
        var storageFailed = false

        /// How far this exchange has brought what belongs here.
        var claimed: Int64 { min(stored, parts?.proven ?? .max) }
    }
}

extension SegmentWriter.State {
    /// Takes the part of the bytes that belongs here. Answers why the exchange is over if it now is.
    mutating func accept(_ body: UnsafeRawBufferPointer) -> StreamEnd? {
        if parts != nil { return acceptParts(body) }
        var rest = body[...]
        if !overlapLeft.isEmpty {
            let count = min(rest.count, overlapLeft.count)
            guard rest.prefix(count).elementsEqual(overlapLeft.prefix(count)) else { return .overlapDiffers }
            overlapLeft = overlapLeft.dropFirst(count)
            rest = rest.dropFirst(count)
        }
        let wanted = end.map { max(0, $0 - position) } ?? .max
        let excess = Int64(rest.count) > wanted
        if excess { rest = rest.prefix(Int(wanted)) }
        gather(rest)
        guard let end = end, position >= end, overlapLeft.isEmpty else { return nil }
        // Without excess the message may end right here, and then the connection is worth keeping.
        let endsWithMessage = !excess && target?.endsWithMessage ?? false && end == target?.end
        return endsWithMessage ? nil : .boundReached
    }

    private mutating func gather(_ bytes: Slice<UnsafeRawBufferPointer>) {
        var rest = bytes
        while !rest.isEmpty {
            let buffer = filling ?? startBuffer()
            let count = min(rest.count, buffer.room)
            buffer.append(UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
            rest = rest.dropFirst(count)
            position += Int64(count)
            if buffer.room == 0 { completeBuffer() }
        }
    }

    private mutating func completeBuffer() {
        guard let buffer = filling else { return }
        full.append(buffer)
        filling = nil
    }

    /// The bytes of each part go to their place; what stands between parts is read and dropped.
    private mutating func acceptParts(_ body: UnsafeRawBufferPointer) -> StreamEnd? {
        var index = 0
        do throws(MultipartByteRanges.Problem) {
            while let (event, end) = try parts?.reader.next(in: body, from: index) {
                index = end
                switch event {
                case .part(let range, let total):
                    parts?.proven = position
                    guard parts?.order.admits(range, total: total) ?? false else {
                        return .failed(TransportError(.malformed, "a part that was not asked for, or not here"))
                    }
                    completeBuffer()
                    position = range.start
                    parts?.partEnd = range.end
                case .bytes(_, let slice): gather(body[slice])
                case .partEnded: break
                case .ended: parts?.proven = position
                }
            }
            guard parts?.reader.isOver ?? false else { return nil }
            parts?.epilogue += body.count - index
            // Everything has arrived. A message that ends soon leaves a reusable connection.
            return parts.map { $0.epilogue > SegmentWriter.Parts.maximumEpilogueLength } ?? false ? .boundReached : nil
        } catch {
            return .failed(TransportError(.malformed, error.rawValue))
        }
    }

    private mutating func startBuffer() -> WriteBuffer {
        let buffer = pool.take(for: (parts?.partEnd ?? end).map { $0 - position })
        buffer.offset = position
        filling = buffer
        return buffer
    }

    /// Of an exchange that is over: what no boundary has shown to be a part is not written. By now another may be bringing what belongs there.
    mutating func dropUnproven() {
        guard let proven = parts?.proven else { return }
        for buffer in full + [filling].compactMap(\.self) where buffer.offset >= proven { pool.put(buffer) }
        full.removeAll { $0.offset >= proven }
        if let buffer = filling, buffer.offset >= proven { filling = nil }
    }

    /// Returns all unwritten buffers: the pool counts those it lends.
    mutating func dropBuffers() {
        for buffer in full + [filling].compactMap(\.self) { pool.put(buffer) }
        full = []
        filling = nil
    }

    func isBeforeHorizon(_ buffer: WriteBuffer) -> Bool {
        horizon.map { buffer.offset + Int64(buffer.count) <= $0 } ?? true
    }

    /// Both buffers are taken.
    var isFull: Bool {
        guard let next = full.first else { return false }
        return isWriting || !isBeforeHorizon(next)
    }

    mutating func nextJob() -> WriteBuffer? {
        guard !isWriting, !storageFailed, let buffer = full.first, isBeforeHorizon(buffer) else { return nil }
        full.removeFirst()
        isWriting = true
        return buffer
    }
}
