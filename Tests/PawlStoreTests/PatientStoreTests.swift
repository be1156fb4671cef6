import PawlCore
import PawlEngine
import PawlStore
import PawlTestKit
import Synchronization
import Testing

@Suite final class PatientStoreTests: Sendable {
    private let runtime = SimulatedRuntime(seed: 7, now: .zero)
    private let told = Locked<[StoreError]>([])

    /// A store whose calls fail until a time.
    private final class Failing: Store {
        let runtime: SimulatedRuntime
        let until: Instant
        let kind: StoreError.Kind
        let calls = Locked<[Instant]>([])

        init(_ runtime: SimulatedRuntime, until: Instant, _ kind: StoreError.Kind = .unavailable) {
            (self.runtime, self.until, self.kind) = (runtime, until, kind)
        }

        private func answer<Value>(_ value: Value, _ ended: StoreEnd<Value>) {
            calls.withLock { $0.append(runtime.now) }
            ended(runtime.now < until ? .failure(StoreError(kind, "Busy.")) : .success(value))
        }

        func create(_ key: StoreKey, _ body: StoreBody, _ ended: @escaping StoreEnd<StoreCreation>) {
            answer(.created, ended)
        }
        func put(_ key: StoreKey, _ body: StoreBody, _ ended: @escaping StoreEnd<Void>) { answer((), ended) }
        func get(_ key: StoreKey, _ ended: @escaping StoreEnd<StoreBody?>) { answer(nil, ended) }
        func list(_ folder: String, from mark: String?, _ ended: @escaping StoreEnd<StorePage>) {
            answer(StorePage([]), ended)
        }
        func delete(_ key: StoreKey, _ ended: @escaping StoreEnd<Void>) { answer((), ended) }
    }

    private func create(
        in store: PatientStore, for limit: Duration = .seconds(7200)
    ) throws -> Result<StoreCreation, StoreError>? {
        let end = Locked<Result<StoreCreation, StoreError>?>(nil)
        store.create(try #require(StoreKey("a")), StoreBody([])) { result in end.withLock { $0 = result } }
        _ = runtime.run(limit: limit) { end.withLock { $0 } != nil }
        return end.withLock { $0 }
    }

    private func patient(_ store: some Store) -> PatientStore {
        PatientStore(store, runtime) { [self] error in told.withLock { $0.append(error) } }
    }

    @Test
    func `a call is repeated until the store works, and the user hears of it once`() throws {
        let failing = Failing(runtime, until: .zero + .seconds(60))
        #expect(try create(in: patient(failing))?.get() == .created)
        let pauses = failing.calls.withLock { calls in zip(calls.dropFirst(), calls).map { $0 - $1 } }
        #expect(pauses.first == .milliseconds(200))
        #expect(pauses.allSatisfy { $0 <= .seconds(30) })
        #expect(told.withLock { $0 } == [StoreError(.unavailable, "Busy.")])
        runtime.after(.seconds(100)) {}
        _ = runtime.run(limit: .seconds(200)) { false }
        let again = Failing(runtime, until: runtime.now + .seconds(200))
        #expect(try create(in: patient(again))?.get() == .created)
        #expect((3...6).contains(told.withLock { $0.count }))
    }

    @Test
    func `nobody hears of a short failure`() throws {
        #expect(try create(in: patient(Failing(runtime, until: .zero + .seconds(2))))?.get() == .created)
        #expect(told.withLock { $0 }.isEmpty)
    }

    @Test
    func `after ten minutes it is given up`() throws {
        let failing = Failing(runtime, until: .zero + .seconds(100_000))
        let end = try create(in: patient(failing))
        #expect(runtime.now - .zero >= StorePatience.limit && runtime.now - .zero < StorePatience.limit + .seconds(30))
        guard case .failure(let error)? = end else {
            Issue.record("\(String(describing: end))")
            return
        }
        #expect(error == StoreError(.unavailable, "The store has failed for 10 minutes. Busy."))
    }

    @Test(arguments: [StoreError.Kind.refused, .damaged])
    func `what no other try helps is told at once`(_ kind: StoreError.Kind) throws {
        let failing = Failing(runtime, until: .zero + .seconds(60), kind)
        #expect(try create(in: patient(failing)) == .failure(StoreError(kind, "Busy.")))
        #expect(failing.calls.withLock { $0.count } == 1)
    }

    @Test
    func `a store that was stopped repeats nothing`() throws {
        let failing = Failing(runtime, until: .zero + .seconds(60))
        let store = patient(failing)
        runtime.after(.seconds(3)) { store.stop() }
        #expect(try create(in: store) == .failure(StoreError(.unavailable, "Busy.")))
        #expect(runtime.now - .zero == .seconds(3))
    }
}
