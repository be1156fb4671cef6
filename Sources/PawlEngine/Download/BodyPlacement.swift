import PawlCore

/// The placement of the bytes of one body: what they must begin with, where each of them is stored, and where they end.
struct BodyPlacement: Sendable {
    /// An answer with several parts: how to take it apart, and what is expected.
    struct Parts: Sendable {
        /// The number of bytes read after the last boundary before reading stops.
        static let maximumEpilogueLength = 4096
        var reader: MultipartByteRanges
        var order: PartOrder
        /// The end of the part being received.
        fileprivate var partEnd: Int64?
        fileprivate var epilogue = 0

        init(reader: MultipartByteRanges, order: PartOrder) {
            self.reader = reader
            self.order = order
        }
    }

    /// The position of the next byte to arrive.
    private(set) var position: Int64
    /// Bytes from here on are dropped; nil: all that comes is stored.
    var end: Int64?
    /// The position at which the response itself ends, so that the connection can be kept for another request; nil if
    /// it goes on.
    private let messageEnd: Int64?
    private var overlapLeft: ArraySlice<UInt8>
    private var parts: Parts?

    /// - Parameters:
    ///   - position: where the first byte after the overlap is stored.
    ///   - overlap: the bytes held just before `position`, which the body must begin with.
    ///   - endsWithMessage: the response itself ends at `end`.
    init(position: Int64, end: Int64?, overlap: [UInt8] = [], endsWithMessage: Bool, parts: Parts? = nil) {
        self.position = position
        self.end = end
        messageEnd = endsWithMessage ? end : nil
        overlapLeft = overlap[...]
        self.parts = parts
    }

    /// Everything that belongs here has come.
    var isComplete: Bool { overlapLeft.isEmpty && hasReachedEnd }

    var hasReachedEnd: Bool { end.map { position >= $0 } ?? false }

    /// Bytes from here on may be boundary and header in place of content until the boundary behind their part has shown
    /// that the part was as long as it said, so nobody is told that they are stored. Nil when there are no parts.
    var firstUnproven: Int64? { parts == nil ? nil : position }

    /// Queues the bytes that belong here. Answers why the exchange is over if it now is.
    ///
    /// - Parameter memory: what they were received into, if it can be kept.
    mutating func place(
        _ body: UnsafeRawBufferPointer, memory: (any ReceivedMemory)?, in queue: inout WriteQueue
    ) -> StreamEnd? {
        if parts != nil { return placeParts(body, memory, in: &queue) }
        var rest = body[...]
        if !overlapLeft.isEmpty {
            let count = min(rest.count, overlapLeft.count)
            guard rest.prefix(count).elementsEqual(overlapLeft.prefix(count)) else { return .overlapDiffers }
            overlapLeft = overlapLeft.dropFirst(count)
            rest = rest.dropFirst(count)
        }
        let wanted = end.map { max(0, $0 - position) } ?? .max
        let excess = Int64(rest.count) > wanted
        append(excess ? rest.prefix(Int(wanted)) : rest, memory, to: &queue)
        guard isComplete else { return nil }
        // Without excess the message may end right here, and then the connection is worth keeping.
        return !excess && end == messageEnd ? nil : .boundReached
    }

    private mutating func append(
        _ bytes: Slice<UnsafeRawBufferPointer>, _ memory: (any ReceivedMemory)?, to queue: inout WriteQueue
    ) {
        queue.append(bytes, in: memory, at: position, expectedEnd: parts?.partEnd ?? end)
        position += Int64(bytes.count)
    }

    /// The bytes of each part go to their place; what stands between parts is read and dropped.
    private mutating func placeParts(
        _ body: UnsafeRawBufferPointer, _ memory: (any ReceivedMemory)?, in queue: inout WriteQueue
    ) -> StreamEnd? {
        var index = 0
        do throws(MultipartByteRanges.Problem) {
            while let (event, end) = try parts?.reader.next(in: body, from: index) {
                index = end
                switch event {
                case .part(let range, let total):
                    queue.prove(upTo: position)
                    guard parts?.order.admits(range, total: total) ?? false else {
                        return .failed(TransportError(.malformed, "a part that was not requested, or is out of place"))
                    }
                    queue.completeBuffer()
                    position = range.start
                    parts?.partEnd = range.end
                case .bytes(_, let slice): append(body[slice], memory, to: &queue)
                case .partEnded: break
                case .ended: queue.prove(upTo: position)
                }
            }
            return endAfterParts(unread: body.count - index)
        } catch {
            return .failed(TransportError(.malformed, error.rawValue))
        }
    }

    /// Everything has arrived. A message that ends soon leaves a reusable connection.
    private mutating func endAfterParts(unread: Int) -> StreamEnd? {
        guard parts?.reader.isOver ?? false else { return nil }
        parts?.epilogue += unread
        return parts.map { $0.epilogue > Parts.maximumEpilogueLength } ?? false ? .boundReached : nil
    }
}
