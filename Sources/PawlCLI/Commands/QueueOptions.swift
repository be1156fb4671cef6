import PawlCore
import PawlJobs
import PawlOptions

/// The options about several files: how many run at once.
struct QueueOptions: Sendable {
    // Where nothing is given, large and small files have limits of their own.
    var jobs: Int?
    var perHost: Int?
    var hostRate: RequestRate?
    var failFast = false
    var dryRun: DryRunKind?

    static let options = OptionDeclaration<Self>.without(
        .lists, because: .wholeRun,
        [
            .value(
                "jobs", letter: "j", "number", \.jobs, initial: "5",
                help: "Maximum number of files at once. Without it, up to 64 while files are at most 1 MiB long.",
                read: { (text) throws(OptionValueProblem) -> Int? in try OptionText.number(1...100, of: "files")(text) }
            ),
            .value(
                "per-host", "number", \.perHost, initial: "8",
                help:
                    "Maximum number of connections to one host, for all files together. Without it, up to 32 while files are at most 1 MiB long, if more at once are faster.",
                read: { (text) throws(OptionValueProblem) -> Int? in
                    try OptionText.number(1...100, of: "connections")(text)
                }),
            .value(
                "host-rate", "number", \.hostRate,
                help:
                    "Maximum number of requests to one host, in a second or another time: 20, 0.5, 30/m, 100/h. They are spaced evenly.",
                read: { (text) throws(OptionValueProblem) -> RequestRate? in try OptionText.requestRate(text) }),
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
