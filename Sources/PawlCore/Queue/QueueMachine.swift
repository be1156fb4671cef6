/// Decides which of many downloads run.
///
/// At most so many at once, and as many small ones that only have to be made durable; the first in order whose host and
/// disk have room. Besides these, extra ones of hosts whose files are small (``SmallFileBudget``), if that is wanted. A
/// host that is saturated, rests or fails never keeps the others from running: its downloads are passed over, at most
/// one at a time tries a host that does not answer, and one that waits for long gives its place to another. Adding and
/// picking are O(log n).
package struct QueueMachine: Sendable {
    package struct Limits: Hashable, Sendable {
        package var maximumRunning = 5
        package var connectionsPerHost = 8
        /// The most downloads at once while files are small, extra ones included; zero: no extra ones.
        package var maximumSmallFiles = 0
        /// The same for one host.
        package var smallFilesPerHost = 0
        /// The limit of requests to a host; nil for none.
        package var requestRatePerHost: RequestRate?
        /// The number of times that a failed download is restarted automatically; progress starts the count anew.
        package var maximumRetries = 3
        package var retry = RetryPolicy(base: .seconds(5), ceiling: .seconds(300))
        /// The longest wait of a running download before it gives its place to another.
        package var maximumIdleTime: Duration = .seconds(3)
        /// The number of completed downloads that are remembered.
        package var maximumFinished = 1000
        package var diskInterval: Duration = .seconds(10)
        /// The time after which a file is looked at again that another process is downloading.
        package var lockInterval: Duration = .seconds(1)

        package init() {}
    }

    struct Run: Hashable, Sendable {
        /// The step that follows when a run has ended.
        enum Intent: Hashable, Sendable {
            case none, pause, requeue
            case wait(QueueEntry.Wait)
            case remove(deletesFiles: Bool)
        }

        var intent = Intent.none
        /// Whether the download was told to stop.
        var isStopping = false
        /// Whether the download has not begun, because its disk is still being examined.
        var isMeasured = false
        /// Whether the download has given its place to the next one, and ends in a moment.
        var isFinishing = false
        /// Whether the download runs besides the others, because files of its host are small.
        var isExtra = false
        /// Whether the host's budget of small files has counted it.
        var isCounted = false
        /// Whether the bytes come from mirrors alone, since the host was given up.
        var usesMirrors = false
        let began: Instant
        var host: Int32
    }

    /// The running downloads that do not simply fetch.
    struct Outliers: Sendable {
        struct Idle: Hashable, Sendable {
            /// The reason, with the end of the wait if that is known.
            var news: QueueNews
            var since: Instant
        }

        /// The number of those that are finishing.
        var finishingCount = 0
        /// The runs that fetch nothing.
        var idle: [Int32: Idle] = [:]
    }

    package private(set) var limits: Limits
    /// Seconds since 1970 at ``Instant/zero``.
    let epochAtZero: Int64
    var entries: [QueueEntry?] = []
    var freeSlots: [Int32] = []
    var slots: [DownloadID: Int32] = [:]
    /// The holders of targets: slots, by ``FileTarget/hash``.
    var targets = TargetRegistry<UInt64, Int32>()
    /// All downloads but the completed ones, in order.
    var order = RankedTree<QueueKey>()
    var hosts = HostQueues()
    var runs: [Int32: Run] = [:]
    var outliers = Outliers()
    var timers = RankedTree<TimerKey>()
    var space = SpaceRegistry()
    var finished = FinishedDownloads()
    var highestPosition: Int64 = 0
    /// The queue is shutting down and starts no download.
    var isClosed = false
    var random: SplitMix64

    package init(limits: Limits = Limits(), seed: UInt64 = 0, epochAtZero: Int64 = 0) {
        self.limits = limits
        self.epochAtZero = epochAtZero
        random = SplitMix64(seed: seed)
        hosts.connectionsPerHost = limits.connectionsPerHost
        hosts.smallFilesPerHost = limits.smallFilesPerHost
        hosts.rate = limits.requestRatePerHost
    }

    package mutating func handle(_ event: QueueEvent, at now: Instant) -> [QueueAction] { handle([event], at: now) }

    /// Handles several that come at once. Places are filled behind the last.
    package mutating func handle(_ events: [QueueEvent], at now: Instant) -> [QueueAction] {
        var actions = dueTimers(at: now)
        for event in events { actions += take(event, at: now) }
        actions += fill(at: now)
        #if DEBUG
        checkInvariants()
        #endif
        return actions
    }

    private mutating func take(_ event: QueueEvent, at now: Instant) -> [QueueAction] {
        switch event {
        case .add(let entry, let isPaused): add(entry, isPaused: isPaused, at: now)
        case .restore(let entries): restore(entries, at: now)
        case .pause(let id): slots[id].map { pause($0, at: now) } ?? []
        case .resume(let id): slots[id].map { resume($0, at: now) } ?? []
        case .pauseAll: order.keys.flatMap { pause($0.slot, at: now) }
        case .resumeAll: order.keys.flatMap { resumeIfPaused($0.slot, at: now) }
        case .remove(let id, let deletesFiles): slots[id].map { remove($0, deletesFiles: deletesFiles) } ?? []
        case .move(let id, let position): slots[id].map { move($0, to: position) } ?? []
        case .setPriority(let id, let priority): slots[id].map { setPriority($0, priority) } ?? []
        case .put(let id, let priority, let position): slots[id].map { put($0, priority, position) } ?? []
        case .supply(let id, let request, let target, let priority, let isPaused):
            slots[id].map { supply($0, request, target, priority, isPaused: isPaused, at: now) } ?? []
        case .change(let id, let request): slots[id].map { change($0, request) } ?? []
        case .setMaximumRunning(let count): setMaximumRunning(count)
        case .setConnectionsPerHost(let count): setConnectionsPerHost(count)
        case .heard(let id, let news): slots[id].map { heard($0, news, at: now) } ?? []
        case .advanced(let id, let total, let stored, let unreserved):
            slots[id].map { advanced($0, total, stored, unreserved, at: now) } ?? []
        case .named(let id, let name): slots[id].map { named($0, name) } ?? []
        case .concluded(let id, let facts): slots[id].map { concluded($0, facts, at: now) } ?? []
        case .ended(let id, let end): slots[id].map { ended($0, end, at: now) } ?? []
        case .hostBusy(let host, let until): hostBusy(host, until: until, at: now)
        case .hostServes(let host): hostServes(host)
        case .hostRefused(let host, let borne): updateBudget(host) { $0.refused(borne: borne, at: now) }
        case .hostCapLifted(let host): updateBudget(host) { $0.capLifted(at: now) }
        case .networkChanged: networkChanged()
        case .measured(let id, let disk, let available):
            slots[id].map { measured($0, disk, available, at: now) } ?? []
        case .wake: []
        case .close: close(at: now)
        }
    }

    // MARK: Facts

    package subscript(id: DownloadID) -> QueueEntry? { slots[id].flatMap { entries[Int($0)] } }

    /// Returns the state of an entry; costs less than the entry.
    package func state(of id: DownloadID) -> QueueEntry.State? { slots[id].flatMap { entries[Int($0)]?.state } }

    /// Whether these are the numbers of the entry; nil: the length is not known.
    package func knows(total: Int64?, stored: Int64, of id: DownloadID) -> Bool {
        guard let slot = slots[id] else { return false }
        return entries[Int(slot)]?.stored == stored && entries[Int(slot)]?.total == total ?? -1
    }

    package var count: Int { slots.count }

    /// The number of downloads that have a place, the ones that are stopping included.
    package var runningCount: Int { runs.count }

    /// The time at which the machine wants to be called even if nothing happens.
    package var nextWakeUp: Instant? { timers.first?.at }

    /// Unfinished ones in order, then the completed ones, oldest first.
    package var ids: [DownloadID] {
        order.keys.compactMap { entries[Int($0.slot)]?.id } + finished.all { slots[$0] != nil }
    }

    /// Returns the ids of some running downloads.
    package func ids(running count: Int) -> [DownloadID] { runs.keys.prefix(count).compactMap { entries[Int($0)]?.id } }

    /// The place in the queue, from zero; nil for one that is completed or not there.
    package func position(of id: DownloadID) -> Int? {
        guard let slot = slots[id], let entry = entries[Int(slot)] else { return nil }
        if case .completed = entry.state { return nil }
        return order.rank(of: key(slot, entry))
    }

    /// Returns the entry that holds the target now.
    package func holder(of target: UInt64) -> QueueEntry? { targets.holder(of: target).flatMap { entries[Int($0)] } }

    /// Claims the target that the server has named, for a running download about to take it. Returns false if another
    /// entry has it.
    package mutating func claim(_ target: UInt64, for id: DownloadID) -> Bool {
        guard let slot = slots[id], let entry = entries[Int(slot)] else { return false }
        guard targets.claim([target], for: slot) else { return false }
        if target != entry.claimed { releaseClaim(slot) }
        guard target != entry.target else { return true }
        entries[Int(slot)]?.claimed = target
        return true
    }

    /// Releases the targets of an entry. The one that it claimed is remembered.
    mutating func releaseTargets(_ slot: Int32) { targets.release(targets(of: slot), of: slot) }

    /// Returns false if another entry already holds one of the targets.
    mutating func claimTargets(_ slot: Int32) -> Bool { targets.claim(targets(of: slot), for: slot) }

    /// Returns the entry that holds a target which this download needs to resume.
    package func inTheWay(of id: DownloadID) -> QueueEntry? {
        slots[id].flatMap { targets.holder(of: targets(of: $0), otherThan: $0) }.flatMap { entries[Int($0)] }
    }

    private func targets(of slot: Int32) -> [UInt64] {
        guard let entry = entries[Int(slot)] else { return [] }
        return entry.claimed == 0 ? [entry.target] : [entry.target, entry.claimed]
    }

    private mutating func releaseClaim(_ slot: Int32) {
        guard let claimed = entries[Int(slot)]?.claimed, claimed != 0 else { return }
        targets.release([claimed], of: slot)
        entries[Int(slot)]?.claimed = 0
    }

    /// Whether a running download is an extra one.
    package func isExtra(_ id: DownloadID) -> Bool { slots[id].flatMap { runs[$0]?.isExtra } ?? false }

    package func isRunning(_ id: DownloadID) -> Bool { slots[id].map { runs[$0] != nil } ?? false }

    /// Whether a download is stopping in order to be removed.
    package func isBeingRemoved(_ id: DownloadID) -> Bool {
        guard let slot = slots[id], case .remove? = runs[slot]?.intent else { return false }
        return true
    }

    /// Whether a download has been told to stop and has not stopped yet.
    package func isStopping(_ id: DownloadID) -> Bool { slots[id].flatMap { runs[$0]?.isStopping } ?? false }

    /// Returns the reason why a queued download does not run, apart from the queue itself: `host` holds no more, or
    /// rests until then.
    package func obstacle(of id: DownloadID, at now: Instant) -> HostQueues.Obstacle? {
        guard let entry = self[id], case .queued = entry.state else { return nil }
        return hosts.obstacle(entry.host, at: now)
    }

    /// The obstacles of queued downloads, by host.
    package func obstacles(at now: Instant) -> [HostQueues.HostObstacle] { hosts.obstacles(at: now) }

    func key(_ slot: Int32, _ entry: QueueEntry) -> QueueKey {
        QueueKey(rank: -entry.priority, slot: slot, position: entry.position)
    }

    func wallClock(of now: Instant) -> Int64 { epochAtZero + now.nanoseconds / 1_000_000_000 }

    /// The program ends. What runs is told to stop by whoever runs it, and counts as running on.
    private mutating func close(at now: Instant) -> [QueueAction] {
        isClosed = true
        let running = runs.keys.compactMap { entries[Int($0)].map { QueueAction.changed($0.id) } }
        // Nobody waits for the answer of a disk: what was to be paused or removed once that came, is now.
        let stopped = runs.filter { $0.value.isMeasured && $0.value.isStopping }.keys.sorted()
        return running + stopped.flatMap { ended($0, .paused, at: now) }
    }

    // MARK: Limits

    private mutating func setMaximumRunning(_ count: Int) -> [QueueAction] {
        limits.maximumRunning = max(1, count)
        // The last in order go first, and come back in their turn.
        let surplus = runs.filter { !$0.value.isStopping && !$0.value.isFinishing && !$0.value.isExtra }.keys
            .sorted { left, right in
                guard let a = entries[Int(left)], let b = entries[Int(right)] else { return left < right }
                return key(left, a) < key(right, b)
            }
            .dropFirst(limits.maximumRunning)
        return surplus.flatMap { stop($0, then: .requeue) }
    }

    private mutating func setConnectionsPerHost(_ count: Int) -> [QueueAction] {
        limits.connectionsPerHost = max(1, count)
        hosts.connectionsPerHost = limits.connectionsPerHost
        hosts.reopenAll()
        return []
    }

    // MARK: Invariants

    func checkInvariants() {
        // Proven: in debug builds only, and about the machine itself.
        precondition(order.count <= slots.count, "the order knows downloads that are gone")
        for (slot, run) in runs {
            guard case .running? = entries[Int(slot)]?.state else {
                // Proven, here and below: the same.
                preconditionFailure("a run of one that does not run")
            }
            // Proven: as above.
            precondition(run.isStopping || run.intent == .none, "an intent without a stop")
        }
        // Proven: as above.
        precondition(outliers.idle.keys.allSatisfy { runs[$0] != nil }, "one that does not run is idle")
        // Proven: as above.
        precondition(
            outliers.finishingCount == runs.values.count { $0.isFinishing }, "finishing downloads are miscounted")
        // Proven: as above.
        precondition(
            hosts.extraCount == runs.values.count { $0.isExtra && !$0.isFinishing }, "extra downloads are miscounted")
    }
}

/// The time at which an entry, a host or a disk is examined again.
struct TimerKey: Hashable, Comparable, Sendable {
    enum Kind: UInt8, Sendable { case entry, host, disk }

    let at: Instant
    let kind: Kind
    let number: Int64

    static func < (left: TimerKey, right: TimerKey) -> Bool {
        (left.at, left.kind.rawValue, left.number) < (right.at, right.kind.rawValue, right.number)
    }
}
