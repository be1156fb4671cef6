/// Takes the frames of a WebSocket client apart (RFC 6455 §5): bytes go in, whole messages and control frames come out.
struct WebSocketReader {
    enum Event: Hashable {
        case message([UInt8])
        case ping([UInt8])
        case pong
        /// The client ends the session; its reason goes back. Nothing is read any more (§5.5.1).
        case close([UInt8])
        /// The client breaks the protocol or a bound. Nothing is read any more.
        case violation(Violation)
    }

    /// The reasons for ending a session, by their status codes (§7.4.1).
    enum Violation: UInt16 {
        case protocolError = 1002, tooLarge = 1009

        /// The payload of the close frame.
        var reason: [UInt8] { [UInt8(rawValue >> 8), UInt8(rawValue & 0xFF)] }
    }

    private enum Opcode: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue >= Opcode.close.rawValue }
    }

    /// The frame whose payload is being read.
    private struct Frame {
        var opcode: Opcode
        var isFinal: Bool
        var length: Int
        var mask: ArraySlice<UInt8>
        var received = 0
    }

    /// The largest payload of a control frame (§5.5).
    private static let maximumControl = 125

    /// The largest message, in bytes.
    let limit: Int
    /// The largest message that needs no permission, in bytes.
    let freely: Int

    /// The bytes of a frame's head that is not whole.
    private var head: [UInt8] = []
    private var frame: Frame?
    /// The message that is being read, over several frames; nil between messages.
    private var message: [UInt8]?
    private var isPermitted = false
    private var control: [UInt8] = []
    private var isOver = false

    init(limit: Int, freely: Int) { (self.limit, self.freely) = (limit, freely) }

    /// Takes bytes as they come.
    ///
    /// - Parameter permits: asked once for a message that is larger than ``freely``, with its beginning.
    mutating func take(_ bytes: [UInt8], permits: (ArraySlice<UInt8>) -> Bool) -> [Event] {
        var events: [Event] = []
        var rest = bytes[...]
        while !isOver {
            if frame == nil {
                guard takeHead(&rest, &events) else { break }
            }
            takePayload(&rest)
            if let count = message?.count, count > freely, !isPermitted, let message {
                isPermitted = permits(message[...])
                if !isPermitted { violate(.tooLarge, &events) }
            }
            guard let ended = frame, ended.received == ended.length else { break }
            end(ended, &events)
        }
        return events
    }

    private mutating func violate(_ violation: Violation, _ events: inout [Event]) {
        (isOver, frame, message, head, control) = (true, nil, nil, [], [])
        events.append(.violation(violation))
    }

    /// - Returns: false if the head is not whole yet, or wrong.
    private mutating func takeHead(_ rest: inout ArraySlice<UInt8>, _ events: inout [Event]) -> Bool {
        while let byte = rest.popFirst() {
            head.append(byte)
            guard head.count >= 2 else { continue }
            // Before the rest, which a client that means something else would not send.
            if head.count == 2, !isInOrder(head[0], head[1]) {
                violate(.protocolError, &events)
                return false
            }
            let lengthBytes = [126: 2, 127: 8][head[1] & 0x7F] ?? 0
            guard head.count == 2 + lengthBytes + 4 else { continue }
            let numbers = lengthBytes == 0 ? [head[1] & 0x7F] : head[2..<(2 + lengthBytes)]
            // The first bit of a length of 64 is 0 (§5.2); such a length is refused in any case.
            let length = numbers.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let (first, mask) = (head[0], head[(2 + lengthBytes)...])
            head = []
            return begin(first, length, mask, &events)
        }
        return false
    }

    /// A client masks its frames (§5.1), uses no bit and no opcode that was not agreed upon (§5.2), keeps control
    /// frames short and in one piece (§5.5), and begins a message only after the one before (§5.4).
    private func isInOrder(_ first: UInt8, _ second: UInt8) -> Bool {
        guard second & 0x80 != 0, first & 0x70 == 0, let opcode = Opcode(rawValue: first & 0x0F) else { return false }
        guard !opcode.isControl else { return first & 0x80 != 0 && second & 0x7F <= Self.maximumControl }
        return (opcode == .continuation) == (message != nil)
    }

    private mutating func begin(
        _ first: UInt8, _ length: UInt64, _ mask: ArraySlice<UInt8>, _ events: inout [Event]
    ) -> Bool {
        guard let opcode = Opcode(rawValue: first & 0x0F) else { return false }
        guard length <= UInt64(limit - (opcode.isControl ? 0 : message?.count ?? 0)) else {
            violate(.tooLarge, &events)
            return false
        }
        if !opcode.isControl, message == nil { (message, isPermitted) = ([], false) }
        frame = Frame(opcode: opcode, isFinal: first & 0x80 != 0, length: Int(length), mask: mask)
        return true
    }

    private mutating func takePayload(_ rest: inout ArraySlice<UInt8>) {
        guard var frame else { return }
        let (part, mask) = (rest.prefix(frame.length - frame.received), Array(frame.mask))
        var position = frame.received
        let plain = part.map { byte in
            defer { position += 1 }
            return byte ^ mask[position & 3]
        }
        if frame.opcode.isControl { control += plain } else { message?.append(contentsOf: plain) }
        frame.received = position
        self.frame = frame
        rest = rest.dropFirst(part.count)
    }

    private mutating func end(_ ended: Frame, _ events: inout [Event]) {
        frame = nil
        switch ended.opcode {
        case .text, .binary, .continuation:
            guard ended.isFinal, let whole = message else { return }
            message = nil
            events.append(.message(whole))
        case .ping: events.append(.ping(control))
        case .pong: events.append(.pong)
        case .close:
            events.append(.close(control))
            (isOver, message) = (true, nil)
        }
        control = []
    }
}
