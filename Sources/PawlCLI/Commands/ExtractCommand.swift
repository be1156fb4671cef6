import ArgumentParser
import PawlArchive
import PawlCore
import PawlJobs

struct ExtractCommand: ParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "extract",
        abstract: "Unpack an archive: zip, 7z, or tar, uncompressed or with gzip, bzip2, xz or zstd.",
        usage: "pawl extract [<options>] <file>",
        discussion: """
            The directory appears once everything is in it and on the disk; if unpacking fails or is interrupted, nothing remains. Members that lead \
            outside, or could do other harm, are refused (docs/archives.md). The archive is kept.
            """)

    @Argument(help: ArgumentHelp("The archive.", valueName: "file"), completion: .file())
    var file: String

    @Option(
        name: [.customShort("d"), .customLong("directory")],
        help: ArgumentHelp(
            "Create this directory and unpack into it. Default: beside the archive, with its name.", valueName: "dir"),
        completion: .directory)
    var directory: String?

    @Option(
        help: ArgumentHelp(
            "Unpack only members that match. '*' matches within a directory, '**' across directories. May be repeated.",
            valueName: "pattern"))
    var member: [String] = []

    @Option(help: ArgumentHelp("What to do if the directory exists and is not empty.", valueName: "policy"))
    var ifExists: ExtractionOptions.IfExists = .fail

    @OptionGroup(title: "Safety") var unpacking: UnpackingOptions
    @OptionGroup(title: "Output") var output: OutputOptions
}
