import PawlCore
import Testing

@Suite("How many small files of one host are fetched at once")
struct SmallFileBudgetTests {
    /// A host that needs a round trip for each file, and that so many at once keep busy.
    private struct World {
        var budget: SmallFileBudget
        var now = Instant.zero
        let roundTrip: Duration = .milliseconds(80)
        var busyFrom = Int.max

        init(limit: Int = 32, busyFrom: Int = .max) {
            budget = SmallFileBudget(limit: limit)
            self.busyFrom = busyFrom
        }

        /// Fetches files, as many at once as the budget wants, and returns each number at once that it wanted.
        @discardableResult
        mutating func fetch(_ count: Int) -> [Int] {
            var seen: [Int] = []
            for _ in 0..<count {
                let atOnce = max(budget.desired, 1)
                let time = roundTrip * max(1, Double(atOnce) / Double(busyFrom))
                now = now + time / atOnce
                budget.fetched(in: time, at: now)
                if budget.desired != seen.last { seen.append(budget.desired) }
            }
            return seen
        }
    }

    @Test func `the number doubles from 8 while the rate grows by it, up to the limit`() {
        var world = World()
        let seen = world.fetch(200)
        #expect(seen == [0, 8, 16, 32])
    }

    @Test func `a step that brings nothing is taken back, and another is tried later`() {
        var world = World(busyFrom: 10)
        let seen = world.fetch(100)
        #expect(seen == [0, 8, 16, 8] || seen == [0, 8, 16, 32, 16], "\(seen)")
        let settled = world.budget.desired
        // 5 s pass at some 120 files a second.
        let later = world.fetch(1500)
        #expect(later.contains(settled + settled / 2) && world.budget.desired == settled, "\(later)")
    }

    @Test func `a refusal halves the number once, and a clean minute raises it by one`() {
        var world = World()
        world.fetch(200)
        for _ in 0..<5 { world.budget.refused(borne: nil, at: world.now) }
        #expect(world.budget.desired == 16)
        world.now = world.now + .seconds(61)
        world.fetch(40)
        #expect(world.budget.desired == 17)
    }

    @Test func `a number that the host is known to accept is not exceeded`() {
        var world = World()
        world.budget.refused(borne: 3, at: .zero)
        world.fetch(200)
        #expect(world.budget.desired == 3)
    }

    @Test func `a large file ends it until files are small again`() {
        var world = World()
        world.fetch(200)
        world.budget.reset()
        #expect(world.budget.desired == 0)
        #expect(world.fetch(200) == [0, 8, 16, 32])
    }
}
