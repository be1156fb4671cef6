import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@Suite struct `B3 Framing: lengths and chunks` {
    @Test func `L02 bytes after a complete response are never taken for the next response`() async throws {
        let smuggled = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"evil\"\r\n\r\nwrong"
        let file = FileScript(FileBehaviour(content: FileBehaviour.pattern(count: 300_000)))
        let trial = try Trial { request, connection in
            guard request.path == "/link" else { return try file.answer(request, connection) }
            try connection.send("HTTP/1.1 302 Found\r\nLocation: /file.bin\r\nContent-Length: 2\r\n\r\nok" + smuggled)
        }
        let after = try await trial.run(path: "/link") { $0.settings.maximumConnections = 1 }
        after.expectWhole(trial.content)
        #expect(after.requests.map(\.path) == ["/link", "/file.bin"])
        #expect(after.requests.first?.connection != after.requests.last?.connection)
    }

    @Test func `L02 a body longer than its Content-Length is cut at that length`() async throws {
        let trial = try Trial { request, connection in
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\nETag: \"v1\"\r\n\r\n0123456789ABCDEFGHIJ")
        }
        let after = try await trial.run()
        after.expectWhole(Array("0123456789".utf8))
        after.expectCost(requests: 1)
    }

    @Test(arguments: [
        "-1", "+5", "5, 6", "0x10", "5 5", "1e3", "18446744073709551617", "9223372036854775808", "",
        "5\r\nContent-Length: 6",
    ])
    func `L03 a response with an invalid or contradictory Content-Length is refused, and nothing is stored`(
        length: String
    ) async throws {
        let trial = try Trial { _, connection in
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nhello")
            connection.close()
        }
        let after = try await trial.run()
        let error = after.expectFailure(.badResponse, of: trial.content)
        #expect(error.map { $0.message.contains("HTTP") || $0.message.contains("Content-Length") } ?? false)
        #expect(after.names == [])
        after.expectCost(requests: 4)
    }

    @Test(arguments: [
        "200 OK\r\nContent-Length: 4611686018427387904",
        "206 Partial Content\r\nContent-Length: 4611686018427387904\r\nContent-Range: bytes 0-4611686018427387903/4611686018427387904",
    ])
    func `L04 an absurd length is refused for lack of space, and no file is left`(head: String) async throws {
        let trial = try Trial { _, connection in
            try connection.limitSendBuffer(bytes: 64 * 1024)
            try connection.send("HTTP/1.1 \(head)\r\nETag: \"v1\"\r\n\r\n")
            try connection.sendForEver([UInt8](repeating: 7, count: 16 * 1024))
        }
        let after = try await trial.run()
        let error = after.expectFailure(.diskFull, of: [])
        #expect(error?.message.contains("needs 4.00 EiB") ?? false)
        #expect(after.names == [])
        // No more than the two systems buffer.
        after.expectCost(requests: 1, bytes: 8 << 20)
    }

    @Test func `L05 a chunked body without its last chunk is incomplete, and only the rest is requested`() async throws
    {
        let trial = try Trial { behaviour in
            behaviour.framing = .chunked(size: 10_000)
            behaviour.cut = .init(afterBytes: 120_000, requests: 1...1, pause: .milliseconds(150))
        }
        let after = try await trial.run { $0.settings.maximumConnections = 1 }
        after.expectWhole(trial.content)
        after.expectCost(requests: 2, bytes: 300_000 + 4096)
    }

    @Test(arguments: ["", "0\r\n", "0\r\nX-Trailer: a", "0\r\nX-Trailer: a\r\n"])
    func `L05 L06 a chunked response that ends anywhere before its final empty line never gets the final name`(
        end: String
    ) async throws {
        let trial = try Trial(FileBehaviour.pattern(count: 50_000)) { _, connection in
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nETag: \"v1\"\r\n\r\nC350\r\n")
            try connection.sendBody(FileBehaviour.pattern(count: 50_000)[...])
            try connection.send("\r\n" + end)
            try connection.sleep(.milliseconds(50))
            connection.close()
        }
        let after = try await trial.run()
        after.expectFailure(.network, keeping: 50_000, of: trial.content)
        after.expectCost(requests: 30)
    }

    @Test func `L07 a truncated file in well-formed chunks looks complete, and only a digest reveals the loss`()
        async throws
    {
        let content = FileBehaviour.pattern(count: 50_000)
        let trial = try Trial(content) { _, connection in
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2710\r\n")
            try connection.sendBody(content.prefix(10_000))
            try connection.send("\r\n0\r\n\r\n")
        }
        let without = try await trial.run()
        without.expectWhole(Array(content.prefix(10_000)), verified: false)

        let digest = Digest(algorithm: .sha256, bytes: SHA256.hash(content))
        let with = try await trial.run {
            $0.fileName = "other.bin"
            $0.settings.digest = digest
        }
        #expect(with.error?.code == .digestMismatch)
        #expect(with.names == [Trial.name, "other.bin.part.bad"])
    }

    @Test(arguments: [
        "FFFFFFFFFFFFFFFFF\r\nhello\r\n", "10000000000000000\r\nhello\r\n", "-5\r\nhello\r\n", "+5\r\nhello\r\n",
        "0x5\r\nhello\r\n", "\r\nhello\r\n", "zz\r\nhello\r\n", "5\r\nhello", "5\r\nhelloworld\r\n",
        "5;\u{0}\r\nhello\r\n",
    ])
    func `L08 an invalid chunk line is refused, and the file does not get its final name`(chunk: String) async throws {
        let trial = try Trial { _, connection in
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + "0\r\n\r\n")
            connection.close()
        }
        let after = try await trial.run()
        #expect(after.error?.code == .badResponse, "\(after.phase)")
        #expect(after.files[Trial.name] == nil)
        after.expectCost(requests: 10)
    }

    @Test func `L08 an endless chunk extension is refused, and a short one is ignored`() async throws {
        let trial = try Trial { request, connection in
            try connection.limitSendBuffer(bytes: 64 * 1024)
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;")
            if request.path == "/long" { try connection.sendForEver([UInt8](repeating: 0x61, count: 16 * 1024)) }
            try connection.send("a=\"b\"\r\nhello\r\n0;c\r\n\r\n")
        }
        let long = try await trial.run(path: "/long")
        let error = long.expectFailure(.badResponse, of: [])
        #expect(error?.message.contains("16 KiB") ?? false)
        long.expectCost(requests: 10, bytes: 10 * (4 << 20))
        let short = try await trial.run { $0.fileName = "short.bin" }
        #expect(short.files["short.bin"] == Array("hello".utf8))
    }

    @Test func `L20 responses that announce bytes and send none count as no progress, and the download fails`()
        async throws
    {
        let trial = try Trial { _, connection in
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 103742\r\nETag: \"v1\"\r\n\r\n")
            connection.close()
        }
        let after = try await trial.run()
        after.expectFailure(.network, of: trial.content)
        // The last one without a range (R32).
        after.expectCost(requests: 12, bytes: 0)
    }

    @Test(arguments: [0, 30]) func `L23 if a reset follows a complete response, the bytes that arrived are kept`(
        pause: Int
    ) async throws {
        let file = FileScript(FileBehaviour(content: FileBehaviour.pattern(count: 300_000)))
        let trial = try Trial { request, connection in
            try file.answer(request, connection)
            guard request.number == 1 else { return }
            try connection.sleep(.milliseconds(pause))
            connection.reset()
        }
        let after = try await trial.run { $0.settings.maximumConnections = 1 }
        after.expectWhole(trial.content)
        after.expectCost(requests: 2, bytes: 600_000)
        // With time for the bytes to arrive, nothing is requested again.
        if pause > 0 { #expect(after.requests.count == 1) }
    }
}
