import PawlJobs
import PawlOptions

/// The options about several files: how many run at once.
struct QueueOptions: Sendable {
    var jobs = 5
    var perHost = 8
    var failFast = false
    var dryRun = false

    static let options = OptionDeclaration<Self>.without(
        .lists, because: .wholeRun,
        [
            .value(
                "jobs", letter: "j", "number", \.jobs, initial: "5", help: "Maximum number of files at once.",
                read: OptionText.number(1...100, of: "files")),
            .value(
                "per-host", "number", \.perHost, initial: "8",
                help: "Maximum number of connections to one host, for all files together.",
                read: OptionText.number(1...100, of: "connections")),
            .flag("fail-fast", \.failFast, help: "Stop at the first failure, and keep the progress of the others."),
            .flag("dry-run", \.dryRun, help: "Show what would be downloaded and where to, and download nothing.")
                .without(.configuration, because: .oneDownload),
        ])
}
