import PawlCore
import PawlJobs
import PawlOptions

/// The options about several files: how many run at once.
struct QueueOptions: Sendable {
    var jobs = 5
    var perHost = 8
    var failFast = false
    var dryRun: DryRunKind?

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
            OptionDeclaration<Self>(
                "dry-run", choices: ["online"],
                help:
                    "Show what the run would do with each file, and download nothing; the exit code is that of the run. --dry-run=online also asks the servers, with one request for each file."
            ) { (values, text) in
                values.dryRun = text.isExactly("online") ? .online : text.isExactly("true") ? .offline : nil
            }
            .without(.configuration, because: .oneDownload),
        ])
}

/// How `--dry-run` finds out what a run would do.
enum DryRunKind: Sendable {
    /// Without a request.
    case offline
    /// Also from the servers of the files.
    case online
}
