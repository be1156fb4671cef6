import PawlCore
import PawlTestKit
import Testing

@Suite("Several ranges in one multipart answer")
struct MultipartTests {
    private struct Part: Hashable {
        var start: Int64
        var total: Int64?
        var bytes: [UInt8]
    }

    private static func read(
        _ body: String, type: String = "multipart/byteranges; boundary=THIS", maximumParts: Int = 16, by size: Int
    ) throws -> [Part] {
        var parser = try MultipartByteRanges(contentType: type, maximumParts: maximumParts)
        var parts: [Part] = []
        let bytes = Array(body.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = Array(bytes[start..<min(start + size, bytes.count)])
            var index = 0
            while let (event, end) = try parser.next(in: piece, from: index) {
                index = end
                switch event {
                case .part(let range, let total): parts.append(Part(start: range.start, total: total, bytes: []))
                case .bytes(_, let slice): parts[parts.count - 1].bytes += piece[slice]
                case .partEnded, .ended: break
                }
            }
        }
        try parser.finish()
        return parts
    }

    /// The example of RFC 9110 §14.6 with corrected lengths, whole and in small pieces.
    @Test(arguments: [1, 2, 7, 10_000])
    func `the example of RFC 9110 is parsed, whole and byte by byte`(size: Int) throws {
        let body =
            "--THIS\r\nContent-Type: application/pdf\r\nContent-Range: bytes 500-504/8000\r\n\r\nfirst\r\n--THIS\r\n"
            + "Content-Type: application/pdf\r\nContent-Range: bytes 7000-7005/8000\r\n\r\nsecond\r\n--THIS--\r\n"
        let parts = try Self.read(body, by: size)
        #expect(
            parts == [
                Part(start: 500, total: 8000, bytes: Array("first".utf8)),
                Part(start: 7000, total: 8000, bytes: Array("second".utf8)),
            ])
    }

    @Test(arguments: [
        "A preamble.\r\nOf two lines.\r\n--THIS\r\nContent-Range: bytes 0-2/9\r\n\r\nabc\r\n--THIS--",
        "--THIS\nContent-Range: bytes 0-2/9\n\nabc\n--THIS--\n",
        "--THIS \t\r\ncontent-range:bytes 0-2/9 \r\nX: y\r\n folded: z\r\n\r\nabc\r\n--THIS--\r\nan epilogue",
        "\r\n--THIS\r\nContent-Range: bytes 0-2/9\r\n\r\nabc",
        "\r\n--THIS\r\nContent-Range: bytes 0-2/9\r\n\r\nabc\r\n\r\n--THIS--",
    ])
    func `common deviations from the multipart grammar are accepted`(body: String) throws {
        for size in [1, 5, 1000] {
            #expect(try Self.read(body, by: size) == [Part(start: 0, total: 9, bytes: Array("abc".utf8))])
        }
    }

    @Test func `bytes within a part that look like a boundary are content`() throws {
        let inside = "\r\n--THIS--\r\n"
        let parts = try Self.read(
            "--THIS\r\nContent-Range: bytes 0-\(inside.utf8.count - 1)/*\r\n\r\n\(inside)\r\n--THIS--", by: 4)
        #expect(parts == [Part(start: 0, total: nil, bytes: Array(inside.utf8))])
    }

    @Test(
        arguments: [
            ("--THIS\r\n\r\nabc\r\n--THIS--", .contentRange),
            ("--THIS\r\nContent-Range: bytes 2-1/9\r\n\r\nabc", .contentRange),
            ("--THIS\r\nContent-Range: bytes 0-2/9\r\nContent-Range: bytes 0-2/9\r\n\r\nabc", .contentRange),
            ("--THIS\r\nContent-Range: bytes */9\r\n\r\n", .contentRange),
            ("--THIS\r\nContent-Range: items 0-2/9\r\n\r\nabc", .contentRange),
            ("--THIS\r\nContent-Range: bytes 0-1/9\r\n\r\nabc\r\n--THIS--", .missingBoundary),
            ("--THIS\r\nContent-Range: bytes 0-5/9\r\n\r\nabc", .cut),
            ("", .cut), ("--THIS\r\nContent-Range: bytes 0-5/9\r\n", .cut),
            (String(repeating: "x", count: 5000), .longLine),
            ("--THIS\r\n" + String(repeating: "X: y\r\n", count: 70), .manyLines),
            (String(repeating: "x\n", count: 70), .manyLines),
            (String(repeating: "--THIS\r\nContent-Range: bytes 0-2/9\r\n\r\nabc\r\n", count: 17), .manyParts),
        ] as [(String, MultipartByteRanges.Problem)])
    func `a multipart body that leaves the position of a byte in doubt is refused`(
        body: String, problem: MultipartByteRanges.Problem
    ) {
        for size in [1, 1000] { #expect(throws: problem) { try Self.read(body, by: size) } }
    }

    @Test(arguments: [
        ("multipart/byteranges; boundary=THIS", true),
        ("Multipart/ByteRanges ;charset=\"a;b\"; Boundary=\"THIS\"", true),
        ("multipart/x-byteranges; boundary=THIS;x=y", true), ("multipart/byteranges; boundary=\"TH\\IS\"", true),
        ("multipart/byteranges", false), ("multipart/byteranges; boundary=", false),
        ("multipart/mixed; boundary=THIS", false),
        ("multipart/byteranges; boundary=" + String(repeating: "x", count: 71), false),
    ])
    func `the multipart boundary is a token or a quoted string`(type: String, isUsable: Bool) throws {
        let body = "--THIS\r\nContent-Range: bytes 0-2/9\r\n\r\nabc\r\n--THIS--"
        if isUsable {
            #expect(try Self.read(body, type: type, by: 3).count == 1)
        } else {
            #expect(throws: MultipartByteRanges.Problem.boundary) { try Self.read(body, type: type, by: 3) }
        }
    }
}
