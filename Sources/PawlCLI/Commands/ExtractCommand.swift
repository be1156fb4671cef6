import PawlArchive
import PawlOptions

struct ExtractCommand: Sendable {
    static let name = "extract"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Unpack an archive: zip, 7z, or tar, uncompressed or with gzip, bzip2, xz or zstd.",
        usage: ["pawl extract [<options>] <file>"],
        discussion: """
            The directory appears once everything is in it and on the disk; if unpacking fails or is interrupted, nothing remains. Members that lead \
            outside, or could do other harm, are refused (docs/archives.md). The archive is kept.
            """,
        operands: [.init("file", help: "The archive.", completion: .file) { $0.file = $1 }],
        groups: [
            .init("Safety", UnpackingOptions.options.within(\.unpacking)),
            .init("Output", OutputOptions.options.within(\.output)), .others(options),
        ])

    private static let options: [OptionDeclaration<Self>] = [
        .text(
            "directory", letter: "d", "dir", \.directory,
            help: "Create this directory and unpack into it. Default: beside the archive, with its name.",
            completion: .directory),
        .texts(
            "member", "pattern", \.member,
            help:
                "Unpack only members that match. '*' matches within a directory, '**' across directories. May be repeated."
        ),
        .word(
            "if-exists", "policy", \.ifExists, initial: .fail,
            help: "What to do if the directory exists and is not empty."),
    ]

    var file = ""
    var directory: String?
    var member: [String] = []
    var ifExists = ExtractionOptions.IfExists.fail
    var unpacking = UnpackingOptions()
    var output = OutputOptions()
}
