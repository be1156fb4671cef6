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
    /// `PAWL_SEED` replays one story alone; `PAWL_SIMULATIONS` sets how many are told.
    @Test("every seeded story ends with the right bytes or the right error")
    func stories() async throws {
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
                        let took = try processorTime { total.add(try simulation.run()) }
                        // Other tests share these threads, and some of them look at the clock.
                        await Task.yield()
                        // One slow story hides a storm of requests or events.
                        #expect(took < .seconds(5), "seed \(seed) took \(took)")
                    }
                    return total
                }
            }
            return try await group.reduce(into: Simulation.Summary()) { $0.add($1) }
        }
        print(
            "simulated \(count) downloads: \(summaries.lives) lives, \(summaries.requests) requests, \(summaries.kills) kills, \(summaries.powerCuts) power cuts, \(summaries.completed) completed"
        )
        // Stories that all end before anything happens would prove nothing.
        #expect(summaries.completed > count / 2)
        #expect(summaries.powerCuts > count / 10)
        #expect(summaries.kills > count / 20)
    }
}

extension Simulation.Summary {
    fileprivate mutating func add(_ other: Simulation.Summary) {
        lives += other.lives
        requests += other.requests
        powerCuts += other.powerCuts
        kills += other.kills
        completed += other.completed
        bytesSent += other.bytesSent
        fileBytes += other.fileBytes
    }
}
