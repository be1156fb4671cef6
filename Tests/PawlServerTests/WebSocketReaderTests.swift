import Testing

@testable import PawlServer

@Suite struct `Frames of a WebSocket client` {
    private static let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    private func frame(_ first: UInt8, _ payload: [UInt8], isMasked: Bool = true) -> [UInt8] {
        let length: [UInt8] =
            switch payload.count {
            case ..<126: [UInt8(payload.count)]
            case ..<65536: [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
            default: [127] + (0..<8).map { UInt8(payload.count >> (56 - 8 * $0) & 0xFF) }
            }
        guard isMasked else { return [first] + length + payload }
        let masked = payload.enumerated().map { $1 ^ Self.mask[$0 & 3] }
        return [first, length[0] | 0x80] + length.dropFirst() + Self.mask + masked
    }

    private func read(
        _ bytes: [UInt8], by step: Int, limit: Int = 1 << 20, freely: Int = 1 << 20, permits: Bool = false
    ) -> [WebSocketReader.Event] {
        var reader = WebSocketReader(limit: limit, freely: freely)
        return stride(from: 0, to: bytes.count, by: step).flatMap { start in
            reader.take(Array(bytes[start..<min(start + step, bytes.count)])) { _ in permits }
        }
    }

    @Test(arguments: [1, 2, 7, 100, 1 << 20])
    func `messages, their parts and control frames come out alike however the bytes are cut`(_ step: Int) {
        let large = [UInt8](repeating: 7, count: 70_000)
        let middle = [UInt8](repeating: 8, count: 126)
        let bytes =
            frame(0x81, Array("one".utf8)) + frame(0x01, Array("two".utf8)) + frame(0x89, [9]) + frame(0x00, [])
            + frame(0x80, Array(" parts".utf8)) + frame(0x82, large) + frame(0x8A, []) + frame(0x82, middle)
            + frame(0x81, []) + frame(0x88, [3, 0xE8])
        #expect(
            read(bytes, by: step) == [
                .message(Array("one".utf8)), .ping([9]), .message(Array("two parts".utf8)), .message(large), .pong,
                .message(middle), .message([]), .close([3, 0xE8]),
            ])
    }

    @Test(arguments: [1, 1 << 20])
    func `a frame against the protocol ends the session, and nothing after it is read`(_ step: Int) {
        let wrong = [
            frame(0x81, [1], isMasked: false), frame(0xC1, []), frame(0xA1, []), frame(0x91, []), frame(0x83, []),
            frame(0x8B, []), frame(0x80, [1]), frame(0x01, [1]) + frame(0x81, [2]), frame(0x09, []),
            frame(0x89, [UInt8](repeating: 0, count: 126)),
        ]
        for bytes in wrong {
            #expect(read(bytes + frame(0x81, [1]), by: step) == [.violation(.protocolError)], "\(bytes.prefix(8))")
        }
        // By its first two bytes: there may be no more.
        for bytes in [[0x81, 0x02], [0xF1, 0x82], [0x85, 0x80], [0x80, 0x81], [0x89, 0xFE]] as [[UInt8]] {
            #expect(read(bytes, by: step) == [.violation(.protocolError)], "\(bytes)")
        }
    }

    @Test(arguments: [1, 2, 1 << 20])
    func `S32 nothing that comes after a close frame is read`(_ step: Int) {
        let begun = frame(0x01, Array("be".utf8))
        let late =
            frame(0x80, Array("gun".utf8)) + frame(0x81, [1]) + frame(0x89, [2]) + frame(0x88, []) + [0xFF, 0xFF]
        for reason in [[], [3, 0xE8], [3, 0xE8] + Array("done".utf8)] as [[UInt8]] {
            let close = frame(0x88, reason)
            #expect(read(frame(0x81, [0]) + close + late, by: step) == [.message([0]), .close(reason)])
            // Within a message, whose parts a control frame may come between (§5.4).
            #expect(read(begun + close + late, by: step) == [.close(reason)])
        }
    }

    @Test(arguments: [1, 100, 1 << 20])
    func `S16 a message that is larger than a stranger's is read on only with permission`(_ step: Int) {
        let small = [UInt8](repeating: 1, count: 100)
        let large = [UInt8](repeating: 2, count: 101)
        let inParts = frame(0x02, Array(large[..<60])) + frame(0x80, Array(large[60...]))
        for bytes in [frame(0x82, large), inParts] {
            let all = frame(0x82, small) + bytes + frame(0x82, small)
            #expect(read(all, by: step, freely: 100) == [.message(small), .violation(.tooLarge)])
            #expect(
                read(all, by: step, freely: 100, permits: true)
                    == [.message(small), .message(large), .message(small)])
        }
    }

    @Test(arguments: [1, 1 << 20])
    func `a message beyond the limit is refused by its length alone`(_ step: Int) {
        var head = frame(0x82, [UInt8](repeating: 0, count: 70_000))
        head.removeSubrange(14...)
        #expect(read(head, by: step, limit: 69_999, permits: true) == [.violation(.tooLarge)])
        let parts = frame(0x02, [UInt8](repeating: 0, count: 60)) + frame(0x80, [UInt8](repeating: 0, count: 41))
        #expect(read(parts, by: step, limit: 100, permits: true) == [.violation(.tooLarge)])
        // A length of 64 bits with the highest bit set.
        let huge = [0x82, 0xFF] + [UInt8](repeating: 0xFF, count: 8) + Self.mask
        #expect(read(huge, by: step, permits: true) == [.violation(.tooLarge)])
    }
}
