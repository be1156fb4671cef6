import PawlJobs
import PawlOptions

/// The words of a command that does something to downloads of the service.
struct SteeringWords: Sendable {
    var chosen = ChosenOptions()
    var service = ServiceOptions()

    static let operands = [ChosenOptions.id.within(\Self.chosen)]
    static let service: [OptionDeclaration<Self>] = ServiceOptions.options.within(\.service)
    static let options: [OptionDeclaration<Self>] = ChosenOptions.options.within(\.chosen)
}

extension CommandDeclaration {
    /// A command that does something to downloads of the service.
    fileprivate init(
        _ name: String, summary: String, usage: String? = nil, discussion: String = "",
        steering words: any WritableKeyPath<Values, SteeringWords> & Sendable,
        options: [OptionDeclaration<Values>] = []
    ) {
        self.init(
            name, summary: summary, usage: [usage ?? "pawl \(name) <id> ... | --all | <filter>"],
            discussion: discussion, operands: SteeringWords.operands.map { $0.within(words) },
            groups: [
                .init("Service", SteeringWords.service.within(words)),
                .others(SteeringWords.options.within(words) + options),
            ])
    }
}

struct PauseCommand: Sendable {
    static let name = "pause"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Pause downloads of the service. Every stored byte is kept.", steering: \.words)

    var words = SteeringWords()
}

struct ResumeCommand: Sendable {
    static let name = "resume"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Resume paused downloads of the service, and those that wait.", steering: \.words)

    var words = SteeringWords()
}

struct RetryDownloadsCommand: Sendable {
    static let name = "retry"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Retry failed downloads of the service.", steering: \.words)

    var words = SteeringWords()
}

struct RemoveCommand: Sendable {
    static let name = "rm"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Take downloads off the service's list.",
        usage: "pawl rm [--delete-files] <id> ... | --all | <filter>",
        discussion: "Files are kept, unfinished ones too: add the same URL again to resume.",
        steering: \.words,
        options: [.flag("delete-files", \.deleteFiles, help: "Delete the files too, whether finished or not.")])

    var words = SteeringWords()
    var deleteFiles = false
}

struct MoveCommand: Sendable {
    static let name = "move"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Change the order of the service's queue.",
        usage: [
            "pawl move <id> ... --top | --bottom | --before <id> | --after <id> | --up <number> | --down <number>"
        ],
        discussion: "Several downloads keep their order among themselves.",
        operands: [
            .init("id", help: "The download to move.", isRepeated: true, completion: .ids) { $0.ids.append($1) }
        ],
        groups: [.init("Service", ServiceOptions.options.within(\.service)), .others(options)])

    private static let options: [OptionDeclaration<Self>] = [
        .flag("top", \.top, help: "Move in front of all others of the same priority."),
        .flag("bottom", \.bottom, help: "Move behind all others of the same priority."),
        .text(
            "before", "id", \.before, help: "Move in front of this download, and take its priority.",
            completion: .ids),
        .text(
            "after", "id", \.after, help: "Move behind this download, and take its priority.", completion: .ids),
        .value("up", "number", \.up, help: "Move up by this many places.", read: places),
        .value("down", "number", \.down, help: "Move down by this many places.", read: places),
    ]

    private static let places = OptionText.number(1...10_000_000, of: "places")

    var ids: [String] = []
    var top = false
    var bottom = false
    var before: String?
    var after: String?
    var up: Int?
    var down: Int?
    var service = ServiceOptions()

    func check() throws(UsageError) {
        let given = [top, bottom, before != nil, after != nil, up != nil, down != nil].count { $0 }
        guard given == 1 else {
            throw UsageError("Say where to: one of --top, --bottom, --before, --after, --up and --down.")
        }
    }
}

struct LimitCommand: Sendable {
    static let name = "limit"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Show or set the service's speed limit, or that of one download.",
        usage: ["pawl limit [<rate> | <timetable> | off]", "pawl limit <id> <rate> | off"],
        discussion: """
            A limit holds at once, and after a restart. A rate is 500k, 2M or 1.5MB per second for all downloads together; a timetable is \
            "08:00,512k 19:00,off", with 'pause' as a speed to download nothing (docs/speed-limits.md).
            """,
        operands: [
            .init(
                "limit", help: "A rate, a timetable or 'off'; for one download, its id first.", isOptional: true,
                isRepeated: true, completion: .ids
            ) { $0.words.append($1) }
        ],
        groups: [
            .init("Service", ServiceOptions.options.within(\.service)),
            .others([
                .flag(
                    "json", \.json,
                    help: "Write the settings, or the download, as one JSON object to stdout (docs/api.md).")
            ]),
        ])

    var words: [String] = []
    var json = false
    var service = ServiceOptions()

    func check() throws(UsageError) {
        guard words.count <= 2 else {
            throw UsageError("Give a limit, or an id and a limit. A timetable is one word: quote it.")
        }
    }
}
