import PawlCore
import PawlEngine
import PawlTestKit
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

func environmentNumber(_ name: String) -> UInt64? {
    getenv(name).flatMap { UInt64(String(cString: $0)) }
}

@Suite("Whole downloads, simulated")
struct SimulationTests {
    /// `PAWL_SEED` replays a single story; `PAWL_SIMULATIONS` sets the number of stories.
    @Test func `every seeded story ends with the right bytes or the right error`() async throws {
        if let seed = environmentNumber("PAWL_SEED") {
            var simulation = Simulation(seed: seed)
            print(try simulation.run())
            return
        }
        let count = environmentNumber("PAWL_SIMULATIONS") ?? 10_000
        let executors: UInt64 = 2
        let summaries = try await withThrowingTaskGroup(of: Simulation.Summary.self) { group in
            for executor in 0..<executors {
                group.addTask {
                    var total = Simulation.Summary()
                    for seed in stride(from: executor, to: count, by: Int(executors)) {
                        var simulation = Simulation(seed: seed)
                        let summary = try simulation.run()
                        total.add(summary)
                        // Other tests share these threads, and some of them depend on the clock.
                        await Task.yield()
                        // A single long story points to a storm of requests or events.
                        #expect(summary.jobs < 20_000, "seed \(seed) took \(summary.jobs) jobs")
                    }
                    return total
                }
            }
            return try await group.reduce(into: Simulation.Summary()) { $0.add($1) }
        }
        print(
            "simulated \(count) downloads: \(summaries.lives) lives, \(summaries.requests) requests, \(summaries.kills) kills, \(summaries.powerCuts) power cuts, \(summaries.completed) completed, at most \(summaries.jobs) jobs in one"
        )
        // Stories that all ended before anything happened would prove nothing.
        #expect(summaries.completed > count / 2)
        #expect(summaries.powerCuts > count / 10)
        #expect(summaries.kills > count / 20)
    }
}

extension Simulation.Summary {
    fileprivate mutating func add(_ other: Simulation.Summary) {
        jobs = max(jobs, other.jobs)
        lives += other.lives
        requests += other.requests
        powerCuts += other.powerCuts
        kills += other.kills
        completed += other.completed
        bytesSent += other.bytesSent
        fileBytes += other.fileBytes
    }
}
