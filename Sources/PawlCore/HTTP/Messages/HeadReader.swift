/// Reads the head of the final response from bytes, in pieces of any size. Interim responses are skipped.
///
/// A head is parsed as leniently as curl parses it wherever it can have one meaning only: LF alone ends a line, a
/// folded line continues its field (RFC 9112 §5.2), a blank before a colon belongs to no name, and a line that is no
/// field, such as a warning that a script printed, is skipped. `isStrict` tells whether any of this was necessary. A CR
/// or NUL within a line, and a `Transfer-Encoding` in disguise, could make two messages of one, and are refused.
struct HeadReader: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case needsMore
        case head(ResponseHead, isStrict: Bool)
        case invalid(String)
    }

    /// The beginning of a line whose end has not come.
    private var line: [UInt8] = []
    private var sectionSize = 0
    private var start: StatusLine?
    private var fields: [HTTPField] = []
    /// The last line was a field, which a folded line continues.
    private var mayContinue = false
    private var isStrict = true
    private var interimResponses = 0
    /// Whether an interim response was 100.
    private(set) var isContinued = false

    /// Takes bytes from `index` on, up to the end of the head.
    mutating func read(_ bytes: UnsafeRawBufferPointer, from index: inout Int) -> Step {
        while index < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[index...])
            let end = rest.firstIndex(of: .lineFeed)
            let part = UnsafeRawBufferPointer(rebasing: rest[..<(end ?? rest.count)])
            let count = end.map { $0 + 1 } ?? rest.count
            sectionSize += count
            index += count
            if sectionSize > MessageBounds.largestSection { return .invalid("a header section of more than 256 KiB") }
            guard end != nil, line.isEmpty else {
                line += part
                guard end != nil else { break }
                let whole = line
                line = []
                if let step = whole.withUnsafeBytes({ take(line: $0) }) { return step }
                continue
            }
            if let step = take(line: part) { return step }
        }
        // Not every server that speaks another protocol ends its first line, or waits for ours.
        if start == nil, !StatusLine.mayBegin(with: line) { return Self.noStatusLine(line) }
        return .needsMore
    }

    /// The first bytes of servers of other protocols, met where a port or a scheme is wrong.
    private static let otherProtocols: [([UInt8], String)] = [
        ([0x15, 0x03], "the server speaks TLS on this port: use https://"),
        ([0x16, 0x03], "the server speaks TLS on this port: use https://"),
        (Array("SSH-".utf8), "an SSH server answered"), (Array("220".utf8), "an FTP or mail server answered"),
    ]

    private static func noStatusLine(_ line: some Sequence<UInt8>) -> Step {
        let other = otherProtocols.first { line.starts(with: $0.0) }
        return .invalid("no HTTP status line" + (other.map { " (\($0.1))" } ?? ""))
    }

    private mutating func take(line: UnsafeRawBufferPointer) -> Step? {
        var count = line.count
        if count > 0, line[count - 1] == .carriageReturn { count -= 1 } else { isStrict = false }
        let content = UnsafeRawBufferPointer(rebasing: line[..<count])
        var bits: UInt8 = 0
        for byte in content {
            if byte == .carriageReturn || byte == 0 {
                return .invalid("a CR or NUL within a line of the header section")
            }
            bits |= byte
        }
        guard let start else {
            // As every parser of note does, skips empty lines that a server sent behind an earlier message.
            if content.isEmpty { return nil }
            start = StatusLine(Array(content)[...])
            return start == nil ? Self.noStatusLine(line) : nil
        }
        if content.isEmpty {
            // 101 is the last word in HTTP on a connection, and so a final one (RFC 9110 §15.2.2).
            guard (100..<200).contains(start.status), start.status != 101 else {
                let head = ResponseHead(status: start.status, fields: fields, isHTTP10: start.isHTTP10)
                return .head(head, isStrict: isStrict)
            }
            if start.status == 100 { isContinued = true }
            return skipInterimResponse()
        }
        return take(field: content, isASCII: bits < 0x80)
    }

    private mutating func skipInterimResponse() -> Step? {
        interimResponses += 1
        guard interimResponses <= MessageBounds.maximumInterimResponses else {
            return .invalid("more than \(MessageBounds.maximumInterimResponses) interim responses")
        }
        (start, fields, sectionSize, mayContinue) = (nil, [], 0, false)
        return nil
    }

    // MARK: - Fields

    private mutating func take(field content: UnsafeRawBufferPointer, isASCII: Bool) -> Step? {
        let colon = content.firstIndex(of: UInt8(ascii: ":"))
        if !ASCII.isBlank(content[0]), let colon {
            let name = ASCII.trimmingBlanks(content[..<colon])
            if !name.isEmpty, name.allSatisfy(ASCII.isTokenByte) {
                if name.endIndex != colon { isStrict = false }
                let value = UnsafeRawBufferPointer(rebasing: ASCII.trimmingBlanks(content[(colon + 1)...]))
                let text = String(decoding: UnsafeRawBufferPointer(rebasing: name), as: UTF8.self)
                return append(
                    HTTPField(text, isASCII ? String(decoding: value, as: UTF8.self) : Self.text(value, of: text)))
            }
        }
        isStrict = false
        if let colon, Self.isDisguised(content[..<colon]) { return .invalid("a malformed Transfer-Encoding field") }
        guard ASCII.isBlank(content[0]), mayContinue, let last = fields.popLast() else {
            mayContinue = false
            return nil
        }
        let text = Self.text(UnsafeRawBufferPointer(rebasing: ASCII.trimmingBlanks(content[...])), of: last.name)
        let value = [last.value, text].filter { !$0.isEmpty }.joined(separator: " ")
        return append(HTTPField(last.name, value))
    }

    private mutating func append(_ field: HTTPField) -> Step? {
        guard field.name.utf8.count + field.value.utf8.count <= MessageBounds.largestField else {
            return .invalid("a header field of more than 64 KiB")
        }
        guard fields.count < MessageBounds.maximumFields else { return .invalid("more than 200 header fields") }
        fields.append(field)
        mayContinue = true
        return nil
    }

    /// Whether another recipient could take `name` for that of the field by which a body may be framed, so that frames
    /// would be stored as content.
    private static func isDisguised(_ name: Slice<UnsafeRawBufferPointer>) -> Bool {
        name.lazy.filter(ASCII.isLetter).map(ASCII.lowercased).elementsEqual("transferencoding".utf8)
    }

    /// UTF-8, or ISO 8859-1, which servers sent before it (RFC 9110 §5.5). A URI keeps its bytes.
    private static func text(_ bytes: UnsafeRawBufferPointer, of name: String) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        if HTTPField(name, "").isNamed("location") { return String(systemBytes: bytes) }
        return String(latin1: Array(bytes))
    }
}

extension UInt8 {
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
}
