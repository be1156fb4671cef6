import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@Suite("Many downloads, simulated")
struct ManagerSimulationTests {
    static var seeds: [UInt64] {
        if let seed = environmentNumber("PAWL_SEED") { return [seed] }
        return [1, 2, 3, 12, 16]
    }

    @Test(arguments: seeds)
    func `a thousand downloads over twenty hosts keep the limits, starve no download, end, and leave no file`(
        seed: UInt64
    ) throws {
        var simulation = ManagerSimulation(seed: seed)
        let summary = try simulation.run()
        print("manager, seed \(seed): \(summary)")
        #expect(summary.completed + summary.failed + summary.removed == 1000 && summary.removed > 0)
    }
}
