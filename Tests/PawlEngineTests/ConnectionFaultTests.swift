import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Connection faults (N in docs/faults.md) that take hours to show, on the simulated machine.
@Suite struct `B5 Connections over time` {
    private static let refusals: [SimulatedOrigin.Excess] = [.status(503), .status(403), .status(429), .reset, .hang]

    @Test(arguments: refusals)
    func `N01 one connection too many may be refused in any of five ways, and the download completes`(
        excess: SimulatedOrigin.Excess
    ) throws {
        var bench = try EngineBench(size: 200_000)
        bench.origin.bytesPerSecond = 10_000
        bench.origin.chunk = 1000
        bench.origin.maximumConnections = 2
        bench.origin.excess = excess
        let run = bench.run()
        #expect(run.outcome?.isComplete ?? false, "\(run.reports)")
        #expect(bench.contents("file.bin") == bench.bytes)
        // Two connections take ten seconds. Hanging ones are dropped after ten, and the rest then arrives over one
        // connection.
        #expect(run.took < .seconds(45), "\(run.took)")
        #expect(run.requests.count <= 14, "\(run.requests.count)")
        #expect(run.bodyBytes <= 200_000 + 50_000)
        guard case .status = excess else { return }
        let limits = run.reports.compactMap { if case .connectionRefused(_, let limit) = $0 { limit } else { nil } }
        #expect(!limits.isEmpty && limits.allSatisfy { $0 <= 2 }, "\(limits)")
        // While no other exchange runs, a server may briefly count a connection that has ended. That request is retried
        // after a wait.
        let failures = run.reports.compactMap {
            if case .retrying(_, let failures, _, _) = $0 { failures } else { nil }
        }
        #expect(failures.allSatisfy { $0 < 4 }, "\(failures)")
    }

    @Test(arguments: [503, 403])
    func `N01 a download from a server that allows one connection continues on one, and no failure is counted`(
        _ status: Int
    ) throws {
        var bench = try EngineBench(size: 200_000)
        bench.origin.bytesPerSecond = 10_000
        bench.origin.chunk = 1000
        bench.origin.maximumConnections = 1
        bench.origin.excess = .status(status)
        let run = bench.run()
        #expect(run.outcome?.isComplete ?? false, "\(run.reports)")
        #expect(bench.contents("file.bin") == bench.bytes)
        // The refused request is repeated without its condition, because a 403 may be about that. Its range returns to
        // the first connection.
        #expect(run.requests.count <= 6, "\(run.requests.count)")
        #expect(run.bodyBytes <= 200_000 + 40_000)
        #expect(!run.reports.contains { if case .retrying = $0 { true } else { false } }, "\(run.reports)")
    }

    @Test func `N01 a lowered connection limit is raised again after each clean minute, by one connection`() throws {
        var bench = try EngineBench(size: 200_000)
        bench.origin.bytesPerSecond = 500
        bench.origin.chunk = 100
        bench.origin.maximumConnections = 2
        let run = bench.run()
        #expect(run.outcome?.isComplete ?? false)
        let refused = run.reports.count { if case .connectionRefused = $0 { true } else { false } }
        // Over two hundred seconds: the first refusals, and one more each minute.
        #expect((2...6).contains(refused), "\(refused)")
        #expect(run.maximumOpen <= 5)
    }

    @Test func `R35 a host that is remembered to bear one connection gets more as soon as a second one brings bytes`()
        throws
    {
        var bench = try EngineBench(size: 200_000)
        bench.origin.bytesPerSecond = 10_000
        bench.origin.chunk = 1000
        var hints = HostHints()
        (hints.connectionCap, hints.borne) = (2, 1)
        bench.settings.hostHints[bench.settings.url.originKey] = hints
        let run = bench.run()
        #expect(run.outcome?.isComplete ?? false)
        #expect(run.maximumOpen > 2 && run.took < .seconds(10), "\(run.maximumOpen), \(run.took)")
    }

    @Test func `N03 connections are added only while they increase throughput`() throws {
        var bench = try EngineBench(size: 200_000)
        bench.origin.totalBytesPerSecond = 5_000
        bench.origin.chunk = 250
        let shared = bench.run()
        #expect(shared.outcome?.isComplete ?? false)
        #expect(shared.maximumOpen <= 4, "\(shared.maximumOpen) for a server that gives no more to many than to one")

        var other = try EngineBench(size: 200_000)
        other.origin.bytesPerSecond = 5_000
        other.origin.chunk = 250
        let each = other.run()
        #expect(each.outcome?.isComplete ?? false)
        #expect(each.maximumOpen == 8, "\(each.maximumOpen) for a server that limits each connection")
        #expect(each.took < shared.took / 3)
    }

    @Test func `N05 a connection of one byte in ten seconds hands its range to others and delays nothing`() throws {
        var bench = try EngineBench(size: 200_000)
        bench.origin.bytesPerSecond = 5_000
        bench.origin.chunk = 250
        bench.origin.drips = [2: .seconds(10)]
        let run = bench.run()
        #expect(run.outcome?.isComplete ?? false)
        #expect(bench.contents("file.bin") == bench.bytes)
        #expect(run.took < .seconds(40), "\(run.took)")
        #expect(run.bodyBytes <= 200_000 + 50_000)
    }

    @Test func `N05 N06 the only connection is never dropped for being slow, however long it takes`() throws {
        var bench = try EngineBench(size: 100)
        bench.origin.drips = [1: .seconds(10)]
        let run = bench.run()
        #expect(run.outcome?.isComplete ?? false)
        #expect(run.requests.count == 1)
        #expect(run.took >= .seconds(990))
    }

    @Test(arguments: [nil, 9])
    func `N11 a server that is down gets four requests, or as many as were asked for, at growing intervals`(
        retries: Int?
    ) throws {
        var bench = try EngineBench()
        bench.origin.refuses = 1
        bench.settings.maximumRetries = retries
        let run = bench.run()
        #expect(run.errorCode == .network)
        #expect(run.requests.count == (retries ?? 3) + 1)
        #expect(
            retries == nil ? run.took < .seconds(4) : run.took > .seconds(3) && run.took < .seconds(252), "\(run.took)")
        #expect(bench.names == [])
    }

    @Test func `N11 an unstable server costs few requests, and is retried as long as it delivers bytes`() throws {
        var bench = try EngineBench(size: 400_000)
        bench.origin.diesMidBody = 1
        bench.settings.maximumConnections = 1
        let run = bench.run()
        // Each answer breaks off somewhere; the received bytes are kept, so the remainder shrinks.
        #expect(run.bodyBytes <= 400_000 + Int64(run.requests.count) * 4096)
        #expect(run.requests.count <= 60, "\(run.requests.count)")
        let waits = run.reports.count { if case .retrying = $0 { true } else { false } }
        #expect(waits >= run.requests.count - 2)
    }
}
