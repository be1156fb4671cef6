/// Reads the responses that come over one HTTP/1.1 connection, one for each request (RFC 9112), from bytes in pieces of
/// any size. Content is not copied, only counted.
package struct ResponseReader: Sendable {
    package enum Part: Hashable, Sendable {
        /// The head of the final response. Interim ones are passed over.
        case head(ResponseHead)
        /// The last so many of the bytes that were taken; frames come before them.
        case content(Int)
        /// The response is complete.
        ///
        /// - Parameter mayPersist: the connection can carry another exchange (RFC 9112 §9.3).
        case end(mayPersist: Bool)
        /// A response that breaks the rules, in words. The connection is of no use any more.
        case invalid(String)
    }

    private enum State: Hashable {
        /// Next: `length`, `chunked`, `untilClose`, `broken`.
        case head(HeadReader)
        /// Next: `over`.
        case length(remaining: Int64)
        /// Next: `over`, `broken`.
        case chunked(ChunkReader)
        case untilClose
        /// Next: `head`, with the next request.
        case over
        case broken
    }

    private var state = State.over
    private var isHead = false
    private var mayPersist = false

    package init() {}

    /// Expects the response to the next request.
    ///
    /// - Parameter isHead: the request's method is HEAD, so that no content follows whatever the fields say.
    package mutating func begin(isHead: Bool) {
        self.isHead = isHead
        state = .head(HeadReader())
    }

    /// Whether the server has said that it wants the content of the request (RFC 9110 §15.2.1), and no more yet.
    package var isContinued: Bool {
        if case .head(let reader) = state { reader.isContinued } else { false }
    }

    /// Whether the response is complete if the connection is closed now: only that tells where its content ends.
    package var isCompleteAtClose: Bool { state == .untilClose }

    /// Takes bytes up to the end of the next part. A part may take none.
    ///
    /// - Returns: how many bytes were taken, and the part; nil if it needs more than `bytes` has.
    package mutating func read(_ bytes: UnsafeRawBufferPointer) -> (count: Int, part: Part?) {
        var index = 0
        switch state {
        case .head(let reader):
            let part = readHead(reader, bytes, &index)
            if case .invalid = part { state = .broken }
            return (index, part)
        case .length(remaining: 0):
            state = .over
            return (0, .end(mayPersist: mayPersist))
        case .length(let remaining):
            let count = Int(min(remaining, Int64(bytes.count)))
            state = .length(remaining: remaining - Int64(count))
            return (count, count == 0 ? nil : .content(count))
        case .chunked(let reader):
            return readChunk(reader, bytes)
        case .untilClose:
            return (bytes.count, bytes.isEmpty ? nil : .content(bytes.count))
        case .over, .broken:
            return (bytes.count, bytes.isEmpty ? nil : .invalid("a response that was not requested"))
        }
    }

    private mutating func readHead(
        _ reader: HeadReader, _ bytes: UnsafeRawBufferPointer, _ index: inout Int
    ) -> Part? {
        // The state must hold no second copy of the reader while it reads.
        state = .over
        var reader = reader
        switch reader.read(bytes, from: &index) {
        case .needsMore:
            state = .head(reader)
            return nil
        case .invalid(let detail):
            return .invalid(detail)
        case .head(let head, let isStrict):
            begin(head, isStrict: isStrict)
            return .head(head)
        }
    }

    private mutating func begin(_ head: ResponseHead, isStrict: Bool) {
        // A head that had to be interpreted may have meant something else, so nothing that follows it is trusted.
        mayPersist = isStrict && head.mayPersist && head.status != 101
        guard !isHead, ![101, 204, 304].contains(head.status) else { return state = .length(remaining: 0) }
        switch BodyFraming(head.fields) {
        case .length(let count): state = .length(remaining: count)
        case .chunked: state = .chunked(ChunkReader())
        // The rule refuses the content of an invalid one, and nothing can follow it.
        case .untilClose, .invalid: state = .untilClose
        }
    }

    private mutating func readChunk(_ reader: ChunkReader, _ bytes: UnsafeRawBufferPointer) -> (Int, Part?) {
        var (reader, index) = (reader, 0)
        state = .over
        switch reader.read(bytes, from: &index) {
        case .content(let count):
            state = .chunked(reader)
            return (index + count, .content(count))
        case .needsMore:
            state = .chunked(reader)
            return (index, nil)
        case .end:
            return (index, .end(mayPersist: mayPersist && reader.isStrict))
        case .invalid(let detail):
            state = .broken
            return (index, .invalid(detail))
        }
    }
}

extension ResponseHead {
    /// Whether the server keeps the connection open behind this response (RFC 9112 §9.3).
    fileprivate var mayPersist: Bool {
        // Chunks are not of HTTP/1.0, so that one of two parties may not see them (RFC 9112 §6.1).
        if isHTTP10, fields.first("transfer-encoding") != nil { return false }
        let options = fields.members("connection")
        let isClosed = options.contains { $0.isExactly("close") }
        return isHTTP10 ? options.contains { $0.isExactly("keep-alive") } && !isClosed : !isClosed
    }
}
