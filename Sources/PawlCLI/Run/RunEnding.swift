import PawlJobs

/// How a run ended: what it came to, and what the program answers to the shell.
struct RunEnding: Sendable {
    let summary: RunSummary
    /// Why it was stopped, if it was.
    let cause: StopCause?

    /// Being told to stop counts for more than what failed before; then the first failure in the order given.
    var exitCode: ExitCode {
        if summary.stopped + summary.stoppedUnpackings > 0, let cause { return cause.exitCode }
        if let failure = summary.failures.first { return ExitCode(failure.reason) }
        if summary.notUnpacked + summary.stoppedUnpackings > 0 { return .notUnpacked }
        return summary.stopped > 0 ? .failure : .done
    }
}
