import ArgumentParser

struct ChangeCommand: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "change", abstract: "Give a download of the service a fresh URL, credentials or mirrors.",
        usage: "pawl change [<options>] <id>",
        discussion: """
            Stored bytes are kept if the file is still the same. A download that has failed or waits for credentials then continues; a paused one \
            stays paused. Headers and cookies given here replace all earlier ones.
            """)

    @Argument(
        help: ArgumentHelp("The download's id, or its first four characters or more.", valueName: "id"),
        completion: .custom(DownloadIDs.completions))
    var id: String

    @Option(
        help: ArgumentHelp(
            "Download the same file from this URL. If it has another origin, headers and credentials must be given again.",
            valueName: "url"))
    var url: String?

    @Option(help: ArgumentHelp("Add another URL of the same file. May be repeated.", valueName: "url"))
    var mirror: [String] = []

    @Option(
        name: [.customShort("x"), .customLong("connections")],
        help: ArgumentHelp("Use up to this many connections.", valueName: "number"))
    var connections: Int?

    @Option(help: ArgumentHelp("A label to find it by, up to 64 characters; '' removes it.", valueName: "text"))
    var tag: String?

    @OptionGroup(title: "Requests") var header: HeaderOptions
    @OptionGroup(title: "Requests") var login: LoginOptions

    @Flag(help: "Write one JSON object to stdout, a snapshot (docs/api.md).")
    var json = false

    @OptionGroup(title: "Service") var service: ServiceOptions

    /// It is more than a word to find it by.
    var changesRequest: Bool {
        url != nil || !mirror.isEmpty || connections != nil || !header.header.isEmpty || !login.cookie.isEmpty
            || login.authenticates
    }

    func validate() throws {
        guard !login.digest else { throw ValidationError("--digest is for a new download: add it again.") }
        guard changesRequest || tag != nil else {
            throw ValidationError("Say what to change, such as --url or --user; 'pawl change --help' lists it.")
        }
        if let connections, !(1...16).contains(connections) {
            throw ValidationError("--connections takes a number from 1 to 16, not \(connections).")
        }
        if let tag, tag.unicodeScalars.count > 64 {
            throw ValidationError("--tag takes a text of up to 64 characters.")
        }
    }
}
