import PawlJobs

/// The end of a run: its summary and the exit code.
struct RunEnding: Sendable {
    let summary: RunSummary
    /// The reason why the run was stopped; nil if it was not.
    let cause: StopCause?

    /// A stop takes precedence over failures; then the first failure in the order given.
    var exitCode: ExitCode {
        if summary.stopped + summary.stoppedUnpackings > 0, let cause { return cause.exitCode }
        if let failure = summary.failures.first { return ExitCode(failure.reason) }
        if summary.notUnpacked + summary.stoppedUnpackings > 0 { return .notUnpacked }
        return summary.stopped > 0 ? .failure : .done
    }
}
