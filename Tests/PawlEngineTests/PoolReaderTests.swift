import PawlCore
import PawlTestKit
import Synchronization
import Testing

@testable import PawlEngine

/// A runner whose downloads end when the test says so.
private final class ObedientRunner: DownloadRunner {
    private struct Running: RunningDownload {
        func pause() {}
        func cancel() {}
    }

    let listeners = Locked<[DownloadID: any RunListener]>([:])

    func begin(_ id: DownloadID, _ plan: Plan, _ listener: any RunListener) throws(DownloadError) -> any RunningDownload
    {
        listeners.withLock { $0[id] = listener }
        return Running()
    }

    func plan(of entry: QueueEntry) -> Plan { Plan(entry.url, in: entry.directory, named: entry.fileName) }
    func target(of entry: QueueEntry, named name: String) -> UInt64? { nil }
    func store(_ entry: QueueEntry) -> StoredDownload { StoredDownload(entry: entry) }
    func restore(_ download: StoredDownload) -> QueueEntry { download.entry }
    func forget(_ id: DownloadID) {}
}

private struct ReaderBench {
    let runtime = HeldRuntime()
    let runner = ObedientRunner()
    let pool: DownloadPool

    init() {
        let disk = SimulatedDisk(seed: 1)
        disk.makeDirectory("/d")
        let ports = Ports(transport: NoTransport(), storage: disk, runtime: runtime, digests: SimulatedDigests())
        var limits = QueueMachine.Limits()
        limits.maximumRetries = 0
        pool = DownloadPool(ports: ports, runner: runner, limits: limits)
    }

    func add(_ name: String) throws -> DownloadID {
        let url = try HTTPURL(parsing: "http://a.example/" + name)
        let added = pool.add(Plan(url, in: "/d", named: name), target: SimulatedRunner.target("/d", name))
        guard case .new(let id) = added else { throw DownloadError(.refused, "not added", recovery: .giveUp) }
        return id
    }

    func settle() {
        while runtime.control.count + runtime.disk.count > 0 {
            runtime.disk.runOne()
            runtime.control.runOne()
        }
    }

    /// Ends a download. The queue learns of it at once; the readers do when the control executor runs.
    func end(_ id: DownloadID, _ phase: DownloadMachine.Phase) throws {
        let url = try HTTPURL(parsing: "http://a.example/x")
        let ending = DownloadDriver.Ending(
            phase: phase, directory: "/d", fileName: "x", total: 1, representation: nil, finalURL: url, sources: [],
            stored: 1)
        runner.listeners.withLock { $0[id] }?.ended(ending)
    }

    func events(of reader: PoolEvents.Reader) -> [String] {
        var words: [String] = []
        for news in reader.take() {
            switch news {
            case .event(.added): words.append("added")
            case .state: words.append("changed")
            case .event(.completed(_, _, let directory)): words.append("completed in \(directory)")
            case .event(.failed): words.append("failed")
            case .event(.removed): words.append("removed")
            case .event, .missed: words.append("other")
            }
        }
        return words
    }
}

@Suite("Readers of a pool's events", .timeLimit(.minutes(10)))
struct PoolReaderTests {
    private static let failure = DownloadError(.notFound, "no", recovery: .giveUp)
    private static let success = DownloadMachine.Phase.completed(.init(isComplete: true, isVerified: false))

    @Test func `a reader created after a download's end receives that end first`() throws {
        let bench = ReaderBench()
        let (whole, lost) = (try bench.add("a"), try bench.add("b"))
        bench.settle()
        try bench.end(whole, Self.success)
        try bench.end(lost, .failed(Self.failure))
        bench.settle()
        let events = bench.events(of: bench.pool.makeReader())
        #expect(events == ["changed", "failed", "changed", "completed in /d"])
    }

    @Test func `a reader created while a download runs receives its state, and later its end`() throws {
        let bench = ReaderBench()
        let id = try bench.add("a")
        bench.settle()
        let reader = bench.pool.makeReader()
        #expect(bench.events(of: reader) == ["changed"])
        try bench.end(id, Self.success)
        bench.settle()
        #expect(bench.events(of: reader) == ["completed in /d", "changed"])
    }

    @Test func `an end that is decided but not yet reported is reported once`() throws {
        let bench = ReaderBench()
        let id = try bench.add("a")
        bench.settle()
        try bench.end(id, .failed(Self.failure))
        let reader = bench.pool.makeReader()
        bench.settle()
        #expect(bench.events(of: reader) == ["changed", "failed"])
    }

    @Test func `a reader's initial events are kept even when more events arrive than may wait`() throws {
        let bench = ReaderBench()
        let id = try bench.add("a")
        bench.settle()
        try bench.end(id, Self.success)
        bench.settle()
        let reader = bench.pool.makeReader()
        for number in 10...(PoolEvents.maximumWaiting + 10) {
            bench.pool.events.publish(.event(.added(DownloadID(UInt64(number)))))
        }
        let events = bench.events(of: reader)
        #expect(events.prefix(3) == ["changed", "completed in /d", "other"])
        #expect(events.count <= PoolEvents.maximumWaiting + 3)
    }

    @Test func `a completed download removed before its event is read is reported with its directory`() throws {
        let bench = ReaderBench()
        let id = try bench.add("a")
        let reader = bench.pool.makeReader()
        bench.settle()
        try bench.end(id, Self.success)
        bench.settle()
        bench.pool.remove(id, deletesFiles: false)
        bench.settle()
        #expect(bench.events(of: reader).filter { $0 != "changed" } == ["completed in /d", "removed"])
    }

    // MARK: Followers

    /// Runs what followers are told.
    private func told(_ bench: ReaderBench, _ heard: Shared<[String]>) -> [String] {
        bench.settle()
        while bench.runtime.sync.count > 0 { bench.runtime.sync.runOne() }
        defer { heard.value.withLock { $0 = [] } }
        return heard.value.withLock { $0 }
    }

    private final class Follower: PoolFollower {
        let heard: Shared<[String]>

        init(_ heard: Shared<[String]>) { self.heard = heard }

        func hear(_ news: [PoolEvents.News]) {
            let words = news.map { news in
                switch news {
                case .state: "changed"
                case .event(.completed): "completed"
                case .event(.failed): "failed"
                case .event(.removed): "removed"
                case .event, .missed: "other"
                }
            }
            heard.value.withLock { $0 += words }
        }

        func poolEnded() { heard.value.withLock { $0.append("over") } }
    }

    @Test func `a follower hears of its download alone, until the end, and another may follow behind it`() throws {
        let bench = ReaderBench()
        let heard = Shared<[String]>([])
        let (one, other) = (try bench.add("a"), try bench.add("b"))
        #expect(bench.pool.follow(one, Follower(heard)) == .begun)
        #expect(bench.pool.follow(one, Follower(heard)) == .taken)
        #expect(Set(told(bench, heard)) == ["changed"])
        try bench.end(other, Self.success)
        #expect(told(bench, heard).isEmpty)
        try bench.end(one, .failed(Self.failure))
        // The end is decided, and goes to the one who followed; whoever comes now hears of the resumption.
        bench.pool.resume(one)
        #expect(bench.pool.follow(one, Follower(heard)) == .begun)
        let words = told(bench, heard)
        #expect(words.first == "failed" && words.count { $0 == "failed" } == 1 && words.count > 1, "\(words)")
        try bench.end(one, Self.success)
        #expect(told(bench, heard).last == "completed")
        #expect(bench.pool.follow(one, Follower(heard)) == .begun)
        #expect(told(bench, heard) == ["completed"])
        bench.pool.remove(one, deletesFiles: false)
        #expect(bench.pool.follow(one, Follower(heard)) == .over)
        #expect(told(bench, heard).isEmpty)
    }

    @Test func `a follower of a removed or unfollowed download, or of a pool that ends, hears that last`() async throws
    {
        let bench = ReaderBench()
        let heard = Shared<[String]>([])
        let ids = try ["a", "b", "c"].map(bench.add)
        for id in ids { #expect(bench.pool.follow(id, Follower(heard)) == .begun) }
        bench.pool.pauseAll()
        bench.settle()
        for id in ids { try? bench.end(id, .paused) }
        _ = told(bench, heard)
        bench.pool.unfollow(ids[0])
        bench.pool.remove(ids[1], deletesFiles: false)
        #expect(told(bench, heard) == ["removed"])
        let shutdown = Task { await bench.pool.shutdown() }
        while !shutdown.isCancelled, heard.value.withLock({ $0.isEmpty }) {
            bench.settle()
            bench.runtime.sync.runOne()
            await Task.yield()
        }
        #expect(told(bench, heard) == ["over"])
        while bench.pool.follow(ids[2], Follower(heard)) != .over { await Task.yield() }
        _ = shutdown
    }
}

private final class Shared<Value: Sendable>: Sendable {
    let value: Locked<Value>

    init(_ value: Value) { self.value = Locked(value) }
}
