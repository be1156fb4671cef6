package import PawlCore
import PawlEngine
import PawlStore
import Synchronization

/// Works through a shard, slice by slice.
package final class ShardDriver: Sendable {
    package enum End: Hashable, Sendable {
        /// Each slice has a manifest.
        case finished
        case failed(WorkError)
        case stopped
    }

    private struct State {
        var running: [SliceID: SliceDriver] = [:]
        /// The latest slice has few items left.
        var mayBeginNext = true
        var nextSlice = 0
        var nextItem = 0
        /// Whether a slice is being read.
        var isReading = false
        var isAtEnd = false
        /// Why no further slice begins.
        var reason: End?
        var hasEnded = false
    }

    private let plan: BatchPlan
    private let shard: Int
    private let ports: SliceDriver.Ports
    private let few: Int
    private let deadline: Instant?
    private let executor: any WorkExecutor
    private let blocking: any WorkExecutor
    private let state = Locked(State())
    private let reader = Locked<ShardReader?>(nil)
    private let committed: @Sendable (ManifestHead, _ isOurs: Bool) -> Void
    private let ended: @Sendable (End) -> Void

    /// - Parameters:
    ///   - few: a slice begins once the one before it has so many items left, so that a slow host delays no other; the
    ///     one before that must have ended.
    ///   - deadline: no slice begins after it.
    ///   - committed: told of each slice that has a manifest.
    ///   - ended: called once, and last.
    package init(
        _ plan: BatchPlan, shard: Int, _ ports: SliceDriver.Ports, few: Int, deadline: Instant? = nil,
        committed: @escaping @Sendable (ManifestHead, _ isOurs: Bool) -> Void,
        ended: @escaping @Sendable (End) -> Void
    ) {
        (self.plan, self.shard, self.ports, self.few, self.deadline) = (plan, shard, ports, few, deadline)
        (self.committed, self.ended) = (committed, ended)
        executor = ports.runtime.makeControlExecutor()
        blocking = ports.runtime.makeSyncExecutor()
    }

    package func start() { executor.submit { self.openShard() } }

    package func stop() { executor.submit { self.give(up: .stopped) } }

    // MARK: The shard

    private func openShard() {
        ports.store.get(.shard(shard)) { [self] result in
            blocking.submit { [self] in
                do throws(StoreError) {
                    guard let body = try result.get() else {
                        return fail(WorkError(.batch, "The batch has no “\(StoreKey.shard(shard))”."))
                    }
                    open(body)
                } catch {
                    fail(WorkError(error))
                }
            }
        }
    }

    private func open(_ body: StoreBody) {
        do throws(GzipReader.Failure) {
            try reader.withLock { (reader) throws(GzipReader.Failure) in reader = try ShardReader(body) }
            executor.submit { self.beginNext() }
        } catch {
            fail(unreadable(error))
        }
    }

    private func unreadable(_ error: GzipReader.Failure) -> WorkError {
        WorkError(.batch, "“\(StoreKey.shard(shard))” of the batch cannot be read. \(error.message)")
    }

    private func fail(_ error: WorkError) { executor.submit { self.give(up: .failed(error)) } }

    // MARK: Slices. All that follows runs on the executor, but for reading.

    /// Begins the next slice, if there is one and it is time.
    private func beginNext() {
        if let deadline, ports.runtime.now >= deadline {
            let end = End.failed(WorkError(.again, "The time given is over; what is committed stays."))
            state.withLock { state in if state.reason == nil, !state.isAtEnd { state.reason = end } }
        }
        let isDue = state.withLock { state in
            guard state.reason == nil, !state.isReading, !state.isAtEnd,
                state.running.isEmpty || state.mayBeginNext && state.running.count < 2
            else { return false }
            state.isReading = true
            return true
        }
        guard isDue else { return endIfDone() }
        blocking.submit { [self] in
            do throws(GzipReader.Failure) {
                let lines = try reader.withLock { (reader) throws(GzipReader.Failure) in
                    try reader?.next(plan.sliceItems) ?? []
                }
                executor.submit { self.begin(lines) }
            } catch {
                fail(unreadable(error))
            }
        }
    }

    private func begin(_ lines: [[UInt8]]) {
        let slice = state.withLock { state -> Slice? in
            state.isReading = false
            guard !lines.isEmpty else {
                state.isAtEnd = true
                return nil
            }
            defer {
                state.nextSlice += 1
                state.nextItem += lines.count
            }
            return Slice(
                plan.batch, SliceID(shard: shard, slice: state.nextSlice), plan.form,
                hasUniqueNames: plan.hasUniqueNames, first: state.nextItem, lines: lines)
        }
        guard let slice, state.withLock({ $0.reason }) == nil else { return endIfDone() }
        let driver = SliceDriver(slice, maximumFailed: plan.maximumFailed, ports, few: few) { [self] in
            executor.submit { self.noteFewLeft() }
        } ended: { [self] end in
            executor.submit { self.ended(slice.id, end) }
        }
        state.withLock { state in
            state.running[slice.id] = driver
            state.mayBeginNext = false
        }
        driver.start()
    }

    private func noteFewLeft() {
        state.withLock { $0.mayBeginNext = true }
        beginNext()
    }

    private func ended(_ id: SliceID, _ end: SliceMachine.End) {
        state.withLock { _ = $0.running.removeValue(forKey: id) }
        switch end {
        case .committed(let head, let isOurs):
            committed(head, isOurs)
            beginNext()
        case .failed(let error): give(up: .failed(error))
        case .stopped: give(up: .stopped)
        }
    }

    /// Begins nothing any more. The first reason counts.
    private func give(up reason: End) {
        let running = state.withLock { state in
            if state.reason == nil { state.reason = reason }
            state.isReading = false
            return state.running.values.sorted { $0.slice.id < $1.slice.id }
        }
        for driver in running { driver.stop() }
        endIfDone()
    }

    private func endIfDone() {
        let end = state.withLock { state -> End? in
            guard !state.hasEnded, !state.isReading, state.running.isEmpty else { return nil }
            guard let end = state.reason ?? (state.isAtEnd ? .finished : nil) else { return nil }
            state.hasEnded = true
            return end
        }
        if let end { ended(end) }
    }
}
