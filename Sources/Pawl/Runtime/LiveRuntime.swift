internal import NIOCore
package import PawlCore
package import PawlEngine
internal import NIOPosix
internal import PawlSystem
import Synchronization

/// The live ``Runtime``: event loops for control, threads for the disk, the clocks of the system.
///
/// ``shutdown()`` must be called before the last reference goes, after everything that uses it has ended.
package final class LiveRuntime: Runtime {
    /// The event loops, shared with the transport: a control executor may then share a thread with the connections it
    /// decides about.
    package let eventLoopGroup: EventLoops

    /// Random numbers of the system, of which a call brings several.
    private let numbers = Locked<[UInt64]>([])
    private let disk: ThreadExecutor
    private let sync: ThreadExecutor

    /// Creates a runtime with at most one event loop a core by default, and no more than four, for a loop fills several
    /// gigabits; a second one starts with the second request under way. Disk threads wait for the most part. Two
    /// threads start at once, so that work that has begun always has one: a loop, and one that may block.
    package init(eventLoops: Int? = nil, diskThreads: Int = 4, syncThreads: Int = 8) throws(ThreadShortage) {
        sync = ThreadExecutor(threads: syncThreads)
        try sync.startOne()
        disk = ThreadExecutor(threads: diskThreads, reserve: sync)
        do throws(ThreadShortage) {
            eventLoopGroup = try EventLoops(limit: eventLoops ?? min(System.coreCount, 4))
        } catch {
            // Not waited for: a task might need a thread that cannot be had.
            sync.end()
            throw error
        }
    }

    /// An executor that always has a thread, for blocking work that can get none of its own.
    package var reserve: ThreadExecutor { sync }

    /// Waits for the jobs under way and ends the threads.
    package func shutdown() async {
        await disk.shutdown()
        await sync.shutdown()
        await eventLoopGroup.shutdown()
    }

    package var now: Instant {
        #if canImport(Darwin)
        // Counts through sleep on Darwin; CLOCK_UPTIME_RAW is the one that does not.
        Instant(nanoseconds: Self.nanoseconds(of: CLOCK_MONOTONIC_RAW))
        #else
        // CLOCK_MONOTONIC stands still while the machine sleeps (clock_gettime(2)).
        Instant(nanoseconds: Self.nanoseconds(of: CLOCK_BOOTTIME))
        #endif
    }

    package var secondsSinceEpoch: Int64 { Self.wallClockSeconds }

    /// The same without an instance.
    package static var wallClockSeconds: Int64 { nanoseconds(of: CLOCK_REALTIME) / 1_000_000_000 }

    package static var wallClockMilliseconds: Int64 { nanoseconds(of: CLOCK_REALTIME) / 1_000_000 }

    package func random() -> UInt64 {
        numbers.withLock { numbers in
            if numbers.isEmpty { numbers = SystemCalls.randomNumbers() }
            var generator = SystemRandomNumberGenerator()
            return numbers.popLast() ?? generator.next()
        }
    }

    package func makeControlExecutor() -> any WorkExecutor {
        EventLoopExecutor(eventLoop: eventLoopGroup.next())
    }

    package var diskExecutor: any WorkExecutor { disk }

    package func makeSyncExecutor() -> any WorkExecutor { SerialWorkExecutor(on: sync) }

    package func schedule(
        after delay: Duration, on executor: any WorkExecutor, _ work: @escaping @Sendable () -> Void
    ) -> any ScheduledWork {
        // A year is as good as never, and the sum of a deadline must not overflow.
        let amount = TimeAmount.nanoseconds(min(max(delay, .zero), .seconds(365 * 86_400)).wholeNanoseconds)
        if let executor = executor as? EventLoopExecutor {
            return ScheduledOnLoop(executor.eventLoop.scheduleTask(in: amount, work))
        }
        return ScheduledOnLoop(eventLoopGroup.first.scheduleTask(in: amount) { executor.submit(work) })
    }

    package func onNetworkChange(
        on executor: any WorkExecutor, _ work: @escaping @Sendable () -> Void
    ) -> (any ScheduledWork)? {
        NetworkChanges.subscribe { executor.submit(work) }.map(NetworkSubscription.init)
    }

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        let result = clock_gettime(clock, &time)
        // Proven: the clocks asked for are there on every system this compiles for.
        precondition(result == 0, "a clock that every supported system has is missing")
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// A control executor: an event loop runs its jobs in the order they were handed over.
private struct EventLoopExecutor: WorkExecutor {
    let eventLoop: any EventLoop

    func submit(_ work: @escaping @Sendable () -> Void) {
        eventLoop.execute(work)
    }
}

private struct NetworkSubscription: ScheduledWork {
    private let id: Int

    init(_ id: Int) {
        self.id = id
    }

    func cancel() {
        NetworkChanges.unsubscribe(id)
    }
}

private struct ScheduledOnLoop: ScheduledWork {
    private let scheduled: Scheduled<Void>

    init(_ scheduled: Scheduled<Void>) {
        self.scheduled = scheduled
    }

    func cancel() {
        scheduled.cancel()
    }
}
