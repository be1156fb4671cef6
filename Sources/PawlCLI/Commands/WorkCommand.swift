import PawlCore
import PawlJobs
import PawlOptions

struct WorkCommand: Sendable {
    static let name = "work"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Work through a shard of a batch: the task for engines that use many machines.",
        usage: ["pawl work [<options>] <batch>"],
        discussion: """
            The same line runs on every machine, in every engine (docs/fleet.md). Run it again to go on; it may run twice at the same time. \
            Nothing that decides what is fetched can be given here: that stands in the batch's plan.

            Exit code 0: every slice of the shard is committed, and its manifests say which files failed. 64, 65, 73: another try will not \
            help. 75, and every other code: try again.
            """,
        operands: [.batch { $0.batch = $1 }],
        groups: [
            .init("Task", task), .init("Network", [ServerOptions.certificate.within(\.server)]),
            .init("Network", ConnectionOptions.ofBatches.within(\.server.connection)), .init("Output", output),
            .init("Output", ServerOptions.output.within(\.server)), .others(),
        ])

    private static let task: [OptionDeclaration<Self>] = [
        .value(
            "index", "number", \.index,
            help:
                "The shard, from 0, or 'all': one after the other. Default: the first that is set of $PAWL_INDEX, $SLURM_ARRAY_TASK_ID, $JOB_COMPLETION_INDEX, $AWS_BATCH_JOB_ARRAY_INDEX, $BATCH_TASK_INDEX, $CLOUD_RUN_TASK_INDEX, $PBS_ARRAY_INDEX; else all.",
            read: ShardIndex.read),
        .text(
            "spool", "dir", \.spool,
            help:
                "Where files lie until they are delivered, on a local disk. Default: $TMPDIR, else $XDG_CACHE_HOME/pawl/work.",
            completion: .directory),
        .value(
            "jobs", letter: "j", "number", \.jobs, initial: "64", help: "Maximum number of files at once.",
            read: OptionText.number(1...1000, of: "files")),
        .value(
            "limit", "rate|timetable", \.limit, help: "Maximum speed of all files together, as for 'pawl get'.",
            read: OptionText.timetable),
        .value(
            "max-time", "time", \.maximumTime,
            help: "Begin no slice after this time, 30m or 8h, and end with exit code 75.",
            read: OptionText.time),
    ]

    private static let output: [OptionDeclaration<Self>] = [
        .flag("json", \.json, help: "Write JSON objects to stdout, one for each slice, and a summary (docs/fleet.md)."),
        .flag("quiet", letter: "q", \.quiet, help: "Show only errors."),
    ]

    var batch = ""
    var index: ShardIndex?
    var spool: String?
    var jobs = 64
    var limit: SpeedSchedule?
    var maximumTime: Duration?
    var server = ServerOptions()
    var json = false
    var quiet = false
}

/// The shards that a task works through.
enum ShardIndex: Hashable, Sendable {
    case one(Int)
    case all

    static func read(_ text: String) throws(OptionValueProblem) -> ShardIndex {
        if text.isExactly("all") { return .all }
        guard let number = OptionText.wholeNumber(text).flatMap({ Int(exactly: $0) }) else {
            throw OptionValueProblem(accepted: "the number of a shard, from 0, or “all”")
        }
        return .one(number)
    }

    /// The variables by which engines tell a task its number, in the order in which they are looked for.
    static let variables = [
        "PAWL_INDEX", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX", "BATCH_TASK_INDEX",
        "CLOUD_RUN_TASK_INDEX", "PBS_ARRAY_INDEX",
    ]

    /// The index that the engine gives; all, where none does.
    ///
    /// - Throws: for a variable that is no number.
    static func given(by environment: (String) -> String?) throws(UsageError) -> ShardIndex {
        for name in variables {
            guard let text = environment(name), !text.isEmpty else { continue }
            do throws(OptionValueProblem) {
                return try read(text)
            } catch {
                throw UsageError("$\(name) is “\(text)”, which is not \(error.accepted).")
            }
        }
        return .all
    }
}

extension CommandDeclaration.Operand {
    /// The operand of a command about a batch.
    static func batch(_ set: @escaping OptionDeclaration<Values>.Setter) -> Self {
        .init("batch", help: "The batch: a directory, or s3://bucket/prefix.", completion: .directory, set: set)
    }
}

extension ConnectionOptions {
    /// A plan says how long a connection may take.
    static let ofBatches = options.filter { !$0.name.isExactly("connect-timeout") }
}
