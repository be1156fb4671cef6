package import PawlCore
package import PawlEngine
import Synchronization

/// Skipped time, shared by the runs of a test and its server's script. Time passes by itself, and a test can also skip
/// some of it.
package final class SkippedTime: Sendable {
    private struct State {
        var skipped: Duration = .zero
        var wallClockJump: Int64 = 0
        var runtimes: [SkippingRuntime] = []
    }

    private let state = Locked(State())

    package init() {}

    package var skipped: Duration { state.withLock { $0.skipped } }

    /// Moves the clock forward by `duration` for every waiting timer. Callable from any thread.
    package func skip(_ duration: Duration) {
        let runtimes = state.withLock { state in
            state.skipped += duration
            return state.runtimes
        }
        for runtime in runtimes { runtime.timeWasSkipped() }
    }

    /// Sets the wall clock: it jumps by this many seconds, while all other time is unaffected.
    package func jumpWallClock(seconds: Int64) { state.withLock { $0.wallClockJump += seconds } }

    fileprivate var wallClockJump: Int64 { state.withLock { $0.wallClockJump } }

    fileprivate func add(_ runtime: SkippingRuntime) { state.withLock { $0.runtimes.append(runtime) } }

    fileprivate func remove(_ runtime: SkippingRuntime) { state.withLock { $0.runtimes.removeAll { $0 === runtime } } }
}

/// A live runtime whose clock also jumps ahead with its ``SkippedTime``: a wait of a minute takes no time at all.
package final class SkippingRuntime: Runtime {
    private final class Timer: ScheduledWork {
        let due: Instant
        let executor: any WorkExecutor
        let work: @Sendable () -> Void
        let armed = Locked<(any ScheduledWork)?>(nil)
        private let isTaken = Locked(false)

        init(due: Instant, executor: any WorkExecutor, work: @escaping @Sendable () -> Void) {
            self.due = due
            self.executor = executor
            self.work = work
        }

        /// Returns true once: the caller that receives true runs or discards the work.
        func take() -> Bool {
            isTaken.withLock { taken in
                defer { taken = true }
                return !taken
            }
        }

        var isWaiting: Bool { isTaken.withLock { !$0 } }

        func cancel() {
            guard take() else { return }
            armed.withLock { $0?.cancel() }
        }
    }

    private let base: any Runtime
    private let time: SkippedTime
    private let timers = Locked<[Timer]>([])

    package init(_ base: any Runtime, _ time: SkippedTime) {
        self.base = base
        self.time = time
        time.add(self)
    }

    /// Must be called before the underlying runtime is shut down.
    package func end() {
        time.remove(self)
        // Breaks a cycle: a timer's work retains the object that set it, which retains this runtime.
        timers.withLock { $0 = [] }
    }

    package var now: Instant { base.now + time.skipped }
    package var secondsSinceEpoch: Int64 {
        base.secondsSinceEpoch + time.skipped.components.seconds + time.wallClockJump
    }
    package func weekTime(secondsSinceEpoch: Int64) -> WeekTime { base.weekTime(secondsSinceEpoch: secondsSinceEpoch) }
    package func random() -> UInt64 { base.random() }
    package func makeControlExecutor() -> any WorkExecutor { base.makeControlExecutor() }
    package var diskExecutor: any WorkExecutor { base.diskExecutor }
    package func makeSyncExecutor() -> any WorkExecutor { base.makeSyncExecutor() }

    package func schedule(
        after delay: Duration, on executor: any WorkExecutor, _ work: @escaping @Sendable () -> Void
    ) -> any ScheduledWork {
        let timer = Timer(due: now + delay, executor: executor, work: work)
        timers.withLock { timers in
            timers.removeAll { !$0.isWaiting }
            timers.append(timer)
        }
        arm(timer)
        return timer
    }

    private func arm(_ timer: Timer) {
        let armed = base.schedule(after: max(timer.due - now, .zero), on: timer.executor) {
            if timer.take() { timer.work() }
        }
        let former = timer.armed.withLock { slot in
            defer { slot = armed }
            return slot
        }
        former?.cancel()
    }

    fileprivate func timeWasSkipped() {
        for timer in timers.withLock({ $0.filter(\.isWaiting) }) { arm(timer) }
    }
}
