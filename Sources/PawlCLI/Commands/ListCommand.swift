import PawlArchive
import PawlJobs
import PawlOptions

struct ListCommand: Sendable {
    static let name = "list"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "List what is in an archive, on disk or on a server; or unfinished downloads.",
        usage: ["pawl list [<options>] <file-or-url>", "pawl list --partial [--recursive] [<dir>]"],
        discussion: """
            Nothing is unpacked, and names are shown before the checks that extracting makes. Of a zip archive on a server, only the end and the list \
            of its members are downloaded (docs/remote-zip.md).
            """,
        operands: [
            .init(
                "file-or-url", help: "The archive, or the URL of a zip archive; with --partial a directory.",
                isOptional: true, completion: .file
            ) { $0.source = $1 }
        ],
        groups: ServerOptions.groups(\.words, \.server) + [
            .init("Output", ServerOptions.output.within(\.server)), .others(options),
        ])

    private static let options: [OptionDeclaration<Self>] = [
        .flag(
            "partial", \.partial,
            help:
                "List what downloads have left in the directory: unfinished ones, and files that 'pawl clean' removes."),
        .flag(
            "recursive", letter: "r", \.recursive, help: "With --partial: also in subdirectories."),
        .text(
            "password-file", "file", \.passwordFile,
            help: "Read the password from the first line of this file, for an archive that hides its names.",
            completion: .file),
        .value(
            "max-members", "number", \.maxMembers,
            help: "Maximum number of members to list. Default: 1000000.", read: OptionText.number(1 ... .max)),
        .flag("json", \.json, help: "Write one JSON object per member to stdout (docs/json-events.md)."),
    ]

    var source: String?
    var partial = false
    var recursive = false
    var passwordFile: String?
    var maxMembers = ExtractionLimits().maximumMembers
    var words = TypedJob()
    var server = ServerOptions()
    var json = false
}
