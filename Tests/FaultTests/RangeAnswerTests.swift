import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Answers to ranges (R in docs/faults.md): a whole file, or something that resembles one, in answer to a range.
@Suite struct `B1 Whole files in answer to ranges` {
    /// A proxy that drops the Range field looks the same (N20).
    @Test
    func
        `R01 R02 N20 on resume, a server that ignores ranges sends one stream from zero, and none of it is stored at the range`()
        async throws
    {
        let trial = try Trial {
            $0.honoursRanges = false
            $0.extraFieldLines = ["Accept-Ranges: bytes"]
        }
        try trial.leave(durable: 0..<100_000)
        let after = try await trial.run()
        after.expectWhole(trial.content)
        after.expectCost(requests: 2, bytes: 2 * trial.content.count)
        #expect(after.ranges == ["bytes=95904-299999", "bytes=95904-299999"])
        #expect(after.requests.map { $0.fields.first("If-Range") } == ["\"v1\"", nil])
        #expect(after.reports.contains(.rangesIgnored))
    }

    @Test func `R03 a 200 of a segment's length is not taken for the segment, and the working stream continues`()
        async throws
    {
        let trial = try Trial.ranges { file, range, request, connection in
            if range.lowerBound > 0 {
                // The right length, but the bytes from the file's start.
                return try file.send(connection, 200, [], Array(file.content[..<range.count]))
            }
            try file.send(connection, 206, ["Content-Range: bytes 0-299999/300000", "Content-Length: 300000"])
            try connection.drip(file.content, piece: 5000, every: .milliseconds(10))
        }
        let after = try await trial.run()
        after.expectWhole(trial.content)
        // A second connection was tried, and cost only its own requests.
        #expect(after.requests.count > 1)
        #expect(after.ranges.count { $0 == "bytes=0-" } == 1)
        #expect(!after.reports.contains(.changed(.total)))
        after.expectCost(requests: 6)
    }

    @Test(arguments: [true, false])
    func `R04 a 200 with Content-Range is retried without Range`(resumes: Bool) async throws {
        let trial = try Trial.ranges { file, range, _, connection in
            let field = "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.count)"
            try file.send(connection, 200, [field], Array(file.content[range]))
        }
        if resumes { try trial.leave(durable: 0..<100_000) }
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.ranges == [resumes ? "bytes=95904-299999" : "bytes=0-", "-"])
        after.expectCost(requests: 2)
    }

    // MARK: Some back ends honour ranges

    /// With several connections, chance says whose requests are honoured, and so how many are made.
    @Test(arguments: [(connections: 1, maximumRequests: 11), (connections: 4, maximumRequests: 30)])
    func `R23 if a server honours only every other range, each response is judged on its own`(
        connections: Int, maximumRequests: Int
    ) async throws {
        let trial = try Trial.breaking { file, request in
            let range = request.number % 2 == 1 ? file.range(of: request) : nil
            return (range == nil ? 200 : 206, range ?? 0..<file.count, 60_000)
        }
        let after = try await trial.run { $0.settings.maximumConnections = connections }
        after.expectWhole(trial.content)
        #expect(after.reports.count { $0 == .rangesIgnored } == 1)
        after.expectCost(requests: maximumRequests, bytes: maximumRequests * 60_000)
    }

    @Test func `R23 after two ignored ranges beside a working stream, no further ranges are requested`() async throws {
        let trial = try Trial.ranges(count: 400_000) { file, range, _, connection in
            guard range.lowerBound == 0 else { return try file.send(connection, 200, [], file.content) }
            try file.send(connection, 206, ["Content-Range: bytes 0-399999/400000", "Content-Length: 400000"])
            try connection.drip(file.content, piece: 5000, every: .milliseconds(10))
        }
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.ranges.first == "bytes=0-")
        #expect(after.ranges.count { $0 == "bytes=0-" } == 1)
        // One request with If-Range and one without (V07); after that, each ignored range counts.
        after.expectCost(requests: 4)
        #expect(after.requests.count > 1)
    }

    // MARK: Accept-Ranges and codings

    @Test func `R24 ranges are used although Accept-Ranges says none`() async throws {
        let trial = try Trial { $0.extraFieldLines = ["Accept-Ranges: none"] }
        try trial.leave(durable: 0..<100_000)
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.ranges == ["bytes=95904-299999"])
    }

    @Test func `R24 a file completes from a server that ignores ranges although Accept-Ranges says bytes`() async throws
    {
        let trial = try Trial.always { file, _, connection in
            try file.send(connection, 200, ["Accept-Ranges: bytes"], file.content)
        }
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.ranges == ["bytes=0-"])
    }

    @Test func `R25 every request accepts only the identity coding, so servers that compress still honour ranges`()
        async throws
    {
        let file = HandServed(content: FileBehaviour.pattern(count: 300_000))
        let trial = try Trial(file.content) { request, connection in
            let codings = request.fields.filter { $0.name.lowercased() == "accept-encoding" }.map(\.value)
            guard codings == ["identity"] else { return try file.send(connection, 200, [], file.content) }
            try file.sendRight(request, connection)
        }
        try trial.leave(durable: 0..<100_000)
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.ranges == ["bytes=95904-299999"])
        after.expectCost(requests: 1, bytes: 204_096)
    }
}
