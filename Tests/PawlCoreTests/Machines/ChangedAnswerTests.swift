import PawlCore
import Testing

/// Answers that mean that the file on the server is another one. For changes of the validator, see
/// `DownloadMachineTests`.
@Suite struct ChangedAnswerTests {
    private static let old = "Fri, 01 Jan 2021 00:00:00 GMT"

    private func bench(
        tag: String = "\"v\"", lastModified: String? = nil, change: (inout DownloadSettings) -> Void = { _ in }
    ) throws -> MachineBench {
        let known = Representation(
            total: 10_000, entityTag: EntityTag(parsing: tag), lastModified: lastModified,
            date: lastModified == nil ? nil : "Sat, 01 Jan 2022 00:00:00 GMT")
        return try MachineBench(.journal(known, durable: RangeSet(ByteRange(0..<5000)), isVerified: false), change)
    }

    private func expectUntouched(_ bench: MachineBench, at location: SourceLocation = #_sourceLocation) {
        let touches = bench.actions.filter {
            switch $0 {
            case .prepare, .store, .storeParts, .setAside, .dropAside, .quarantine, .checkpoint, .finish: true
            default: false
            }
        }
        #expect(touches == [], sourceLocation: location)
        #expect(bench.machine.durable == RangeSet(ByteRange(0..<5000)), sourceLocation: location)
    }

    @Test func `V03 a 416 that names a smaller length means a changed file`() throws {
        var bench = try bench { $0.onChange = .fail }
        bench.send(.begin)
        bench.answer(416, ["Content-Range": "bytes */4000"])
        #expect(bench.phase.errorCode == .changed)
        #expect(bench.asks.count == 1)
        expectUntouched(bench)
    }

    @Test
    func `V05 a 412 to If-Unmodified-Since means a changed file: it starts over, and the old bytes are set aside`()
        throws
    {
        var bench = try bench(tag: "W/\"v\"", lastModified: Self.old)
        bench.send(.begin)
        for _ in 0..<10 where !bench.actions.contains(.setAside(keep: true)) {
            #expect(bench.lastAsk?.fields.first("if-unmodified-since") == Self.old)
            bench.answer(412)
        }
        #expect(bench.lastAsk?.range == "bytes=0-")
        #expect(bench.asks.count == 5, "asked once and three times more, then anew")
    }

    /// The tag is unchanged, so the download asks a few more times which length is right.
    @Test(arguments: [9000, 11_000] as [Int64])
    func `R10 a 206 whose Content-Range names another total length means a changed file`(_ total: Int64) throws {
        var bench = try bench { $0.onChange = .fail }
        bench.send(.begin)
        for _ in 0..<10 where !bench.phase.isTerminal { bench.answerPart(5000..<total, of: total) }
        guard case .failed(let error) = bench.phase else {
            Issue.record("\(bench.phase)")
            return
        }
        #expect(error.code == .changed && error.message.contains("length"), "\(error)")
        #expect(bench.asks.count <= 4)
        expectUntouched(bench)
    }

    /// The mirror's file has the same tag and length, and yet may be another one.
    @Test func `V15 without a digest, a mirror that takes over from a source that fails midway starts from zero`()
        throws
    {
        let mirror = Source(url: try HTTPURL(parsing: "http://mirror.example/other/name"))
        var bench = try MachineBench {
            $0.mirrors = [mirror]
            $0.maximumConnections = 1
        }
        bench.send(.begin)
        bench.answerPart(0..<10_000, of: 10_000)
        bench.advance(to: 9000)
        bench.cut()
        try bench.nextAsk()
        bench.answer(404)
        if bench.open.isEmpty { try bench.nextAsk() }
        let ask = try #require(bench.lastAsk)
        #expect(ask.url == mirror.url && ask.range == "bytes=0-" && ask.fields.first("if-range") == nil, "\(ask)")
        #expect(bench.machine.written.isEmpty && bench.machine.durable.isEmpty)
        bench.answerPart(0..<10_000, of: 10_000)
        bench.deliver(to: 10_000)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)))
    }

    enum Change: CaseIterable { case tag, length, both }

    @Test(arguments: Change.allCases)
    func `R10 V04 a file that keeps changing fails the download in the end`(_ change: Change) throws {
        var bench = try bench()
        bench.send(.begin)
        for number: Int64 in 1...100 where !bench.phase.isTerminal {
            let total = change == .tag ? 10_000 : 20_000 + number
            guard let ask = bench.machine.segments.last else { break }
            let start = ask.request.start
            bench.answerPart(start..<total, of: total, tag: change == .length ? "\"v\"" : "\"t\(number)\"")
            if bench.machine.segments.contains(where: { $0.id == ask.id && $0.isFlowing }) {
                bench.advance(to: start + 1000)
                bench.cut()
                _ = bench.waitForAsk()
            } else if bench.machine.segments.isEmpty {
                _ = bench.waitForAsk()
            }
        }
        guard case .failed(let error) = bench.phase else {
            Issue.record("\(bench.phase)")
            return
        }
        #expect(error.code == .changed && error.message.contains("keeps changing"), "\(error)")
        #expect(bench.asks.count <= 60)
    }
}
