internal import NIOPosix
internal import PawlEngine
internal import Synchronization

/// An executor of threads that may block. They start with the first job, for a small download may never have one.
final class ThreadExecutor: WorkExecutor {
    private enum State {
        case idle
        case running(NIOThreadPool)
        case shutDown
    }

    private let threads: Int
    private let state = Locked(State.idle)

    init(threads: Int) {
        self.threads = threads
    }

    /// Submitting after ``shutdown()`` is an error in the caller: the job would never run, and what waits for it would
    /// wait for ever.
    func submit(_ work: @escaping @Sendable () -> Void) {
        // A pool that shuts down hands out what is queued as cancelled. It is run all the same, for others wait for its
        // answer.
        pool().submit { _ in work() }
    }

    /// Runs what was submitted, then ends the threads.
    func shutdown() async {
        let running = state.withLock { state -> NIOThreadPool? in
            defer { state = .shutDown }
            if case .running(let pool) = state { return pool }
            return nil
        }
        // Throws for a pool that cannot be shut down, which is the process-wide one only.
        try? await running?.shutdownGracefully()
    }

    private func pool() -> NIOThreadPool {
        state.withLock { state in
            switch state {
            case .running(let pool):
                return pool
            case .idle:
                let pool = NIOThreadPool(numberOfThreads: threads)
                pool.start()
                state = .running(pool)
                return pool
            case .shutDown:
                // Proven: the executors are shut down after every download has ended.
                preconditionFailure("a job was submitted to an executor that was shut down")
            }
        }
    }
}
