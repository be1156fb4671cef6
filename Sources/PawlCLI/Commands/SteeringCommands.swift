import ArgumentParser

// Commands whose ids the shell completes are asynchronous to ArgumentParser, since the service is asked.

struct PauseCommand: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause downloads of the service. Every stored byte is kept.",
        usage: "pawl pause <id> ... | --all | <filter>")

    @OptionGroup var chosen: ChosenOptions
    @OptionGroup(title: "Service") var service: ServiceOptions
}

struct ResumeCommand: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resume paused downloads of the service, and those that wait.",
        usage: "pawl resume <id> ... | --all | <filter>")

    @OptionGroup var chosen: ChosenOptions
    @OptionGroup(title: "Service") var service: ServiceOptions
}

struct RetryDownloadsCommand: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Retry failed downloads of the service.",
        usage: "pawl retry <id> ... | --all | <filter>")

    @OptionGroup var chosen: ChosenOptions
    @OptionGroup(title: "Service") var service: ServiceOptions
}

struct RemoveCommand: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Take downloads off the service's list.",
        usage: "pawl rm [--delete-files] <id> ... | --all | <filter>",
        discussion: "Files stay, and so does what is stored of unfinished ones: adding the same URL again resumes.")

    @OptionGroup var chosen: ChosenOptions

    @Flag(help: "Delete the files too, whether finished or not.")
    var deleteFiles = false

    @OptionGroup(title: "Service") var service: ServiceOptions
}

struct MoveCommand: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Change the order of the service's queue.",
        usage: "pawl move <id> ... --top | --bottom | --before <id> | --after <id> | --up <number> | --down <number>",
        discussion: "Several downloads keep their order among themselves.")

    @Argument(
        help: ArgumentHelp("The download to move.", valueName: "id"), completion: .custom(DownloadIDs.completions))
    var ids: [String]

    @Flag(help: "Move in front of all others of the same priority.")
    var top = false

    @Flag(help: "Move behind all others of the same priority.")
    var bottom = false

    @Option(
        help: ArgumentHelp("Move in front of this download, and take its priority.", valueName: "id"),
        completion: .custom(DownloadIDs.completions))
    var before: String?

    @Option(
        help: ArgumentHelp("Move behind this download, and take its priority.", valueName: "id"),
        completion: .custom(DownloadIDs.completions))
    var after: String?

    @Option(help: ArgumentHelp("Move up by this many places.", valueName: "number"))
    var up: Int?

    @Option(help: ArgumentHelp("Move down by this many places.", valueName: "number"))
    var down: Int?

    @OptionGroup(title: "Service") var service: ServiceOptions

    func validate() throws {
        let given = [top, bottom, before != nil, after != nil, up != nil, down != nil].count { $0 }
        guard given == 1 else {
            throw ValidationError("Say where to: one of --top, --bottom, --before, --after, --up and --down.")
        }
        for count in [up, down].compactMap(\.self) where !(1...10_000_000).contains(count) {
            throw ValidationError("--up and --down take a number of places, from 1.")
        }
    }
}

struct LimitCommand: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "limit", abstract: "Show or set the service's speed limit, or that of one download.",
        usage: "pawl limit [<rate> | <timetable> | off]\npawl limit <id> <rate> | off",
        discussion: """
            A limit holds at once, and after a restart. A rate is 500k, 2M or 1.5MB per second for all downloads together; a timetable is \
            "08:00,512k 19:00,off" (docs/speed-limits.md).
            """)

    @Argument(
        help: ArgumentHelp("A rate, a timetable or 'off'; for one download, its id first.", valueName: "limit"),
        completion: .custom(DownloadIDs.completions))
    var words: [String] = []

    @Flag(help: "Write the settings, or the download, as one JSON object to stdout (docs/api.md).")
    var json = false

    @OptionGroup(title: "Service") var service: ServiceOptions

    func validate() throws {
        guard words.count <= 2 else {
            throw ValidationError("Give a limit, or an id and a limit. A timetable is one word: quote it.")
        }
    }
}
