import PawlCore
import PawlEngine
import Synchronization

/// Runs programs, a few at once; others wait for their turn.
final class HookRunner: Sendable {
    static let maximumAtOnce = 4

    /// Starts the program and waits for its end.
    typealias Run = @Sendable () async -> HookEnding
    typealias Ended = @Sendable (HookEnding) -> Void

    private struct Waiting {
        let number: Int
        let name: String?
        let run: Run
    }

    private struct State {
        var waiting: [Waiting] = []
        var running = 0
        var nextNumber = 0
        /// The callbacks that learn of the end of each program that waits or runs.
        var listeners: [Int: [Ended]] = [:]
        var numbers: [ExactText: Int] = [:]
    }

    private let state = Locked(State())

    /// Returns at once.
    ///
    /// - Parameter name: of what the program is told. While one of this name waits or runs, another is not run; its end
    ///   counts for both.
    func begin(_ run: @escaping Run, name: String? = nil, _ ended: @escaping Ended) {
        state.withLock { state in
            if let name, let number = state.numbers[ExactText(name)] {
                state.listeners[number]?.append(ended)
                return
            }
            state.nextNumber += 1
            if let name { state.numbers[ExactText(name)] = state.nextNumber }
            state.listeners[state.nextNumber] = [ended]
            state.waiting.append(Waiting(number: state.nextNumber, name: name, run: run))
        }
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
            let listeners = state.withLock { state in
                state.running -= 1
                if let name = next.name { state.numbers[ExactText(name)] = nil }
                return state.listeners.removeValue(forKey: next.number) ?? []
            }
            for listener in listeners { listener(ending) }
            startNext()
        }
    }
}
