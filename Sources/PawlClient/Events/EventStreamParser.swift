/// Reads an event stream (WHATWG HTML, "Server-sent events") from pieces of any length.
package struct EventStreamParser: Sendable {
    package struct Message: Hashable, Sendable {
        /// `message` if the stream names none.
        package var name: String
        package var data: String
        /// The latest id of the stream so far, this message's included; nil before the first.
        package var id: String?
    }

    /// The stream has an event that is longer than allowed.
    package struct TooLong: Error, Hashable {}

    private let maximumBytes: Int
    private var line: [UInt8] = []
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var id: String?
    /// The next line feed belongs to the carriage return before it.
    private var endsWithReturn = false
    private var isFirstLine = true

    /// - Parameter maximumBytes: of one event.
    package init(maximumBytes: Int = 16 << 20) { self.maximumBytes = maximumBytes }

    package mutating func feed(_ bytes: some Sequence<UInt8>) throws(TooLong) -> [Message] {
        var messages: [Message] = []
        for byte in bytes {
            let followsReturn = endsWithReturn
            endsWithReturn = byte == UInt8(ascii: "\r")
            if byte == UInt8(ascii: "\n"), followsReturn { continue }
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                if let message = takeLine() { messages.append(message) }
                line.removeAll(keepingCapacity: true)
            } else {
                guard line.count + data.count < maximumBytes else { throw TooLong() }
                line.append(byte)
            }
        }
        return messages
    }

    private mutating func takeLine() -> Message? {
        defer { isFirstLine = false }
        // A byte order mark may begin the stream.
        let line = isFirstLine && line.starts(with: [0xEF, 0xBB, 0xBF]) ? line[3...] : line[...]
        guard !line.isEmpty else { return dispatch() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": name = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(UInt8(ascii: "\n")) }
            data += value
            hasData = true
        case "id": if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        // Comments have no name, "retry" is for the reader to decide, and other fields are to be ignored.
        default: break
        }
        return nil
    }

    private mutating func dispatch() -> Message? {
        defer {
            name = ""
            data = []
            hasData = false
        }
        guard hasData else { return nil }
        return Message(name: name.isEmpty ? "message" : name, data: String(decoding: data, as: UTF8.self), id: id)
    }
}
