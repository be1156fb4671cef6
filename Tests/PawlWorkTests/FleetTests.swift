import PawlSystem
import PawlTestKit
import Testing

@testable import PawlWork

private func number(_ name: String) -> UInt64? { Environment.value(name).flatMap { UInt64($0) } }

@Suite struct FleetTests {
    @Test
    func `whatever tasks do, each item is in one manifest, and that has its data`() throws {
        if let seed = number("PAWL_SEED") {
            _ = try FleetStory(seed: seed).run()
            return
        }
        let count = number("PAWL_SIMULATIONS") ?? 10_000
        var all = FleetStory.Summary()
        for seed in 0..<count {
            let one = try FleetStory(seed: seed).run()
            all.kills += one.kills
            all.lostDisks += one.lostDisks
            all.twins += one.twins
            all.orphans += one.orphans
        }
        // The stories are about these.
        #expect(all.kills > Int(count) && all.twins > Int(count) && all.lostDisks > Int(count) / 4)
    }

    @Test(arguments: FleetStory.Sabotage.allCases)
    func `a rule that is taken out is missed`(_ rule: FleetStory.Sabotage) throws {
        let found = (0..<400 as Range<UInt64>).first { seed in
            do {
                _ = try FleetStory(seed: seed, without: rule).run()
                return false
            } catch { return error is FleetStory.Failure }
        }
        #expect(found != nil)
    }
}
