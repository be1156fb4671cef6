package import PawlCore
import Synchronization

/// An event in a pool, for its readers.
package enum PoolEvent: Sendable {
    case added(DownloadID)
    /// The state, progress or place of a download has changed.
    case changed(DownloadID)
    case notice(DownloadID, DownloadReport, at: Instant)
    /// The directory is part of the event, since the download may be removed before a reader gets there.
    case completed(DownloadID, FinishedFacts, directory: String)
    case failed(DownloadID, DownloadError)
    case removed(DownloadID)
    /// The session could not be saved; it is tried again.
    case notSaved(DownloadError)
    /// This many events were dropped, because the reader was too slow.
    case missed(Int)
}

/// Delivers events to any number of readers. Changes are remembered once for each download, whatever the reader's pace;
/// of the other events a reader may fall so far behind, and is told how many it missed. No caller ever waits for a
/// reader.
package final class PoolEvents: Sendable {
    package static let maximumWaiting = 4096
    /// The shortest time between two wake-ups of a reader. Waking costs about as much as downloading a small file.
    static let wakeInterval: Duration = .milliseconds(10)

    private struct State {
        var readers: [Weak] = []
        var isFinished = false
    }

    private struct Weak {
        weak var reader: Reader?
    }

    private let runtime: any Runtime
    private let executor: any WorkExecutor
    private let state = Locked(State())

    init(_ runtime: any Runtime, on executor: any WorkExecutor) {
        self.runtime = runtime
        self.executor = executor
    }

    /// - Parameter opening: what the reader gets first, however slow it is.
    package func makeReader(after opening: [PoolEvent] = []) -> Reader {
        state.withLock { state in
            let reader = Reader(opening)
            if state.isFinished { reader.finish() }
            state.readers.append(Weak(reader: reader))
            return reader
        }
    }

    package func publish(_ event: PoolEvent) { publish([event]) }

    func publish(_ events: [PoolEvent]) {
        let readers = readers()
        guard !readers.isEmpty else { return }
        let now = runtime.now
        for reader in readers {
            guard let rest = reader.offer(events, at: now) else { continue }
            _ = runtime.schedule(after: rest, on: executor) { [runtime, weak reader] in reader?.wake(at: runtime.now) }
        }
    }

    /// No more events follow; pending ones are still delivered.
    package func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            return state.readers.compactMap(\.reader)
        }
        for reader in readers { reader.finish() }
    }

    private func readers() -> [Reader] {
        state.withLock { state in
            let readers = state.readers.compactMap(\.reader)
            if readers.count < state.readers.count { state.readers.removeAll { $0.reader == nil } }
            return readers
        }
    }

    /// A reader of events: events in order, and the set of downloads that have changed since it last looked.
    package final class Reader: Sendable {
        private struct State {
            /// The state as it was when the reader was made, latest first. None of it is ever dropped: there is no more
            /// of it than there were downloads.
            var opening: [PoolEvent]
            var events: [PoolEvent] = []
            /// The number of `events` that have been read.
            var read = 0
            var missed = 0
            var changed: Set<DownloadID> = []
            /// The changed ones in the order in which they changed first.
            var order: [DownloadID] = []
            var shown = 0
            var isFinished = false
            var waiters: [CheckedContinuation<Void, Never>] = []
            var lastWake: Instant?
            var isToBeWoken = false
        }

        private let state: Locked<State>

        init(_ opening: [PoolEvent]) { state = Locked(State(opening: opening.reversed())) }

        /// Returns the time to wait until ``wake(at:)`` is called; nil if no reader has to be woken, or one was.
        func offer(_ events: [PoolEvent], at now: Instant) -> Duration? {
            let (waiters, rest) = state.withLock { state -> ([CheckedContinuation<Void, Never>], Duration?) in
                for event in events { Self.take(event, &state) }
                guard !state.waiters.isEmpty, !state.isToBeWoken else { return ([], nil) }
                if let last = state.lastWake, now - last < PoolEvents.wakeInterval {
                    state.isToBeWoken = true
                    return ([], PoolEvents.wakeInterval - (now - last))
                }
                state.lastWake = now
                defer { state.waiters = [] }
                return (state.waiters, nil)
            }
            for waiter in waiters { waiter.resume() }
            return rest
        }

        private static func take(_ event: PoolEvent, _ state: inout State) {
            switch event {
            case .changed(let id):
                if state.changed.insert(id).inserted { state.order.append(id) }
            case .removed(let id):
                state.changed.remove(id)
                append(event, &state)
            case .added, .notice, .completed, .failed, .notSaved, .missed: append(event, &state)
            }
        }

        func wake(at now: Instant) {
            let waiters = state.withLock { state in
                state.isToBeWoken = false
                state.lastWake = now
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }

        private static func append(_ event: PoolEvent, _ state: inout State) {
            // Half of them at once: a reader that lost one looks at everything anew, and shall not have to for each.
            if state.events.count - state.read >= PoolEvents.maximumWaiting {
                state.read += PoolEvents.maximumWaiting / 2
                state.missed += PoolEvents.maximumWaiting / 2
            }
            if state.read >= PoolEvents.maximumWaiting {
                state.events.removeFirst(state.read)
                state.read = 0
            }
            state.events.append(event)
        }

        func finish() {
            let waiters = state.withLock { state in
                state.isFinished = true
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }

        /// The next event; nil when there is none now.
        package func poll() -> PoolEvent? {
            state.withLock { state in
                if let event = state.opening.popLast() { return event }
                if state.missed > 0 {
                    defer { state.missed = 0 }
                    return .missed(state.missed)
                }
                if state.read < state.events.count {
                    defer {
                        state.read += 1
                        if state.read == state.events.count {
                            state.events.removeAll(keepingCapacity: true)
                            state.read = 0
                        }
                    }
                    return state.events[state.read]
                }
                while state.shown < state.order.count {
                    let id = state.order[state.shown]
                    state.shown += 1
                    if state.changed.remove(id) != nil { return .changed(id) }
                }
                state.order.removeAll(keepingCapacity: true)
                state.shown = 0
                return nil
            }
        }

        /// Waits for the next event; nil at the end, and when the task is cancelled.
        package func next() async -> PoolEvent? {
            while true {
                if let event = poll() { return event }
                if Task.isCancelled || state.withLock({ $0.isFinished }) { return poll() }
                await withTaskCancellationHandler {
                    await withCheckedContinuation { continuation in
                        let mayWait = state.withLock { state in
                            let hasNews = state.read < state.events.count || state.shown < state.order.count
                            guard !hasNews, !state.isFinished, !Task.isCancelled else { return false }
                            state.waiters.append(continuation)
                            return true
                        }
                        if !mayWait { continuation.resume() }
                    }
                } onCancel: {
                    // Other waiters find nothing new, and wait again.
                    let waiters = state.withLock { state in
                        defer { state.waiters = [] }
                        return state.waiters
                    }
                    for waiter in waiters { waiter.resume() }
                }
            }
        }
    }
}
