import Synchronization

/// The subscription of one owner to changes of the network, from the first time that the owner waits for one.
struct NetworkWatch: ~Copyable, Sendable {
    /// Not private, since then the compiler (Swift 6.3) fails for some orders of this module's files.
    enum State {
        case unwatched
        case subscribing
        case watched(any ScheduledWork)
        case ended
    }

    private let state = Locked(State.unwatched)

    /// Calls `changed` on `executor` with each change from now on. Called again or after ``end()``, does nothing.
    func begin(_ runtime: any Runtime, on executor: any WorkExecutor, _ changed: @escaping @Sendable () -> Void) {
        let begins = state.withLock { state in
            guard case .unwatched = state else { return false }
            state = .subscribing
            return true
        }
        guard begins else { return }
        let subscription = runtime.onNetworkChange(on: executor, changed)
        let isOver = state.withLock { state in
            if case .ended = state { return true }
            // The system may tell another time.
            state = subscription.map { .watched($0) } ?? .unwatched
            return false
        }
        if isOver { subscription?.cancel() }
    }

    func end() {
        let subscription = state.withLock { state -> (any ScheduledWork)? in
            defer { state = .ended }
            guard case .watched(let subscription) = state else { return nil }
            return subscription
        }
        subscription?.cancel()
    }
}
