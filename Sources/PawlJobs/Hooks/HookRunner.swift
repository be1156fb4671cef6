import PawlEngine
import Synchronization

/// Runs programs, a few at once; others wait for their turn.
final class HookRunner: Sendable {
    static let maximumAtOnce = 4

    /// Starts the program and waits for its end.
    typealias Run = @Sendable () async -> HookEnding

    private struct Waiting {
        let run: Run
        let ended: @Sendable (HookEnding) -> Void
    }

    private struct State {
        var waiting: [Waiting] = []
        var running = 0
    }

    private let state = Locked(State())

    /// Returns at once.
    func begin(_ run: @escaping Run, _ ended: @escaping @Sendable (HookEnding) -> Void) {
        state.withLock { $0.waiting.append(Waiting(run: run, ended: ended)) }
        startNext()
    }

    private func startNext() {
        let next = state.withLock { state -> Waiting? in
            guard state.running < Self.maximumAtOnce, !state.waiting.isEmpty else { return nil }
            state.running += 1
            return state.waiting.removeFirst()
        }
        guard let next else { return }
        Task {
            let ending = await next.run()
            state.withLock { $0.running -= 1 }
            next.ended(ending)
            startNext()
        }
    }
}
