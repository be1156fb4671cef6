import PawlCore
import PawlEngine
import Synchronization

extension MeddlingStory.Life {
    private static let session = "/session"

    /// Runs all downloads in one manager with a session, which the next life of this kind restores.
    func runInManager(
        _ interruption: MeddlingStory.Interruption, _ network: SimulatedNetwork, _ disk: SimulatedDisk,
        _ runtime: SimulatedRuntime, isLast: Bool
    ) throws {
        disk.makeDirectory(Self.session)
        let ports = Ports(transport: network, storage: disk, runtime: runtime, digests: SimulatedDigests())
        let policies = Dictionary(uniqueKeysWithValues: runs.map { ($0.plan.settings.url, $0.plan) })
        let runner = SimulatedRunner(ports) { plan in
            guard let wanted = policies[plan.settings.url] else { return }
            (plan.ifExists, plan.settings) = (wanted.ifExists, wanted.settings)
        }
        var limits = QueueMachine.Limits()
        limits.maximumRetries = 0
        limits.maximumFinished = .max
        let pool = DownloadPool(ports: ports, runner: runner, limits: limits, namesInOrder: isOneRun)
        let isCut = Locked(false)
        switch interruption {
        case .none: break
        case .pause(let moment): runtime.after(moment) { pool.pauseAll() }
        case .kill(let moment), .powerCut(let moment): runtime.after(moment) { isCut.withLock { $0 = true } }
        case .stopAt(let operation, _): disk.stopAfter(operations: operation)
        }
        guard let ids = try? begin(pool, disk) else { return }
        let settled = runtime.run(limit: .seconds(2 * 3600)) {
            isCut.withLock { $0 } || isStorm(network)
                || (pool.counts.running == 0 && ids.values.allSatisfy { Self.isAtRest(pool, $0) })
        }
        if !settled { isStuck = true }
        // The next life knows only what the session holds, so let it be saved.
        if !isCut.withLock({ $0 }) { _ = runtime.run(limit: .seconds(2)) { false } }
        runtime.halt()
        for (place, id) in ids { runs[place].end = MeddlingStory.End(pool.entry(id)) }
    }

    /// Adds the runs to the pool and resumes those that the session already has. Returns ids by the runs' places.
    /// Throws if the session cannot be read, as on a stopped disk.
    private func begin(_ pool: DownloadPool, _ disk: SimulatedDisk) throws -> [Int: DownloadID] {
        try pool.restore(from: SessionFile(disk, directory: Self.session, name: "session"))
        var ids: [Int: DownloadID] = [:]
        for (place, run) in runs.enumerated() {
            let url = run.plan.settings.url
            let text = url.serialized
            let key = run.plan.fileName ?? "\0" + text
            let target = SimulatedRunner.target(run.plan.directory, key)
            var plan = Plan(url, in: run.plan.directory, named: run.plan.fileName)
            plan.renamesTaken = run.plan.ifExists == .rename
            switch pool.add(plan, target: target) {
            case .new(let id): ids[place] = id
            case .taken(let holder) where holder.url == url: ids[place] = holder.id
            case .taken, .shutDown:
                // The caller learns at once that another download owns the name.
                runs[place].end = .failed(DownloadError(.locked, "another download has the name", recovery: .giveUp))
            }
        }
        pool.resumeAll()
        for id in ids.values { pool.resume(id) }
        return ids
    }

    private static func isAtRest(_ pool: DownloadPool, _ id: DownloadID) -> Bool {
        switch pool.entry(id)?.state {
        case .completed, .failed, .paused, nil: true
        case .queued, .running, .waiting: false
        }
    }
}

extension MeddlingStory.End {
    /// Creates the end of a download; nil if it had not ended.
    fileprivate init?(_ entry: QueueEntry?) {
        switch entry?.state {
        case .completed(let facts) where facts.wasSkipped: self = .skipped(name: facts.fileName)
        case .completed(let facts): self = .completed(name: facts.fileName)
        case .failed(let error): self = .failed(error)
        case .paused: self = .paused
        case .queued, .running, .waiting, nil: return nil
        }
    }
}
