import Pawl
import PawlCore
import PawlEngine
import PawlStore
import PawlSystem

/// Cuts lists into a batch.
package final class LiveCutting {
    /// Thrown for a store that ignores conditions.
    package struct LacksConditions: Error {}

    private let cutter: BatchCutter
    private let store: PatientStore
    private let digests = SystemDigests()
    private let form: BatchPlan.Form
    private let names = NameTable()

    /// - Parameters:
    ///   - plan: gets the number of its batch here.
    ///   - place: the place of the batch.
    /// - Throws: ``WorkError`` where there is a batch already, and ``LacksConditions``, unless the plan allows that.
    package init(_ plan: BatchPlan, to place: BatchStore, spread: [String]) async throws {
        let runtime = try LiveRuntime(eventLoops: 1)
        store = try place.open(runtime)
        form = plan.form
        var plan = plan
        plan.hasUniqueNames = form == .files
        let numbers = [runtime.random(), runtime.random()]
        plan.batch = numbers.withUnsafeBytes { $0.hexadecimal }
        try await Self.check(store, place.name)
        let isAllowed = plan.lacksConditions
        plan.lacksConditions = try await BatchStore.lacksConditions(store, plan.batch)
        guard isAllowed || !plan.lacksConditions else {
            throw LacksConditions()
        }
        cutter = try BatchCutter(
            plan, in: POSIXStorage().openDirectory(place.spool), digests: digests,
            spread: Set(spread.map { ExactText($0.lowercased()) }), random: runtime.random)
        guard try BatchPlan(parsing: Array(plan.json().utf8)) == plan else {
            throw WorkError(.batch, "This plan cannot be written: a time in it is too long.")
        }
    }

    /// - Throws: if something of a batch is there.
    private static func check(_ store: some Store, _ name: String) async throws {
        if try await store.get(.plan) != nil {
            throw WorkError(.store, "There is a batch in “\(name)” already. Choose another place.")
        }
        for folder in [StoreKey.manifests, StoreKey.data] {
            guard try await store.list(folder).objects.isEmpty else {
                throw WorkError(.store, "“\(name)” has files of another batch. Choose an empty place.")
            }
        }
    }

    package func read(_ list: String) throws(CutProblem) {
        try CutSource.read(list, form, names) { [cutter] (line) throws(StorageError) in try cutter.add(line) }
    }

    /// Writes the batch.
    package func finish() async throws -> (Forecast, duplicates: Int) {
        let forecast = try cutter.settle()
        for object in try cutter.objects(created: HTTPDate(secondsSinceEpoch: LiveRuntime.wallClockSeconds).rfc3339) {
            let (key, body) = try object.get()
            guard try await isStored(body, as: key) else {
                throw WorkError(
                    .store,
                    "“\(key)” is there already, of another batch or of a run that was stopped. Choose an empty place.")
            }
        }
        return (forecast, cutter.duplicates)
    }

    /// Creates an object; false if another is there.
    private func isStored(_ body: StoreBody, as key: StoreKey) async throws(StoreError) -> Bool {
        if try await store.create(key, body) == .created { return true }
        // The object may be ours, of an earlier try whose answer was lost.
        guard let found = try await store.get(key), found.length == body.length else { return false }
        return try found.sha256(by: digests) == body.sha256(by: digests)
    }
}
