import Testing

@testable import PawlCore

@Suite("Hosts that asked an earlier run to wait")
struct RememberedWaitTests {
    private static let url = "http://origin.example/file.bin"

    private static func bench(resting wait: Duration, mirrors: [String] = []) throws -> MachineBench {
        var hints = HostHints()
        hints.rest = .init(until: .zero + wait, length: wait, asked: 0)
        let mirrors = try mirrors.map { Source(url: try HTTPURL(parsing: $0), priority: 2) }
        return try MachineBench { settings in
            settings.hostHints[settings.url.originKey] = hints
            settings.mirrors = mirrors
        }
    }

    @Test func `N24 a remembered wait of more than an hour fails at once, with host and time in the message`() throws {
        var bench = try Self.bench(resting: .seconds(3601))
        bench.send(.begin)
        guard case .failed(let error) = bench.phase else {
            Issue.record("it waits: \(bench.phase)")
            return
        }
        #expect(bench.asks.isEmpty)
        #expect(error.code == .refused && error.recovery == .retryAfter(.seconds(3601)))
        // 3601 s after the start of the bench's clock, which begins with the year.
        let until = "Sat, 01 Jan 2022 01:00:01 GMT"
        #expect(error.message.contains("origin.example was busy on") && error.message.contains(until))
    }

    @Test(arguments: [1, 30, 3600])
    func `N24 a remembered wait of up to an hour is reported and waited for`(seconds: Int) throws {
        var bench = try Self.bench(resting: .seconds(seconds))
        bench.send(.begin)
        let until = Instant.zero + .seconds(seconds)
        guard case .retrying(let error, 0, _, until)? = bench.reports.first else {
            Issue.record("not reported: \(bench.reports)")
            return
        }
        #expect(error.message.contains("origin.example was busy on"))
        #expect(bench.asks.isEmpty && bench.machine.nextWakeUp == until)
        guard case .waiting(.backOff(let left, error.message)) = bench.machine.progress(at: bench.now).state else {
            Issue.record("it does not show that it waits")
            return
        }
        #expect(left == Double(seconds))
        bench.wait(.seconds(seconds))
        #expect(bench.asks.count == 1)
    }

    @Test(arguments: [true, false])
    func `R34 a host that serves although it asked an earlier run to wait is remembered to serve`(
        isServing: Bool
    ) throws {
        var hints = HostHints()
        hints.rest = .init(until: .zero + .seconds(7200), length: .seconds(7200), asked: 0)
        var bench = try MachineBench {
            $0.hostHints[$0.url.originKey] = hints
            $0.ignoresRetryAfter = true
        }
        bench.send(.begin)
        if isServing { bench.answerPart(0..<10_000, of: 10_000) } else { bench.answer(404) }
        let observations = bench.actions.compactMap { if case .learned(_, let found) = $0 { found } else { nil } }
        #expect(observations.contains(.serves) == isServing)
    }

    @Test func `N24 a mirror takes the place of a host with a long remembered wait`() throws {
        var bench = try Self.bench(resting: .seconds(7200), mirrors: ["http://mirror.example/file.bin"])
        bench.send(.begin)
        #expect(bench.asks.map(\.url.host) == ["mirror.example"])
        let failed = bench.reports.compactMap { if case .sourceFailed(let url, _) = $0 { url.host } else { nil } }
        #expect(failed == ["origin.example"])
    }

    @Test func `N24 bytes stored by an earlier run are kept when the host has a long remembered wait`() throws {
        var hints = HostHints()
        hints.rest = .init(until: .zero + .seconds(7200), length: .seconds(7200), asked: 0)
        let known = Representation(total: 100, entityTag: EntityTag(parsing: "\"v\""))
        let kept = DownloadMachine.Recovered.journal(known, durable: RangeSet(ByteRange(0..<50)), isVerified: false)
        var bench = try MachineBench(kept) { settings in
            settings.hostHints[settings.url.originKey] = hints
        }
        bench.send(.begin)
        guard case .failed = bench.phase else {
            Issue.record("it waits: \(bench.phase)")
            return
        }
        #expect(bench.machine.durable.count == 50)
        #expect(!bench.actions.contains { if case .setAside = $0 { true } else { false } })
    }

    // MARK: Remembered waits

    private static func rest(until end: Int64, learned: Int64, at wallClock: Int64) throws -> Duration? {
        let url = try HTTPURL(parsing: url)
        var facts = HostMemory.Facts()
        facts.busyUntil = HostMemory.Dated(end, learned: learned)
        let memory = HostMemory([url.originKey: facts])
        let left = memory.hints(for: url, at: .zero, wallClock: wallClock).rest.map { $0.until - .zero }
        // An implausible wait is not kept either.
        #expect(memory.current(wallClock: wallClock).hosts.isEmpty == (left == nil))
        return left
    }

    @Test func `N24 a remembered wait keeps its exact remainder`() throws {
        #expect(try Self.rest(until: 11_000, learned: 1000, at: 2000) == .seconds(9000))
        #expect(try Self.rest(until: 1000 + 86_400, learned: 1000, at: 1000) == .seconds(86_400))
        #expect(try Self.rest(until: 2000, learned: 1000, at: 2000) == nil)
    }

    @Test func `N24 a wait of more than a day is not remembered`() throws {
        #expect(try Self.rest(until: 1000 + 86_401, learned: 1000, at: 1000) == nil)
        #expect(try Self.rest(until: .max, learned: 1000, at: 1000) == nil)
        #expect(try Self.rest(until: .max, learned: .min, at: .min) == nil)
    }

    @Test func `N24 a wait recorded in the future of the current clock is ignored`() throws {
        #expect(try Self.rest(until: 11_000, learned: 10_000, at: 9999) == nil)
    }
}
