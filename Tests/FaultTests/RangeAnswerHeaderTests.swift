import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Answers to ranges (R in docs/faults.md): a 206 with header fields that are missing, malformed or insufficient.
@Suite struct `B1 Header fields of a part` {
    /// The server never answers correctly, with or without Range. The tests of the core have the whole table of such
    /// fields.
    @Test(
        arguments: [
            ([], 204_096), (["Content-Range: bytes=95904-299999/300000"], 204_096),
            (["Content-Range: bytes 95904-299999/300000", "Content-Range: bytes 95904-299999/300000"], 204_096),
            (["Content-Range: bytes 95904-299999/300000", "Content-Length: 204095"], 204_095),
        ] as [([String], Int)])
    func
        `R09 R12 R13 a 206 whose header is missing, malformed or contradictory is refused, and the partial file stays unchanged`(
            lines: [String], body: Int
        ) async throws
    {
        let trial = try Trial.always { file, _, connection in
            try file.send(connection, 206, lines, HandServed.wrongBytes(body))
        }
        try trial.leave(durable: 0..<100_000)
        let after = try await trial.run()
        let error = after.expectFailure(.badResponse, keeping: 100_000, of: trial.content)
        after.expectUntouched(0..<100_000, of: trial.content)
        after.expectCost(requests: 11)
        // The error quotes the field, so that a bug report shows what the server sent.
        if let field = lines.first?.dropFirst("Content-Range: ".count) {
            #expect(error?.underlying?.contains(field) == true, "\(error?.underlying ?? "")")
        }
    }

    // MARK: Totals

    @Test(arguments: ["*/300000", "*", ""])
    func `R11 a file whose Content-Range always gives the total as * completes, whether or not a 416 gives its length`(
        ending: String
    ) async throws {
        let trial = try Trial.always { file, request, connection in
            guard let range = file.range(of: request) else {
                if request.fields.first("Range") == nil { return try file.send(connection, 200, [], file.content) }
                return try file.send(
                    connection, 416, ending.isEmpty ? [] : ["Content-Range: bytes \(ending == "*" ? "*/*" : ending)"])
            }
            try file.sendPart(range, total: "*", connection)
        }
        let after = try await trial.run()
        after.expectWhole(trial.content)
        // A 416 with the length is enough; otherwise a plain request learns it, of which only the head is read.
        #expect(after.ranges == ["bytes=0-", "bytes=300000-"] + (ending == "*/300000" ? [] : ["-"]))
    }

    @Test func `R11 a file with the total * is resumed after short parts if the ETag stays the same`() async throws {
        let trial = try Trial.always { file, request, connection in
            guard let range = file.range(of: request) else {
                return try file.send(connection, 416, ["Content-Range: bytes */\(file.count)"])
            }
            try file.sendPart(
                range.lowerBound..<min(range.upperBound, range.lowerBound + 120_000), total: "*", connection)
        }
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.ranges == ["bytes=0-", "bytes=120000-", "bytes=240000-", "bytes=300000-"])
        #expect(after.requests.dropFirst().allSatisfy { $0.fields.first("If-Range") == "\"v1\"" })
    }

    // MARK: Chunks

    @Test func `R14 after a chunked 206 that starts at zero, the file is requested from zero and completes`()
        async throws
    {
        let trial = try Trial.ranges { file, range, _, connection in
            try file.send(
                connection, 206, ["Content-Range: bytes 0-299999/300000", "Transfer-Encoding: chunked"],
                HandServed.chunked(file.content))
        }
        try trial.leave(durable: 0..<100_000)
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.ranges == ["bytes=95904-299999", "bytes=0-299999"])
    }
}
