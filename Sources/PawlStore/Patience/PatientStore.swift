import PawlCore
package import PawlEngine
import Synchronization

/// A store whose calls are repeated while it is unavailable.
///
/// A deletion is not: what is left costs space alone.
package final class PatientStore: Store {
    private struct State {
        /// The time when it was told last that calls fail.
        var told: Instant?
        /// The ends of calls that wait to be made again, by the numbers of their waits.
        var waiting: [Int: @Sendable () -> Void] = [:]
        var waits = 0
        var isStopped = false
    }

    /// A user hears of failures that last longer, and not too often.
    private static let (silence, pause) = (Duration.seconds(5), Duration.seconds(60))

    private let store: any Store
    private let runtime: any Runtime
    private let executor: any WorkExecutor
    private let failing: @Sendable (StoreError) -> Void
    private let state = Locked(State())

    /// - Parameter failing: told that the store fails, each minute in which it does.
    package init(
        _ store: any Store, _ runtime: any Runtime, failing: @escaping @Sendable (StoreError) -> Void = { _ in }
    ) {
        (self.store, self.runtime, self.failing) = (store, runtime, failing)
        executor = runtime.makeControlExecutor()
    }

    /// Ends the calls that wait to be made again, and repeats none from now on.
    package func stop() {
        let waiting = state.withLock { state in
            defer { (state.isStopped, state.waiting) = (true, [:]) }
            return state.waiting.values
        }
        for end in waiting { end() }
    }

    package func create(_ key: StoreKey, _ body: StoreBody, _ ended: @escaping StoreEnd<StoreCreation>) {
        perform(ended) { [store] in store.create(key, body, $0) }
    }

    package func put(_ key: StoreKey, _ body: StoreBody, _ ended: @escaping StoreEnd<Void>) {
        perform(ended) { [store] in store.put(key, body, $0) }
    }

    package func get(_ key: StoreKey, _ ended: @escaping StoreEnd<StoreBody?>) {
        perform(ended) { [store] in store.get(key, $0) }
    }

    package func list(_ folder: String, from mark: String?, _ ended: @escaping StoreEnd<StorePage>) {
        perform(ended) { [store] in store.list(folder, from: mark, $0) }
    }

    package func delete(_ key: StoreKey, _ ended: @escaping StoreEnd<Void>) { store.delete(key, ended) }

    private func perform<Value>(
        _ ended: @escaping StoreEnd<Value>, _ patience: StorePatience = StorePatience(), since begun: Instant? = nil,
        _ call: @escaping @Sendable (@escaping StoreEnd<Value>) -> Void
    ) {
        let begun = begun ?? runtime.now
        call { [self] result in
            guard case .failure(let error) = result, error.kind == .unavailable else { return ended(result) }
            var patience = patience
            let now = runtime.now
            guard let wait = patience.wait(at: now) else {
                let minutes = StorePatience.limit.components.seconds / 60
                let message = "The store has failed for \(minutes) minutes. \(error.message)"
                return ended(.failure(StoreError(.unavailable, message)))
            }
            let isLong = now - begun + wait > Self.silence
            let (isTold, number) = state.withLock { state -> (Bool, Int?) in
                guard !state.isStopped else { return (false, nil) }
                let isDue = isLong && state.told.map { now - $0 >= Self.pause } ?? true
                if isDue { state.told = now }
                state.waits += 1
                state.waiting[state.waits] = { ended(.failure(error)) }
                return (isDue, state.waits)
            }
            guard let number else { return ended(result) }
            if isTold { failing(error) }
            _ = runtime.schedule(after: wait, on: executor) { [self, patience] in
                guard state.withLock({ $0.waiting.removeValue(forKey: number) }) != nil else { return }
                perform(ended, patience, since: begun, call)
            }
        }
    }
}
