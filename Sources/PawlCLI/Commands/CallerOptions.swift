import ArgumentParser
import Pawl
import PawlCore
import PawlJobs

/// Identification and timeouts. For every command that contacts a server.
struct CallerOptions: RequestOptions {
    @Option(help: ArgumentHelp("Set the User-Agent header; '' sends none.", valueName: "text"))
    var userAgent: String?

    @Option(help: ArgumentHelp("Set the Referer header. Other origins see only its origin.", valueName: "url"))
    var referer: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Drop a connection that is idle or unanswered for this long: 30, 30s, 5m.", valueName: "time"))
    var timeout: String?

    func apply(to job: inout JobSpec) throws(UsageError) {
        if let userAgent { job.userAgent = userAgent }
        if let referer { job.referer = referer }
        if let timeout {
            job.options.stallTimeout = try UsageError.value(of: "--timeout", timeout, OptionText.time)
            job.options.responseTimeout = job.options.stallTimeout
        }
    }

    var holdsSecrets: Bool { referer != nil }
}
