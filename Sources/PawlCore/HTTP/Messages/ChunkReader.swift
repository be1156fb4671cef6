/// Reads the frames of a chunked body (RFC 9112 §7.1), in pieces of any size. Extensions and trailers are passed over.
///
/// LF alone ends a line, and blanks may stand around a chunk's size, as some servers pad it.
struct ChunkReader: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case needsMore
        /// The number of bytes of content that begin at the index.
        case content(Int)
        case end
        case invalid(String)
    }

    private enum State: Hashable {
        /// Next: `content`, `trailers`.
        case size
        /// Next: `separator`.
        case content(remaining: Int64)
        /// The line break behind a chunk. Next: `size`.
        case separator
        case trailers
    }

    private var state = State.size
    private var line: [UInt8] = []
    private var trailersSize = 0
    private var trailersCount = 0
    /// No frame has strayed from the grammar so far.
    private(set) var isStrict = true

    /// Takes frames from `index` on, up to the next content or the end.
    mutating func read(_ bytes: UnsafeRawBufferPointer, from index: inout Int) -> Step {
        while index < bytes.count {
            if case .content(let remaining) = state {
                let count = Int(min(remaining, Int64(bytes.count - index)))
                state = remaining == Int64(count) ? .separator : .content(remaining: remaining - Int64(count))
                return .content(count)
            }
            let end = bytes[index...].firstIndex(of: .lineFeed)
            let next = end.map { $0 + 1 } ?? bytes.count
            line += bytes[index..<(end ?? next)]
            index = next
            if line.count + trailersSize > MessageBounds.largestChunkLine {
                return .invalid("a chunk line or trailer section of more than 16 KiB")
            }
            guard end != nil else { return .needsMore }
            if let step = endLine() { return step }
        }
        return .needsMore
    }

    private mutating func endLine() -> Step? {
        defer { line.removeAll(keepingCapacity: true) }
        var content = line[...]
        if content.last == .carriageReturn { content.removeLast() } else { isStrict = false }
        switch state {
        case .size:
            guard let size = Self.size(content) else { return .invalid("a chunk without a valid size") }
            if content.contains(where: ASCII.isBlank) { isStrict = false }
            state = size == 0 ? .trailers : .content(remaining: size)
        case .separator:
            guard content.isEmpty else { return .invalid("a chunk that is longer than its size") }
            state = .size
        case .trailers:
            if content.isEmpty { return .end }
            trailersSize += line.count
            trailersCount += 1
            if trailersCount > MessageBounds.maximumFields { return .invalid("more than 200 header fields") }
        case .content:
            // Proven: `read` returns content before it looks for a line.
            preconditionFailure("a line ended within the content of a chunk")
        }
        return nil
    }

    private static func size(_ line: ArraySlice<UInt8>) -> Int64? {
        if line.contains(where: { $0 == .carriageReturn || $0 == 0 }) { return nil }
        let begin = line.drop(while: ASCII.isBlank)
        let digits = begin.prefix { ASCII.hexValue($0) != nil }
        let rest = begin[digits.endIndex...].drop(while: ASCII.isBlank)
        guard !digits.isEmpty, rest.isEmpty || rest.first == UInt8(ascii: ";") else { return nil }
        var size: Int64 = 0
        for digit in digits {
            guard size <= Int64.max >> 4, let value = ASCII.hexValue(digit) else { return nil }
            size = size << 4 | Int64(value)
        }
        return size
    }
}
