import Pawl
import PawlCore

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

    /// - Parameter endings: by id, of all that have ended.
    init(_ get: ResolvedGet, _ run: RunProgress, endings: [Int: GetEnding], unpackings: [Int: UnpackingEnding] = [:], elapsed: Duration, cause: StopCause?) {
        total = run.total
        completed = run.completed
        skipped = run.skipped
        incomplete = endings.values.count { $0.mayBeCutOff }
        failures = get.downloads.compactMap { download in
            guard let ending = endings[download.id], let message = ending.message else { return nil }
            return Failure(download: download, message: message, exitCode: ending.exitCode)
        }
        stopped = total - completed - failures.count
        fetched = run.fetched
        saved = endings.values.reduce(0) { sum, ending in
            guard case .stopped(_, let bytes, _) = ending else { return sum }
            return sum + bytes
        }
        savedTotal = if case .stopped(_, _, let total) = endings.values.first, endings.count == 1 { total } else { nil }
        notUnpacked = unpackings.values.count { if case .failed = $0 { true } else { false } }
        stoppedUnpackings = unpackings.values.count { if case .stopped = $0 { true } else { false } }
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
