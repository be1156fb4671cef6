package import PawlCore
import Synchronization

/// The end of a download of a pool, for tasks that wait.
package enum PoolEnd: Sendable {
    case completed(FinishedFacts)
    case failed(DownloadError)
    case removed
}

/// The complete state of one download.
package struct PoolSnapshot: Sendable {
    package var entry: QueueEntry
    /// The progress of the current run.
    package var progress: DownloadProgress?
    /// The place in the queue; nil for a completed one.
    package var position: Int?
    package var obstacle: HostQueues.Obstacle?
    package var isStopping: Bool
    package var taken: Instant
}

/// The calls of a manager.
extension DownloadPool {
    package enum Added: Sendable {
        case new(DownloadID)
        /// The target is another's, or the same one's: the caller decides which.
        case taken(QueueEntry)
        case shutDown
    }

    /// How a download joins the queue.
    package struct Joining: Sendable {
        package var priority: Int32 = 0
        /// The position among those of its priority; nil for the end.
        package var position: Int64?
        package var isPaused = false
        /// The length, in bytes, of what is there in full; nil if it is yet to be known.
        package var countedSize: Int64?
        /// Told as by ``follow(_:_:)``, of a new download only.
        package var follower: (any PoolFollower)?

        package init(
            priority: Int32 = 0, position: Int64? = nil, isPaused: Bool = false, follower: (any PoolFollower)? = nil
        ) {
            (self.priority, self.position, self.isPaused) = (priority, position, isPaused)
            self.follower = follower
        }
    }

    /// Adds one.
    ///
    /// - Parameters:
    ///   - plan: its ``Plan/markerNumber`` is that of the download that this one replaces; nil for a new one.
    ///   - target: ``FileTarget/hash`` of where the file goes.
    ///   - register: called with its id, under the lock, before it can begin.
    package func add(
        _ plan: Plan, target: UInt64, _ joining: Joining = Joining(), register: (DownloadID) -> Void = { _ in }
    ) -> Added {
        let now = ports.runtime.now
        let added = state.withLock { state -> Added in
            guard !state.isShutDown else { return .shutDown }
            if let holder = state.machine.holder(of: target) { return .taken(holder) }
            let id = DownloadID(state.nextID)
            state.nextID += 1
            var entry = QueueEntry(
                id: id, state.templates.shared(plan.settings.request), directory: plan.directory,
                fileName: plan.fileName, target: target,
                priority: joining.priority)
            if let total = plan.settings.options.expectedSize { entry.total = total }
            if let position = joining.position { entry.position = position }
            if let countedSize = joining.countedSize { (entry.total, entry.stored) = (countedSize, countedSize) }
            entry.renamesTaken = plan.renamesTaken
            // Never zero, which is none.
            entry.markerNumber = plan.markerNumber ?? (ports.runtime.random() | 1)
            register(id)
            if let follower = joining.follower { _ = state.followers.add(follower, of: id) }
            events.publish(.event(.added(id)))
            enqueue(state.machine.handle(.add(entry, isPaused: joining.isPaused), at: now), &state)
            return .new(id)
        }
        return added
    }

    package func pause(_ id: DownloadID) { handle(.pause(id)) }
    package func resume(_ id: DownloadID) {
        state.withLock { state in
            guard let entry = state.machine[id] else { return }
            switch entry.state {
            case .queued, .running, .waiting: state.memory.endRest(of: entry.host)
            case .paused, .completed, .failed: break
            }
        }
        handle(.resume(id))
    }
    package func pauseAll() { handle(.pauseAll) }
    package func resumeAll() { handle(.resumeAll) }
    package func remove(_ id: DownloadID, deletesFiles: Bool) {
        if deletesFiles { state.withLock { state in if state.machine[id] != nil { state.deleting.insert(id) } } }
        handle(.remove(id, deletesFiles: deletesFiles))
    }
    package func conclude(_ id: DownloadID, _ facts: FinishedFacts) { handle(.concluded(id, facts)) }
    package func move(_ id: DownloadID, to position: QueuePosition) { handle(.move(id, position)) }
    package func setPriority(_ id: DownloadID, _ priority: Int32) { handle(.setPriority(id, priority)) }
    package func put(_ id: DownloadID, priority: Int32, position: Int64) {
        handle(.put(id, priority: priority, position: position))
    }

    package var limits: QueueMachine.Limits { state.withLock { $0.machine.limits } }

    /// Returns the one of these that ``supply(_:with:target:priority:isPaused:isSame:register:)`` would choose.
    package func lacking(
        among ids: [DownloadID], isSame: (_ salt: UInt64, _ hash: [UInt8]) -> Bool
    ) -> DownloadID? {
        ids.isEmpty ? nil : state.withLock { $0.machine.lacking(among: ids, isSame: isSame) }
    }

    /// Gives to one of these what the session left out. `register` is called with its id, under the lock, before it can
    /// begin. Nil: none of them waits for this request.
    ///
    /// - Parameter isSame: whether the request has the identity of which this is the salt and the hash.
    package func supply(
        _ ids: [DownloadID], with plan: Plan, target: UInt64, priority: Int32, isPaused: Bool,
        isSame: (_ salt: UInt64, _ hash: [UInt8]) -> Bool, register: (DownloadID) -> Void
    ) -> DownloadID? {
        let now = ports.runtime.now
        return state.withLock { state in
            // The same request may have been added anew while one that had failed lacked its secrets.
            let isFree = state.machine.holder(of: target).map { ids.contains($0.id) } ?? true
            guard !state.isShutDown, isFree, let id = state.machine.lacking(among: ids, isSame: isSame) else {
                return nil
            }
            register(id)
            take(
                [
                    .supply(
                        id, state.templates.shared(plan.settings.request), target: target, priority: priority,
                        isPaused: isPaused)
                ], &state, at: now)
            return id
        }
    }

    package func setMaximumBytesPerSecond(_ id: DownloadID, _ limit: Int64?) {
        let now = ports.runtime.now
        state.withLock { state in
            guard !state.isSettled, var request = state.machine[id]?.request else { return }
            request.template.value.options.maximumBytesPerSecond = limit
            take([.change(id, state.templates.shared(request))], &state, at: now)
        }
        applyLimit(of: id, insteadOf: nil)
    }

    package func setMaximumRunning(_ count: Int) { handle(.setMaximumRunning(count)) }

    package func setConnectionsPerHost(_ count: Int) {
        ports.gate.setLimit(count, most: limits.smallFilesPerHost, at: ports.runtime.now)
        handle(.setConnectionsPerHost(count))
    }

    // MARK: Looking

    /// Whether a removed download has not stopped yet, or its files are still being deleted. It serves no further
    /// request, and is forgotten once it has stopped.
    package func isBeingRemoved(_ id: DownloadID) -> Bool {
        state.withLock { $0.machine.isBeingRemoved(id) || $0.deleting.contains(id) }
    }

    /// Ids up to this one are not given any more: somebody else remembers them.
    package func reserveIDs(upTo id: DownloadID) { state.withLock { $0.nextID = max($0.nextID, id.number &+ 1) } }

    package func state(of id: DownloadID) -> QueueEntry.State? { state.withLock { $0.machine.state(of: id) } }

    package func entry(_ id: DownloadID) -> QueueEntry? { state.withLock { $0.machine[id] } }

    /// Whether this id was ever given: to one that is there, or was removed.
    package func hasGiven(_ id: DownloadID) -> Bool {
        state.withLock { $0.machine[id] != nil || id.number > 0 && id.number < $0.nextID }
    }

    package func holder(of target: UInt64) -> QueueEntry? { state.withLock { $0.machine.holder(of: target) } }

    package func inTheWay(of id: DownloadID) -> QueueEntry? { state.withLock { $0.machine.inTheWay(of: id) } }

    package func snapshot(_ id: DownloadID) -> PoolSnapshot? {
        let now = ports.runtime.now
        return state.withLock { Self.snapshot(id, $0, position: $0.machine.position(of: id), at: now) }
    }

    /// Snapshots of all downloads: unfinished ones in order, then the completed ones, oldest first.
    package var snapshots: [PoolSnapshot] {
        let now = ports.runtime.now
        return state.withLock { state in
            state.machine.ids.enumerated().compactMap { place, id in
                Self.snapshot(id, state, position: place, at: now)
            }
        }
    }

    /// The obstacles of queued downloads, by host.
    package var obstacles: [HostQueues.HostObstacle] {
        let now = ports.runtime.now
        return state.withLock { $0.machine.obstacles(at: now) }
    }

    package var ids: [DownloadID] { state.withLock { $0.machine.ids } }

    package var counts: (running: Int, all: Int) { state.withLock { ($0.machine.runningCount, $0.machine.count) } }

    private static func snapshot(
        _ id: DownloadID, _ state: State, position: Int?, at now: Instant
    ) -> PoolSnapshot? {
        guard let entry = state.machine[id] else { return nil }
        var isCompleted = false
        if case .completed = entry.state { isCompleted = true }
        return PoolSnapshot(
            entry: entry, progress: state.live[id]?.news.progress,
            position: isCompleted ? nil : position,
            obstacle: state.machine.obstacle(of: id, at: now), isStopping: state.machine.isStopping(id), taken: now)
    }

    // MARK: Waiting

    /// Waits until it is completed, failed or removed; nil when the task is cancelled, which does nothing to the
    /// download.
    package func end(of id: DownloadID) async -> PoolEnd? {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state -> PoolEnd?? in
                    if Task.isCancelled { return .some(nil) }
                    guard let entry = state.machine[id] else { return .some(.removed) }
                    switch entry.state {
                    case .completed(let facts): return .some(.completed(facts))
                    case .failed(let error): return .some(.failed(error))
                    case .queued, .running, .paused, .waiting:
                        if state.isShutDown { return .some(nil) }
                        state.waiters[id, default: [:]][number] = continuation
                        return nil
                    }
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            state.withLock { $0.waiters[id]?.removeValue(forKey: number) }?.resume(returning: nil)
        }
    }

    func conclude(_ id: DownloadID, _ end: PoolEnd) {
        let waiters = state.withLock { $0.waiters.removeValue(forKey: id) }
        for (_, waiter) in waiters ?? [:] { waiter.resume(returning: end) }
    }

    // MARK: The end

    /// Stops what runs, keeps what it has, and waits until its files are closed. In the session what ran is still
    /// running. Called again it does nothing but wait for that.
    package func shutdown() async {
        let now = ports.runtime.now
        let isFirst = state.withLock { state in
            guard !state.isShutDown else { return false }
            state.isShutDown = true
            take([.close], &state, at: now)
            return true
        }
        guard isFirst else { return await waitUntilOver() }
        networkWatch.end()
        let (running, waiters) = state.withLock { state in
            state.timer?.cancel()
            state.timer = nil
            // All is saved at the end, and by then this one's executor may be gone.
            state.saving.timer?.cancel()
            state.saving.timer = nil
            for id in state.live.keys where state.live[id]?.running == nil { state.live[id]?.mustStop = true }
            defer { state.waiters = [:] }
            return (state.live.values.compactMap(\.running), state.waiters)
        }
        for download in running { download.pause() }
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if !state.live.isEmpty { state.idleWaiters.append(continuation) }
                return state.live.isEmpty
            }
            if isIdle { continuation.resume() }
        }
        await settle()
        await closeSession()
        await endFollowers()
        for (_, waiter) in waiters.values.flatMap({ $0 }) { waiter.resume(returning: nil) }
        events.finish()
        let over = state.withLock { state in
            state.isOver = true
            defer { state.overWaiters = [] }
            return state.overWaiters
        }
        for waiter in over { waiter.resume() }
    }

    /// Takes in nothing more, and waits until all that was taken in is performed: nothing is handed to an executor
    /// after the executors' end.
    private func settle() async {
        // What is on its way to the executor may bring an end with it, of one that did not begin any more.
        await waitForExecutor()
        state.withLock { state in
            state.isSettled = true
            state.timer?.cancel()
            state.timer = nil
        }
        await waitForExecutor()
    }

    private func waitForExecutor() async {
        await withCheckedContinuation { continuation in executor.submit { continuation.resume() } }
    }

    func waitUntilOver() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.overWaiters.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.resume() }
        }
    }
}
