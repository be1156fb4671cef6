import Pawl
import PawlEngine
import Synchronization

/// Buffers the events of a run for one reader of any speed.
///
/// Ends are never lost. Slow readers receive only the latest progress, and at most ``maximumNotices`` pending notices.
package final class JobEvents: Sendable {
    private struct State {
        var events: [JobEvent] = []
        /// The index in `events` of each file's progress, and of that of its unpacking.
        var progress: [JobFileID: Int] = [:]
        var unpacking: [JobFileID: Int] = [:]
        var notices = 0
        var isOver = false
        /// The events that were read, and when the last were.
        var read = 0
        var lastRead: ContinuousClock.Instant?
    }

    private static let maximumNotices = 4096
    /// The shortest time between two wake-ups of the reader in a run of many events: to wake a task costs about as much
    /// as a small file.
    private static let wakeInterval: Duration = .milliseconds(5)
    private static let manyEvents = 200

    private let state = Locked(State())
    private let signal: AsyncStream<Void>.Continuation
    private let signals: AsyncStream<Void>

    package init() { (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    package func offer(_ event: JobEvent) {
        let isFirst = state.withLock { state in
            let wasEmpty = state.events.isEmpty
            switch event {
            case .progressed(let id, _):
                if let index = state.progress[id] {
                    state.events[index] = event
                    return false
                }
                state.progress[id] = state.events.count
            case .unpacking(let id, _, _):
                if let index = state.unpacking[id] {
                    state.events[index] = event
                    return false
                }
                state.unpacking[id] = state.events.count
            // Of one that has not begun, progress means another thing.
            case .began(let id): state.progress[id] = nil
            case .notice:
                guard state.notices < Self.maximumNotices else { return false }
                state.notices += 1
            case .finished: state.isOver = true
            default: break
            }
            state.events.append(event)
            return wasEmpty
        }
        if isFirst { signal.yield() }
    }

    /// Returns all events since the last call, at least one; nil after the last. For use by one task.
    package func next() async -> [JobEvent]? {
        while true {
            let (events, isOver) = state.withLock { state in
                defer { (state.events, state.progress, state.unpacking, state.notices) = ([], [:], [:], 0) }
                if !state.events.isEmpty { (state.read, state.lastRead) = (state.read + state.events.count, .now) }
                return (state.events, state.isOver)
            }
            if !events.isEmpty { return events }
            if isOver { return nil }
            for await _ in signals { break }
            if let rest = timeUntilNext() { try? await Pause.sleep(for: rest) }
        }
    }

    /// The time that the reader leaves to others before it looks again; nil: none.
    private func timeUntilNext() -> Duration? {
        state.withLock { state in
            guard state.read > Self.manyEvents, !state.isOver, let last = state.lastRead else { return nil }
            let rest = last + Self.wakeInterval - .now
            return rest > .zero ? rest : nil
        }
    }
}
