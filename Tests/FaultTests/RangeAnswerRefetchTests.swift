import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Answers to ranges (R in docs/faults.md): the cost of a broken connection, with and without ranges.
@Suite struct `B1 Bytes downloaded again after a break` {
    @Test(arguments: [true, false])
    func `R26 L01 N08 N09 N21 after RST or FIN, each try requests the bytes that are missing at that moment`(
        resets: Bool
    ) async throws {
        let trial = try Trial.breaking(reset: resets) { file, request in
            (206, file.range(of: request) ?? 0..<0, request.number < 3 ? 100_000 : file.count)
        }
        let after = try await trial.run { $0.settings.maximumConnections = 1 }
        after.expectWhole(trial.content)
        // The first try after a break fetches 4096 stored bytes again to compare them, once only.
        #expect(after.ranges == ["bytes=0-", "bytes=95904-299999", "bytes=195904-299999"])
        #expect(after.sent("If-Range") == ["-", "\"v1\"", "\"v1\""])
        #expect(after.bodyBytes == 100_000 + 100_000 + 104_096)
    }

    @Test
    func
        `R27 L01 if ranges are ignored and connections always break at the same place, the download fails after ten tries`()
        async throws
    {
        let trial = try Trial.breaking { file, _ in (200, 0..<file.count, 100_000) }
        let after = try await trial.run()
        let error = after.expectFailure(.network, keeping: 100_000, of: trial.content)
        #expect(error?.message.contains("closed before the response was complete") == true, "\(error?.message ?? "")")
        // The first request, its repetition without If-Range, and ten tries without progress.
        after.expectCost(requests: 12, bytes: 12 * 100_000)
    }

    /// Each try gets a little further and so counts as progress: without a bound, the cost would grow with the square
    /// of the size.
    @Test(arguments: [true, false])
    func `R27 without ranges, the number of bytes downloaded again is bounded, with or without validators`(
        hasValidators: Bool
    ) async throws {
        let trial = try Trial.breaking(validators: hasValidators) { file, request in
            (200, 0..<file.count, 30_000 * request.number)
        }
        let after = try await trial.run { $0.settings.retry.freelyFetchedAgain = 100_000 }
        let error = try #require(after.expectFailure(.network, of: trial.content))
        #expect(error.message.contains("downloaded more than once"))
        #expect(error.message.contains("more reliable network"))
        // Twice the file, the new bytes, and the tries at the edges.
        after.expectCost(requests: 15, bytes: 4 * trial.content.count)
        if hasValidators { #expect(after.record?.durable.count ?? 0 > 0) }
    }

    @Test func `R27 L01 without ranges and validators, breaks at the same place fail the download after ten tries`()
        async throws
    {
        let trial = try Trial.breaking(validators: false) { file, _ in (200, 0..<file.count, 100_000) }
        let after = try await trial.run()
        after.expectFailure(.network, of: trial.content)
        after.expectCost(requests: 11, bytes: 11 * 100_000)
    }

    @Test func `R28 a slow last segment gives up its tail to other connections, and the cost stays bounded`()
        async throws
    {
        // In debug builds the machine itself checks after each event that no two exchanges fetch the same bytes.
        let file = HandServed(content: FileBehaviour.pattern(count: 1_500_000))
        let trial = try Trial(file.content) { request, connection in
            guard let range = file.range(of: request) else { return try file.sendRight(request, connection) }
            let field = "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.count)"
            try connection.limitSendBuffer(bytes: 16_384)
            try file.send(connection, 206, [field, "Content-Length: \(range.count)"])
            let isSlow = connection.number == 1
            var rest = file.content[range]
            while !rest.isEmpty {
                try connection.sendBody(rest.prefix(isSlow ? 4000 : 20_000))
                rest = rest.dropFirst(isSlow ? 4000 : 20_000)
                try connection.sleep(.milliseconds(10))
            }
        }
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.requests.count > 2, "it was cut more than once: \(after.ranges)")
        // Bytes beyond the cut may already be in flight: what a send buffer, which Linux doubles, and a receive buffer
        // hold, and what the client reads at once.
        after.expectCost(requests: 40, bytes: file.count + after.requests.count * (2 * 16_384 + 131_072 + 262_144))
    }
}
