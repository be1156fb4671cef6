import ArgumentParser
import PawlArchive
import PawlCore

struct PackCommand: ParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "pack",
        abstract: "Pack files and directories into a new archive.",
        usage: "pawl pack [<options>] <archive> <file> ...",
        discussion: """
            The name says what it is to be: .zip, .tar, .tar.gz, .tar.zst, .tar.xz or .tar.bz2. It appears when it is whole and on the disk; what \
            ends it early leaves nothing. The same files give the same bytes.
            """)

    @Argument(help: ArgumentHelp("The archive to make.", valueName: "archive"), completion: .file())
    var archive: String

    @Argument(help: ArgumentHelp("What to pack, directories with all beneath them. Links are packed as links.", valueName: "file"), completion: .file())
    var files: [String]

    @Option(help: ArgumentHelp("When the archive exists already.", valueName: "policy"))
    var ifExists: PackingOptions.IfExists = .fail

    @Option(help: ArgumentHelp("How hard to compress: 1 to 9, of zip and xz 0 to 9, of zst 1 to 19.", valueName: "number"))
    var level: Int?

    @OptionGroup(title: "Output") var output: OutputOptions
}
