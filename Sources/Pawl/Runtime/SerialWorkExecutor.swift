internal import PawlEngine
internal import Synchronization

/// Runs its jobs one after the other, in order, and takes one thread at most of the executor beneath.
final class SerialWorkExecutor: WorkExecutor {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let threads: ThreadExecutor
    private let state = Locked(State())

    init(on threads: ThreadExecutor) {
        self.threads = threads
    }

    func submit(_ work: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.waiting.append(work)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isFirst { threads.submit { self.runWaiting() } }
    }

    private func runWaiting() {
        while true {
            let jobs = state.withLock { state in
                defer { state.waiting = [] }
                state.isRunning = !state.waiting.isEmpty
                return state.waiting
            }
            guard !jobs.isEmpty else { return }
            for job in jobs { job() }
        }
    }
}
