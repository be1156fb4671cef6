internal import PawlSystem
internal import Synchronization

/// A flag that every block of the work asks for, and that is raised when the task is cancelled.
package final class StopFlag: Sendable {
    private let isStopped = Atomic(false)

    package init() {}

    package func stop() { isStopped.store(true, ordering: .relaxed) }

    package var isUp: Bool { isStopped.load(ordering: .relaxed) }

    package func check() throws(CancellationError) {
        if isUp { throw CancellationError() }
    }

    /// Does work of which anything may fail once the flag is up: then it was cancelled, whatever it says.
    func watching<Value>(_ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch {
            try check()
            throw error
        }
    }
}

/// Runs work that blocks, such as unpacking, on a thread made for it: Swift's own threads are as few as the processor's
/// cores, and the downloads need them.
package enum OwnThread {
    /// Runs work on a thread of its own. Cancelling the task raises the flag; the work looks at it and ends itself, and
    /// nothing returns before it has.
    package static func run<Value: Sendable>(
        _ work: @escaping @Sendable (StopFlag) throws -> Value
    ) async throws -> Value {
        let flag = StopFlag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let body = { @Sendable in continuation.resume(with: Result { try work(flag) }) }
                // Without a thread the work is done where it is, slower for others but done.
                if !DetachedThread.start(body) { body() }
            }
        } onCancel: {
            flag.stop()
        }
    }
}
