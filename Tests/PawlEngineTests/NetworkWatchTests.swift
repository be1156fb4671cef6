import PawlCore
import PawlTestKit
import Synchronization
import Testing

@testable import PawlEngine

@Suite("Changes of the network")
struct NetworkWatchTests {
    @Test func `an owner subscribes once, and not again after the end`() {
        let runtime = SimulatedRuntime(seed: 1, now: .zero)
        let watch = NetworkWatch()
        #expect(runtime.networkWatcherCount == 0)
        for _ in 1...2 { watch.begin(runtime, on: runtime.diskExecutor) {} }
        #expect(runtime.networkWatcherCount == 1)
        watch.end()
        #expect(runtime.networkWatcherCount == 0)
        watch.begin(runtime, on: runtime.diskExecutor) {}
        #expect(runtime.networkWatcherCount == 0)
    }
}
