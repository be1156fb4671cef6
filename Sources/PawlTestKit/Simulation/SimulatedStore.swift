package import PawlCore
import PawlEngine
package import PawlStore
import Synchronization

/// A store in memory that is as unkind as networks and stores are: calls take their time and are refused for the
/// moment, answers are lost, and listings lag. What happens follows from the seed of its runtime.
package final class SimulatedStore: Store {
    /// The habits of a store, as probabilities of each call.
    package struct Habits: Sendable {
        /// The call is refused and may be repeated: 503, or 409 when others write to the key.
        package var refuses = 0.0
        /// The call is done, and its answer is lost.
        package var losesAnswers = 0.0
        package var slowest = Duration.milliseconds(50)
        /// The time that listings lag behind.
        package var lag = Duration.zero
        /// A creation replaces what is there, as by stores that do not know the condition.
        package var ignoresConditions = false

        package init() {}
    }

    /// A change of an object.
    package struct Change: Sendable {
        package var at: Instant
        package var key: StoreKey
        /// The new bytes; nil: it was deleted.
        package var bytes: [UInt8]?
    }

    private struct State {
        var objects: [StoreKey: [UInt8]] = [:]
        var changes: [Change] = []
    }

    private let runtime: SimulatedRuntime
    private let digests = SimulatedDigests()
    private let state = Locked(State())
    private let habits: Habits

    package init(_ runtime: SimulatedRuntime, _ habits: Habits = Habits()) {
        (self.runtime, self.habits) = (runtime, habits)
    }

    package var objects: [StoreKey: [UInt8]] { state.withLock { $0.objects } }

    /// All changes, in their order.
    package var changes: [Change] { state.withLock { $0.changes } }

    package func create(_ key: StoreKey, _ body: StoreBody, _ ended: @escaping StoreEnd<StoreCreation>) {
        perform(ended) { [self] in
            store(key, body) { !habits.ignoresConditions && $0 != nil } ? .success(.created) : .success(.exists)
        } check: { [self] in
            check(body)
        }
    }

    package func put(_ key: StoreKey, _ body: StoreBody, _ ended: @escaping StoreEnd<Void>) {
        perform(ended) { [self] in
            _ = store(key, body) { _ in false }
            return .success(())
        } check: { [self] in
            check(body)
        }
    }

    package func get(_ key: StoreKey, _ ended: @escaping StoreEnd<StoreBody?>) {
        perform(ended) { [self] in .success(state.withLock { $0.objects[key] }.map { StoreBody($0) }) }
    }

    package func delete(_ key: StoreKey, _ ended: @escaping StoreEnd<Void>) {
        perform(ended) { [self] in
            change(key, nil)
            return .success(())
        }
    }

    package func list(_ folder: String, from mark: String?, _ ended: @escaping StoreEnd<StorePage>) {
        perform(ended) { [self] in
            let all = state.withLock { state in
                var objects: [StoreKey: [UInt8]] = [:]
                for change in state.changes where change.at + habits.lag <= runtime.now {
                    objects[change.key] = change.bytes
                }
                return objects
            }
            let found = all.filter { $0.key.text.begins(with: folder + "/") && $0.key.text.follows(mark) }
                .map { StorePage.Object($0.key, length: Int64($0.value.count)) }.sorted { $0.key < $1.key }
            let page = Array(found.prefix(7))
            return .success(StorePage(page, next: page.count < found.count ? page.last?.key.text : nil))
        }
    }

    // MARK: Calls

    private func check(_ body: StoreBody) -> StoreError? {
        guard let bytes = try? body.bytes(atMost: .max), Int64(bytes.count) == body.length,
            body.digest.map({ digests.digest(.sha256, of: bytes) == $0 }) ?? true
        else { return StoreError(.damaged, "The bytes are not those of their digest.") }
        return nil
    }

    private func store(_ key: StoreKey, _ body: StoreBody, unless isTaken: ([UInt8]?) -> Bool) -> Bool {
        guard !isTaken(state.withLock { $0.objects[key] }) else { return false }
        change(key, (try? body.bytes(atMost: .max)) ?? [])
        return true
    }

    private func change(_ key: StoreKey, _ bytes: [UInt8]?) {
        state.withLock { state in
            state.objects[key] = bytes
            state.changes.append(Change(at: runtime.now, key: key, bytes: bytes))
        }
    }

    private func perform<Value: Sendable>(
        _ ended: @escaping StoreEnd<Value>, _ call: @escaping @Sendable () -> Result<Value, StoreError>,
        check: @escaping @Sendable () -> StoreError? = { nil }
    ) {
        let error = StoreError(.unavailable, "The store does not answer.")
        after { [self] in
            guard !runtime.chance(habits.refuses) else { return after { ended(.failure(error)) } }
            if let damage = check() { return after { ended(.failure(damage)) } }
            let result = call()
            let isLost = runtime.chance(habits.losesAnswers)
            after { ended(isLost ? .failure(error) : result) }
        }
    }

    private func after(_ work: @escaping @Sendable () -> Void) {
        let limit = max(1, habits.slowest.wholeNanoseconds)
        runtime.after(.nanoseconds(runtime.random(below: limit)), work)
    }
}

extension String {
    fileprivate func follows(_ mark: String?) -> Bool { mark.map { ExactText($0) < ExactText(self) } ?? true }
}
