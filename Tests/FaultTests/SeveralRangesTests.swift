import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Several small ranges in one request, and servers that answer them in unexpected ways.
@Suite struct `B1 Several ranges in one request` {
    static let content = FileBehaviour.pattern(count: 300_000)
    static let ranges = [100..<300, 5000..<5064, 100_000..<100_999]
    static let selection = "100-299,5000-5063,100000-100998"
    static let right = ranges.flatMap { content[$0] }

    typealias Change = @Sendable (inout MultipartAnswer) -> Void

    /// Shapes of a server's answer, and the requests that each may cost: one if every part is usable as sent.
    static let shapes: [(String, Int, Change)] = [
        ("as RFC 9110 has it", 1, { _ in }),
        (
            "a quoted boundary with blanks", 1,
            { ($0.boundary, $0.contentType) = ("a b:c", "Multipart/ByteRanges ; charset=\"x;y\"; boundary=\"a b:c\"") }
        ),
        ("the name of old", 1, { $0.contentType = "multipart/x-byteranges; boundary=\($0.boundary)" }),
        ("a preamble", 1, { $0.preamble = "nobody reads this\r\n--not the boundary\r\n" }),
        ("an epilogue", 1, { $0.epilogue = Array("nobody reads this".utf8) }),
        ("headers in other words", 1, { $0.parts[1].lines = ["X-A: b", "content-type : x", " folded: line"] }),
        ("merged", 1, { $0.parts = [part(100..<5064), part(100_000..<100_999)] }),
        ("all as one part", 1, { $0.parts = [part(100..<100_999)] }),
        ("another order", 4, { $0.parts.reverse() }),
        ("the first only", 3, { $0.parts.removeLast(2) }),
        ("the last left out", 2, { $0.parts.removeLast() }),
        ("one in the middle left out", 3, { $0.parts.remove(at: 1) }),
        ("one twice", 3, { $0.parts.insert($0.parts[0], at: 1) }),
        ("parts that were not asked for", 4, { $0.parts[0] = part(200_000..<200_100) }),
        ("a byte too early", 4, { $0.parts[0] = part(99..<299) }),
        ("parts that overlap", 3, { $0.parts[1] = part(290..<5064) }),
        ("parts that go on too far", 3, { $0.parts[1] = part(5000..<5100) }),
        ("a first part that ends too early", 4, { $0.parts[0] = part(100..<200) }),
        ("no boundary at the end", 2, { $0.hasEnd = false }),
        ("lengths that disagree", 3, { $0.parts[1].total += 1 }),
        ("another unit", 4, { $0.parts[0].unit = "lines" }),
        ("no boundary in the type", 4, { $0.contentType = "multipart/byteranges" }),
        ("a boundary that is too long", 4, { $0.boundary = String(repeating: "b", count: 71) }),
        ("another boundary than said", 4, { $0.contentType = "multipart/byteranges; boundary=OTHER" }),
        ("a first part shorter than it says", 4, { $0.parts[0].body.removeLast(7) }),
        ("a part in the middle shorter than it says", 3, { $0.parts[1].body.removeLast(60) }),
        ("a last part shorter than it says", 2, { $0.parts[2].body.removeLast(40) }),
        (
            "a last part that holds what should end it", 2,
            { $0.parts[2].body.removeLast("\r\n--THIS_STRING_SEPARATES--\r\n".utf8.count) }
        ),
        ("a part longer than it says", 3, { $0.parts[1].body += Array(content[5064..<5070]) }),
        ("a header without end", 4, { $0.parts[0].lines = [String(repeating: "x", count: 1 << 20)] }),
        ("a header with lines without end", 4, { $0.parts[0].lines = (0..<10_000).map { "X-\($0): y" } }),
        ("a thousand parts", 2, { $0.parts = [$0.parts[0]] + Array(repeating: $0.parts[1], count: 999) }),
    ]

    private static func part(_ range: Range<Int>) -> MultipartAnswer.Part {
        MultipartAnswer.Part(range: range, body: Array(content[range]), total: content.count)
    }

    private static func trial(
        _ content: [UInt8] = Self.content, _ answer: @escaping @Sendable ([Range<Int>], ServerConnection) throws -> Void
    ) throws -> Trial {
        try Trial(content) { request, connection in
            guard let ranges = MultipartAnswer.asked(request) else {
                return try Served(content).answer(request, connection)
            }
            try answer(ranges, connection)
        }
    }

    private static func run(_ trial: Trial, _ text: String = selection) async throws -> Aftermath {
        let selection = try RangeSelection(parsing: text)
        return try await trial.runAlone { $0.settings.ranges = selection }
    }

    /// Expects the right result and no reported failure, whatever the server answered. After an unusable answer, the
    /// download must not ask for several ranges again.
    private static func expect(_ after: Aftermath, requests: Int, at location: SourceLocation = #_sourceLocation) {
        #expect(after.error == nil, sourceLocation: location)
        #expect(after.files["file.bin"] == right, "wrong bytes", sourceLocation: location)
        #expect(after.ranges.first == "bytes=\(selection)", sourceLocation: location)
        #expect(after.ranges.count == requests, "\(after.ranges)", sourceLocation: location)
        #expect(after.ranges.count { $0.contains(",") } == 1, "\(after.ranges)", sourceLocation: location)
        let waits = after.reports.filter { if case .retrying = $0 { true } else { false } }
        #expect(waits.isEmpty, "\(waits)", sourceLocation: location)
    }

    @Test(arguments: shapes.indices)
    func
        `R17 whatever a server answers to several ranges in one request, the result is right, and no second such request is sent`(
            _ shape: Int
        ) async throws
    {
        let (name, requests, change) = Self.shapes[shape]
        let trial = try Self.trial { ranges, connection in
            var answer = MultipartAnswer(ranges, of: Self.content)
            change(&answer)
            try answer.send(connection)
        }
        let after = try await Self.run(trial)
        Self.expect(after, requests: requests)
        if after.ranges.count != requests { Issue.record("\(name)") }
    }

    @Test func `R17 content that looks like multipart boundaries is stored as content`() async throws {
        var content = Self.content
        for (index, byte)
            in "\r\n--THIS_STRING_SEPARATES--\r\n\r\n--THIS_STRING_SEPARATES\r\nContent-Range: bytes 0-9/10\r\n\r\n"
            .utf8.enumerated()
        {
            content[110 + index] = byte
        }
        let trial = try Self.trial(content) { [content] ranges, connection in
            try MultipartAnswer(ranges, of: content).send(connection)
        }
        let after = try await Self.run(trial)
        #expect(after.files["file.bin"] == Self.ranges.flatMap { content[$0] })
        #expect(after.requests.count == 1)
    }

    @Test func `R17 a multipart response that arrives byte by byte is read correctly`() async throws {
        let trial = try Self.trial { ranges, connection in
            let answer = MultipartAnswer(ranges, of: Self.content)
            let body = answer.body
            try connection.send(
                "HTTP/1.1 206 x\r\nETag: \"v1\"\r\n\(answer.type)\r\nContent-Length: \(body.count)\r\n\r\n")
            try connection.drip(body, piece: 1, every: .zero)
        }
        Self.expect(try await Self.run(trial), requests: 1)
    }

    @Test(arguments: [400, 401, 403, 416, 431, 500, 501, 502])
    func `R17 if a server refuses several ranges in one request, they are requested one after the other`(
        _ status: Int
    ) async throws {
        let trial = try Self.trial { _, connection in try connection.reply(status) }
        Self.expect(try await Self.run(trial), requests: 4)
    }

    @Test
    func
        `R17 if a server closes the connection on several ranges, the ranges are still downloaded without a second such request`()
        async throws
    {
        let trial = try Self.trial { _, connection in connection.close() }
        let after = try await Self.run(trial)
        #expect(after.error == nil)
        #expect(after.files["file.bin"] == Self.right, "wrong bytes")
        #expect(after.ranges.count { $0.contains(",") } == 1, "\(after.ranges)")
    }

    @Test
    func `R17 a large file sent whole for several ranges is dropped, and the ranges are requested one after the other`()
        async throws
    {
        let trial = try Self.trial { _, connection in try Served(Self.content).whole(connection) }
        Self.expect(try await Self.run(trial), requests: 4)
    }

    @Test func `R17 a small file sent whole for several ranges is accepted`() async throws {
        let content = Array(Self.content.prefix(120_000))
        let trial = try Self.trial(content) { _, connection in try Served(content).whole(connection) }
        Self.expect(try await Self.run(trial), requests: 1)
    }

    @Test func `R17 a plain 206 with one part in answer to several ranges is accepted for the bytes it has`()
        async throws
    {
        for (range, requests) in [(100..<300, 3), (100..<100_999, 1)] {
            let trial = try Self.trial { _, connection in
                let field = "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(Self.content.count)"
                try connection.reply(206, ["ETag: \"v1\"", field], body: Self.content[range])
            }
            Self.expect(try await Self.run(trial), requests: requests)
        }
    }

    @Test
    func `R17 a multipart response with a content coding, without a strong ETag or with a Content-Range is not used`()
        async throws
    {
        for lines in [
            ["ETag: \"v1\"", "Content-Encoding: gzip"], [], ["ETag: W/\"v1\""],
            ["ETag: \"v1\"", "Content-Range: bytes 100-299/300000"],
        ] {
            let trial = try Self.trial { ranges, connection in
                try MultipartAnswer(ranges, of: Self.content).send(connection, lines)
            }
            Self.expect(try await Self.run(trial), requests: 4)
        }
    }

    @Test(arguments: [10, 150, 350, 500, 900, 1500])
    func `R17 after a multipart response breaks off, the remaining ranges complete the file`(_ cut: Int) async throws {
        let trial = try Self.trial { ranges, connection in
            try MultipartAnswer(ranges, of: Self.content).send(connection, cut: cut)
        }
        let after = try await Self.run(trial)
        #expect(after.files["file.bin"] == Self.right)
        #expect(after.ranges.count { $0.contains(",") } == 1, "\(after.ranges)")
        #expect(after.bodyBytes <= Self.right.count + 1500)
    }

    @Test func `R17 endless bytes after the last part are ignored`() async throws {
        let trial = try Self.trial { ranges, connection in
            let answer = MultipartAnswer(ranges, of: Self.content)
            try connection.send(
                "HTTP/1.1 206 x\r\nETag: \"v1\"\r\n\(answer.type)\r\nContent-Length: 9000000000000000000\r\n\r\n")
            try connection.sendBody(answer.body[...])
            try connection.sendForEver([UInt8](repeating: 0x20, count: 4096))
        }
        let after = try await Self.run(trial)
        Self.expect(after, requests: 1)
    }

    @Test func `V01 parts of a file that changed since the first request are not mixed with those of the old file`()
        async throws
    {
        let other = FileBehaviour.pattern(count: 300_000, seed: 9)
        let text = (0..<12).map { "\($0 * 1000)-\($0 * 1000 + 9)" }.joined(separator: ",")
        let trial = try Trial(other) { request, connection in
            let isFirst = request.number == 1
            let (content, lines) = isFirst ? (Self.content, ["ETag: \"v1\""]) : (other, ["ETag: \"v2\""])
            guard let ranges = MultipartAnswer.asked(request) else {
                return try Served(content, tag: isFirst ? "\"v1\"" : "\"v2\"").answer(request, connection)
            }
            // The server ignores If-Range.
            try MultipartAnswer(ranges, of: content).send(connection, lines)
        }
        let after = try await Self.run(trial, text)
        #expect(after.files["file.bin"] == (0..<12).flatMap { other[$0 * 1000..<$0 * 1000 + 10] })
        #expect(after.requests[1].fields.first("If-Range") == "\"v1\"")
    }
}
