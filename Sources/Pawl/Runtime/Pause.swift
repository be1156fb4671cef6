internal import PawlEngine
internal import Synchronization

/// Pauses of tasks.
///
/// In a program that runs its tasks on threads of its own these wait for the end of the pause. `Task.sleep` would start
/// threads of the system's pool for it, and where none can be had it blocks whoever calls it.
package enum Pause {
    private static let threads = Locked<ThreadExecutor?>(nil)

    /// Called before the first pause, by a program.
    package static func use(_ executor: ThreadExecutor) { threads.withLock { $0 = executor } }

    /// - Throws: `CancellationError` as soon as the task is cancelled; ``ThreadShortage`` where no thread can wait.
    package static func sleep(for duration: Duration) async throws {
        guard let threads = threads.withLock({ $0 }) else { return try await Task.sleep(for: duration) }
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { sleeper.begin($0, for: duration, on: threads) }
        } onCancel: {
            sleeper.end(throwing: CancellationError())
        }
    }
}

/// One pause: over once, by time or by cancellation.
private final class Sleeper: Sendable {
    private enum State {
        case new
        case asleep(CheckedContinuation<Void, any Error>)
        case over
    }

    private let state = Locked(State.new)

    func begin(_ continuation: CheckedContinuation<Void, any Error>, for duration: Duration, on threads: ThreadExecutor)
    {
        let isOver = state.withLock { state in
            guard case .new = state else { return true }
            state = .asleep(continuation)
            return false
        }
        // Cancelled before it began.
        guard !isOver else { return continuation.resume(throwing: CancellationError()) }
        _ = threads.schedule(after: duration) { self.end(throwing: $0) }
    }

    func end(throwing error: (any Error)?) {
        let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            defer { state = .over }
            if case .asleep(let continuation) = state { return continuation }
            return nil
        }
        if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
    }
}
