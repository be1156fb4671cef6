import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// The short way of a small file ends as the ordinary way does, wherever it is left.
@Suite("Small files on the short way, simulated")
struct SmallFileTests {
    static var seeds: [UInt64] {
        if let seed = environmentNumber("PAWL_SEED") { return [seed] }
        return Array(1...UInt64(max(40, (environmentNumber("PAWL_SIMULATIONS") ?? 0) / 20)))
    }

    @Test(arguments: seeds)
    func `a list of small files ends the same on each way`(seed: UInt64) throws {
        let story = SmallFileStory(seed: seed)
        let ordinary = try story.run(.ordinary)
        #expect(ordinary.short == 0)
        for way in [SmallFileStory.Way.short, .interrupted] {
            let run = try story.run(way)
            let endsTheSame = run.end == ordinary.end
            #expect(endsTheSame, "\(way), again: PAWL_SEED=\(seed)\n\(ordinary.end.difference(from: run.end))")
        }
    }

    @Test(arguments: seeds)
    func `files that another process makes meanwhile are left as they are, and nothing stands beside them`(
        seed: UInt64
    ) throws {
        for way in SmallFileStory.Way.allCases {
            let run = try SmallFileStory(seed: seed).runBesideAnother(way)
            #expect(run.faults.isEmpty, "\(way), again: PAWL_SEED=\(seed)\n\(run.faults.joined(separator: "\n"))")
            #expect(run.made > 0)
        }
    }

    /// A large file between two lists of small ones, all from one host, as many at once as the host bears.
    private func fetchLargeBetweenSmall(extras: Int) throws -> (hosts: SimulatedHosts, large: Instant, all: Instant) {
        let origin = { (count: Int) in
            var origin = SimulatedOrigin(versions: [
                .init(
                    bytes: SimulatedOrigin.content(count, seed: 1), entityTag: "\"1\"",
                    lastModified: "Sat, 01 Jan 2022 00:00:00 GMT")
            ])
            origin.latency = .milliseconds(80)
            origin.bytesPerSecond = 100_000
            return origin
        }
        let disk = SimulatedDisk(seed: 1)
        disk.makeDirectory("/d")
        let runtime = SimulatedRuntime(seed: 1, now: .zero)
        // One host, two of its files: told apart by their names.
        let hosts = SimulatedHosts(["h.example:80": origin(1000)], files: ["large": origin(4 << 20)], runtime: runtime)
        var ports = Ports(transport: hosts, storage: disk, runtime: runtime, digests: SimulatedDigests())
        (ports.largestHeldFile, ports.runsSmall) = (128 << 10, true)
        var limits = QueueMachine.Limits()
        (limits.maximumSmallFiles, limits.smallFilesPerHost) = (extras * 2, extras)
        limits.maximumFinished = .max
        let pool = DownloadPool(
            ports: ports, runner: SimulatedRunner(ports), limits: limits, namesInOrder: true)
        var large: DownloadID?
        for number in 0...600 {
            let name = number == 100 ? "large" : "small-\(number)"
            let text = "http://h.example/\(name)"
            let plan = Plan(try HTTPURL(parsing: text), in: "/d")
            let target = SimulatedRunner.target("/d", "\0" + text)
            if case .new(let id) = pool.add(plan, target: target), number == 100 { large = id }
        }
        let id = try #require(large)
        var largeEnd = Instant.zero
        _ = runtime.run(limit: .seconds(3600)) {
            if largeEnd == .zero, case .completed? = pool.entry(id)?.state { largeEnd = runtime.now }
            return pool.counts.running == 0 && pool.snapshots.allSatisfy { !$0.entry.state.isAlive }
        }
        let end = runtime.now
        runtime.halt()
        let areCompleted = pool.snapshots.allSatisfy { if case .completed = $0.entry.state { true } else { false } }
        #expect(areCompleted && pool.counts.all == 601)
        return (hosts, largeEnd, end)
    }

    @Test func `a large file keeps its connections beside two lists of small files, which use more than before`() throws
    {
        let before = try fetchLargeBetweenSmall(extras: 0)
        let after = try fetchLargeBetweenSmall(extras: 32)
        #expect(before.hosts.maximumOpen <= 8 && after.hosts.maximumOpen > 16 && after.hosts.maximumOpen <= 32)
        let connections = after.hosts.maximumOpen(of: "h.example:80/large")
        #expect(connections >= before.hosts.maximumOpen(of: "h.example:80/large"))
        #expect(after.large <= before.large && after.all < before.all, "\(after) after \(before)")
    }

    @Test func `most files of most lists take the short way to their end`() throws {
        let short = try (1...20).reduce(0) { try $0 + SmallFileStory(seed: $1).run(.short).short }
        #expect(short > 50, "\(short) of 800")
    }
}
