import ArgumentParser
import PawlArchive
import PawlCore
import PawlJobs

struct ExtractCommand: ParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "extract",
        abstract: "Unpack an archive: zip, 7z, tar, also compressed by gzip, bzip2, xz or zstd.",
        usage: "pawl extract [<options>] <file>",
        discussion: """
            The directory appears when everything is in it and on the disk; what ends it early leaves nothing. What leads outside of it, or could \
            do harm otherwise, is refused (docs/archives.md). The archive is kept.
            """)

    @Argument(help: ArgumentHelp("The archive.", valueName: "file"), completion: .file())
    var file: String

    @Option(
        name: [.customShort("d"), .customLong("directory")],
        help: ArgumentHelp("Unpack into this directory, which is made. Default: beside the archive, by its name.", valueName: "dir"),
        completion: .directory)
    var directory: String?

    @Option(
        help: ArgumentHelp("Unpack only what this matches; '*' stays within a directory, '**' does not. May be repeated.", valueName: "pattern"))
    var member: [String] = []

    @Option(help: ArgumentHelp("When the directory exists already and is not empty.", valueName: "policy"))
    var ifExists: ExtractionOptions.IfExists = .fail

    @OptionGroup(title: "Safety") var unpacking: UnpackingOptions
    @OptionGroup(title: "Output") var output: OutputOptions
}
