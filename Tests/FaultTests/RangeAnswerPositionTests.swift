import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Answers to ranges (R in docs/faults.md): a 206 whose bytes are not the requested ones, or may not be.
@Suite struct `B1 Parts other than the requested range` {
    // MARK: Another start

    @Test(arguments: [4096, 65_536])
    func `R05 if a cache serves whole blocks, the range is requested again from the start of its block`(
        block: Int
    ) async throws {
        let trial = try Trial.ranges { file, range, _, connection in
            try file.sendPart(range.lowerBound / block * block..<range.upperBound, connection)
        }
        try trial.leave(durable: 0..<100_000)
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.ranges == ["bytes=95904-299999", "bytes=\(95_904 / block * block)-299999"])
    }

    @Test
    func
        `R05 bytes before the resume point that differ from the stored ones mean a changed file, and nothing is mixed`()
        async throws
    {
        let trial = try Trial.ranges { file, range, _, connection in
            let start = range.lowerBound / 65_536 * 65_536
            let field = "Content-Range: bytes \(start)-\(range.upperBound - 1)/\(file.count)"
            try file.send(connection, 206, [field], HandServed.wrongBytes(range.upperBound - start))
        }
        try trial.leave(durable: 0..<100_000)
        let after = try await trial.run { $0.settings.onChange = .fail }
        after.expectFailure(.changed, keeping: 100_000, of: trial.content)
        after.expectUntouched(0..<100_000, of: trial.content)
    }

    @Test func `R05 a server whose parts always start early finally gets a request without Range`() async throws {
        let trial = try Trial.ranges { file, range, _, connection in
            try file.sendPart(max(0, range.lowerBound - 10)..<range.upperBound, connection)
        }
        try trial.leave(durable: 0..<100_000)
        let after = try await trial.run()
        after.expectWhole(trial.content)
        after.expectCost(requests: 4)
        #expect(after.ranges.last == "-")
    }

    // MARK: Another end

    enum Excess: CaseIterable { case contentLength, chunked, untilClose }

    @Test(arguments: Excess.allCases)
    func `R07 a body that continues past its announced range is cut there, and the rest is not read`(
        framing: Excess
    ) async throws {
        let trial = try Trial.ranges { file, range, _, connection in
            let body = Array(file.content[range])
            let field = "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.count)"
            var garbage = HandServed.wrongBytes(60_000)
            switch framing {
            case .contentLength: try file.send(connection, 206, [field], body)
            case .chunked:
                try file.send(connection, 206, [field, "Transfer-Encoding: chunked"], HandServed.chunk(body))
                garbage = HandServed.chunk(garbage)
            case .untilClose:
                try connection.send(
                    "HTTP/1.1 206 Text\r\n\(field)\r\nETag: \"v1\"\r\nConnection: close\r\n\r\n")
                try connection.sendBody(body[...])
            }
            // Send until the client hangs up, as it must.
            for _ in 0..<2000 { try connection.sendBody(garbage[...]) }
            Issue.record("the client drained 120 MB")
        }
        try trial.leave(durable: 0..<100_000, 200_000..<300_000)
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.ranges == ["bytes=95904-199999"])
    }

    @Test func `R08 N21 a 206 shorter than requested is kept, and the rest is requested`() async throws {
        let trial = try Trial.ranges { file, range, _, connection in
            try file.sendPart(range.lowerBound..<min(range.upperBound, range.lowerBound + 65_536), connection)
        }
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(
            after.ranges == [
                "bytes=0-", "bytes=61440-299999", "bytes=126976-299999", "bytes=192512-299999", "bytes=258048-299999",
            ])
        #expect(after.bodyBytes == trial.content.count + 4096)
        #expect(after.causes.isEmpty, "none of them is a failure")
    }

    @Test func `R08 short parts without a validator are never joined, and the file is requested as one stream`()
        async throws
    {
        let trial = try Trial.always { file, request, connection in
            guard let range = file.range(of: request) else {
                return try file.send(connection, 200, [], file.content, hasValidators: false)
            }
            let part = range.lowerBound..<min(range.upperBound, range.lowerBound + 65_536)
            let field = "Content-Range: bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.count)"
            try file.send(connection, 206, [field], Array(file.content[part]), hasValidators: false)
        }
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.ranges == ["bytes=0-", "-"])
    }

    // MARK: Wrong bytes under the right header

    @Test func `R15 V10 wrong bytes under the right Content-Range and ETag are detected by comparing the overlap`()
        async throws
    {
        let trial = try Trial.ranges { file, range, _, connection in
            let field = "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.count)"
            try file.send(connection, 206, [field], Array(file.content[..<range.count]))
        }
        try trial.leave(durable: 0..<100_000)
        let held = try Files.read(trial.partial)
        let stopped = try await trial.run { $0.settings.onChange = .fail }
        stopped.expectFailure(.changed, keeping: 100_000, of: trial.content)
        stopped.expectUntouched(0..<100_000, of: trial.content)
        stopped.expectCost(requests: 1)

        // The server answers a range that starts at zero correctly.
        let after = try await trial.run()
        after.expectWhole(trial.content, beside: ["file.bin.part.orphan-1"])
        after.expectAside(held)
        #expect(after.reports.contains(.changed(.content)))
        #expect(after.ranges == ["bytes=95904-299999", "bytes=0-"])
    }

    // MARK: Unrequested parts

    @Test func `R17 a multipart response to a single range is refused and never stored`() async throws {
        let trial = try Trial.ranges { file, range, _, connection in
            let part =
                "\r\n--THIS_STRING_SEPARATES\r\nContent-Type: application/octet-stream\r\nContent-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.count)\r\n\r\n"
            let body = Array(part.utf8) + file.content[range] + Array("\r\n--THIS_STRING_SEPARATES--\r\n".utf8)
            try file.send(
                connection, 206, ["Content-Type: multipart/byteranges; boundary=THIS_STRING_SEPARATES"], body)
        }
        try trial.leave(durable: 0..<100_000)
        // Three tries with waits between them, then one plain stream.
        let resumed = try await trial.run()
        resumed.expectWhole(trial.content)
        resumed.expectCost(requests: 4)
        #expect(resumed.ranges.last == "-")
        #expect(!resumed.causes.isEmpty && resumed.causes.allSatisfy { $0.contains("multipart") }, "\(resumed.causes)")

        let fresh = try Trial.ranges { file, range, _, connection in
            try file.send(
                connection, 206,
                ["Content-Type: multipart/byteranges; boundary=x", "Content-Range: bytes 0-299999/300000"], file.content
            )
        }
        let after = try await fresh.run()
        after.expectWhole(fresh.content)
        #expect(after.ranges == ["bytes=0-", "-"])
    }
}
