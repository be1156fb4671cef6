import ArgumentParser
import Pawl
import PawlCore
import PawlJobs

/// How often a request is repeated, and for how long.
struct RetryOptions: RequestOptions {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Maximum number of retries in a row without progress. (default: 9, or 3 if the host does not answer at all)",
            valueName: "number"))
    var retries: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Stop retrying when there has been no progress for this long: 30s, 10m.", valueName: "time"))
    var retryMaxTime: String?

    @Flag(help: "Send requests even if the server asked clients to wait (Retry-After).")
    var ignoreRetryAfter = false

    func apply(to job: inout JobSpec) throws(UsageError) {
        job.options.maximumRetries = retries
        if let retryMaxTime {
            job.options.maximumRetryTime = try UsageError.value(of: "--retry-max-time", retryMaxTime, OptionText.time)
        }
        job.options.ignoresRetryAfter = ignoreRetryAfter
    }
}
