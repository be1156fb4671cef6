import PawlCore
import Testing

/// FAULTS R02, R05, R23, R27 for files too large to try with a real server.
@Suite struct FetchingAgainTests {
    private static let gibibyte: Int64 = 1 << 30

    private func bench(held: Int64, of total: Int64) throws -> MachineBench {
        let tag = try #require(EntityTag(parsing: "\"v\""))
        return try MachineBench(
            .journal(
                Representation(total: total, entityTag: tag), durable: RangeSet(ByteRange(0..<held)), isVerified: false)
        )
    }

    private func whole(_ total: Int64) -> [String: String] { ["Content-Length": "\(total)", "ETag": "\"v\""] }

    /// A download past the check whether the server merely fails to understand If-Range.
    private func started(held: Int64, of total: Int64) throws -> MachineBench {
        var bench = try bench(held: held, of: total)
        bench.send(.begin)
        bench.answer(200, whole(total))
        bench.answer(200, whole(total))
        return bench
    }

    @Test func `R02 R27 the first restart from zero is allowed however much is held`() throws {
        let total = 100 * Self.gibibyte
        let bench = try started(held: total - 1, of: total)
        #expect(bench.phase == .fetching)
        #expect(bench.actions.contains(.store(bench.asks[1].id, from: 0, overlap: 0, end: total)))
    }

    @Test func `R27 at most twice the file is fetched again, and then the download fails and keeps the held bytes`()
        throws
    {
        let total = Self.gibibyte
        let held = total / 2
        var bench = try started(held: held, of: total)
        var starts = 1
        // Each stream gets one byte further than its predecessor.
        while !bench.phase.isTerminal, starts < 20 {
            bench.advance(to: held + Int64(starts))
            bench.cut()
            guard bench.waitForAsk() else { break }
            bench.answer(200, whole(total))
            starts += 1
        }
        guard case .failed(let error) = bench.phase else {
            Issue.record("\(bench.phase)")
            return
        }
        #expect(error.code == .network)
        #expect(error.message.contains("downloaded more than once"))
        #expect(starts == 4, "three halves of the file came again, and a fourth is refused at its head")
        #expect(bench.machine.durable.count == held + 3)
        #expect(bench.faults.isEmpty)
    }

    @Test(
        arguments: [
            (0, 0, .max, true), (.max, 0, 0, true), (1, 64 << 20, 0, false), (1, (64 << 20) - 1, 0, true),
            (.max, .max, .max, false), (.max, 1, .max, false), (1, .max - 1, .max, true),
            (1 << 30, 1 << 30, 1 << 30, true),
            (1 << 30, (1 << 30) + 1, 1 << 30, false),
        ] as [(Int64, Int64, Int64, Bool)])
    func `R27 the limit on fetching again holds for numbers of any size`(
        held: Int64, before: Int64, total: Int64, mayGoOn: Bool
    ) {
        #expect(RetryPolicy().mayFetchAgain(held, after: before, of: total) == mayGoOn)
    }

    @Test func `R23 a 200 from a server that has honoured a range is accepted only after two retries of the range`()
        throws
    {
        let total = Self.gibibyte
        var bench = try bench(held: 1000, of: total)
        bench.send(.begin)
        bench.answerPart(1000..<total, of: total)
        bench.advance(to: 5000)
        bench.cut()
        try bench.nextAsk()
        // Retried without the condition (V07), then once more; the third 200 is accepted.
        for _ in 0..<2 {
            let count = bench.asks.count
            bench.answer(200, whole(total))
            #expect(bench.asks.count == count + 1)
            #expect(bench.lastAsk?.range == "bytes=5000-\(total - 1)")
        }
        let actions = bench.answer(200, whole(total))
        #expect(
            actions.contains { if case .store(_, from: 0, overlap: 0, end: total, _, _) = $0 { true } else { false } })
        #expect(bench.reports.contains(.rangesIgnored))
    }

    @Test func `R05 at most a mebibyte of held bytes is requested again when a server's part starts early`() throws {
        let total = Self.gibibyte
        for lead in [1 << 20, (1 << 20) + 1] as [Int64] {
            var bench = try bench(held: 1 << 25, of: total)
            bench.send(.begin)
            bench.answerPart((1 << 25) - lead..<total, of: total)
            // The next request comes at once, or after the wait of a failure.
            if bench.asks.count == 1 { try bench.nextAsk() }
            #expect(bench.asks[1].range == "bytes=\((1 << 25) - (lead == 1 << 20 ? lead : 0))-\(total - 1)")
        }
    }
}
