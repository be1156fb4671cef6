import Synchronization

/// Carries a wish to stop from whoever has it to the command that runs.
final class Interruption: Sendable {
    private struct State {
        var cause: StopCause?
        var handler: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// The first cause; nil while there was none.
    var cause: StopCause? { state.withLock { $0.cause } }

    /// `handler` is called once, for the first cause, on any thread: at once if there was one already. It must not block.
    func onStop(_ handler: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            state.handler = handler
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
