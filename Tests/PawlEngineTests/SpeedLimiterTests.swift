import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@Suite("A speed limit and its flows")
struct SpeedLimiterTests {
    private let runtime = SimulatedRuntime(seed: 1, now: .zero)

    @Test func `a flow that was never ended ends with its last reference, and its share goes to the others`() {
        let all = SpeedLimiter(bytesPerSecond: 1_000_000, runtime: runtime)
        let one = SpeedLimiter(parent: all, runtime: runtime)
        let flow = one.makeFlow {}
        do {
            let other = one.makeFlow {}
            #expect(other.take(10) == 10)
            #expect(flow.pace?.bytesPerSecond == 500_000)
            // This flow waits for more.
            #expect(other.take(1_000_000) < 1_000_000)
        }
        #expect(flow.pace?.bytesPerSecond == 1_000_000)
        flow.end()
        flow.end()
        #expect(flow.pace == nil)
        let next = one.makeFlow {}
        #expect(next.pace?.bytesPerSecond == 1_000_000, "what has ended twice is counted off once")
    }
}
