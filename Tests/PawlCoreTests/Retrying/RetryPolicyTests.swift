import PawlCore
import Testing

@Suite struct RetryPolicyTests {
    @Test(arguments: 1...40)
    func `N11 a wait lies between zero and a ceiling that doubles from 0.5 s to 60 s`(_ failures: Int) {
        let policy = RetryPolicy()
        var random = SplitMix64(seed: UInt64(failures))
        let ceiling = min(0.5 * Double(1 << min(failures - 1, 20)), 60)
        let waits = (0..<2000).map { _ in policy.delay(failures: failures, using: &random).inSeconds }
        #expect(waits.allSatisfy { (0..<ceiling).contains($0) })
        // Full jitter: waits spread evenly over the whole span.
        let mean = waits.reduce(0, +) / Double(waits.count)
        #expect((0.46 * ceiling...0.54 * ceiling).contains(mean))
        #expect(waits.contains { $0 < 0.05 * ceiling } && waits.contains { $0 > 0.95 * ceiling })
    }

    @Test(
        arguments: [
            (64_000, 1), (100_000, 1), (.max, 1), (63_999, 2), (16_000, 2), (15_999, 3), (4000, 3), (3999, 4),
            (1000, 4),
            (999, 5), (1, 5),
        ] as [(Int64, Int)])
    func `N11 the more new bytes a try brought, the shorter the wait after it`(_ bytes: Int64, _ level: Int) {
        #expect(RetryPolicy().highestLevel(afterProgressOf: bytes) == level)
    }

    @Test func `N11 equal seeds give equal waits`() {
        var first = SplitMix64(seed: 4)
        var second = SplitMix64(seed: 4)
        let policy = RetryPolicy()
        for failures in 1...20 {
            #expect(policy.delay(failures: failures, using: &first) == policy.delay(failures: failures, using: &second))
        }
    }

    @Test(arguments: [0, 1, 20, 64, Int.max])
    func `no count of failures, however large, overflows`(_ failures: Int) {
        var random = SplitMix64(seed: 1)
        let policy = RetryPolicy(base: .seconds(3600), ceiling: .seconds(7200))
        #expect((Duration.zero...Duration.seconds(7200)).contains(policy.delay(failures: failures, using: &random)))
    }
}
