import PawlCore
import PawlJobs
import PawlOptions
import PawlWork

struct ShardCommand: Sendable {
    static let name = "shard"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Cut a long list into a batch for many machines.",
        usage: ["pawl shard [<options>] --to <batch> <list> ..."],
        discussion: """
            Reads lists as 'pawl get -i' does, or JSON objects, one a line (docs/fleet.md). Each file is in the batch once, all files of a host are \
            in one shard, and those of each host are spread over it. Ends with how long the batch takes at least.
            """,
        operands: [
            .init("list", help: "The lists; - is standard input.", isRepeated: true, completion: .file) {
                $0.lists.append($1)
            }
        ],
        groups: [
            .init("Batch", batch), .init("Hosts", hosts), .init("Files", files.within(\.files)),
            .init("Network", [ServerOptions.certificate.within(\.server)]),
            .init("Network", ConnectionOptions.ofBatches.within(\.server.connection)), .others(output),
        ])

    private static let batch: [OptionDeclaration<Self>] = [
        .text(
            "to", "batch", \.to,
            help: "The batch: a directory, which is made if need be, or s3://bucket/prefix. It must be new or empty.",
            completion: .directory),
        .value(
            "shards", "number", \.shards, initial: "1", help: "How many tasks can run at once.",
            read: OptionText.number(1...BatchPlan.maximumShards)),
        .word(
            "as", "form", \.form,
            help: "How files are stored: in a tar for each slice, or each under a name of its own. (default: tar)"),
        .value(
            "slice", "number", \.slice,
            help:
                "Files that are delivered together, and at most fetched again when a machine dies. (default: 10000; 100 as files)",
            read: OptionText.number(1...BatchPlan.maximumSliceItems, of: "files")),
        .value(
            "max-failed", "percent", \.maximumFailed, initial: "50",
            help:
                "A slice with more failures on our side (names not resolved, hosts not reached, TLS, time-outs) is not committed.",
            read: OptionText.number(0...100)),
        .flag(
            "without-conditions", \.lacksConditions,
            help:
                "Accept a store that ignores that an object is there already. Then no two tasks may work on one shard at the same time."
        ),
        .text(
            "spool", "dir", \.spool,
            help:
                "Where lines are sorted: three times the size of the list. Default: $TMPDIR, else $XDG_CACHE_HOME/pawl/work.",
            completion: .directory),
    ]

    private static let hosts: [OptionDeclaration<Self>] = [
        .value(
            "host-rate", "number", \.hostRate, initial: "20",
            help: "Maximum number of requests to one host, in a second or another time, for the whole batch: 20, 30/m.",
            read: { (text) throws(OptionValueProblem) -> RequestRate? in try OptionText.requestRate(text) }),
        .value(
            "host-connections", "number", \.hostConnections, initial: "4",
            help: "Maximum number of connections to one host.", read: OptionText.number(1...1000)),
        .texts(
            "spread", "host", \.spread,
            help:
                "The files of this host may be in all shards: for one that bears requests from all tasks. May be repeated."
        ),
        .value(
            "connect-timeout", "time", \.connectTimeout, initial: "5s", help: "Maximum time to connect.",
            read: OptionText.time),
    ]

    /// The options of a download that a plan has for all files, with what is usual for a batch.
    private static let files: [JobOption] = {
        let options =
            JobOptions.headers + JobOptions.transfer + JobOptions.caller + JobOptions.retrying + JobOptions.details
        let usual = [
            (
                "header",
                "Send a header field to the origin of each URL and no other; not for secrets, which belong in the lines of a list. May be repeated."
            ),
            ("max-filesize", "Refuse files larger than this: 700M, 4GB. (default: 1 GiB)"),
            ("timeout", "Drop a connection that is idle or unanswered for this long: 30, 30s, 5m. (default: 8s)"),
            ("max-time", "Give a file up after this total time: 90s, 10m, 2h. (default: 5m)"),
            ("retries", "Maximum number of retries in a row without progress. (default: 2)"),
            (
                "retry-max-time",
                "Stop retrying after this long without progress, also where a server asks for a longer wait: 30s, 10m. (default: 2m)"
            ),
        ]
        let others = options.filter { ["allow-web-page", "user-agent"].containsExactly($0.name) }
        return others + usual.compactMap { name, help in options.first { $0.name.isExactly(name) }?.described(help) }
    }()

    private static let output: [OptionDeclaration<Self>] = [
        .flag("json", \.json, help: "Write the forecast as a JSON object to stdout (docs/fleet.md)."),
        .flag("quiet", letter: "q", \.quiet, help: "Show only errors."),
    ]

    var lists: [String] = []
    var to: String?
    var shards = 1
    var form = BatchPlan.Form.tar
    var slice: Int?
    var maximumFailed = 50
    var lacksConditions = false
    var spool: String?
    var hostRate = BatchPlan(batch: "", shards: 1).hostRate
    var hostConnections = 4
    var spread: [String] = []
    var connectTimeout = Duration.seconds(5)
    /// Has the options.
    var files: JobSpec = {
        var spec = JobSpec("")
        spec.options = BatchPlan.usualOptions
        return spec
    }()
    /// For a store that has servers.
    var server = ServerOptions()
    var json = false
    var quiet = false
}
