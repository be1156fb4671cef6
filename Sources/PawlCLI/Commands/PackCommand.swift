import PawlArchive
import PawlJobs
import PawlOptions

struct PackCommand: Sendable {
    static let name = "pack"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Pack files and directories into a new archive.",
        usage: ["pawl pack [<options>] <archive> <file> ..."],
        discussion: """
            The name decides the format: .zip, .tar, .tar.gz, .tar.zst, .tar.xz or .tar.bz2. The archive appears once it is complete and on the disk; \
            if packing fails or is interrupted, nothing remains. The same files give the same bytes.
            """,
        operands: [
            .init("archive", help: "The archive to create.", completion: .file) { $0.archive = $1 },
            .init(
                "file",
                help: "Files and directories to pack, with everything beneath them. Links are packed as links.",
                isRepeated: true, completion: .file
            ) { $0.files.append($1) },
        ],
        groups: [.init("Output", OutputOptions.options.within(\.output)), .others(options)])

    private static let options: [OptionDeclaration<Self>] = [
        .word("if-exists", "policy", \.ifExists, initial: .fail, help: "What to do if the archive exists."),
        .value(
            "level", "number", \.level,
            help: "Compression level: 1 to 9; for zip and xz 0 to 9, for zst 1 to 19.",
            read: OptionText.number(0...19)),
    ]

    var archive = ""
    var files: [String] = []
    var ifExists = PackingOptions.IfExists.fail
    var level: Int?
    var output = OutputOptions()
}
