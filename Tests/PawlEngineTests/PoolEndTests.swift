import Dispatch
import Foundation
import PawlCore
@testable import PawlEngine
import PawlTestKit
import Synchronization
import Testing

/// Executors whose jobs run only when the test says so. No time passes.
final class HeldRuntime: Runtime {
    final class HeldExecutor: WorkExecutor {
        private let jobs = Locked<[@Sendable () -> Void]>([])

        func submit(_ work: @escaping @Sendable () -> Void) { jobs.withLock { $0.append(work) } }

        var count: Int { jobs.withLock { $0.count } }

        func runOne() { jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }?() }
    }

    private struct Never: ScheduledWork {
        func cancel() {}
    }

    let control = HeldExecutor()
    let disk = HeldExecutor()
    let sync = HeldExecutor()

    var now: Instant { .zero }
    var secondsSinceEpoch: Int64 { 1_700_000_000 }
    func random() -> UInt64 { 7 }
    func makeControlExecutor() -> any WorkExecutor { control }
    var diskExecutor: any WorkExecutor { disk }
    func makeSyncExecutor() -> any WorkExecutor { sync }

    func schedule(
        after delay: Duration, on executor: any WorkExecutor, _ work: @escaping @Sendable () -> Void
    ) -> any ScheduledWork { Never() }
}

private final class MemoryStore: SessionStore {
    private let records = Locked<[DownloadID: SessionRecord]>([:])

    var ids: Set<UInt64> { Set(records.withLock { $0.keys.map(\.number) }) }

    func load() -> [SessionRecord] { [] }

    func save(_ changes: [SessionChange]) {
        records.withLock { records in
            for change in changes {
                switch change {
                case .put(let record): records[record.id] = record
                case .remove(let id): records[id] = nil
                }
            }
        }
    }

    func close() {}
}

/// A runner whose downloads can never begin.
private final class BarrenRunner: DownloadRunner {
    let beginning: @Sendable () -> Void

    init(_ beginning: @escaping @Sendable () -> Void) { self.beginning = beginning }

    func begin(_ id: DownloadID, _ plan: Plan, _ listener: any RunListener) throws(DownloadError) -> any RunningDownload
    {
        beginning()
        throw DownloadError(.invalidURL, "no", recovery: .giveUp)
    }

    func plan(of entry: QueueEntry) -> Plan { Plan(entry.url, in: entry.directory, named: entry.fileName) }
    func target(of entry: QueueEntry, named name: String) -> UInt64? { nil }
    func store(_ entry: QueueEntry) -> StoredDownload { StoredDownload(entry: entry) }
    func restore(_ download: StoredDownload) -> QueueEntry { download.entry }
    func forget(_ id: DownloadID) {}
}

struct NoTransport: Transport {
    private struct Nothing: Exchange {
        func proceed() {}
        func cancel() {}
    }

    func start(_ request: TransportRequest, handler: any ExchangeHandler) -> any Exchange { Nothing() }
}

/// A pool with the executors that it hands its work to.
private struct PoolBench {
    let runtime = HeldRuntime()
    let store = MemoryStore()
    let pool: DownloadPool

    init(hooks: DownloadPool.Hooks = DownloadPool.Hooks(), beginning: @escaping @Sendable () -> Void = {}) throws {
        let disk = SimulatedDisk(seed: 1)
        disk.makeDirectory("/d")
        let ports = Ports(transport: NoTransport(), storage: disk, runtime: runtime, digests: SimulatedDigests())
        var limits = QueueMachine.Limits()
        limits.maximumRunning = 1
        pool = DownloadPool(ports: ports, runner: BarrenRunner(beginning), limits: limits, hooks: hooks)
        try pool.restore(from: store)
    }

    func add(_ name: String, isPaused: Bool = true) throws -> DownloadID {
        let url = try HTTPURL(parsing: "http://a.example/" + name)
        let added = pool.add(
            Plan(url, in: "/d", named: name), target: SimulatedRunner.target("/d", name), .init(isPaused: isPaused))
        guard case .new(let id) = added else { throw DownloadError(.refused, "not added", recovery: .giveUp) }
        return id
    }

    /// Runs the pool's jobs until `body` returns, preferring the saving executor whenever both have jobs.
    func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
        let isDone = Locked(false)
        let task = Task {
            defer { isDone.withLock { $0 = true } }
            return await body()
        }
        while !isDone.withLock({ $0 }) {
            if runtime.sync.count > 0 { runtime.sync.runOne() } else { runtime.control.runOne() }
            await Task.yield()
        }
        return await task.value
    }

    /// Like `run`, but without the control executor's jobs, as if that executor were busy.
    func runSaves<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
        let isDone = Locked(false)
        let task = Task {
            defer { isDone.withLock { $0 = true } }
            return await body()
        }
        while !isDone.withLock({ $0 }) {
            runtime.sync.runOne()
            await Task.yield()
        }
        return await task.value
    }
}

@Suite("The end of a pool, and its saves", .timeLimit(.minutes(10)))
struct PoolEndTests {
    @Test func `a save includes all calls made before it, performed or not`() async throws {
        let bench = try PoolBench()
        let (first, second) = (try bench.add("a"), try bench.add("b"))
        #expect(await bench.runSaves { await bench.pool.saveSession() })
        #expect(bench.store.ids == [first.number, second.number])
        bench.pool.remove(first, deletesFiles: false)
        #expect(await bench.runSaves { await bench.pool.saveSession() })
        #expect(bench.store.ids == [second.number])
    }

    enum Stage: CaseIterable { case paused, looksAtItsDisk, begins }

    @Test(arguments: Stage.allCases)
    func `a download removed before shutdown is not in the session, even if it was about to run`(
        stage: Stage
    ) async throws {
        let bench = try PoolBench()
        let id = try bench.add("a", isPaused: stage == .paused)
        if stage == .begins {
            bench.runtime.control.runOne()
            bench.runtime.disk.runOne()
        }
        #expect(await bench.runSaves { await bench.pool.saveSession() })
        #expect(bench.store.ids == [id.number])
        bench.pool.remove(id, deletesFiles: true)
        await bench.run { await bench.pool.shutdown() }
        #expect(bench.store.ids.isEmpty)
        // After the end there is no executor, so no event may follow. The disk executor has received all its jobs.
        #expect(bench.runtime.control.count == 0 && bench.runtime.disk.count > 0)
        bench.pool.setMaximumBytesPerSecond(id, 1)
        bench.pool.resumeAll()
        while bench.runtime.disk.count > 0 { bench.runtime.disk.runOne() }
        #expect(bench.runtime.control.count == 0 && bench.runtime.sync.count == 0)
    }

    @Test func `a save called during shutdown answers with the result of the shutdown's save`() async throws {
        let bench = try PoolBench()
        let id = try bench.add("a")
        let pool = bench.pool
        let end = Task { await pool.shutdown() }
        // The shutdown waits for the executor, and has not saved.
        while bench.runtime.sync.count == 0, bench.runtime.control.count < 2 { await Task.yield() }
        let isSaved = await bench.run {
            let isSaved = await pool.saveSession()
            await end.value
            return isSaved
        }
        #expect(isSaved)
        #expect(bench.store.ids == [id.number])
    }

    @Test func `a completed download removed before its end is reported is still reported with its directory`() throws {
        let heard = Locked<[String]>([])
        var hooks = DownloadPool.Hooks()
        hooks.completed = { _, _, directory in heard.withLock { $0.append(directory) } }
        let bench = try PoolBench(hooks: hooks)
        let id = try bench.add("a", isPaused: false)
        // The download is about to begin, and the executor is busy until it has ended.
        bench.runtime.control.runOne()
        bench.runtime.disk.runOne()
        bench.pool.handle(.ended(id, .completed(FinishedFacts(fileName: "a", byteCount: 1, finalURL: ""))))
        bench.pool.remove(id, deletesFiles: false)
        while bench.runtime.control.count > 0 { bench.runtime.control.runOne() }
        while bench.runtime.disk.count > 0 { bench.runtime.disk.runOne() }
        #expect(heard.withLock { $0 } == ["/d"])
    }

    @Test func `shutdown finishes even if the last download to start cannot start`() async throws {
        let begins = Locked(false)
        let mayFail = DispatchSemaphore(value: 0)
        let bench = try PoolBench {
            begins.withLock { $0 = true }
            mayFail.wait()
        }
        let id = try bench.add("a", isPaused: false)
        bench.runtime.control.runOne()
        bench.runtime.disk.runOne()
        Thread.detachNewThread { [runtime = bench.runtime] in runtime.control.runOne() }
        while !begins.withLock({ $0 }) { await Task.yield() }
        let end = Task { await bench.pool.shutdown() }
        while bench.pool.state.withLock({ $0.idleWaiters.isEmpty }) { await Task.yield() }
        mayFail.signal()
        await bench.run { await end.value }
        guard case .failed? = bench.pool.entry(id)?.state else {
            Issue.record("\(String(describing: bench.pool.entry(id)?.state))")
            return
        }
        #expect(bench.store.ids == [id.number])
    }
}
