import PawlCore
import PawlJobs
import PawlOptions

struct DownloadsCommand: Sendable {
    static let name = "ls"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "List the service's downloads.", usage: ["pawl ls [<options>]"],
        groups: [
            .init("Service", ServiceOptions.options.within(\.service)),
            .others(FilterOptions.options.within(\.filter) + options),
        ])

    private static let options: [OptionDeclaration<Self>] = [
        .init(
            "sort", .value("order"),
            help: "Sort by position, added, name, size or state; a leading - reverses the order.",
            completion: .words(orders)
        ) { (command, text) throws(OptionValueProblem) in
            guard orders.contains(where: { text.isExactly($0) || text.isExactly("-" + $0) }) else {
                throw OptionValueProblem(
                    accepted: "\(orders.joined(separator: ", ")), with - in front for the reverse: --sort=-size")
            }
            command.sort = text
        },
        .value(
            "limit", letter: "n", "number", \.limit, help: "Maximum number to list.",
            read: OptionText.number(1 ... .max, of: "downloads")),
        .flag("json", \.json, help: "Write a snapshot of each to stdout, one JSON object per line (docs/api.md)."),
    ]

    private static let orders = ["position", "added", "name", "size", "state"]

    var filter = FilterOptions()
    var sort: String?
    var limit: Int?
    var json = false
    var service = ServiceOptions()
}

struct ShowCommand: Sendable {
    static let name = "show"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Show a download of the service: its figures, sources and log.",
        usage: ["pawl show <id> [--json] [--service <socket|url>]"],
        operands: [
            .init("id", help: "The download's id, or its first four characters or more.", completion: .ids) {
                $0.id = $1
            }
        ],
        groups: [
            .init("Service", ServiceOptions.options.within(\.service)),
            .others([.flag("json", \.json, help: "Write one JSON object to stdout (docs/api.md).")]),
        ])

    var id = ""
    var json = false
    var service = ServiceOptions()
}

struct WatchCommand: Sendable {
    static let name = "watch"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Watch the service's downloads live. Ctrl-C stops watching; downloads continue.",
        usage: ["pawl watch [<options>] [<id> ...]"],
        discussion: "With ids, it ends when these downloads have ended, and exits as 'pawl get' would.",
        operands: [
            .init(
                "id", help: "Watch only these downloads.", isOptional: true, isRepeated: true, completion: .ids
            ) { $0.ids.append($1) }
        ],
        groups: [
            .init("Output", OutputOptions.options.within(\.output)),
            .init("Service", ServiceOptions.options.within(\.service)), .others(),
        ])

    var ids: [String] = []
    var output = OutputOptions()
    var service = ServiceOptions()
}
