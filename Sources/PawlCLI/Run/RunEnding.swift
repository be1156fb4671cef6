import PawlJobs

/// How a run ended: its summary and the exit code.
struct RunEnding: Sendable {
    let summary: RunSummary
    /// Why it was stopped, if it was.
    let cause: StopCause?

    /// A stop takes precedence over failures; then the first failure in the order given.
    var exitCode: ExitCode {
        if summary.stopped + summary.stoppedUnpackings > 0, let cause { return cause.exitCode }
        if let failure = summary.failures.first { return ExitCode(failure.reason) }
        if summary.notUnpacked + summary.stoppedUnpackings > 0 { return .notUnpacked }
        return summary.stopped > 0 ? .failure : .done
    }
}
