import PawlJobs
import PawlOptions

struct VerifyCommand: Sendable {
    static let name = "verify"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Check files against checksums or a Metalink, and repair them.",
        usage: ["pawl verify [<options>] <file> ..."],
        discussion: """
            Exit code 0: all match. 6: one does not. 8: one cannot be read.

            With --repair, only the wrong pieces are downloaded again: pawl verify --repair FILE URL --metalink FILE.meta4. The file is \
            replaced once the repaired one is complete, and not touched before.
            """,
        operands: [
            .init(
                "file", help: "The files to check. With --repair: one file, followed by URLs to download it from.",
                isRepeated: true, completion: .file
            ) { $0.files.append($1) }
        ],
        groups: ServerOptions.groups(\.words, \.server) + [
            .init("Output", ServerOptions.output.within(\.server)), .others(expectations + own),
        ])

    private static let expectations: [OptionDeclaration<Self>] =
        ([
            JobOptions.checksum.described("The expected checksum. ALGO is sha-256, sha-512, sha-1 or md5.")
        ] + JobOptions.digestLists).within(\.expected)

    private static let own: [OptionDeclaration<Self>] = [
        .text(
            "metalink", "file or url", \.metalink,
            help: "Check against this Metalink document: length, pieces, checksum.",
            completion: .file),
        .flag(
            "repair", \.repair, help: "Download the wrong pieces again. The Metalink must have piece hashes."),
        .flag("json", \.json, help: "Write JSON objects to stdout, one per line (docs/json-events.md)."),
        .flag("quiet", letter: "q", \.quiet, help: "Show only errors."),
    ]

    var files: [String] = []
    /// Has the digest, or the list of digests.
    var expected = JobSpec("")
    var metalink: String?
    var repair = false
    var words = TypedJob()
    var server = ServerOptions()
    var json = false
    var quiet = false
}
