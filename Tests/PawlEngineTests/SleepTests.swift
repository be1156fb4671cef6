import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

@Suite struct `B7 Timers` {
    /// Records the longest delay that anyone requested.
    private final class WatchedRuntime: Runtime {
        let base: SimulatedRuntime
        let longest = Locked(Duration.zero)

        init(_ base: SimulatedRuntime) { self.base = base }

        var now: Instant { base.now }
        var secondsSinceEpoch: Int64 { base.secondsSinceEpoch }
        func random() -> UInt64 { base.random() }
        func makeControlExecutor() -> any WorkExecutor { base.makeControlExecutor() }
        var diskExecutor: any WorkExecutor { base.diskExecutor }
        func makeSyncExecutor() -> any WorkExecutor { base.makeSyncExecutor() }

        func schedule(
            after delay: Duration, on executor: any WorkExecutor, _ work: @escaping @Sendable () -> Void
        ) -> any ScheduledWork {
            longest.withLock { $0 = max($0, delay) }
            return base.schedule(after: delay, on: executor, work)
        }
    }

    /// Answers only "later" until a given time.
    private struct BusyTransport: Transport {
        let base: any Transport
        let runtime: SimulatedRuntime
        let until: Instant

        private struct Refusal: Exchange {
            let runtime: SimulatedRuntime
            let handler: any ExchangeHandler

            func proceed() {}
            func cancel() { runtime.after(.milliseconds(1)) { handler.ended(nil) } }
        }

        func start(_ request: TransportRequest, handler: any ExchangeHandler) -> any Exchange {
            guard runtime.now < until else { return base.start(request, handler: handler) }
            runtime.after(.milliseconds(5)) {
                handler.received(head: ResponseHead(status: 503, fields: [HTTPField("Retry-After", "3000")]))
            }
            return Refusal(runtime: runtime, handler: handler)
        }
    }

    @Test func `J10 no timer is set for longer than ten seconds, because a timer may stop while the machine sleeps`()
        throws
    {
        let bench = try EngineBench(size: 50_000)
        let base = SimulatedRuntime(seed: 1, now: .zero)
        let runtime = WatchedRuntime(base)
        let network = BusyTransport(
            base: SimulatedNetwork(bench.origin, runtime: base), runtime: base, until: .zero + .seconds(2000))
        let ending = Locked<DownloadDriver.Ending?>(nil)
        var plan = Plan(settings: bench.settings, directory: EngineBench.directory)
        plan.fileName = "file.bin"
        let driver = DownloadDriver(
            plan, ports: Ports(transport: network, storage: bench.disk, runtime: runtime, digests: SimulatedDigests()),
            listener: ClosureListener(ended: { value in ending.withLock { $0 = value } }))
        driver.start()
        #expect(base.run(limit: .seconds(4000)) { ending.withLock { $0 != nil } })
        let isWhole = bench.contents("file.bin") == bench.bytes
        #expect(isWhole)
        // The wait itself was honoured.
        #expect(base.now >= .zero + .seconds(3000))
        #expect(runtime.longest.withLock { $0 } <= .seconds(10))
    }
}
