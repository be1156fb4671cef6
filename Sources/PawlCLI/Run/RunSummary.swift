import Pawl
import PawlCore
import PawlJobs

/// How a run ended: what the program answers to the shell, and what is worth saying.
struct RunSummary: Sendable {
    struct Failure: Sendable {
        var download: PlannedDownload
        var message: String
        var exitCode: ExitCode
    }

    let total: Int
    let completed: Int
    let skipped: Int
    /// Fetched, and perhaps cut off.
    let incomplete: Int
    /// In the order given.
    let failures: [Failure]
    /// Begun or not, they neither completed nor failed.
    let stopped: Int
    /// Fetched by this run.
    let fetched: Int64
    /// Stored by those that were stopped.
    let saved: Int64
    /// The length of what was stopped, where it is one file and its length is known.
    let savedTotal: Int64?
    /// Downloaded, and not unpacked.
    let notUnpacked: Int
    /// Downloaded, and not unpacked because the program was told to stop.
    let stoppedUnpackings: Int
    let elapsed: Duration
    let cause: StopCause?

    /// - Parameter outcomes: of all that have ended.
    init(_ get: ResolvedGet, _ run: RunProgress, _ outcomes: [JobFileID: JobOutcome], elapsed: Duration, cause: StopCause?) {
        total = run.total
        completed = run.completed
        skipped = run.skipped
        incomplete = outcomes.values.count { $0.file.map { !$0.result.isComplete && !$0.existed } ?? false }
        failures = get.downloads.compactMap { download in
            guard case .failed(_, let failure, nil)? = outcomes[download.id] else { return nil }
            return Failure(download: download, message: failure.words, exitCode: ExitCode(failure))
        }
        stopped = total - completed - failures.count
        fetched = run.fetched
        saved = run.saved
        savedTotal = get.isAlone ? run.savedTotal : nil
        notUnpacked = outcomes.values.count { $0.isFailure && $0.file != nil }
        stoppedUnpackings = outcomes.values.count { $0.isStopped && $0.file != nil }
        self.elapsed = elapsed
        self.cause = cause
    }

    /// Being told to stop counts for more than what failed before; then the first failure in the order given.
    var exitCode: ExitCode {
        if stopped + stoppedUnpackings > 0, let cause { return cause.exitCode }
        if let failure = failures.first { return failure.exitCode }
        if notUnpacked + stoppedUnpackings > 0 { return .notUnpacked }
        return stopped > 0 ? .failure : .done
    }
}
