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

    @Test func `digests equal the examples of FIPS 180-4 and RFC 1321`() {
        let expected: [(DigestAlgorithm, String)] = [
            (.md5, "900150983cd24fb0d6963f7d28e17f72"),
            (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                .sha512,
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
        ]
        for (algorithm, digest) in expected {
            var digester = CryptoDigests().makeDigester(algorithm)
            for part in ["a", "", "bc"] { Array(part.utf8).withUnsafeBytes { digester.update($0) } }
            let hexadecimal = digester.finalize().map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            #expect(hexadecimal.joined() == digest)
        }
    }

    private func withRuntime(_ body: (LiveRuntime) async throws -> Void) async throws {
        let runtime = LiveRuntime(eventLoops: 2)
        try await body(runtime)
        try await runtime.shutdown()
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
