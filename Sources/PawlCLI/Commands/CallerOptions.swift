import ArgumentParser
import Pawl
import PawlCore
import PawlJobs

/// Who asks whom, and how long an answer may take. For every command that asks a server.
struct CallerOptions: RequestOptions {
    @Option(help: ArgumentHelp("Call the program this; '' for nothing.", valueName: "text"))
    var userAgent: String?

    @Option(help: ArgumentHelp("The page that led here. Other origins are told only whose page it is.", valueName: "url"))
    var referer: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Give a connection up that brings nothing for so long, or gets no answer: 30, 30s, 5m.", valueName: "time"))
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
