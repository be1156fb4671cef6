package import Pawl
package import PawlCore
import PawlEngine
import PawlJobs
import PawlStore
import PawlSystem
import Synchronization

/// A task: it works through shards of a batch, one after the other.
package final class LiveWork: Sendable {
    package struct Configuration: Sendable {
        package var batch: BatchStore
        /// The number of the shard; nil: all of them.
        package var shard: Int?
        /// Files that are fetched at once.
        package var maximumRunning = 64
        /// The network as it is here: proxies, certificates, the speed limit. What the plan says comes on top.
        package var downloader = Downloader.Configuration()
        /// The time after which no slice begins.
        package var maximumTime: Duration?

        /// - Parameter batch: its spool is where files lie until they are delivered. It is made if it is not there.
        package init(_ batch: BatchStore) { self.batch = batch }

        fileprivate var spool: String { batch.spool }
    }

    package enum End: Hashable, Sendable {
        case finished
        /// There is no shard of this number; so many there are.
        case noSuchShard(of: Int)
        case failed(WorkError)
        case stopped
    }

    private enum Running {
        case nothing
        case opened(PatientStore)
        case shard(ShardDriver, PatientStore)
        case stopped
    }

    private let configuration: Configuration
    private let runtime: LiveRuntime
    private let running = Locked(Running.nothing)
    private let committed: @Sendable (ManifestHead, _ isOurs: Bool) -> Void

    /// - Parameter committed: told of each slice that has a manifest, whoever made it.
    /// - Throws: where there are no threads.
    package init(
        _ configuration: Configuration, committed: @escaping @Sendable (ManifestHead, _ isOurs: Bool) -> Void
    ) throws(DownloadError) {
        (self.configuration, self.committed) = (configuration, committed)
        do throws(ThreadShortage) {
            runtime = try LiveRuntime(eventLoops: 1)
        } catch {
            throw .tooFewThreads
        }
    }

    /// Works until all is done, or nothing more can be. Call it once.
    package func run() async throws(DownloadError) -> End {
        let deadline = configuration.maximumTime.map { runtime.now + $0 }
        let (store, plan): (PatientStore, BatchPlan)
        do throws(WorkError) {
            store = try configuration.batch.open(runtime)
            guard begin(.opened(store)) else { return .stopped }
            plan = try await BatchStore.plan(of: store)
        } catch {
            return isStopped ? .stopped : .failed(error)
        }
        if let shard = configuration.shard, shard >= plan.shards { return .noSuchShard(of: plan.shards) }
        guard SystemCalls.makeDirectories(configuration.spool, mode: 0o700) else {
            let cause = SystemCalls.text(of: errno)
            return .failed(WorkError(.again, "The spool “\(configuration.spool)” cannot be made: \(cause)."))
        }
        await clearSpool(of: plan, store)
        let items = LiveItems(plan, spool: configuration.spool, SecretReader(), configuration.downloader.netrc)
        let manager = try DownloadManager(configuration: manager(plan, items))
        items.use(manager)
        let ports = SliceDriver.Ports(
            store: store, fetches: items, storage: POSIXStorage(), digests: SystemDigests(), runtime: runtime,
            spool: configuration.spool)
        var end = End.finished
        for shard in configuration.shard.map({ $0...$0 }) ?? 0...plan.shards - 1 where end == .finished {
            end = await work(plan, shard, ports, store, deadline)
        }
        await manager.shutdown()
        return end
    }

    /// Abandons what is under way; the spool stays.
    package func stop() {
        let former = running.withLock { running in
            defer { running = .stopped }
            return running
        }
        switch former {
        case .opened(let store): store.stop()
        case .shard(let driver, let store):
            store.stop()
            driver.stop()
        case .nothing, .stopped: break
        }
    }

    private var isStopped: Bool {
        running.withLock { if case .stopped = $0 { true } else { false } }
    }

    /// - Returns: false if it was stopped.
    private func begin(_ next: Running) -> Bool {
        running.withLock { running in
            if case .stopped = running { return false }
            running = next
            return true
        }
    }

    /// Removes what tasks have left here whose slices have been committed meanwhile, on other machines.
    private func clearSpool(of plan: BatchPlan, _ store: any Store) async {
        let storage = POSIXStorage()
        let machine = storage.owner.hostName
        guard let directory = try? storage.openDirectory(configuration.spool),
            let slices = try? SliceSpool.slices(of: plan.batch, in: directory, on: machine)
        else { return }
        for id in slices where (try? await store.get(.manifest(id))) != nil {
            try? SliceSpool.clear(Slice(plan.batch, id, first: 0, lines: []), in: directory, on: machine)
        }
    }

    private func work(
        _ plan: BatchPlan, _ shard: Int, _ ports: SliceDriver.Ports, _ store: PatientStore, _ deadline: Instant?
    ) async -> End {
        await withCheckedContinuation { continuation in
            let driver = ShardDriver(
                plan, shard: shard, ports, few: configuration.maximumRunning, deadline: deadline, committed: committed
            ) { end in
                let end: End =
                    switch end {
                    case .finished: .finished
                    case .failed(let error): .failed(error)
                    case .stopped: .stopped
                    }
                continuation.resume(returning: end)
            }
            if begin(.shard(driver, store)) { driver.start() } else { driver.stop() }
        }
    }

    private func manager(_ plan: BatchPlan, _ items: LiveItems) -> DownloadManager.Configuration {
        var manager = DownloadManager.Configuration()
        manager.downloader = configuration.downloader
        manager.downloader.connectTimeout = plan.connectTimeout
        manager.downloader.maximumEventLoops = 1
        manager.downloader.requestRatePerHost = plan.hostRate
        manager.maximumRunning = configuration.maximumRunning
        manager.maximumSmallFiles = configuration.maximumRunning
        manager.maximumConnectionsPerHost = plan.hostConnections
        manager.maximumSmallFilesPerHost = plan.hostConnections
        // A download retries by itself.
        manager.maximumRetries = 0
        manager.maximumRetryAfter = plan.options.maximumRetryTime
        manager.receiver = items
        return manager
    }
}
