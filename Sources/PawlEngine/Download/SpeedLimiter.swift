package import PawlCore
import Synchronization

/// A limit on speed that can be changed while bytes flow: one of all downloads, and beneath it one of each.
///
/// ```
/// let all = SpeedLimiter(bytesPerSecond: 1 << 20, runtime: runtime)  // the manager's
/// plan.limiter = all  // the driver makes the download's own beneath it
/// all.bytesPerSecond = nil  // lifts it at once
/// all.follow(try SpeedSchedule(parsing: "08:00,512k 19:00,off"))
/// ```
///
/// A limiter without a rate costs a lock for each part of a body. ``SpeedTree`` decides how rates are shared.
package final class SpeedLimiter: Sendable {
    private struct State {
        var bytesPerSecond: Int64?
        var schedule: SpeedSchedule?
        var check: (any ScheduledWork)?
        /// Tells a check that is under way that it is one of a former timetable.
        var generation = 0
    }

    private let core: SpeedCore
    private let id: SpeedTree.MemberID
    /// The limiter above this one. Its node must exist as long as this one's.
    private let parent: SpeedLimiter?
    /// Told at each look at a timetable whether it pauses.
    private let paused: @Sendable (SpeedSchedule.Pause?) -> Void
    private let state: Locked<State>

    /// The wall clock may be set, and daylight saving begins: a timetable is checked at least this often.
    private static let maximumWait: Duration = .seconds(60)

    /// `bytesPerSecond` is positive; nil for no limit.
    package init(
        bytesPerSecond: Int64? = nil, parent: SpeedLimiter? = nil, runtime: any Runtime,
        paused: @escaping @Sendable (SpeedSchedule.Pause?) -> Void = { _ in }
    ) {
        self.paused = paused
        let core = parent?.core ?? SpeedCore(runtime)
        self.core = core
        self.parent = parent
        state = Locked(State(bytesPerSecond: bytesPerSecond))
        id = core.change { $0.addNode(bytesPerSecond: bytesPerSecond, under: parent?.id, at: $1) }
    }

    deinit {
        let id = id
        state.withLock { $0.check?.cancel() }
        core.change { $0.remove(id, at: $1) }
    }

    /// The limit that holds now, positive; nil for none. Setting it ends a timetable.
    package var bytesPerSecond: Int64? {
        get { state.withLock { $0.bytesPerSecond } }
        set {
            stopFollowing()
            apply(newValue)
            paused(nil)
        }
    }

    /// Whether anything beneath the same root is limited.
    var isLimited: Bool { core.isLimited }

    /// Sets the limit by the time of the week from now on.
    package func follow(_ schedule: SpeedSchedule) {
        let generation = stopFollowing()
        state.withLock { $0.schedule = schedule }
        look(generation)
    }

    @discardableResult
    private func stopFollowing() -> Int {
        state.withLock { state in
            state.check?.cancel()
            state.check = nil
            state.schedule = nil
            state.generation += 1
            return state.generation
        }
    }

    private func apply(_ bytesPerSecond: Int64?) {
        let isNew = state.withLock { state in
            defer { state.bytesPerSecond = bytesPerSecond }
            return state.bytesPerSecond != bytesPerSecond
        }
        if isNew { core.change { $0.setRate(bytesPerSecond, of: self.id, at: $1) } }
    }

    private func look(_ generation: Int) {
        guard let schedule = state.withLock({ $0.generation == generation ? $0.schedule : nil }) else { return }
        let time = core.runtime.weekTime(secondsSinceEpoch: core.runtime.secondsSinceEpoch)
        apply(schedule.bytesPerSecond(at: time))
        paused(schedule.pause(at: time))
        let latest = state.withLock { $0.generation }
        // Another timetable came meanwhile, and what it has set may be undone.
        guard latest == generation else { return look(latest) }
        guard let seconds = schedule.secondsUntilChange(after: time) else { return }
        let check = core.runtime.schedule(after: min(.seconds(seconds), Self.maximumWait), on: core.executor) {
            [weak self] in
            self?.look(generation)
        }
        let isCurrent = state.withLock { state in
            guard state.generation == generation else { return false }
            state.check?.cancel()
            state.check = check
            return true
        }
        if !isCurrent { check.cancel() }
    }

    /// A flow of bytes beneath this limit. `resume` is called on an executor when it had to wait and may go on.
    package func makeFlow(resume: @escaping @Sendable () -> Void) -> SpeedFlow {
        SpeedFlow(limiter: self, core: core, id: core.addFlow(under: id, resume: resume))
    }
}

/// The bytes of one connection. ``end()`` is called as soon as no more come; one that is let go of ends by itself.
package final class SpeedFlow: Sendable {
    /// Keeps the nodes above.
    private let limiter: SpeedLimiter
    private let core: SpeedCore
    private let id: SpeedTree.MemberID

    fileprivate init(limiter: SpeedLimiter, core: SpeedCore, id: SpeedTree.MemberID) {
        self.limiter = limiter
        self.core = core
        self.id = id
    }

    /// Takes up to `count` bytes that are at hand, and says how many. Fewer: hold the rest until `resume` is called,
    /// and ask again then.
    package func take(_ count: Int) -> Int {
        core.change { $0.take(count, by: self.id, at: $1) }
    }

    /// The rate at which it may be read from the network at present; nil as long as nothing limits it.
    package var pace: Pace? { core.pace(of: id) }

    /// Also for what was made too late to be told of the end.
    deinit { end() }

    package func end() { core.removeFlow(id) }
}

/// The tree of a family of limiters with its timer: one lock for all, held while the tree thinks and never over a call
/// to anybody.
private final class SpeedCore: Sendable {
    struct State {
        var tree = SpeedTree()
        var resumes: [SpeedTree.MemberID: @Sendable () -> Void] = [:]
        /// The time of the next timer that looks at the tree.
        var timer: Instant?
    }

    let runtime: any Runtime
    let executor: any WorkExecutor
    private let state = Locked(State())

    init(_ runtime: any Runtime) {
        self.runtime = runtime
        executor = runtime.makeControlExecutor()
    }

    func addFlow(under node: SpeedTree.MemberID, resume: @escaping @Sendable () -> Void) -> SpeedTree.MemberID {
        let now = runtime.now
        return state.withLock { state in
            let id = state.tree.addFlow(under: node, at: now)
            state.resumes[id] = resume
            return id
        }
    }

    var isLimited: Bool { state.withLock { $0.tree.isLimited } }

    func pace(of id: SpeedTree.MemberID) -> Pace? {
        guard isLimited else { return nil }
        let now = runtime.now
        return state.withLock { $0.tree.pace(of: id, at: now) }
    }

    func removeFlow(_ id: SpeedTree.MemberID) {
        change { $0.remove(id, at: $1) }
        state.withLock { _ = $0.resumes.removeValue(forKey: id) }
    }

    @discardableResult
    func change<Answer>(
        _ body: (inout SpeedTree, Instant) -> Answer, after prepare: (inout State) -> Void = { _ in }
    ) -> Answer {
        let now = runtime.now
        let (answer, resumes, next) = state.withLock { state -> (Answer, [@Sendable () -> Void], Instant?) in
            prepare(&state)
            let answer = body(&state.tree, now)
            let resumes = state.tree.takeReady().compactMap { state.resumes[$0] }
            guard let next = state.tree.nextGrant, state.timer.map({ next < $0 }) ?? true else {
                return (answer, resumes, nil)
            }
            state.timer = next
            return (answer, resumes, next)
        }
        // Never on the caller's stack: it may hold a lock that the one to be resumed waits for.
        for resume in resumes { executor.submit(resume) }
        if let next {
            _ = runtime.schedule(after: next - now, on: executor) { [weak self] in self?.fired(next) }
        }
        return answer
    }

    private func fired(_ at: Instant) {
        change { tree, now in
            tree.advance(to: now)
        } after: {
            // One that a sooner one has replaced looks at the tree too, for nothing.
            if $0.timer == at { $0.timer = nil }
        }
    }
}
