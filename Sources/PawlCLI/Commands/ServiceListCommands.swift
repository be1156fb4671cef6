import ArgumentParser
import PawlCore

struct DownloadsCommand: ParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the service's downloads.", usage: "pawl ls [<options>]")

    @OptionGroup var filter: FilterOptions

    @Option(
        help: ArgumentHelp(
            "Sort by position, added, name, size or state; a leading - reverses the order.", valueName: "order"),
        completion: .list(Self.orders))
    var sort: String?

    @Option(
        name: [.customShort("n"), .customLong("limit")],
        help: ArgumentHelp("Maximum number to list.", valueName: "number"))
    var limit: Int?

    @Flag(help: "Write a snapshot of each to stdout, one JSON object per line (docs/api.md).")
    var json = false

    @OptionGroup(title: "Service") var service: ServiceOptions

    private static let orders = ["position", "added", "name", "size", "state"]

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("-n takes a number of downloads, from 1.") }
        if let sort, !Self.orders.contains(where: { sort.isExactly($0) || sort.isExactly("-" + $0) }) {
            throw ValidationError(
                "--sort takes \(Self.orders.joined(separator: ", ")), with - in front for the reverse: --sort=-size.")
        }
    }
}

struct ShowCommand: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a download of the service: its figures, sources and log.")

    @Argument(
        help: ArgumentHelp("The download's id, or its first four characters or more.", valueName: "id"),
        completion: .custom(DownloadIDs.completions))
    var id: String

    @Flag(help: "Write one JSON object to stdout (docs/api.md).")
    var json = false

    @OptionGroup(title: "Service") var service: ServiceOptions
}

struct WatchCommand: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Watch the service's downloads live. Ctrl-C stops watching, and no download.",
        usage: "pawl watch [<options>] [<id> ...]",
        discussion: "With ids, it ends when these downloads have ended, and exits as 'pawl get' would.")

    @Argument(
        help: ArgumentHelp("Watch only these downloads.", valueName: "id"), completion: .custom(DownloadIDs.completions)
    )
    var ids: [String] = []

    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Service") var service: ServiceOptions
}
