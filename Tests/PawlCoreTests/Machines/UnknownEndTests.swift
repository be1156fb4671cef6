import PawlCore
import Testing

/// Files whose length the server does not give, or no longer gives.
@Suite struct UnknownEndTests {
    private func begun(tag: String? = "\"v\"") throws -> MachineBench {
        var bench = try MachineBench { $0.overlap = 1000 }
        bench.send(.begin)
        var fields = ["Content-Range": "bytes 0-9999/*"]
        fields["ETag"] = tag
        bench.answer(206, fields)
        bench.deliver(to: 4000)
        return bench
    }

    @Test func `R29 a 416 with the file's entity tag gives the file's end`() throws {
        var bench = try begun()
        _ = try bench.nextAsk()
        bench.answer(416, ["Content-Range": "bytes */4000", "ETag": "\"v\""])
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)))
    }

    @Test func `R29 a 416 with a different entity tag means a changed file, and gives no end`() throws {
        var bench = try begun()
        for _ in 0..<5 where !bench.reports.contains(.changed(.validator)) {
            if bench.open.isEmpty { _ = try bench.nextAsk() }
            bench.answer(416, ["Content-Range": "bytes */4000", "ETag": "\"w\""])
            #expect(bench.phase == .fetching)
        }
        #expect(bench.reports.contains(.changed(.validator)))
    }

    @Test func `R29 a 416 without a validator leads to a request for the last bytes, which prove the end`() throws {
        var bench = try begun()
        let end = try bench.nextAsk()
        bench.answer(416, ["Content-Range": "bytes */4000"])
        #expect(bench.phase == .fetching)
        let again = try #require(bench.lastAsk)
        #expect(again.id != end.id && again.range == "bytes=3000-" && again.fields.first("if-range") == "\"v\"")
        bench.answer(206, ["Content-Range": "bytes 3000-3999/4000", "ETag": "\"v\""])
        bench.deliver(to: 4000)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)))
    }

    @Test
    func `R29 if the request for the last bytes finds another file, the change is reported and the file fetched anew`()
        throws
    {
        var bench = try begun()
        _ = try bench.nextAsk()
        bench.answer(416, ["Content-Range": "bytes */4000"])
        bench.answer(200, ["Content-Length": "4000", "ETag": "\"w\""])
        for _ in 0..<4 where bench.lastAsk?.range != "bytes=0-" {
            if bench.waitForAsk() { bench.answer(200, ["Content-Length": "4000", "ETag": "\"w\""]) }
        }
        #expect(bench.reports.contains(.changed(.validator)))
        #expect(bench.phase == .fetching)
    }

    /// The download holds 8,000 of 10,000 bytes. The file now has 5,000 bytes; the server always sends all of it, and
    /// gives no length.
    private func shrunken(_ digest: Digest?, chunked: Bool) throws -> (bench: MachineBench, fetches: Int) {
        let known = Representation(total: 10_000, entityTag: EntityTag(parsing: "\"v\""))
        let recovered = DownloadMachine.Recovered.journal(
            known, durable: RangeSet(ByteRange(0..<8000)), isVerified: false)
        var bench = try MachineBench(recovered) { $0.digest = digest }
        bench.send(.begin)
        for _ in 0..<20 where !bench.phase.isTerminal {
            if bench.open.isEmpty { _ = bench.waitForAsk() }
            bench.answer(200, chunked ? ["Transfer-Encoding": "chunked", "ETag": "\"v\""] : ["ETag": "\"v\""])
            // Deliver, unless the request was repeated in another form.
            if bench.machine.segments.contains(where: \.isFlowing) { bench.deliver(to: 5000) }
        }
        return (bench, bench.actions.count { if case .store = $0 { true } else { false } })
    }

    @Test(arguments: [true, false])
    func `R30 a shorter file of unknown length is fetched at most twice if a digest decides`(_ chunked: Bool) throws {
        let (bench, fetches) = try shrunken(
            Digest(algorithm: .sha256, bytes: [UInt8](repeating: 1, count: 32)), chunked: chunked)
        #expect(bench.phase.isTerminal && fetches == 2, "\(fetches): \(bench.asks.map(\.range))")
    }

    @Test(arguments: [true, false])
    func `R30 a shorter file of unknown length is accepted without a digest once it has ended twice at the same place`(
        _ chunked: Bool
    ) throws {
        let (bench, fetches) = try shrunken(nil, chunked: chunked)
        #expect(bench.phase.isTerminal && fetches == 3, "\(fetches): \(bench.asks.map(\.range))")
    }

    @Test func `R30 an adopted file longer than the server's is reported as changed`() throws {
        for policy in ChangePolicy.allCases {
            var bench = try MachineBench(.adopted(size: 9000, name: "file.bin.part", isTarget: false)) {
                $0.overlap = 1000
                $0.onChange = policy
            }
            bench.send(.begin)
            // The beginning is compared first (V24), and says how long the server's file is.
            #expect(bench.lastAsk?.range == "bytes=0-999")
            bench.answerPart(0..<1000, of: 5000)
            for _ in 0..<4 where bench.phase == .fetching && bench.asks.count < 4 && policy == .fail {
                if bench.waitForAsk() { bench.answerPart(0..<1000, of: 5000) }
            }
            switch policy {
            case .fail: #expect(bench.phase.errorCode == .changed)
            case .restart: #expect(bench.reports.contains(.changed(.total)))
            }
        }
    }
}
