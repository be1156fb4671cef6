internal import PawlEngine
internal import PawlSystem

/// No thread can be started: the user or the container may have no more processes.
package struct ThreadShortage: Error {
    package init() {}
}

/// An executor of threads that may block. A thread starts when a job finds none that waits, up to the limit; where the
/// system has no thread left, those that there are do the work.
package final class ThreadExecutor: WorkExecutor {
    package typealias Work = @Sendable () -> Void

    private struct Timer {
        let id: UInt64
        let due: ContinuousClock.Instant
        let work: @Sendable (ThreadShortage?) -> Void
    }

    private struct State {
        var jobs = JobQueue()
        /// The soonest is the last.
        var timers: [Timer] = []
        var lastTimer: UInt64 = 0
        var threads = 0
        /// The number of threads that have not looked for work yet.
        var starting = 0
        var idle = 0
        /// An idle thread gives a busy one the time to take the next job itself.
        var isPatient = false
        var isShutDown = false
        var endings: [CheckedContinuation<Void, Never>] = []
        /// Jobs begun so far: as long as it grows, the threads at work keep up.
        var begun = 0

        /// A patient thread helps those at work with more jobs than these.
        static let longestQueue = 2

        /// The one that is patient looks again by itself.
        var hasThreadToWake: Bool { idle > 0 && !(isPatient && idle == 1 && jobs.count <= Self.longestQueue) }

        /// Whether no thread would take a job if the threads at work never finished.
        var lacksWatch: Bool { idle + starting == 0 }
    }

    private let limit: Int
    private let patience: Duration?
    private let reserve: ThreadExecutor?
    private let start: @Sendable (@escaping Work) -> Bool
    private let monitor = Monitor(State())

    /// - Parameters:
    ///   - patience: the time that a job waits for a thread at work before the last idle one takes it, for jobs that
    ///     are over at once as a rule: waking a thread, and starting one more to watch, takes longer than most of them.
    ///     What timers run must not block then. Nil: no job waits while a thread can be had.
    ///   - reserve: one with a thread, which does the work where this one cannot have any. Without one, whoever
    ///     hands over a job runs it.
    ///   - start: starts a thread; false where there is none.
    package init(
        threads: Int, patience: Duration? = nil, reserve: ThreadExecutor? = nil,
        start: @escaping @Sendable (@escaping Work) -> Bool = { DetachedThread.start($0) }
    ) {
        (limit, self.patience, self.reserve, self.start) = (threads, patience, reserve, start)
    }

    /// Starts the first thread before there is a job.
    package func startOne() throws(ThreadShortage) {
        monitor.withLock { state in
            state.threads += 1
            state.starting += 1
        }
        guard startThread() else {
            lackThread()
            throw ThreadShortage()
        }
    }

    /// Submitting after ``shutdown()`` is an error in the caller: the job would never run, and what waits for it would
    /// wait for ever.
    package func submit(_ work: @escaping Work) {
        let (wakes, starts) = monitor.withLock { state -> (Bool, Bool) in
            // Proven: the executors are shut down after every download has ended.
            precondition(!state.isShutDown, "a job was submitted to an executor that was shut down")
            state.jobs.append(work)
            let lacksThread = patience == nil ? state.idle < state.jobs.count : state.lacksWatch
            // A thread that is woken may find a timer due, so one that waits is woken in any case.
            return (state.hasThreadToWake, lacksThread && takeThread(&state))
        }
        if wakes { monitor.wakeOne() }
        if starts, !startThread() { lackThread() }
    }

    /// Runs `work` no earlier than `delay` from now, unless it is cancelled first. Where no thread can watch the time,
    /// it runs at once, with the error.
    ///
    /// - Returns: what ``cancel(_:)`` takes.
    package func schedule(after delay: Duration, _ work: @escaping @Sendable (ThreadShortage?) -> Void) -> UInt64 {
        let due = ContinuousClock.now + delay
        let (id, starts) = monitor.withLock { state -> (UInt64, Bool) in
            state.lastTimer += 1
            let place = state.timers.firstIndex { $0.due <= due } ?? state.timers.endIndex
            state.timers.insert(Timer(id: state.lastTimer, due: due, work: work), at: place)
            return (state.lastTimer, state.threads == 0 && takeThread(&state))
        }
        // A thread that waits for a later one has to look again.
        monitor.wakeOne()
        if starts, !startThread() { lackThread() }
        return id
    }

    package func cancel(_ timer: UInt64) {
        monitor.withLock { $0.timers.removeAll { $0.id == timer } }
    }

    /// Ends the threads once they have run what was submitted, without waiting for them. Timers are dropped.
    package func end() {
        monitor.withLock { $0.isShutDown = true }
        monitor.wakeAll()
    }

    /// Runs what was submitted, then ends the threads. Timers are dropped.
    package func shutdown() async {
        end()
        await withCheckedContinuation { continuation in
            let isOver = monitor.withLock { state -> Bool in
                if state.threads > 0 { state.endings.append(continuation) }
                return state.threads == 0
            }
            if isOver { continuation.resume() }
        }
    }

    // MARK: Threads

    private func takeThread(_ state: inout State) -> Bool {
        guard state.threads < limit else { return false }
        state.threads += 1
        state.starting += 1
        return true
    }

    private func startThread() -> Bool {
        start {
            var isNew = true
            while let work = self.nextWork(isNew: isNew) {
                work()
                isNew = false
            }
        }
    }

    /// The thread that was to start did not. Whoever wanted it stands in for it while there is no other, so that no job
    /// is left, and no end of the threads comes before that of the jobs.
    private func lackThread() {
        while true {
            let (work, timers, endings) = monitor.withLock {
                state -> (Work?, [Timer], [CheckedContinuation<Void, Never>]) in
                let isAlone = state.threads == 1
                if isAlone, let job = state.jobs.popFirst() { return (job, [], []) }
                let timers = isAlone ? state.timers : []
                if isAlone { state.timers = [] }
                state.starting -= 1
                return (nil, state.isShutDown ? [] : timers.reversed(), Self.leave(&state))
            }
            if let work {
                if let reserve { reserve.submit(work) } else { work() }
                continue
            }
            for timer in timers { timer.work(ThreadShortage()) }
            for ending in endings { ending.resume() }
            return
        }
    }

    /// Notes that one thread has ended.
    ///
    /// - Returns: those who wait for the end, if this was the last.
    private static func leave(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        state.threads -= 1
        guard state.isShutDown, state.threads == 0 else { return [] }
        defer { state.endings = [] }
        return state.endings
    }

    /// Waits for work; nil if the thread is to end.
    ///
    /// - Parameter isNew: the thread has not worked yet.
    private func nextWork(isNew: Bool) -> Work? {
        var rest = Rest(isNew: isNew)
        var isTimer = false
        let (work, endings) = monitor.wait {
            state -> Monitor<State>.Look<(Work?, [CheckedContinuation<Void, Never>])> in
            let wasAtWork = rest.isOver
            rest.end(&state)
            var wait: Duration?
            if let timer = state.timers.last, !state.isShutDown {
                let left = timer.due - .now
                if left <= .zero {
                    let timer = state.timers.removeLast()
                    isTimer = true
                    return .done(({ timer.work(nil) }, []))
                }
                wait = left
            }
            if !wasAtWork, let left = rest.patienceLeft(patience, state) {
                rest.begin(&state, isPatient: true)
                return .wait(atMost: min(left, wait ?? left))
            }
            if let job = state.jobs.popFirst() {
                state.begun += 1
                return .done((job, []))
            }
            guard !state.isShutDown else { return .done((nil, Self.leave(&state))) }
            rest.begin(&state, isPatient: false)
            return .wait(atMost: wait)
        }
        for ending in endings { ending.resume() }
        // What timers run among patient threads is over at once.
        if work != nil, patience == nil || !isTimer { leaveWatch(wasWatching: rest.wasPatient) }
        return work
    }

    /// Leaves somebody to watch the timers and the jobs while the calling thread works, for as long as it takes.
    private func leaveWatch(wasWatching: Bool) {
        let (wakes, starts) = monitor.withLock { state -> (Bool, Bool) in
            let isLeft = state.jobs.count > 0
            guard isLeft || !state.timers.isEmpty || wasWatching, !state.isShutDown else { return (false, false) }
            let lacksThread = patience == nil ? state.idle == 0 : state.lacksWatch
            return (isLeft && state.hasThreadToWake, lacksThread && takeThread(&state))
        }
        if wakes { monitor.wakeOne() }
        if starts, !startThread() { lackThread() }
    }
}

extension ThreadExecutor {
    /// The wait of one thread for work.
    private struct Rest {
        private enum Phase { case starting, idle, patient, over }

        private var phase: Phase
        /// The time at which the thread takes a job that busy threads have left, and how many jobs had been begun
        /// before.
        private var patience: (until: ContinuousClock.Instant, begun: Int)?

        init(isNew: Bool) { phase = isNew ? .starting : .over }

        var isOver: Bool { phase == .over }

        /// Whether other threads were at work, and did not get to the job in time.
        var wasPatient: Bool { patience != nil }

        mutating func begin(_ state: inout State, isPatient: Bool) {
            phase = isPatient ? .patient : .idle
            state.idle += 1
            if isPatient { state.isPatient = true } else { patience = nil }
        }

        mutating func end(_ state: inout State) {
            switch phase {
            case .starting: state.starting -= 1
            case .patient: (state.idle, state.isPatient) = (state.idle - 1, false)
            case .idle: state.idle -= 1
            case .over: break
            }
            phase = .over
        }

        /// The time that is left to the threads at work to take the next job; nil when it is to be taken now.
        mutating func patienceLeft(_ patience: Duration?, _ state: State) -> Duration? {
            // With another one idle this one need not watch, and without one at work nobody else takes the job.
            guard let patience, !state.isShutDown, state.lacksWatch, state.threads > 1,
                (1...State.longestQueue).contains(state.jobs.count)
            else { return nil }
            if self.patience?.begun != state.begun { self.patience = (.now + patience, state.begun) }
            let left = self.patience.map { $0.until - .now } ?? .zero
            return left > .zero ? left : nil
        }
    }
}

/// Jobs in their order. Either end takes a constant time.
private struct JobQueue {
    /// The first is the last.
    private var front: [ThreadExecutor.Work] = []
    private var back: [ThreadExecutor.Work] = []

    var count: Int { front.count + back.count }

    mutating func append(_ work: @escaping ThreadExecutor.Work) { back.append(work) }

    mutating func popFirst() -> ThreadExecutor.Work? {
        if front.isEmpty { (front, back) = (back.reversed(), []) }
        return front.popLast()
    }
}
