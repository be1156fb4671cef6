import Testing

@testable import PawlClient

@Suite struct EventStreamParserTests {
    private typealias Message = EventStreamParser.Message

    /// Whole, and byte by byte: where a piece ends says nothing.
    private func expect(_ text: String, _ messages: [Message], _ location: SourceLocation = #_sourceLocation) throws {
        var whole = EventStreamParser()
        #expect(try whole.feed(text.utf8) == messages, sourceLocation: location)
        var bytewise = EventStreamParser()
        var found: [Message] = []
        for byte in text.utf8 { found += try bytewise.feed([byte]) }
        #expect(found == messages, sourceLocation: location)
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `lines may end in three ways`(end: String) throws {
        let text = ["event: change", "id: 7", "data: {}", "", "data: later", "", ""].joined(separator: end)
        // The very last end of line is two of these where one character could belong to either.
        try expect(
            text, [Message(name: "change", data: "{}", id: "7"), Message(name: "message", data: "later", id: "7")])
    }

    @Test func `comments keep the connection awake and say nothing`() throws {
        try expect(": awake\n\n:\n\ndata: x\n: within\n\n", [Message(name: "message", data: "x", id: nil)])
    }

    @Test func `the lines of several data fields are joined`() throws {
        try expect(
            "data: [\ndata:1\ndata:  2\ndata\ndata: ]\n\n", [Message(name: "message", data: "[\n1\n 2\n\n]", id: nil)])
    }

    @Test func `an event without data is none, but its id counts`() throws {
        try expect("event: a\nid: 3\n\ndata: b\n\n", [Message(name: "message", data: "b", id: "3")])
    }

    @Test func `an id with a null is ignored, an empty one is an id`() throws {
        try expect(
            "id: 1\u{0}2\ndata: a\n\nid\ndata: b\n\n",
            [Message(name: "message", data: "a", id: nil), Message(name: "message", data: "b", id: "")])
    }

    @Test func `a byte order mark may begin the stream, and unknown fields are skipped`() throws {
        try expect("\u{FEFF}data: a\nretry: 10\nother: b\n\n", [Message(name: "message", data: "a", id: nil)])
    }

    @Test func `what is cut off at the end is no event`() throws {
        try expect("data: a\n\ndata: b\n", [Message(name: "message", data: "a", id: nil)])
    }

    @Test func `an event that has no end is refused`() throws {
        var parser = EventStreamParser(maximumBytes: 100)
        #expect(throws: EventStreamParser.TooLong.self) { _ = try parser.feed([UInt8](repeating: 0x61, count: 101)) }
        var lines = EventStreamParser(maximumBytes: 100)
        #expect(throws: EventStreamParser.TooLong.self) {
            _ = try lines.feed(String(repeating: "data: 1234567\n", count: 20).utf8)
        }
        var names = EventStreamParser(maximumBytes: 100)
        #expect(try names.feed(String(repeating: "event: 1234567\n", count: 20).utf8) == [])
    }
}
