import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

@Suite struct LiveRuntimeTests {
    @Test func `the clock moves forward and counts in seconds`() async throws {
        try await withRuntime { runtime in
            let before = runtime.now
            try await Task.sleep(for: .milliseconds(10))
            let passed = runtime.now - before
            #expect(passed >= .milliseconds(10))
            #expect(passed < .seconds(3600))
            // 2025 to 2100, which only seconds can give.
            #expect((1_735_689_600..<4_102_444_800).contains(runtime.secondsSinceEpoch))
        }
    }

    @Test func `a control executor runs jobs in order`() async throws {
        try await withRuntime { runtime in
            let executor = runtime.makeControlExecutor()
            let seen = Log()
            for number in 0..<1000 { executor.submit { seen.append(number) } }
            await done(on: executor)
            #expect(seen.numbers == Array(0..<1000))
        }
    }

    @Test func `a sync executor runs jobs one after the other`() async throws {
        try await withRuntime { runtime in
            let executor = runtime.makeSyncExecutor()
            let seen = Log()
            for number in 0..<1000 { executor.submit { seen.append(number) } }
            await done(on: executor)
            #expect(seen.numbers == Array(0..<1000))
        }
    }

    @Test func `syncs of two downloads run concurrently`() async throws {
        try await withRuntime { runtime in
            let (first, second) = (runtime.makeSyncExecutor(), runtime.makeSyncExecutor())
            let released = Log()
            first.submit {
                // If the two executors were one, the job that ends this loop would never run.
                while released.numbers.isEmpty {}
            }
            second.submit { released.append(1) }
            await done(on: first)
        }
    }

    @Test func `a slow sync does not take a thread from the writers`() async throws {
        try await withRuntime { runtime in
            let released = Log()
            let sync = runtime.makeSyncExecutor()
            sync.submit {
                // If the two executors shared one thread, the job that ends this loop would never run.
                while released.numbers.isEmpty {}
            }
            runtime.diskExecutor.submit { released.append(1) }
            await done(on: sync)
        }
    }

    @Test(arguments: ["control", "disk"])
    func `a scheduled job runs after its delay, and a cancelled one never runs`(kind: String) async throws {
        try await withRuntime { runtime in
            let executor = kind == "disk" ? runtime.diskExecutor : runtime.makeControlExecutor()
            let seen = Log()
            let start = runtime.now
            let cancelled = runtime.schedule(after: .milliseconds(20), on: executor) { seen.append(1) }
            cancelled.cancel()
            await withCheckedContinuation { continuation in
                _ = runtime.schedule(after: .milliseconds(40), on: executor) { continuation.resume() }
            }
            #expect(runtime.now - start >= .milliseconds(40))
            #expect(seen.numbers.isEmpty)
            cancelled.cancel()
        }
    }

    @Test func `random numbers do not repeat`() async throws {
        try await withRuntime { runtime in
            #expect(Set((0..<100).map { _ in runtime.random() }).count == 100)
        }
    }

    private func withRuntime(_ body: (LiveRuntime) async throws -> Void) async throws {
        let runtime = try LiveRuntime(eventLoops: 2)
        try await body(runtime)
        await runtime.shutdown()
    }

    private func done(on executor: any WorkExecutor) async {
        await withCheckedContinuation { continuation in executor.submit { continuation.resume() } }
    }
}

private final class Log: Sendable {
    private let state = Locked<[Int]>([])

    var numbers: [Int] { state.withLock { $0 } }

    func append(_ number: Int) {
        state.withLock { $0.append(number) }
    }
}
