import Pawl
import PawlCore
import PawlEngine
import PawlStore
import PawlSystem

/// Cuts lists into a batch.
package final class LiveCutting {
    private let cutter: BatchCutter
    private let store: any Store

    /// - Parameters:
    ///   - plan: gets the number of its batch here.
    ///   - place: the place of the batch.
    /// - Throws: ``WorkError`` where there is a batch already, and for a store that ignores conditions.
    package init(_ plan: BatchPlan, to place: BatchStore, spread: [String]) async throws {
        let runtime = try LiveRuntime(eventLoops: 1)
        store = try place.open(runtime)
        var plan = plan
        let numbers = [runtime.random(), runtime.random()]
        plan.batch = numbers.withUnsafeBytes { $0.hexadecimal }
        cutter = try BatchCutter(
            plan, in: POSIXStorage().openDirectory(place.spool), digests: SystemDigests(),
            spread: Set(spread.map { ExactText($0.lowercased()) }), random: runtime.random)
        guard try BatchPlan(parsing: Array(plan.json().utf8)) == plan else {
            throw WorkError(.batch, "This plan cannot be written: a time in it is too long.")
        }
        if try await store.get(.plan) != nil {
            throw WorkError(.store, "There is a batch in “\(place.name)” already. Choose another place.")
        }
        for folder in [StoreKey.manifests, StoreKey.data] {
            let page = try await store.list(folder)
            guard page.objects.isEmpty else {
                throw WorkError(.store, "“\(place.name)” has files of another batch. Choose an empty place.")
            }
        }
        try await BatchStore.probe(store, plan.batch)
    }

    package func read(_ list: String) throws(CutProblem) {
        try CutSource.read(list) { [cutter] (line) throws(StorageError) in try cutter.add(line) }
    }

    /// Writes the batch.
    package func finish() async throws -> (Forecast, duplicates: Int) {
        let forecast = try cutter.settle()
        for object in try cutter.objects(created: HTTPDate(secondsSinceEpoch: LiveRuntime.wallClockSeconds).rfc3339) {
            let (key, body) = try object.get()
            guard try await store.create(key, body) == .created else {
                throw WorkError(
                    .store,
                    "“\(key)” is there already, of another batch or of a run that was stopped. Choose an empty place.")
            }
        }
        return (forecast, cutter.duplicates)
    }
}
