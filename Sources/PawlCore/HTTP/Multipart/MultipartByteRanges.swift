/// Takes a `multipart/byteranges` body apart (RFC 9110 §14.6) as it comes, in pieces of any size, without keeping it.
///
/// Each part says by its `Content-Range` how long it is, so its bytes are counted and never searched for the boundary:
/// a file may hold anything. Between the parts more is accepted than the grammar allows, because servers send it: a
/// preamble, lines that end with LF alone, no final boundary, anything behind it. What would make the place of a byte
/// doubtful is an error.
package struct MultipartByteRanges: Sendable {
    package enum Problem: String, Error, Hashable, Sendable {
        case boundary = "multipart/byteranges without a usable boundary"
        case longLine = "a part header with a line that is too long"
        case manyLines = "a part header with too many lines"
        case contentRange = "a part without a usable Content-Range"
        case missingBoundary = "a part longer than its Content-Range"
        case manyParts = "more parts than requested"
        case cut = "a multipart body that ends within a part"
    }

    package enum Event: Hashable, Sendable {
        /// The header of a part was read; its bytes follow.
        case part(ByteRange, total: Int64?)
        /// Bytes of the part, which belong at this position of the file.
        case bytes(position: Int64, Range<Int>)
        /// All bytes of the part have come.
        case partEnded
        /// The final boundary was read; what follows is ignored.
        case ended
    }

    private enum State: Hashable, Sendable {
        /// Before the first boundary. Next: `header`, `over`.
        case preamble
        /// In the header of a part. Next: `body`.
        case header
        /// Next: `delimiter`.
        case body
        /// Behind the bytes of a part, where a line break and the boundary follow. Next: `header`, `over`.
        case delimiter
        case over
    }

    private static let maximumLineLength = 4096
    private static let maximumLines = 64
    private let delimiter: [UInt8]
    private let maximumParts: Int
    private var state = State.preamble
    private var line: [UInt8] = []
    private var lines = 0
    private var range: ByteRange?
    private var total: Int64?
    private var position: Int64 = 0
    private var end: Int64 = 0
    package private(set) var parts = 0
    /// The final boundary was read.
    package var isOver: Bool { state == .over }

    /// - Parameters:
    ///   - contentType: the value of the field, whose parameter is the boundary, as a token or quoted (RFC 2046
    ///     §5.1.1).
    ///   - maximumParts: more than these are an error.
    package init(contentType: String, maximumParts: Int) throws(Problem) {
        guard Self.isMultipart(contentType), let boundary = Self.boundary(in: contentType),
            (1...70).contains(boundary.count)
        else {
            throw .boundary
        }
        delimiter = Array("--".utf8) + boundary
        self.maximumParts = maximumParts
    }

    package static func isMultipart(_ contentType: String) -> Bool {
        let type = Substring(contentType.utf8.prefix { $0 != UInt8(ascii: ";") }).lowercased()
        let bytes = ASCII.trimmingBlanks(Array(type.utf8)[...])
        // The name that Apache httpd uses in answer to Request-Range.
        return ["multipart/byteranges", "multipart/x-byteranges"].contains(String(decoding: bytes, as: UTF8.self))
    }

    private static func boundary(in contentType: String) -> [UInt8]? {
        var rest = Array(contentType.utf8)[...]
        guard let semicolon = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
        rest = rest[(semicolon + 1)...]
        while !rest.isEmpty {
            let name = ASCII.trimmingBlanks(rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") })
            rest = rest.drop { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
            var value: [UInt8] = []
            if rest.first == UInt8(ascii: "=") {
                rest = rest.dropFirst().drop(while: ASCII.isBlank)
                value =
                    rest.first == UInt8(ascii: "\"") ? quoted(&rest) : Array(rest.prefix { $0 != UInt8(ascii: ";") })
                rest = rest.drop { $0 != UInt8(ascii: ";") }
            }
            if name.elementsEqual("boundary".utf8) || String(decoding: name, as: UTF8.self).lowercased() == "boundary" {
                let trimmed = Array(ASCII.trimmingBlanks(value[...]))
                return trimmed.contains { $0 < 0x20 || $0 > 0x7E } ? nil : trimmed
            }
            rest = rest.dropFirst()
        }
        return nil
    }

    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        var value: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            guard byte == UInt8(ascii: "\\") else {
                value.append(byte)
                continue
            }
            if let escaped = rest.popFirst() { value.append(escaped) }
        }
        return value
    }

    // MARK: Reading

    /// Parses up to the next event and returns how far it has read. Nil: all input was consumed without an event.
    package mutating func next(
        in bytes: UnsafeRawBufferPointer, from start: Int
    ) throws(Problem) -> (event: Event, end: Int)? {
        var index = start
        while index < bytes.count {
            if state == .over { return nil }
            if state == .body {
                let count = Int(min(Int64(bytes.count - index), end - position))
                guard count > 0 else {
                    state = .delimiter
                    return (.partEnded, index)
                }
                defer { position += Int64(count) }
                return (.bytes(position: position, index..<index + count), index + count)
            }
            let byte = bytes[index]
            index += 1
            guard byte == UInt8(ascii: "\n") else {
                guard line.count < Self.maximumLineLength else {
                    throw state == .delimiter ? .missingBoundary : .longLine
                }
                line.append(byte)
                // The last line of all may end with the body and without a break.
                if state != .header, line.count == delimiter.count + 2, line.starts(with: delimiter),
                    line.hasSuffix("--")
                {
                    state = .over
                    line = []
                    return (.ended, index)
                }
                continue
            }
            if let event = try endedLine() { return (event, index) }
        }
        // A part of which nothing more is to come is over, also where the body ends right there.
        if state == .body, position == end {
            state = .delimiter
            return (.partEnded, index)
        }
        return nil
    }

    /// No more bytes come. The final boundary may be missing; a part may not.
    package func finish() throws(Problem) {
        switch state {
        case .over, .delimiter: return
        case .preamble, .header, .body: throw .cut
        }
    }

    private mutating func endedLine() throws(Problem) -> Event? {
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        defer { line = [] }
        switch state {
        case .preamble, .delimiter:
            guard isBoundary else {
                // Of a part's own line break nothing is left but an empty line.
                guard state == .preamble || line.isEmpty else { throw .missingBoundary }
                lines += 1
                guard lines <= Self.maximumLines else { throw state == .delimiter ? .missingBoundary : .manyLines }
                return nil
            }
            parts += 1
            guard parts <= maximumParts else { throw .manyParts }
            (state, lines, range, total) = (.header, 0, nil, nil)
            return nil
        case .header:
            lines += 1
            guard lines <= Self.maximumLines else { throw .manyLines }
            guard line.isEmpty else {
                try readField()
                return nil
            }
            guard let range else { throw .contentRange }
            (state, position, end, lines) = (.body, range.start, range.end, 0)
            return .part(range, total: total)
        case .body, .over: return nil
        }
    }

    /// RFC 2046 §5.1.1: blanks may follow the boundary on its line.
    private var isBoundary: Bool {
        line.starts(with: delimiter) && line[delimiter.count...].allSatisfy(ASCII.isBlank)
    }

    private mutating func readField() throws(Problem) {
        // A line that begins with a blank goes on with the field before it, and none that matters is ever folded.
        guard let first = line.first, !ASCII.isBlank(first), let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            return
        }
        let name = String(decoding: ASCII.trimmingBlanks(line[..<colon]), as: UTF8.self).lowercased()
        guard name == "content-range" else { return }
        let value = String(decoding: ASCII.trimmingBlanks(line[(colon + 1)...]), as: UTF8.self)
        guard range == nil, case .range(let found, let foundTotal)? = try? ContentRange(parsing: value) else {
            throw .contentRange
        }
        (range, total) = (found, foundTotal)
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
