import Testing

@testable import PawlCore

@Suite("Options about retries")
struct RetryOptionTests {
    private static let refused = StreamEnd.failed(TransportError(.connect, "connection refused"))

    /// How often a host that never answers is asked.
    private static func asks(
        _ end: StreamEnd = refused, _ change: (inout DownloadSettings) -> Void = { _ in }
    ) throws -> (count: Int, took: Duration) {
        var bench = try MachineBench(.nothing, change)
        bench.send(.begin)
        repeat { bench.end(end) } while bench.waitForAsk()
        #expect(bench.phase.errorCode == .network)
        return (bench.asks.count, bench.now - .zero)
    }

    @Test(arguments: [TransportError.Reason.connect, .proxy])
    func `N11 a host that has not answered at all is asked four times, within seconds`(
        reason: TransportError.Reason
    ) throws {
        let (count, took) = try Self.asks(.failed(TransportError(reason, "connection refused")))
        #expect(count == 4)
        #expect(took < .seconds(4))
    }

    @Test func `R33 a host that accepts connections and closes them without an answer is given up within seconds`()
        throws
    {
        let (count, took) = try Self.asks(.failed(TransportError(.truncated, "closed")))
        // Once without a range, which may be what it does not like.
        #expect((4...5).contains(count))
        #expect(took < .seconds(4))
    }

    @Test func `N11 a host that has sent bytes before is asked ten times if it closes each connection`() throws {
        var bench = try Self.benchWithBytes()
        var tries = 0
        while bench.waitForAsk() {
            tries += 1
            bench.end(.failed(TransportError(.truncated, "closed")))
        }
        #expect((9...10).contains(tries))
    }

    /// 4000 of 10,000 bytes have come, and the connection is gone.
    private static func benchWithBytes(
        _ change: (inout DownloadSettings) -> Void = { _ in }
    ) throws -> MachineBench {
        var bench = try MachineBench(.nothing, change)
        bench.send(.begin)
        bench.answerPart(0..<10_000, of: 10_000)
        bench.advance(to: 4000)
        bench.cut()
        return bench
    }

    private static func awaitsNetwork(_ bench: MachineBench) -> Bool {
        if case .waiting(.network) = bench.machine.progress(at: bench.now).state { true } else { false }
    }

    private static func tries(_ bench: inout MachineBench, _ end: StreamEnd = refused) -> Int {
        var tries = 0
        while bench.waitForAsk() {
            tries += 1
            bench.end(end)
        }
        return tries
    }

    @Test(arguments: [TransportError.Reason.connect, .proxy, .nameResolution])
    func `N37 once there are bytes, an outage is waited for an hour, at least once a minute`(
        reason: TransportError.Reason
    ) throws {
        var bench = try Self.benchWithBytes()
        let begun = bench.now
        try bench.nextAsk()
        bench.end(.failed(TransportError(reason, "no network")))
        #expect(Self.awaitsNetwork(bench))
        guard case .retrying(_, _, of: nil, _)? = bench.reports.last else {
            Issue.record("\(String(describing: bench.reports.last))")
            return
        }
        let tries = Self.tries(&bench, .failed(TransportError(reason, "no network")))
        #expect((60...300).contains(tries))
        #expect(bench.phase.errorCode == .network)
        #expect((.seconds(3600)...(.seconds(3720))).contains(bench.now - begun))
    }

    private static func hostServes(_ settings: inout DownloadSettings) {
        settings.hostHints.serving = settings.url.hostKey
    }

    @Test func `N37 an outage is waited for by time without bytes if the caller asks for it, or the host has served`()
        throws
    {
        #expect(try Self.asks { $0.waitsForNetwork = true }.took >= .seconds(3600))
        #expect(try Self.asks(Self.refused, Self.hostServes).took >= .seconds(3600))
        #expect(
            try Self.asks { ($0.waitsForNetwork, $0.maximumRetryTime) = (true, .seconds(100)) }.took < .seconds(170))
        #expect(try Self.asks { ($0.waitsForNetwork, $0.maximumRetries) = (true, 5) }.count == 6)
        // Others have waited for it.
        let hasFailed: (inout DownloadSettings) -> Void = {
            Self.hostServes(&$0)
            $0.failuresBefore = 9
        }
        #expect(try Self.asks(Self.refused, hasFailed).count == 1)
    }

    @Test func `N37 tries of an outage leave those of a server that is back as they are`() throws {
        var bench = try Self.benchWithBytes()
        for _ in 0..<30 {
            try bench.nextAsk()
            bench.end(Self.refused)
        }
        try bench.nextAsk()
        bench.answer(500)
        try bench.nextAsk()
        bench.answerPart(4000..<10_000, of: 10_000)
        bench.deliver(to: 10_000)
        if case .completed = bench.phase { return }
        Issue.record("\(bench.phase)")
    }

    @Test func `N37 when an address appears, the next try is made at once, and only by one that waits for it`() throws {
        var bench = try Self.benchWithBytes()
        for _ in 0..<20 {
            try bench.nextAsk()
            bench.end(Self.refused)
        }
        var count = bench.asks.count
        bench.send(.networkChanged)
        #expect(bench.asks.count == count + 1)
        bench.answer(503)
        count = bench.asks.count
        bench.send(.networkChanged)
        #expect(bench.asks.count == count, "a server that is busy is left alone")
    }

    /// The connection to a server with bytes is refused four times, which makes its mirror be asked.
    private static func benchWithProbe(
        _ change: (inout DownloadSettings) -> Void = { _ in }
    ) throws -> MachineBench {
        let mirror = Source(url: try HTTPURL(parsing: "http://mirror.example/file.bin"), priority: 2)
        var bench = try Self.benchWithBytes {
            $0.mirrors = [mirror]
            change(&$0)
        }
        while bench.lastAsk?.url.host != "mirror.example" {
            try bench.nextAsk()
            bench.end(Self.refused)
        }
        #expect(bench.lastAsk?.range == "bytes=0-0")
        return bench
    }

    @Test func `N37 when a mirror answers, the server is away and not the network, and its tries are counted`() throws {
        var bench = try Self.benchWithProbe()
        let begun = bench.now
        var tries = 0
        repeat {
            if bench.lastAsk?.url.host == "origin.example" {
                tries += 1
                bench.end(Self.refused)
            }
            guard bench.lastAsk?.range == "bytes=0-0" else { break }
            bench.answerPart(0..<1, of: 10_000)
        } while bench.waitForAsk()
        // The cut was the first of ten; none of the outage before the answer is counted.
        #expect(tries == 9)
        #expect(bench.now - begun < .seconds(600))
        bench.answerPart(0..<10_000, of: 10_000, tag: nil)
        bench.deliver(to: 10_000)
        guard case .completed = bench.phase else {
            Issue.record("\(bench.phase)")
            return
        }
        #expect(bench.faults.isEmpty)
    }

    @Test func `N37 where nothing is stored, a mirror that answers is taken at the next failure`() throws {
        let mirror = Source(url: try HTTPURL(parsing: "http://mirror.example/file.bin"), priority: 2)
        var bench = try MachineBench(.nothing) {
            Self.hostServes(&$0)
            $0.mirrors = [mirror]
        }
        bench.send(.begin)
        bench.end(Self.refused)
        while bench.lastAsk?.url.host != "mirror.example" {
            try bench.nextAsk()
            bench.end(Self.refused)
        }
        #expect(bench.lastAsk?.range == "bytes=0-0")
        bench.answerPart(0..<1, of: 10_000)
        try bench.nextAsk()
        #expect(bench.lastAsk?.url.host == "origin.example")
        bench.end(Self.refused)
        #expect(bench.lastAsk?.url.host == "mirror.example" && bench.lastAsk?.range == "bytes=0-")
        #expect(bench.now - .zero < .seconds(10))
        bench.answerPart(0..<10_000, of: 10_000)
        bench.deliver(to: 10_000)
        guard case .completed = bench.phase else {
            Issue.record("\(bench.phase)")
            return
        }
        #expect(bench.faults.isEmpty)
    }

    @Test func `N37 a mirror that no longer answers shows that the network is gone, whatever it answered before`()
        throws
    {
        var bench = try Self.benchWithProbe()
        bench.answerPart(0..<1, of: 10_000)
        let begun = bench.now
        while bench.waitForAsk() { bench.end(Self.refused) }
        #expect(bench.phase.errorCode == .network)
        #expect(bench.now - begun >= .seconds(3500))
    }

    @Test func `N37 a mirror that has another length is no reason to give up what is stored`() throws {
        var bench = try Self.benchWithProbe { $0.options.expectedSize = 10_000 }
        bench.answerPart(0..<1, of: 9000)
        for _ in 0..<30 { try Self.refuse(&bench) }
        #expect(Self.awaitsNetwork(bench))
    }

    @Test(arguments: [404, 503, 302])
    func `N37 a mirror that has no such file, or leads nowhere, leaves the wait as it is`(status: Int) throws {
        var bench = try Self.benchWithProbe()
        bench.answer(status, ["Location": "ftp://mirror.example/"])
        for _ in 0..<30 { try Self.refuse(&bench) }
        try bench.nextAsk()
        if bench.lastAsk?.url.host == "mirror.example" {
            bench.answer(status)
            try bench.nextAsk()
        }
        bench.answerPart(4000..<10_000, of: 10_000)
        bench.deliver(to: 10_000)
        guard case .completed = bench.phase else {
            Issue.record("\(bench.phase)")
            return
        }
    }

    private static func refuse(_ bench: inout MachineBench) throws {
        try bench.nextAsk()
        bench.end(Self.refused)
    }

    @Test func `N37 a redirect of a mirror is followed, and a page in place of the file is no answer`() throws {
        var bench = try Self.benchWithProbe()
        bench.answer(302, ["Location": "http://far.example/file.bin"])
        #expect(bench.lastAsk?.url.host == "far.example")
        bench.answer(200, ["Content-Type": "text/html"])
        for _ in 0..<30 { try Self.refuse(&bench) }
        #expect(Self.awaitsNetwork(bench))
    }

    @Test func `N37 a network that is back ends the question to a mirror, and the server is asked at once`() throws {
        var bench = try Self.benchWithProbe()
        bench.send(.networkChanged)
        #expect(bench.lastAsk?.url.host == "origin.example")
        bench.answerPart(4000..<10_000, of: 10_000)
        bench.deliver(to: 10_000)
        guard case .completed = bench.phase else {
            Issue.record("\(bench.phase)")
            return
        }
    }

    @Test(arguments: [0, 1, 7, 30])
    func `a number of retries holds for every kind of failure`(retries: Int) throws {
        #expect(try Self.asks { $0.maximumRetries = retries }.count == retries + 1)
        #expect(
            try Self.asks(.failed(TransportError(.nameResolution, "unknown"))) { $0.maximumRetries = retries }.count
                == retries + 1)
        #expect(
            try Self.asks(.failed(TransportError(.truncated, "reset"))) { $0.maximumRetries = retries }.count
                // Without retries there is one more request without a range (R32).
                == max(2, retries + 1))
    }

    @Test(arguments: [0, 2, 12])
    func `a number of retries holds for waits that the server asks for, too`(retries: Int) throws {
        var bench = try MachineBench { $0.maximumRetries = retries }
        bench.send(.begin)
        var answered = 0
        repeat {
            while answered < bench.asks.count {
                answered += 1
                bench.answer(503, ["Retry-After": "5"])
            }
        } while bench.waitForAsk()
        #expect(bench.phase.errorCode == .refused)
        // After the first wait, one more without a range (R32).
        #expect(bench.asks.count == retries + (retries == 0 ? 1 : 2))
    }

    @Test func `N24 without retries, a remembered wait is not waited for`() throws {
        var hints = HostHints()
        hints.rest = .init(until: .zero + .seconds(30), length: .seconds(30), asked: 1_640_995_200)
        for change in [{ $0.maximumRetries = 0 }, { $0.maximumRetryTime = .seconds(10) }]
            as [(inout DownloadSettings) -> Void]
        {
            var bench = try MachineBench {
                $0.hostHints[$0.url.originKey] = hints
                change(&$0)
            }
            bench.send(.begin)
            #expect(bench.phase.errorCode == .refused)
        }
    }

    @Test func `N11 a host that has answered in this run is asked ten times, and one that an earlier run knew is not`()
        throws
    {
        var bench = try MachineBench()
        bench.send(.begin)
        for _ in 0..<4 {
            bench.answer(500)
            let goesOn = bench.waitForAsk()
            try #require(goesOn)
        }
        var tries = 0
        repeat {
            tries += 1
            bench.end(Self.refused)
        } while bench.waitForAsk()
        #expect(tries == 6)
    }

    @Test func `N11 a host that accepts connections and never answers is asked four times`() throws {
        var bench = try MachineBench()
        bench.send(.begin)
        bench.wait(.seconds(600))
        #expect(bench.phase.errorCode == .network)
        #expect(bench.asks.count == 4)
    }

    @Test func `retries end with the time that is allowed for them, and progress begins it anew`() throws {
        let (count, took) = try Self.asks { ($0.maximumRetries, $0.maximumRetryTime) = (1000, .seconds(20)) }
        #expect(took <= .seconds(20) && count > 4, "\(count) tries in \(took)")

        var bench = try MachineBench { ($0.maximumRetries, $0.maximumRetryTime) = (1000, .seconds(20)) }
        bench.send(.begin)
        var position: Int64 = 0
        for _ in 0..<20 {
            bench.answerPart(position..<10_000, of: 10_000)
            position += 100
            bench.advance(to: position)
            bench.cut()
            let goesOn = bench.waitForAsk()
            try #require(goesOn, "it ended though each try brought bytes: \(bench.phase)")
        }
        #expect(bench.now - .zero > .seconds(20))
    }

    @Test(arguments: [0, 3, 100])
    func `a wait that the server asks for is kept, or not if the caller says so`(seconds: Int) throws {
        var bench = try MachineBench { $0.ignoresRetryAfter = true }
        bench.send(.begin)
        bench.answer(429, ["Retry-After": "\(seconds * 3600)"])
        guard
            case .retrying(_, 1, _, let until)? = bench.reports.last(where: {
                if case .retrying = $0 { true } else { false }
            })
        else {
            Issue.record("\(bench.reports)")
            return
        }
        #expect(until - bench.now <= .milliseconds(500))
        #expect(
            !bench.actions.contains { if case .learned(_, .busy) = $0 { true } else { false } }, "others would wait")
    }

    @Test func `N24 a wait that an earlier run did not wait for is not waited for near its end either`() throws {
        var hints = HostHints()
        hints.rest = .init(until: .zero + .seconds(600), length: .seconds(7200), asked: 1_640_995_200 - 6600)
        var bench = try MachineBench { $0.hostHints[$0.url.originKey] = hints }
        bench.send(.begin)
        guard case .failed(let error) = bench.phase else {
            Issue.record("it waits: \(bench.phase)")
            return
        }
        // The bench's clock begins with the year 2022.
        #expect(
            error.message.contains("Fri, 31 Dec 2021 22:10:00 GMT")
                && error.message.contains("Sat, 01 Jan 2022 00:10:00 GMT"))
        #expect(error.remedies.contains(.ignoreRetryAfter))

        var asking = try MachineBench {
            $0.hostHints[$0.url.originKey] = hints
            $0.ignoresRetryAfter = true
        }
        asking.send(.begin)
        #expect(asking.asks.count == 1)
    }
}
