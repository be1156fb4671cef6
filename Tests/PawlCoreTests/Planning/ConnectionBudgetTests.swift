import PawlCore
import Testing

@Suite struct ConnectionBudgetTests {
    @Test func `R35 a remembered ceiling is forgotten once, and one of this run is kept`() {
        var budget = ConnectionBudget(limit: 8, ceiling: 2)
        #expect(budget.ceiling == 2)
        let (isForgotten, again) = (budget.forgetRemembered(), budget.forgetRemembered())
        #expect(isForgotten && !again && budget.ceiling == 8)
        var refused = ConnectionBudget(limit: 8, ceiling: 4)
        refused.refused(running: 2, at: .zero)
        let isOfThisRun = !refused.forgetRemembered()
        #expect(isOfThisRun && refused.ceiling == 2)
    }

    /// A simulated server: as many connections run as the budget wants, and each tick delivers what the server lets
    /// through.
    private struct World {
        var budget: ConnectionBudget
        var now = Instant.zero
        var counts: [ExchangeID: Int64] = [:]
        var received: Int64 = 0
        var remaining: Int64 = 1 << 40

        init(limit: Int) { budget = ConnectionBudget(limit: limit) }

        /// - Parameter rate: Bytes per second of connection `index` of `count`.
        mutating func run(_ duration: Duration, rate: (_ index: Int, _ count: Int) -> Int64) {
            let end = now + duration
            while now < end {
                now = now + .milliseconds(50)
                for index in 0..<budget.desired where counts[ExchangeID(index)] == nil { counts[ExchangeID(index)] = 0 }
                counts = counts.filter { $0.key.number < budget.desired }
                for id in counts.keys.sorted() {
                    let bytes = rate(id.number, counts.count) / 20
                    counts[id, default: 0] += bytes
                    received += bytes
                }
                budget.sample(
                    received: received, connections: counts, running: counts.count, remaining: remaining, at: now)
            }
        }
    }

    @Test func `the number of connections doubles up to the limit while each one adds throughput`() {
        var world = World(limit: 8)
        #expect(world.budget.desired == 1)
        var seen: [Int] = []
        for _ in 0..<40 {
            world.run(.milliseconds(50)) { _, _ in 1_000_000 }
            if seen.last != world.budget.desired { seen.append(world.budget.desired) }
        }
        #expect(seen == [1, 2, 4, 8])
    }

    @Test func `N03 connections are not added when they do not increase the total`() {
        var world = World(limit: 16)
        world.run(.seconds(4)) { _, count in 8_000_000 / Int64(count) }
        #expect(world.budget.desired == 2)
    }

    @Test func `N03 a trial connection that adds nothing is removed, and the next trial waits longer`() {
        var world = World(limit: 16)
        world.run(.seconds(4)) { _, count in 8_000_000 / Int64(count) }
        let settled = world.budget.desired
        var trialSeconds: [Double] = []
        for _ in 0..<(20 * 120) {
            let before = world.budget.desired
            world.run(.milliseconds(50)) { _, count in 8_000_000 / Int64(count) }
            if before == settled, world.budget.desired > before { trialSeconds.append(world.now.inSeconds) }
        }
        #expect(trialSeconds.count >= 3)
        let waits = zip(trialSeconds, trialSeconds.dropFirst()).map { $1 - $0 }
        #expect(zip(waits, waits.dropFirst()).allSatisfy { $0 < $1 })
        #expect(world.budget.desired <= settled + 1)
    }

    @Test func `trial connections discover that a server has become faster`() {
        var world = World(limit: 6)
        world.run(.seconds(4)) { _, count in 1_000_000 / Int64(count) }
        #expect(world.budget.desired == 2)
        world.run(.seconds(60)) { _, _ in 1_000_000 }
        #expect(world.budget.desired == 6)
    }

    @Test func `N01 a refusal lowers the ceiling to the running connections, and a clean minute raises it by one`() {
        var world = World(limit: 8)
        world.run(.seconds(2)) { _, _ in 1_000_000 }
        #expect(world.budget.desired == 8)
        world.budget.refused(running: 3, at: world.now)
        #expect(world.budget.ceiling == 3)
        #expect(world.budget.desired == 3)
        world.run(.seconds(59)) { _, _ in 1_000_000 }
        #expect(world.budget.ceiling == 3)
        #expect(world.budget.desired == 3)
        world.run(.seconds(4)) { _, _ in 1_000_000 }
        #expect(world.budget.ceiling == 4)
        #expect(world.budget.desired == 4)
        world.budget.refused(running: 3, at: world.now)
        #expect(world.budget.ceiling == 3)
    }

    @Test(arguments: 0...9)
    func `N01 refusals never leave fewer than one connection and never raise the ceiling`(_ running: Int) {
        var budget = ConnectionBudget(limit: 4)
        budget.refused(running: running, at: .zero)
        #expect(budget.ceiling == min(max(running, 1), 4))
        #expect(budget.desired == 1)
    }

    @Test func `a server that slows down after a first burst does not look as if more connections had hurt`() {
        var world = World(limit: 8)
        // Each connection starts fast and then trickles, so the total never grows by much.
        var age: [Int: Int] = [:]
        world.run(.seconds(2)) { index, _ in
            age[index, default: 0] += 1
            return age[index, default: 0] <= 2 ? 4_000_000 : 20_000
        }
        #expect(world.budget.desired == 8)
    }

    @Test func `near the end of the file no connections are added`() {
        var world = World(limit: 8)
        world.remaining = 200_000
        world.run(.seconds(2)) { _, _ in 1_000_000 }
        #expect(world.budget.desired == 1)
    }

    @Test func `a limit of one connection stays one`() {
        var world = World(limit: 1)
        world.run(.seconds(120)) { _, _ in 1_000_000 }
        #expect(world.budget.desired == 1)
    }
}

extension Instant {
    fileprivate var inSeconds: Double { (self - .zero).inSeconds }
}
