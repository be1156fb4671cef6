import PawlCore
import PawlJobs
import PawlOptions

/// The words of `pawl get`.
struct GetCommand: Sendable {
    static let name = "get"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Download files; rerun to resume.",
        usage: [
            "pawl get [<options>] <url> ...", "pawl get [<options>] -i <list>",
            "pawl get [<options>] --metalink <document>",
        ],
        discussion:
            "Until the download is complete, its data is in NAME.part and its journal in NAME.pawl. Ctrl-C saves the progress and stops.",
        operands: [JobArguments.url.within(\.jobs)],
        groups: [
            .init("Target", TargetOptions.all.within(\.jobs.target)), .init("Target", [createDirectories]),
            .init("Target", jobOptions([JobOptions.keepPaths, JobOptions.ifExists])),
            .init("Several files", JobArguments.input.within(\.jobs)),
            .init("Several files", QueueOptions.options.within(\.queue)),
        ] + JobArguments.groups.map { $0.within(\.jobs) } + [.init("Speed", [limit])]
            + ServerOptions.groups(\.jobs.words, \.server) + [
                .init("Requests", jobOptions(JobOptions.retrying + JobOptions.details)),
                .init("Output", OutputOptions.options.within(\.output)), .init("Output", [progress, notify]),
                .init("Output", ServerOptions.output.within(\.server)),
                .init("Output", [TypedJob.hook.within(\.jobs.words)]), .others(),
            ])

    private static let createDirectories = OptionDeclaration<Self>.flag(
        "create-dirs", \.createDirs,
        help: "Create the directory of -d, and those that -o names, if they do not exist."
    )
    .without(.lists, because: .wholeRun)

    private static let limit = OptionDeclaration<Self>.value(
        "limit", "rate|timetable", \.limit,
        help:
            "Maximum speed of all files together, in bytes per second or by the time of day: \"08:00,512k 19:00,off\"; 'pause' as a speed downloads nothing.",
        read: OptionText.timetable
    )
    .without(.lists, because: .wholeRun)

    private static let progress = OptionDeclaration<Self>.word(
        "progress", "kind", \.progress, initial: .auto,
        help:
            "Show progress as a bar, as a line every ten seconds, or not at all; auto is a bar on a terminal and lines elsewhere."
    )
    .without(.lists, because: .wholeRun)

    private static let notify = OptionDeclaration<Self>.flag(
        "notify", \.notifies,
        help: "Notify of the end of the run: on the desktop through notify-send, or else by the terminal's bell."
    )
    .without(.lists, because: .wholeRun)

    private static func jobOptions(_ options: [JobOption]) -> [OptionDeclaration<Self>] {
        JobArguments.options(options).within(\.jobs)
    }

    var jobs = JobArguments()
    var createDirs = false
    var queue = QueueOptions()
    var limit: SpeedSchedule?
    var server = ServerOptions()
    var output = OutputOptions()
    var progress = ProgressDisplay.auto
    var notifies = false

    var holdsSecrets: Bool { jobs.words.holdsSecrets || server.holdsSecrets }
}
