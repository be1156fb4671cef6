import Pawl
import PawlCore
import PawlTestKit
import Testing

@Suite struct `B1 Range answers` {
    @Test func `R01 a whole file in answer to a range is never stored at an offset`() async throws {
        let trial = try Trial { $0.honoursRanges = false }
        try trial.leave(durable: 0..<100_000)
        let after = try await trial.run()
        after.expectWhole(trial.content)
        after.expectCost(requests: 3, bytes: 2 * trial.content.count)
    }
}
