import PawlCore
import Testing

@Suite struct ResponseReaderTests {
    private struct Outcome: Equatable {
        var head: ResponseHead?
        var content = ""
        var mayPersist: Bool?
        var problem: String?
        var isCompleteAtClose = false
    }

    private func read(_ text: String, isHead: Bool = false, pieces: Int = .max) -> Outcome {
        var (outcome, reader) = (Outcome(), ResponseReader())
        reader.begin(isHead: isHead)
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty, outcome.problem == nil, outcome.mayPersist == nil {
            let piece = rest.prefix(pieces)
            let (count, part) = piece.withUnsafeBytes { reader.read($0) }
            rest = rest.dropFirst(count)
            take(part, rest, &outcome)
        }
        if outcome.mayPersist == nil, outcome.problem == nil {
            take(Array<UInt8>().withUnsafeBytes { reader.read($0).part }, [], &outcome)
        }
        outcome.isCompleteAtClose = reader.isCompleteAtClose
        return outcome

        func take(_ part: ResponseReader.Part?, _ rest: ArraySlice<UInt8>, _ outcome: inout Outcome) {
            switch part {
            case .head(let head): outcome.head = head
            case .content(let count):
                outcome.content += String(
                    decoding: Array(text.utf8)[(rest.startIndex - count)..<rest.startIndex], as: UTF8.self)
            case .end(let mayPersist): outcome.mayPersist = mayPersist
            case .invalid(let problem): outcome.problem = problem
            case nil: break
            }
        }
    }

    private static let length = "Content-Length: 5"
    private static let chunked = "Transfer-Encoding: chunked"

    @Test(arguments: [
        ("HTTP/1.1 200 OK", true), ("HTTP/1.1 200", true), ("HTTP/1.1 200 ", true), ("HTTP/1.1 200 Trouv\u{E9}", true),
        ("HTTP/1.1  200 OK", true), (" HTTP/1.1 200 OK", true), ("\r\n\r\nHTTP/1.1 200 OK", true),
        ("HTTP/1.1 200OK", true), ("http/1.1 200 OK", true), ("HTTP/2 200", true), ("HTTP/2.0 200 OK", true),
        ("HTTP/1.0 200 OK", false),
        ("HTTP 200 OK", false), ("HTTP/1.1 103 Early Hints\r\nX: 1\r\n\r\nHTTP/1.1 200 OK", true),
    ])
    func `L25 a status line is accepted in each form that means 200`(_ line: String, _ mayPersist: Bool) {
        for pieces in [1, 3, Int.max] {
            let outcome = read("\(line)\r\n\(Self.length)\r\n\r\nhello", pieces: pieces)
            #expect(outcome.head?.status == 200 && outcome.content == "hello", "\(outcome)")
            #expect(outcome.mayPersist == mayPersist)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 99 OK", "HTTP/1.1 2000 OK", "HTTP/1.1200 OK", "HTTP/1.1 +20 OK", "HTTP/0.9 200 OK", "HTTP/1.2.3 200",
        "HTTP/1.1 ", "ICY 200 OK", "HTTPS/1.1 200 OK", "HTTP/1.1 200 O\rK", "HTTP/1.1 200 \u{0}",
    ])
    func `L22 a first line that is no status line is refused`(_ line: String) {
        for pieces in [1, Int.max] {
            #expect(read("\(line)\r\n\(Self.length)\r\n\r\nhello", pieces: pieces).problem != nil)
        }
    }

    @Test(arguments: [
        ("220 ready", " (an FTP or mail server answered)"), ("-ERR", ""), ("SSH-2.0-x", " (an SSH server answered)"),
        ("<html>", ""), ("\u{16}\u{3}\u{1}", " (the server speaks TLS on this port: use https://)"),
        ("\u{15}\u{3}\u{1}", " (the server speaks TLS on this port: use https://)"), ("HTML ", ""),
    ])
    func `L22 another protocol is recognized by its first bytes, without waiting for a line to end`(
        _ text: String, _ name: String
    ) {
        #expect(read(text).problem == "no HTTP status line" + name)
    }

    @Test(arguments: [
        // Folded (RFC 9112 §5.2).
        ("X-A: 1\r\n  2\r\n\t\r\n 3", ["X-A": "1 2 3"]), ("X-A:\r\n 1", ["X-A": "1"]),
        // Blanks where none belong.
        ("X-A : 1", ["X-A": "1"]), ("X-A:1", ["X-A": "1"]), ("X-A: \t1\t ", ["X-A": "1"]), ("X-A:", ["X-A": ""]),
        // Lines that are no fields, with what continues them.
        ("PHP Warning: x in y on line 0\r\n  z\r\nX-A: 1", ["X-A": "1"]), ("<br />\r\nX-A: 1", ["X-A": "1"]),
        (": 1\r\nX-A: 1", ["X-A": "1"]), ("X-Thing(2): 1", [:]), (" X-B: 2\r\nX-A: 1", ["X-A": "1"]),
        // Text of no encoding that was ever agreed on.
        ("X-A: \u{1}", ["X-A": "\u{1}"]), ("X-A: caf\u{E9}", ["X-A": "caf\u{E9}"]),
    ])
    func `L25 a field section is accepted if it can mean one thing only`(_ section: String, _ fields: [String: String])
    {
        for pieces in [1, Int.max] {
            let outcome = read("HTTP/1.1 200 OK\r\n\(Self.length)\r\n\(section)\r\n\r\nhello", pieces: pieces)
            let found = (outcome.head?.fields.dropFirst() ?? []).map { ($0.name, $0.value) }
            #expect(Dictionary(found) { first, _ in first } == fields, "\(outcome)")
            #expect(outcome.content == "hello")
        }
    }

    @Test(arguments: [
        "X-A: a\rb", "X-A: \u{0}", "Transfer Encoding: chunked", " Transfer-Encoding: chunked", "\rX-A: 1",
    ])
    func `L25 a section that could be two messages is refused`(_ section: String) {
        for pieces in [1, Int.max] {
            let outcome = read("HTTP/1.1 200 OK\r\n\(section)\r\n\(Self.length)\r\n\r\nhello", pieces: pieces)
            #expect(outcome.problem != nil, "\(outcome)")
        }
    }

    @Test func `L25 a connection whose head strayed from the grammar carries no other exchange`() {
        for section in ["\(Self.length)\n", "X: 1\r\n 2\r\n\(Self.length)\r\n", "X Y: 1\r\n\(Self.length)\r\n"] {
            let outcome = read("HTTP/1.1 200 OK\r\n\(section)\r\nhello")
            #expect(outcome.content == "hello" && outcome.mayPersist == false, "\(section): \(outcome)")
        }
    }

    @Test(arguments: [
        ("5\r\nhello\r\n0\r\n\r\n", "hello"), ("005  \r\nhello\r\n000\r\n\r\n", "hello"), ("5\nhello\n0\n\n", "hello"),
        (" 2;a=b;c=\"d\"\r\nhe\r\n3 ; x\r\nllo\r\n0;y\r\nX: 1\r\nY: 2\r\n\r\n", "hello"), ("0\r\n\r\n", ""),
        ("A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n", "01234567890123456789"),
    ])
    func `L08 chunks are joined, whichever way their sizes are written`(_ body: String, _ content: String) {
        for pieces in 1..<8 {
            let outcome = read("HTTP/1.1 200 OK\r\n\(Self.chunked)\r\n\r\n\(body)", pieces: pieces)
            #expect(outcome.content == content, "\(pieces): \(outcome)")
            // Another recipient may frame what strays from the grammar differently.
            let isStrict = !body.contains(" ") && !body.split(separator: "\r\n").contains { $0.contains("\n") }
            #expect(outcome.mayPersist == isStrict, "\(body)")
        }
    }

    @Test(arguments: [
        "\r\nhello\r\n", "5x\r\nhello\r\n", "5 5\r\nhello\r\n", "-5\r\nhello\r\n", "0x5\r\nhello\r\n",
        "5\r\nhelloo\r\n",
        "8000000000000000\r\nhello\r\n", "5\rx\r\nhello\r\n", ";a\r\nhello\r\n",
    ])
    func `L08 a chunk of doubtful size is refused`(_ body: String) {
        for pieces in [1, Int.max] {
            #expect(read("HTTP/1.1 200 OK\r\n\(Self.chunked)\r\n\r\n\(body)", pieces: pieces).problem != nil)
        }
    }

    @Test(arguments: [
        ([], BodyFraming.untilClose), ([chunked], .chunked), (["Transfer-Encoding: Chunked\t"], .chunked),
        ([length, length], .length(5)), (["Content-Length: 5, 5"], .length(5)),
        (["Transfer-Encoding: identity", length], .length(5)), (["Transfer-Encoding: identity, chunked"], .chunked),
        ([length, "Content-Length: 6"], .invalid(.contentLength)), (["Content-Length: "], .invalid(.contentLength)),
        ([length, chunked], .invalid(.conflict)), (["Transfer-Encoding: gzip"], .invalid(.transferCoding)),
        ([chunked, chunked], .invalid(.transferCoding)),
        (["Transfer-Encoding: chunked, gzip"], .invalid(.transferCoding)),
    ])
    func `L09 the framing of a body is what all fields say together`(_ lines: [String], _ framing: BodyFraming) throws {
        let section = lines.map { $0 + "\r\n" }.joined()
        let outcome = read("HTTP/1.1 200 OK\r\n\(section)\r\n")
        #expect(BodyFraming(try #require(outcome.head).fields) == framing)
        switch framing {
        case .untilClose, .invalid: #expect(outcome.isCompleteAtClose)
        case .length, .chunked: #expect(!outcome.isCompleteAtClose)
        }
    }

    @Test func `a response without content ends with its head`() {
        for status in [101, 204, 304] {
            let outcome = read("HTTP/1.1 \(status) No\r\n\(Self.length)\r\n\r\n")
            #expect(outcome.content == "" && outcome.mayPersist == (status != 101), "\(outcome)")
        }
        #expect(read("HTTP/1.1 200 OK\r\n\(Self.length)\r\n\r\n", isHead: true).mayPersist == true)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK", "Connection: close", false), ("HTTP/1.1 200 OK", "Connection: x, Close", false),
        ("HTTP/1.0 200 OK", "Connection: Keep-Alive", true),
        ("HTTP/1.0 200 OK", "Connection: keep-alive, close", false),
        ("HTTP/1.1 200 OK", "Connection: closed", true),
    ])
    func `a connection persists as version and Connection say`(_ line: String, _ field: String, _ mayPersist: Bool) {
        #expect(read("\(line)\r\n\(field)\r\n\(Self.length)\r\n\r\nhello").mayPersist == mayPersist)
        let chunked = read("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\(Self.chunked)\r\n\r\n0\r\n\r\n")
        #expect(chunked.mayPersist == false)
    }

    @Test func `a Location in an unknown encoding keeps its bytes`() throws {
        let head = Array("HTTP/1.1 302 Found\r\nLocation: /caf".utf8) + [0xE9] + Array(" x\r\nX-A: ".utf8) + [0xE9]
        var reader = ResponseReader()
        reader.begin(isHead: false)
        let part = (head + Array("\r\n\r\n".utf8)).withUnsafeBytes { reader.read($0).part }
        guard case .head(let found) = part else { throw ParsingFailure() }
        #expect(
            found.fields.map { Array($0.value.systemBytes) } == [
                Array("/caf".utf8) + [0xE9, 0x20, 0x78], [0xC3, 0xA9],
            ])
    }

    private struct ParsingFailure: Error {}
}
