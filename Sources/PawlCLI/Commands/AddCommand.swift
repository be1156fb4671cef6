import PawlCore
import PawlJobs
import PawlOptions

/// The words of `pawl add`: those of `pawl get` that are about a job.
struct AddCommand: Sendable {
    static let name = "add"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Add downloads to the service and return at once.",
        usage: [
            "pawl add [<options>] <url> ...", "pawl add [<options>] -i <list>",
            "pawl add [<options>] --metalink <document>",
        ],
        discussion: """
            Prints the id of each. Once its id is printed, a download survives the end of this program and of the service, and a power cut. Files and \
            environment variables that options name are read now, and secrets are sent to the service. Proxies and certificates are settings of the service.
            """,
        operands: [JobArguments.url.within(\.jobs)],
        groups: [
            .init("Queue", AddOptions.options.within(\.queue)), .init("Target", target.within(\.jobs.target)),
            .init("Target", jobOptions([JobOptions.keepPaths, ifExists])),
            .init("Several files", JobArguments.input.within(\.jobs)),
        ] + JobArguments.groups.map { $0.within(\.jobs) } + [
            .init("Requests", jobOptions(JobOptions.headers + JobOptions.credentials + JobOptions.caller)),
            .init("Requests", jobOptions(JobOptions.retrying + JobOptions.details)),
            .init("Output", OutputOptions.options.within(\.output)),
            .init("Service", ServiceOptions.options.within(\.service)), .others(),
        ])

    private static func jobOptions(_ options: [JobOption]) -> [OptionDeclaration<Self>] {
        JobArguments.options(options).within(\.jobs)
    }

    private static let target = [
        TargetOptions.output.described(
            "Save as this file, relative to the directory. '#1' is the value of the URL's first pattern."),
        TargetOptions.directory.described(
            "Directory for the files. It must exist, and the service must allow it. Default: the service's."),
    ]

    private static let ifExists = JobOptions.ifExists.described(
        "What to do if a file exists. With --extract it also applies to the directory; 'replace' deletes its contents. Default: the service's setting."
    )

    var jobs = JobArguments()
    var queue = AddOptions()
    var output = OutputOptions()
    var service = ServiceOptions()

    func check() throws(UsageError) {
        guard !(queue.wait && queue.paused) else {
            throw UsageError("--wait and --paused exclude each other: paused downloads do not end.")
        }
    }
}

/// The options for queueing added downloads in the service.
struct AddOptions: Sendable {
    var priority = 0
    var paused = false
    var top = false
    var tag: String?
    var wait = false

    static let options: [OptionDeclaration<Self>] = [
        .value(
            "priority", "number", \.priority, initial: "0",
            help: "Downloads with a higher priority run first: -1000 to 1000.", read: OptionText.number(-1000...1000)),
        .flag("paused", \.paused, help: "Add them paused."),
        .flag("top", \.top, help: "Add them at the top of the queue."),
        .value("tag", "text", \.tag, help: "A label to find them by, up to 64 characters.", takesNumber: false) {
            (text) throws(OptionValueProblem) in
            guard (1...64).contains(text.unicodeScalars.count) else {
                throw OptionValueProblem(accepted: "a text of 1 to 64 characters")
            }
            return text
        },
        .flag(
            "wait", \.wait,
            help: "Watch until all have ended, and exit as 'pawl get' would. Ctrl-C stops watching, not the downloads."),
    ]
}
