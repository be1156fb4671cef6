import Pawl

/// The result of a run.
package struct RunSummary: Hashable, Sendable {
    package struct Failure: Hashable, Sendable {
        package var id: JobFileID
        package var reason: JobFailure
    }

    package let total: Int
    package let completed: Int
    package let skipped: Int
    /// The number of files that were fetched but may be cut off.
    package let incomplete: Int
    /// The files that failed, in the order given.
    package let failures: [Failure]
    /// The number of files that neither completed nor failed, whether begun or not.
    package let stopped: Int
    /// Bytes fetched by this run.
    package let fetched: Int64
    /// The number of bytes stored by files that were stopped, or failed for a reason that another run may survive.
    package let saved: Int64
    /// The number of bytes of stopped files that are of no use to another run.
    package let useless: Int64
    /// The length of the file, where there is one and its length is known.
    package let savedTotal: Int64?
    /// The number of files that were downloaded but not unpacked.
    package let notUnpacked: Int
    /// The number of files that were downloaded but not unpacked, because the run was stopped.
    package let stoppedUnpackings: Int
    package let elapsed: Duration

    /// - Parameter outcomes: of all that have ended, but for those that are simply complete.
    package init(_ run: RunProgress, _ outcomes: [JobFileID: JobOutcome], elapsed: Duration) {
        total = run.total
        completed = run.completed
        skipped = run.skipped
        incomplete = outcomes.values.count { $0.file.map { !$0.result.isComplete && !$0.existed } ?? false }
        failures = outcomes.compactMap { id, outcome in
            guard case .failed(_, let reason, nil) = outcome else { return nil }
            return Failure(id: id, reason: reason)
        }.sorted { $0.id < $1.id }
        stopped = total - completed - failures.count
        fetched = run.fetched
        saved = run.saved
        useless = run.useless
        savedTotal = run.isLarge ? nil : run.savedTotal
        notUnpacked = outcomes.values.count { $0.isFailure && $0.file != nil }
        stoppedUnpackings = outcomes.values.count { $0.isStopped && $0.file != nil }
        self.elapsed = elapsed
    }
}
