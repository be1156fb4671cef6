import NIOCore
import Pawl
import PawlCore
import PawlEngine
import PawlSystem
import Synchronization
import Testing

@Suite struct ThreadExecutorTests {
    private let seen = Seen()

    @Test func `N25 every job runs, in order with one thread, and the end waits for all`() async {
        let executor = ThreadExecutor(threads: 1)
        for number in 0..<1000 { executor.submit { [seen] in seen.append(number) } }
        await executor.shutdown()
        #expect(seen.numbers == Array(0..<1000))
    }

    @Test func `N25 a thread starts when a job finds none that waits, and none beyond the limit`() async {
        let starts = Atomic(0)
        let executor = ThreadExecutor(threads: 3) { body in
            starts.add(1, ordering: .relaxed)
            return DetachedThread.start(body)
        }
        #expect(starts.load(ordering: .relaxed) == 0)
        await withCheckedContinuation { continuation in executor.submit { continuation.resume() } }
        #expect(starts.load(ordering: .relaxed) == 1)
        let open = Switch()
        for number in 0..<10 {
            executor.submit { [seen] in
                open.wait()
                seen.append(number)
            }
        }
        #expect(starts.load(ordering: .relaxed) == 3)
        open.turnOn()
        await executor.shutdown()
        #expect(seen.numbers.sorted() == Array(0..<10))
    }

    @Test func `N25 without a thread the reserve does the work, and without a reserve whoever asks for it`()
        async throws
    {
        let reserve = ThreadExecutor(threads: 1)
        try reserve.startOne()
        let poor = ThreadExecutor(threads: 4, reserve: reserve) { _ in false }
        for number in 0..<5 { poor.submit { [seen] in seen.append(number) } }
        await reserve.shutdown()
        #expect(seen.numbers == [0, 1, 2, 3, 4])

        let alone = ThreadExecutor(threads: 4) { _ in false }
        alone.submit { [seen] in seen.append(5) }
        #expect(seen.numbers.last == 5)
        await poor.shutdown()
        await alone.shutdown()
        #expect(throws: ThreadShortage.self) { try ThreadExecutor(threads: 1) { _ in false }.startOne() }
    }

    @Test func `N25 threads that there are do the work of one that cannot be started`() async {
        let starts = Atomic(0)
        let executor = ThreadExecutor(threads: 4) { body in
            starts.add(1, ordering: .relaxed).newValue == 1 && DetachedThread.start(body)
        }
        for number in 0..<100 { executor.submit { [seen] in seen.append(number) } }
        await executor.shutdown()
        #expect(seen.numbers == Array(0..<100))
        #expect(starts.load(ordering: .relaxed) > 1)
    }

    @Test func `N25 work that is scheduled runs after its time, the soonest first, and never once it is cancelled`()
        async
    {
        let executor = ThreadExecutor(threads: 1)
        let begin = ContinuousClock.now
        let last = executor.schedule(after: .seconds(3600)) { [seen] _ in seen.append(3) }
        await withCheckedContinuation { continuation in
            _ = executor.schedule(after: .milliseconds(40)) { [seen] shortage in
                seen.append(shortage == nil ? 2 : -2)
                continuation.resume()
            }
            _ = executor.schedule(after: .milliseconds(20)) { [seen] shortage in seen.append(shortage == nil ? 1 : -1) }
        }
        #expect(ContinuousClock.now - begin >= .milliseconds(40))
        #expect(seen.numbers == [1, 2])
        executor.cancel(last)
        await executor.shutdown()
        #expect(seen.numbers == [1, 2])
    }

    @Test func `N26 what is scheduled without a thread is told so at once, and a job beside it runs`() async {
        let executor = Locked<ThreadExecutor?>(nil)
        let made = ThreadExecutor(threads: 1) { [seen] _ in
            // Handed over while the thread is about to start: no other is started for them.
            let executor = executor.withLock { $0 }
            executor?.submit { seen.append(1) }
            _ = executor?.schedule(after: .seconds(3600)) { shortage in seen.append(shortage == nil ? -3 : 3) }
            return false
        }
        executor.withLock { $0 = made }
        _ = made.schedule(after: .seconds(1800)) { [seen] shortage in seen.append(shortage == nil ? -2 : 2) }
        #expect(seen.numbers == [1, 2, 3])
        await made.shutdown()
        executor.withLock { $0 = nil }
    }

    @Test func `N26 the end of an executor waits for jobs of threads that cannot be started, and comes`() async {
        let executor = Locked<ThreadExecutor?>(nil)
        let ending = Locked<Task<Void, Never>?>(nil)
        let isEnding = Switch()
        let made = ThreadExecutor(threads: 1) { _ in
            let executor = executor.withLock { $0 }
            // While the thread is about to start, the end waits for it.
            let task = Task {
                isEnding.turnOn()
                await executor?.shutdown()
            }
            ending.withLock { $0 = task }
            isEnding.wait()
            return false
        }
        executor.withLock { $0 = made }
        await withCheckedContinuation { continuation in
            let hasThread = DetachedThread.start { [seen] in
                made.submit { seen.append(1) }
                continuation.resume()
            }
            if !hasThread { continuation.resume() }
        }
        await ending.withLock { $0 }?.value
        #expect(seen.numbers == [1])
        executor.withLock { $0 = nil }
    }

    @Test func `N25 among patient threads jobs wait for one at work, and another one watches`() async {
        let starts = Atomic(0)
        let executor = ThreadExecutor(threads: 4, patience: .seconds(3600)) { body in
            starts.add(1, ordering: .relaxed)
            return DetachedThread.start(body)
        }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            @Sendable func run(_ left: Int, _ seen: Seen) {
                seen.append(left)
                if left > 0 { executor.submit { run(left - 1, seen) } } else { continuation.resume() }
            }
            executor.submit { [seen] in run(100, seen) }
        }
        #expect(starts.load(ordering: .relaxed) == 2)
        await executor.shutdown()
        #expect(seen.numbers == Array((0...100).reversed()))
    }

    @Test func `N25 a job that patient threads do not get to is taken by another one`() async {
        let executor = ThreadExecutor(threads: 4, patience: .milliseconds(1))
        let isOpen = Switch()
        // Each blocks until the last has run, for which there has to be a thread.
        for number in 1...3 {
            executor.submit { [seen] in
                isOpen.wait()
                seen.append(number)
            }
        }
        await open(isOpen, by: executor)
        await executor.shutdown()
        #expect(seen.numbers.sorted() == [1, 2, 3])
    }

    @Test func `N25 more jobs than patient threads get to are taken at once`() async {
        let executor = ThreadExecutor(threads: 2, patience: .seconds(3600))
        let isOpen = Switch()
        executor.submit { isOpen.wait() }
        for number in 1...3 { executor.submit { [seen] in seen.append(number) } }
        await open(isOpen, by: executor)
        await executor.shutdown()
        #expect(seen.numbers == [1, 2, 3])
    }

    @Test func `N25 what is scheduled among patient threads runs while all others work`() async {
        let executor = ThreadExecutor(threads: 2, patience: .seconds(3600))
        let isOpen = Switch()
        await withCheckedContinuation { continuation in
            executor.submit { [seen] in
                _ = executor.schedule(after: .milliseconds(1)) { shortage in
                    seen.append(shortage == nil ? 1 : 0)
                    isOpen.turnOn()
                }
                // Starts the one that watches.
                executor.submit {}
                isOpen.wait()
                continuation.resume()
            }
        }
        await executor.shutdown()
        #expect(seen.numbers == [1])
    }

    /// The end of an executor starts no more threads, so it comes after the job.
    private func open(_ isOpen: Switch, by executor: ThreadExecutor) async {
        await withCheckedContinuation { continuation in
            executor.submit {
                isOpen.turnOn()
                continuation.resume()
            }
        }
    }

    @Test func `N25 event loops are shared in turn, and another one starts only when it is asked for`() async throws {
        let loops = try EventLoops(limit: 2)
        #expect(loops.next() === loops.first && loops.next() === loops.first)
        #expect(loops.all.count == 1)
        loops.grow()
        #expect(loops.all.count == 2)
        #expect(Set([loops.next(), loops.next()].map { ObjectIdentifier($0) }).count == 2)
        loops.grow()
        #expect(loops.all.count == 2)
        await loops.shutdown()
    }

    @Test func `N26 event loops end, with their timers, and a second end is none`() async throws {
        let loops = try EventLoops(limit: 2)
        loops.grow()
        let timers = [loops.next(), loops.next()].map { $0.scheduleTask(in: .hours(1)) {} }
        #expect(loops.all.count == 2)
        let failed = Seen()
        // Asked for now: a loop that has ended tells nobody any more.
        for timer in timers { timer.futureResult.whenFailure { _ in failed.append(1) } }
        await loops.shutdown()
        #expect(failed.numbers == [1, 1])
        await loops.shutdown()
    }
}

private final class Seen: Sendable {
    private let state = Locked<[Int]>([])

    var numbers: [Int] { state.withLock { $0 } }

    func append(_ number: Int) { state.withLock { $0.append(number) } }
}

private final class Switch: Sendable {
    private let isOn = Atomic(false)

    func turnOn() { isOn.store(true, ordering: .releasing) }

    func wait() { while !isOn.load(ordering: .acquiring) {} }
}
