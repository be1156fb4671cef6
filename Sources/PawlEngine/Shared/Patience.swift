import PawlCore
import Synchronization

/// Calls back all who have waited for a certain time, with one timer for all of them.
package final class Patience: Sendable {
    private struct Waiting {
        let end: Instant
        let isOver: @Sendable () -> Void
    }

    private struct State {
        /// In the order of their ends.
        var waiting: [Waiting] = []
        var hasTimer = false
    }

    /// How much longer somebody may wait.
    private static let tolerance: Duration = .milliseconds(50)

    private let time: Duration
    private let runtime: any Runtime
    private let executor: any WorkExecutor
    private let state = Locked(State())

    init(_ time: Duration, _ runtime: any Runtime) {
        (self.time, self.runtime, executor) = (time, runtime, runtime.makeControlExecutor())
    }

    /// - Parameter isOver: called once, after the time, on an event loop. Whoever is no longer interested ignores it.
    func wait(_ isOver: @escaping @Sendable () -> Void) {
        let end = runtime.now + time
        let isFirst = state.withLock { state in
            state.waiting.append(Waiting(end: end, isOver: isOver))
            defer { state.hasTimer = true }
            return !state.hasTimer
        }
        if isFirst { look(after: time) }
    }

    private func look(after delay: Duration) {
        _ = runtime.schedule(after: max(delay, Self.tolerance), on: executor) { [weak self] in self?.look() }
    }

    private func look() {
        let now = runtime.now
        let (due, next) = state.withLock { state in
            let due = state.waiting.prefix { $0.end <= now }
            state.waiting.removeFirst(due.count)
            state.hasTimer = !state.waiting.isEmpty
            return (Array(due), state.waiting.first?.end)
        }
        for waiting in due { waiting.isOver() }
        if let next { look(after: next - now) }
    }
}
