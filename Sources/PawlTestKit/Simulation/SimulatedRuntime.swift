package import PawlCore
package import PawlEngine
import Synchronization

/// Time, executors and randomness of one simulated machine. Everything happens on the caller's thread, in an order that
/// the seed determines.
package final class SimulatedRuntime: Runtime {
    private struct Job {
        var at: Instant
        var order: Int
        var work: @Sendable () -> Void
        var token: Token
    }

    private final class Token: ScheduledWork {
        let isCancelled = Locked(false)

        func cancel() { isCancelled.withLock { $0 = true } }
    }

    private struct State {
        var now: Instant
        var heap: [Job] = []
        var nextOrder = 0
        var random: SplitMix64
        var isHalted = false
        var networkWatchers: [(token: Token, work: @Sendable () -> Void)] = []
    }

    /// Starts jobs in order, each after its predecessor has ended.
    private final class SerialWorkExecutor: WorkExecutor {
        let runtime: SimulatedRuntime
        let slowest: Int64
        let free = Locked(Instant.zero)

        init(_ runtime: SimulatedRuntime, slowestMicroseconds: Int64) {
            self.runtime = runtime
            slowest = slowestMicroseconds
        }

        func submit(_ work: @escaping @Sendable () -> Void) {
            let delay = runtime.delay(upTo: slowest)
            let at = free.withLock { free in
                free = max(free, runtime.now) + delay
                return free
            }
            _ = runtime.enqueue(at: at, work)
        }
    }

    private struct ParallelExecutor: WorkExecutor {
        let runtime: SimulatedRuntime

        func submit(_ work: @escaping @Sendable () -> Void) {
            _ = runtime.enqueue(at: runtime.now + runtime.delay(upTo: 3000), work)
        }
    }

    private let state: Locked<State>

    package init(seed: UInt64, now: Instant) {
        state = Locked(State(now: now, random: SplitMix64(seed: seed)))
    }

    package var now: Instant { state.withLock { $0.now } }

    /// The number of jobs submitted so far: a measure of work that does not depend on the machine.
    package var jobs: Int { state.withLock { $0.nextOrder } }

    package var secondsSinceEpoch: Int64 { 1_700_000_000 + now.nanoseconds / 1_000_000_000 }

    package func random() -> UInt64 { state.withLock { $0.random.next() } }

    /// A uniform number from 0 up to but not including `bound`.
    package func random(below bound: Int64) -> Int64 { Int64(random() % UInt64(max(1, bound))) }

    package func chance(_ probability: Double) -> Bool { Double(random() >> 11) / Double(1 << 53) < probability }

    private func delay(upTo microseconds: Int64) -> Duration { .microseconds(random(below: microseconds + 1)) }

    package func makeControlExecutor() -> any WorkExecutor { SerialWorkExecutor(self, slowestMicroseconds: 0) }

    package var diskExecutor: any WorkExecutor { ParallelExecutor(runtime: self) }

    package func makeSyncExecutor() -> any WorkExecutor { SerialWorkExecutor(self, slowestMicroseconds: 20_000) }

    package func schedule(
        after delay: Duration, on executor: any WorkExecutor, _ work: @escaping @Sendable () -> Void
    ) -> any ScheduledWork {
        enqueue(at: now + delay, work)
    }

    package func onNetworkChange(
        on executor: any WorkExecutor, _ work: @escaping @Sendable () -> Void
    ) -> (any ScheduledWork)? {
        let token = Token()
        state.withLock { $0.networkWatchers.append((token, { executor.submit(work) })) }
        return token
    }

    /// How many wait for the network now.
    package var networkWatcherCount: Int {
        state.withLock { state in
            state.networkWatchers.removeAll { $0.token.isCancelled.withLock { $0 } }
            return state.networkWatchers.count
        }
    }

    /// An address of the machine appears.
    package func changeNetwork() {
        let watchers = state.withLock { $0.networkWatchers }
        for (token, work) in watchers where !token.isCancelled.withLock({ $0 }) { work() }
    }

    /// Runs `work` after a delay, on no executor.
    package func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) {
        _ = enqueue(at: now + delay, work)
    }

    /// Discards all waiting jobs: the process is gone.
    package func halt() {
        // Released outside the lock: a destructor in a job may ask for the time.
        let left = state.withLock { state in
            state.isHalted = true
            defer { state.heap = [] }
            return state.heap
        }
        withExtendedLifetime(left) {}
    }

    /// Runs jobs until `isDone`, until none is left, or until `limit`. Returns false for the limit.
    package func run(limit: Duration, until isDone: () -> Bool) -> Bool {
        let end = now + limit
        while !isDone() {
            guard let job = next() else { return true }
            if job.at > end { return false }
            if !job.token.isCancelled.withLock({ $0 }) { job.work() }
        }
        return true
    }

    // MARK: A binary heap by time, then by order of submission

    private func enqueue(at: Instant, _ work: @escaping @Sendable () -> Void) -> Token {
        let token = Token()
        state.withLock { state in
            guard !state.isHalted else { return }
            state.heap.append(Job(at: at, order: state.nextOrder, work: work, token: token))
            state.nextOrder += 1
            var child = state.heap.count - 1
            while child > 0, Self.precedes(state.heap[child], state.heap[(child - 1) / 2]) {
                state.heap.swapAt(child, (child - 1) / 2)
                child = (child - 1) / 2
            }
        }
        return token
    }

    private static func precedes(_ left: Job, _ right: Job) -> Bool {
        (left.at, left.order) < (right.at, right.order)
    }

    private func next() -> Job? {
        state.withLock { state in
            guard !state.heap.isEmpty else { return nil }
            state.heap.swapAt(0, state.heap.count - 1)
            let job = state.heap.removeLast()
            var parent = 0
            while true {
                var first = parent
                for child in [2 * parent + 1, 2 * parent + 2] where child < state.heap.count {
                    if Self.precedes(state.heap[child], state.heap[first]) { first = child }
                }
                if first == parent { break }
                state.heap.swapAt(first, parent)
                parent = first
            }
            state.now = max(state.now, job.at)
            return job
        }
    }
}

/// A substitute for SHA-256 where only equality matters: fast, with digests of the right length.
package struct SimulatedDigests: DigestFactory {
    private struct Fold: Digester {
        let count: Int
        var hash = XXHash64()

        mutating func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bytes) }

        mutating func finalize() -> [UInt8] {
            var random = SplitMix64(seed: hash.value)
            return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        }
    }

    package init() {}

    package func makeDigester(_ algorithm: DigestAlgorithm) -> any Digester { Fold(count: algorithm.byteCount) }

    package func pieces(_ bytes: [UInt8], length: Int) -> PieceHashes? {
        let hashes = stride(from: 0, to: bytes.count, by: length).compactMap { start in
            digest(Array(bytes[start..<min(bytes.count, start + length)]))?.bytes
        }
        return try? PieceHashes(algorithm: .sha256, pieceLength: Int64(length), hashes: hashes)
    }

    package func digest(_ bytes: [UInt8]) -> Digest? {
        var digester: any Digester = Fold(count: DigestAlgorithm.sha256.byteCount)
        bytes.withUnsafeBytes { digester.update($0) }
        return Digest(algorithm: .sha256, bytes: digester.finalize())
    }
}
