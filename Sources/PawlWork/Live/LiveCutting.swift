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
    ///   - place: the directory of the batch.
    ///   - spool: a directory.
    /// - Throws: ``WorkError`` where there is a batch already, and for a store that ignores conditions.
    package init(_ plan: BatchPlan, to place: String, spool: String, spread: [String]) async throws {
        let runtime = try LiveRuntime(eventLoops: 1)
        store = try BatchStore.open(place, runtime)
        var plan = plan
        let numbers = [runtime.random(), runtime.random()]
        plan.batch = numbers.withUnsafeBytes { $0.hexadecimal }
        cutter = try BatchCutter(
            plan, in: POSIXStorage().openDirectory(spool), digests: SystemDigests(),
            spread: Set(spread.map { ExactText($0.lowercased()) }), random: runtime.random)
        guard try BatchPlan(parsing: Array(plan.json().utf8)) == plan else {
            throw WorkError(.batch, "This plan cannot be written: a time in it is too long.")
        }
        if try await store.get(.plan) != nil {
            throw WorkError(.store, "There is a batch in “\(place)” already. Choose another place.")
        }
        for folder in [StoreKey.manifests, StoreKey.data] {
            let page = try await store.list(folder)
            guard page.objects.isEmpty else {
                throw WorkError(.store, "“\(place)” has files of another batch. Choose an empty place.")
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
        for object in try cutter.objects(created: LiveRuntime.wallClockSeconds.timestamp) {
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

extension Int64 {
    /// The seconds since 1970 as a date and time in UTC (RFC 3339).
    fileprivate var timestamp: String {
        var (seconds, parts) = (time_t(self), tm())
        guard gmtime_r(&seconds, &parts) != nil else { return "" }
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let date = "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        return "\(date)T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
    }
}
