package import PawlCore
import Synchronization

/// Many downloads: a ``QueueMachine``, and the running ones that it asks for.
///
/// Calls may come from any thread and return at once. The lock is held only while the machine thinks; its actions are
/// performed in order on one control executor. Knows nothing of HTTP: a ``DownloadRunner`` makes what runs.
package final class DownloadPool: Sendable {
    struct Live {
        var running: (any RunningDownload)?
        var news: ProgressThrottle
        /// A call that arrived before the download existed.
        var mustStop = false
    }

    struct State {
        var machine: QueueMachine
        var live: [DownloadID: Live] = [:]
        var nextID: UInt64 = 1
        var templates = RecentTemplates()
        var pending: [QueueAction] = []
        var followers = PoolFollowers()
        /// The number of ends of each download that the machine has decided and readers were not told yet.
        var unpublishedEnds: [DownloadID: Int] = [:]
        var isDraining = false
        var timer: (any ScheduledWork)?
        var timerAt: Instant?
        var waiters: [DownloadID: [Int: CheckedContinuation<PoolEnd?, Never>]] = [:]
        var nextWaiter = 0
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
        /// Removed ones whose files are not deleted yet.
        var deleting: Set<DownloadID> = []
        /// Whether the pool is shut down: no download starts, and running ones end.
        var isShutDown = false
        /// Whether everything has ended: no more events are taken, only the remaining actions are performed.
        var isSettled = false
        /// Whether the final state is saved; with it the executors end.
        var isOver = false
        var overWaiters: [CheckedContinuation<Void, Never>] = []
        var memory = HostMemory()
        var saving = PoolSaving()
        /// Downloads that wait for a name until others in front of them have theirs.
        var turns: [DownloadID: NameTurn] = [:]
        /// The running ones that have no name yet, where names are given in order.
        var unnamed: [DownloadID: Unnamed] = [:]
        var isPassingTurns = false
    }

    package struct Hooks: Sendable {
        /// Called on an executor of their own, one after the other. The last argument is the download's directory.
        package var completed: (@Sendable (DownloadID, FinishedFacts, String) -> Void)?
        package var failed: (@Sendable (DownloadID, DownloadError) -> Void)?

        package init() {}
    }

    package let ports: Ports
    let runner: any DownloadRunner
    let hooks: Hooks
    let executor: any WorkExecutor
    let saveExecutor: any WorkExecutor
    /// Runs what followers of downloads do.
    let followExecutor: any WorkExecutor
    package let events = PoolEvents()
    /// Whether the first in the queue of two downloads to one directory gets the name that both servers choose, and
    /// keeps it: the other does not replace its finished file.
    let namesInOrder: Bool
    let state: Locked<State>
    let networkWatch = NetworkWatch()

    package init(
        ports: Ports, runner: any DownloadRunner, limits: QueueMachine.Limits, hooks: Hooks = Hooks(),
        namesInOrder: Bool = false
    ) {
        if namesInOrder { ports.finished.keepNames() }
        self.ports = ports
        self.namesInOrder = namesInOrder
        self.runner = runner
        self.hooks = hooks
        let runtime = ports.runtime
        executor = runtime.makeControlExecutor()
        saveExecutor = runtime.makeSyncExecutor()
        followExecutor = runtime.makeSyncExecutor()
        let epochAtZero = runtime.secondsSinceEpoch - runtime.now.nanoseconds / 1_000_000_000
        state = Locked(State(machine: QueueMachine(limits: limits, seed: runtime.random(), epochAtZero: epochAtZero)))
        ports.gate.setLimit(limits.connectionsPerHost, most: limits.smallFilesPerHost, at: runtime.now)
    }

    // MARK: The machine

    /// Hands over events under one lock, and what they lead to to the executor.
    func handle(_ events: [QueueEvent]) {
        let now = ports.runtime.now
        state.withLock { take(events, &$0, at: now) }
    }

    func handle(_ event: QueueEvent) { handle([event]) }

    func take(_ events: [QueueEvent], _ state: inout State, at now: Instant) {
        guard !state.isSettled else { return }
        enqueue(state.machine.handle(events, at: now), &state)
        schedule(&state, at: now)
    }

    /// Queues actions to be performed and saved: a save requested after this includes them, though none has been
    /// performed.
    func enqueue(_ actions: [QueueAction], _ state: inout State) {
        state.pending += actions
        for id in actions.lazy.compactMap(\.ended) { state.unpublishedEnds[id, default: 0] += 1 }
        noteForSaving(actions, &state)
        noteForFollowers(actions, &state)
        guard !state.isDraining, !state.pending.isEmpty else { return }
        state.isDraining = true
        executor.submit { [self] in drain() }
    }

    private func schedule(_ state: inout State, at now: Instant) {
        guard state.machine.nextWakeUp != state.timerAt else { return }
        state.timer?.cancel()
        state.timerAt = state.machine.nextWakeUp
        // The clock runs on while the machine sleeps, and timers may not (FAULTS J10).
        state.timer = state.timerAt.map { at in
            ports.runtime.schedule(after: min(max(at - now, .zero), .seconds(10)), on: executor) { [weak self] in
                self?.wake()
            }
        }
    }

    private func wake() {
        state.withLock { state in
            state.timer = nil
            state.timerAt = nil
        }
        handle(.wake)
    }

    private func drain() {
        while true {
            let actions = state.withLock { state in
                defer { state.pending = [] }
                if state.pending.isEmpty { state.isDraining = false }
                return state.pending
            }
            guard !actions.isEmpty else { return }
            for action in actions { perform(action) }
        }
    }

    private func perform(_ action: QueueAction) {
        switch action {
        case .start(let id): start(id)
        case .stop(let id): stop(id)
        case .measure(let id, let directory): measure(id, directory)
        case .changed(let id): events.publish(.changed(id))
        case .completed(let id, let facts, let directory):
            tellEnd(of: id, .completed(id, facts, directory: directory))
            conclude(id, .completed(facts))
            if let hook = hooks.completed { callHook { hook(id, facts, directory) } }
        case .failed(let id, let error):
            tellEnd(of: id, .failed(id, error))
            conclude(id, .failed(error))
            if let hook = hooks.failed { callHook { hook(id, error) } }
        case .removed(let entry, let deletesFiles):
            events.publish(.removal(entry.id, .removed(entry.id)))
            conclude(entry.id, .removed)
            let settings = deletesFiles ? runner.plan(of: entry).settings : nil
            runner.forget(entry.id)
            if deletesFiles {
                ports.runtime.diskExecutor.submit { [self] in
                    FileRemoval(ports.storage, asker: SharedAsker(ports)).remove(entry, settings)
                    state.withLock { _ = $0.deleting.remove(entry.id) }
                }
            } else {
                state.withLock { _ = $0.deleting.remove(entry.id) }
            }
        }
    }

    // MARK: Running

    private func start(_ id: DownloadID) {
        let now = ports.runtime.now
        let found = state.withLock { state -> (entry: QueueEntry, facts: RunFacts)? in
            guard let entry = state.machine[id], state.machine.isRunning(id) else { return nil }
            guard !state.isShutDown else {
                // It does not begin any more; if it was to be paused or removed, it is.
                take([.ended(id, .paused)], &state, at: now)
                return nil
            }
            state.live[id] = Live(news: ProgressThrottle(largestHeldFile: ports.largestHeldFile))
            state.awaitName(of: id, inOrder: namesInOrder)
            let facts = RunFacts(
                memory: state.memory, hasHostServed: state.machine.hasHostServed(id),
                failuresBefore: state.machine.failuresBefore(id), isRecorded: state.saving.store != nil,
                isExtra: state.machine.isExtra(id))
            return (entry, facts)
        }
        guard let (entry, facts) = found else { return }
        do throws(DownloadError) {
            var plan = runner.plan(of: entry)
            facts.add(to: &plan, of: entry, at: now, wallClock: ports.runtime.secondsSinceEpoch)
            let running = try runner.begin(id, plan, Run(self, id))
            let mustStop = state.withLock { state in
                state.live[id]?.running = running
                return state.live[id]?.mustStop ?? false
            }
            // The limit may have been set since the plan was made.
            applyLimit(of: id, insteadOf: plan.maximumBytesPerSecond)
            if mustStop { running.pause() }
        } catch {
            end(id, as: .failed(error))
        }
    }

    /// Limits a running download by what its entry says, until the two agree: others may be setting it, too.
    ///
    /// - Parameter known: the limit that the run has, if nobody has set one since it began.
    func applyLimit(of id: DownloadID, insteadOf known: Int64??) {
        var known = known
        while let entry = entry(id) {
            let limit = entry.request.template.value.options.maximumBytesPerSecond
            if let known, known == limit { return }
            runner.setMaximumBytesPerSecond(limit, of: id)
            known = limit
        }
    }

    /// Removes a running download and notes its end in the same step, so that tasks that wait for the last one find all
    /// ends noted.
    private func end(_ id: DownloadID, as end: QueueEnd) {
        let now = ports.runtime.now
        let idle = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.live[id] = nil
            // One that has ended takes no name any more.
            state.turns.removeValue(forKey: id)?.timer.cancel()
            state.unnamed[id] = nil
            take([.ended(id, end)], &state, at: now)
            guard state.live.isEmpty else { return [] }
            defer { state.idleWaiters = [] }
            return state.idleWaiters
        }
        passTurns()
        for waiter in idle { waiter.resume() }
    }

    private func stop(_ id: DownloadID) {
        let running = state.withLock { state in
            if state.live[id]?.running == nil { state.live[id]?.mustStop = true }
            return state.live[id]?.running
        }
        running?.pause()
    }

    /// The facts of a queue about a download that begins to run.
    private struct RunFacts {
        let memory: HostMemory
        /// Other downloads of the queue have had bytes from its host.
        let hasHostServed: Bool
        /// Tries without progress that earlier runs made.
        let failuresBefore: Int
        /// A session records its end.
        let isRecorded: Bool
        let isExtra: Bool

        func add(to plan: inout Plan, of entry: QueueEntry, at now: Instant, wallClock: Int64) {
            plan.settings.takeHints { memory.hints(for: $0, at: now, wallClock: wallClock) }
            if hasHostServed { plan.settings.hostHints.serving = entry.host }
            plan.settings.failuresBefore = failuresBefore
            plan.renamesTaken = entry.renamesTaken
            plan.isExtra = isExtra
            if entry.markerNumber != 0 { plan.markerNumber = entry.markerNumber }
            plan.keepsReceipt = isRecorded && plan.markerNumber != nil
            if plan.fileName == nil { plan.fileName = entry.fileName }
        }
    }

    /// Tells the pool of one of its downloads, and the runner of its end.
    private final class Run: RunListener {
        private weak let pool: DownloadPool?
        private let runner: any DownloadRunner
        private let id: DownloadID

        init(_ pool: DownloadPool, _ id: DownloadID) { (self.pool, runner, self.id) = (pool, pool.runner, id) }

        func progressed(_ progress: DownloadProgress) { pool?.progressed(id, progress) }
        func reported(_ report: DownloadReport) { pool?.reported(id, report) }
        func learned(_ url: HTTPURL, _ observation: HostObservation) { pool?.learned(url, observation) }
        func named(_ name: String) { pool?.named(id, name) }
        func claimed() { pool?.claimed(id) }
        func mayTake(_ name: String) -> Bool { pool?.claim(name, for: id) ?? true }
        func inTurn(_ proceed: @escaping @Sendable () -> Void) {
            if let pool { pool.takeTurn(id, proceed) } else { proceed() }
        }
        func ended(_ ending: DownloadDriver.Ending) {
            runner.ended(id)
            pool?.ended(id, ending)
        }
    }

    private func progressed(_ id: DownloadID, _ progress: DownloadProgress) {
        let now = ports.runtime.now
        let lacksConnection = if case .waiting(.hostLimit) = progress.state { true } else { false }
        let isDue = state.withLock { state in
            if state.unnamed[id] != nil { state.unnamed[id]?.lacksConnection = lacksConnection }
            guard let (news, isDue) = state.live[id]?.news.advance(to: progress, at: now) else { return false }
            var events: [QueueEvent] = []
            if !state.machine.knows(total: progress.totalBytes, stored: progress.bytesStored, of: id) {
                events.append(
                    .advanced(
                        id, total: progress.totalBytes, stored: progress.bytesStored,
                        unreserved: progress.bytesUnreserved))
            }
            if let news { events.append(.heard(id, news)) }
            if !events.isEmpty { take(events, &state, at: now) }
            return isDue
        }
        if lacksConnection { passTurns() }
        if isDue { changed(id) }
    }

    private func changed(_ id: DownloadID) {
        events.publish(.changed(id))
        tellFollowers(.state(id, ()), of: id)
    }

    private func claim(_ name: String, for id: DownloadID) -> Bool {
        guard let entry = state.withLock({ $0.machine[id] }), let target = runner.target(of: entry, named: name) else {
            return true
        }
        return state.withLock { $0.machine.claim(target, for: id) }
    }

    private func reported(_ id: DownloadID, _ report: DownloadReport) {
        switch report {
        case .retrying(let error, let failures, let limit, let until):
            state.withLock { state in
                state.live[id]?.news.retries(after: error, failures: failures, until: until)
                state.unnamed[id]?.isAwaited = false
            }
            passTurns()
            guard limit == nil else { break }
            // Hosts that rest because they could not be reached are tried at once when the network may be back.
            networkWatch.begin(ports.runtime, on: executor) { [weak self] in self?.handle(.networkChanged) }
        case .redirected(let url): handle(.heard(id, .moved(url.hostKey)))
        case .sourceFailed(let url, _) where state.withLock({ $0.machine[id]?.request.askedURL == url }):
            handle(.heard(id, .usesMirrors))
        default: break
        }
        let notice = PoolEvent.notice(id, report, at: ports.runtime.now)
        events.publish(.event(notice))
        tellFollowers(.event(notice), of: id)
    }

    private func learned(_ url: HTTPURL, _ observation: HostObservation) {
        let now = ports.runtime.now
        let wallClock = ports.runtime.secondsSinceEpoch
        let isResting = state.withLock { state in
            state.memory.learn(observation, of: url, at: now, wallClock: wallClock)
            return state.memory.isResting(url, wallClock: wallClock)
        }
        switch observation {
        case .busy(let until):
            handle(.hostRefused(url.hostKey, borne: nil))
            if isResting { handle(.hostBusy(url.hostKey, until: until)) }
        case .serves: handle(.hostServes(url.hostKey))
        case .refusedConnection: handle(.hostRefused(url.hostKey, borne: ports.gate.cap(of: url.hostKey)))
        case .capLifted: handle(.hostCapLifted(url.hostKey))
        // A cap that one download found is about its own connections.
        case .connectionCap, .rangesHonoured, .rangesWrong, .refusesIfRange: break
        }
    }

    private func ended(_ id: DownloadID, _ ending: DownloadDriver.Ending) {
        let end: QueueEnd =
            switch ending.phase {
            case .completed(let outcome): .completed(FinishedFacts(ending, outcome))
            case .failed(let error): .failed(error)
            case .paused, .cancelled, .idle, .fetching, .draining, .saving, .settingAside, .refreshing, .verifying,
                .finishing, .quarantining:
                .paused
            }
        self.end(id, as: end)
    }

    // MARK: Disks

    private func measure(_ id: DownloadID, _ directory: String) {
        // Downloads behind this one may be measured, and start, before it.
        state.withLock { $0.awaitName(of: id, inOrder: namesInOrder) }
        ports.runtime.diskExecutor.submit { [self] in
            let found = try? ports.storage.openDirectory(directory)
            let disk = try? found?.identity().device
            let available = (try? found?.availableBytes()) ?? 0
            handle(.measured(id, disk: disk, available: available))
            forgetNameIfIdle(id)
        }
    }

    private func callHook(_ hook: @escaping @Sendable () -> Void) { ports.runtime.diskExecutor.submit(hook) }
}

extension FinishedFacts {
    package init(_ ending: DownloadDriver.Ending, _ outcome: DownloadMachine.Outcome) {
        self.init(
            fileName: ending.fileName ?? "", byteCount: ending.total ?? 0, finalURL: ending.finalURL.redacted)
        isComplete = outcome.isComplete
        isVerified = outcome.isVerified
        skipReason = outcome.skipReason
        resumedFrom = ending.resumedFrom
        entityTag = ending.representation?.entityTag?.raw
        lastModified = ending.representation?.lastModified
        contentCoding = ending.representation?.contentCoding
        (response, digest) = (ending.response, ending.digest)
        // Mostly the only one.
        sources = ending.sources.map { $0 == ending.finalURL ? finalURL : $0.redacted }
        trace = ending.trace
    }
}
