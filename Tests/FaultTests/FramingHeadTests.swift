import Pawl
import PawlCore
import PawlTestKit
import Testing

@Suite struct `B3 Framing: response heads` {
    @Test(arguments: [
        "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5",
        "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: gzip",
    ])
    func `L09 contradictory or unrequested framing of a body is an error, and nothing is stored`(
        fields: String
    ) async throws {
        let trial = try Trial { _, connection in
            try connection.send("HTTP/1.1 200 OK\r\n\(fields)\r\nETag: \"v1\"\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
            connection.close()
        }
        let after = try await trial.run()
        after.expectFailure(.badResponse, of: trial.content)
        #expect(after.names == [])
        after.expectCost(requests: 4)
    }

    /// Text that the server sends endlessly as a head.
    enum Endless: String, CaseIterable {
        case shortFields = "X-A: 1\r\n"
        case longFields
        case oneField = "aaaaaaaaaaaaaaaa"
        case statusLine = "a a"
        case emptyLines = "\r\n"

        var start: String {
            switch self {
            case .shortFields, .longFields: "HTTP/1.1 200 OK\r\n"
            case .oneField: "HTTP/1.1 200 OK\r\nX-A: "
            case .statusLine: "HTTP/1.1 200 "
            case .emptyLines: "\r\n"
            }
        }

        var piece: String {
            self == .longFields
                ? "X-A: " + String(repeating: "b", count: 60_000) + "\r\n" : String(repeating: rawValue, count: 2000)
        }
    }

    @Test(arguments: Endless.allCases)
    func `L17 an endless response head is refused after a bounded number of bytes`(head: Endless) async throws {
        let trial = try Trial { _, connection in
            try connection.limitSendBuffer(bytes: 64 * 1024)
            try connection.send(head.start)
            try connection.sendForEver(head.piece.utf8)
        }
        let after = try await trial.run()
        let error = after.expectFailure(.badResponse, of: trial.content)
        let bound = head == .shortFields ? "more than 200 header fields" : "header section"
        #expect(error?.message.contains(bound) ?? false, "\(error?.message ?? "")")
        #expect(after.names == [])
        // Each try costs the bytes read up to the bound and those that the two systems buffer.
        after.expectCost(requests: 3, bytes: 3 * (5 << 20))
    }

    static let bounds: [(fields: [String], detail: String?)] = [
        ((0..<199).map { "X-\($0): a" }, nil),
        ((0..<201).map { "X-\($0): a" }, "more than 200 header fields"),
        (["X-A: " + String(repeating: "a", count: 60 * 1024)], nil),
        (["X-A: " + String(repeating: "a", count: 66 * 1024)], "a header field of more than 64 KiB"),
        ((0..<4).map { "X-\($0): " + String(repeating: "a", count: 60 * 1024) }, nil),
        (
            (0..<5).map { "X-\($0): " + String(repeating: "a", count: 60 * 1024) },
            "a header section of more than 256 KiB"
        ),
    ]

    /// A trailer section also counts against the bound of a chunk line, so whether a large one passes depends on how
    /// the reads divide it.
    static let places =
        ["final", "interim"].flatMap { place in bounds.indices.map { (place, $0) } }
        + [("trailer", 0), ("trailer", 1), ("trailer", 3)]

    @Test(arguments: places)
    func `L17 a header or trailer section is refused above 64 KiB a field, 200 fields or 256 KiB in total`(
        place: String, index: Int
    ) async throws {
        let (fields, detail) = Self.bounds[index]
        let section = fields.map { $0 + "\r\n" }.joined()
        let trial = try Trial { _, connection in
            if place == "interim" { try connection.send("HTTP/1.1 103 Early Hints\r\n" + section + "\r\n") }
            try connection.send(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + (place == "final" ? section : "")
                    + "\r\n5\r\nhello\r\n0\r\n")
            try connection.send((place == "trailer" ? section : "") + "\r\n")
        }
        let after = try await trial.run()
        if let detail {
            let error = after.expectFailure(.badResponse, of: Array("hello".utf8))
            let isBounded = error?.message.contains(detail) ?? false
            #expect(
                isBounded || place == "trailer" && error?.message.contains("16 KiB") ?? false, "\(error?.message ?? "")"
            )
        } else {
            after.expectWhole(Array("hello".utf8))
        }
    }

    static let sloppy = [
        "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", "HTTP/1.1 200\r\nContent-Length:5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nPHP Warning: Module 'x' already loaded\r\nno field\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\n X-A: 1\r\nX-B: 2\r\n\t3\r\nContent-Length : 5 \t\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked \t\r\n\r\n5  \r\nhello\r\n0\n\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n  Chunked\r\n\r\n5 ;a=\"b\"\r\nhello\n0\r\nX: 1\r\n\r\n",
    ]

    @Test(arguments: sloppy)
    func `L25 a head that strays from the grammar but can mean one thing only is accepted`(answer: String) async throws
    {
        // Nothing is asked for over the connection again: what came may have been meant otherwise.
        let trial = try Trial(Array("hello".utf8)) { _, connection in try connection.send(answer) }
        let after = try await trial.run()
        after.expectWhole(trial.content)
        after.expectCost(requests: 1)
    }

    @Test func `L18 endless interim responses are refused after twenty`() async throws {
        let trial = try Trial { _, connection in
            try connection.limitSendBuffer(bytes: 64 * 1024)
            try connection.sendForEver("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".utf8)
        }
        let after = try await trial.run()
        let error = after.expectFailure(.badResponse, of: trial.content)
        #expect(error?.message.contains("more than 20 interim responses") ?? false)
        after.expectCost(requests: 3, bytes: 3 * (5 << 20))
    }

    @Test func `L18 twenty interim responses before the final one are accepted`() async throws {
        let trial = try Trial { $0.interimStatuses = Array(repeating: 103, count: 20) }
        let after = try await trial.run { $0.settings.maximumConnections = 1 }
        after.expectWhole(trial.content)
        after.expectCost(requests: 1)
    }

    @Test(arguments: [
        "hello, this is HTTP/0.9\n", "<html>hello</html>", "ICY 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 abc OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 20 OK\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 2000 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/9.9 200 OK\r\nContent-Length: 5\r\n\r\nhello", "HTTPS/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "SSH-2.0-OpenSSH_9.6\r\n", "\u{16}\u{3}\u{1}\u{0}\u{5}hello", "\u{0}\u{0}\u{0}\u{0}",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/1.1 200 OK\r\nX: \u{0}\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\rX: 1\r\n\r\nhello",
    ])
    func `L22 a response that is not valid HTTP is refused, and nothing is stored`(answer: String) async throws {
        let trial = try Trial { _, connection in
            try connection.send(answer)
            connection.close()
        }
        let after = try await trial.run()
        let error = after.expectFailure(.badResponse, of: trial.content)
        #expect(error?.message.contains("invalid HTTP/1.1 response") ?? false)
        #expect(after.names == [])
        after.expectCost(requests: 3)
    }
}
