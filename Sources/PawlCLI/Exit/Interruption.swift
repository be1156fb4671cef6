import Synchronization

/// Carries a request to stop to the running command.
final class Interruption: Sendable {
    private struct State {
        var cause: StopCause?
        var handler: (@Sendable () -> Void)?
        var patience = Patience.checkpoint
    }

    /// The time that an orderly end may take, and the message if it takes longer.
    struct Patience: Hashable, Sendable {
        var seconds: UInt32
        var complaint: String

        /// The time for the last checkpoint of downloads.
        static let checkpoint = Patience(
            seconds: 2, complaint: "The disk is too slow to save the last seconds; earlier progress is kept.")
        /// The time to remove partial output, which may be many files.
        static let removal = Patience(
            seconds: 60,
            complaint:
                "The disk is too slow to remove the partial output; the same command removes it when it runs again.")
    }

    private let state = Mutex(State())

    /// The first cause; nil while there was none.
    var cause: StopCause? { state.withLock { $0.cause } }

    var patience: Patience { state.withLock { $0.patience } }

    /// `handler` is called once, for the first cause, on any thread: at once if there was one already. It must not
    /// block.
    func onStop(within patience: Patience = .checkpoint, _ handler: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            state.handler = handler
            state.patience = patience
            return state.cause != nil
        }
        if isStopped { handler() }
    }

    /// - Returns: whether the command will end by itself. If not, it has nothing to save.
    @discardableResult
    func stop(_ cause: StopCause) -> Bool {
        let (handler, isFirst) = state.withLock { state in
            defer { if state.cause == nil { state.cause = cause } }
            return (state.handler, state.cause == nil)
        }
        if isFirst { handler?() }
        return handler != nil
    }
}
