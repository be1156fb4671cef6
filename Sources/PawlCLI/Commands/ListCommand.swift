import ArgumentParser
import Pawl
import PawlArchive
import PawlJobs

struct ListCommand: ParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List what is in an archive, on disk or on a server; or unfinished downloads.",
        usage: "pawl list [<options>] <file-or-url>\npawl list --partial [--recursive] [<dir>]",
        discussion: """
            Nothing is unpacked, and names are shown before the checks that extracting makes. Of a zip archive on a server, only the end and the list \
            of its members are downloaded (docs/remote-zip.md).
            """)

    @Argument(
        help: ArgumentHelp(
            "The archive, or the URL of a zip archive; with --partial a directory.", valueName: "file-or-url"),
        completion: .file())
    var source: String?

    @Flag(help: "List what downloads have left in the directory: unfinished ones, and files that 'pawl clean' removes.")
    var partial = false

    @Flag(name: .shortAndLong, help: "With --partial: also in the directories beneath.")
    var recursive = false

    @Option(
        help: ArgumentHelp(
            "Read the password from the first line of this file, for an archive that hides its names.",
            valueName: "file"), completion: .file())
    var passwordFile: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Maximum number of members to list. Default: 1000000.", valueName: "number"))
    var maxMembers: String?

    @Flag(help: "Write one JSON object per member to stdout (docs/json-events.md).")
    var json = false

    @OptionGroup(title: "Server") var server: ServerOptions
    @OptionGroup(title: "Network") var connection: ConnectionOptions
    @OptionGroup(title: "Credentials and cookies") var credentials: CredentialOptions
    @OptionGroup(title: "Requests") var caller: CallerOptions
    @OptionGroup(title: "Output") var verbosity: VerboseOptions
    @OptionGroup(title: "Output") var defaults: DefaultsOptions

    /// All groups that change the request or the configuration: a new one is added here.
    var groups: [any RequestOptions] { [server, connection, credentials, caller, verbosity] }
}
