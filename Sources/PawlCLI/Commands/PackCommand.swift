import ArgumentParser
import PawlArchive
import PawlCore

struct PackCommand: ParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "pack",
        abstract: "Pack files and directories into a new archive.",
        usage: "pawl pack [<options>] <archive> <file> ...",
        discussion: """
            The name decides the format: .zip, .tar, .tar.gz, .tar.zst, .tar.xz or .tar.bz2. The archive appears once it is complete and on the disk; \
            if packing fails or is interrupted, nothing remains. The same files give the same bytes.
            """)

    @Argument(help: ArgumentHelp("The archive to create.", valueName: "archive"), completion: .file())
    var archive: String

    @Argument(
        help: ArgumentHelp(
            "Files and directories to pack, with everything beneath them. Links are packed as links.", valueName: "file"
        ), completion: .file())
    var files: [String]

    @Option(help: ArgumentHelp("What to do if the archive exists.", valueName: "policy"))
    var ifExists: PackingOptions.IfExists = .fail

    @Option(
        help: ArgumentHelp("Compression level: 1 to 9; for zip and xz 0 to 9, for zst 1 to 19.", valueName: "number"))
    var level: Int?

    @OptionGroup(title: "Output") var output: OutputOptions
}
