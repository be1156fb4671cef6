import PawlCore
import PawlJobs
import PawlOptions

struct ChangeCommand: Sendable {
    static let name = "change"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Give a download of the service a fresh URL, credentials or mirrors.",
        usage: ["pawl change [<options>] <id>"],
        discussion: """
            Stored bytes are kept if the file is still the same. A download that has failed or waits for credentials then continues; a paused one \
            stays paused. Headers and cookies given here replace all earlier ones.
            """,
        operands: [
            .init("id", help: "The download's id, or its first four characters or more.", completion: .ids) {
                $0.id = $1
            }
        ],
        groups: [
            .init("Requests", TypedJob.options(JobOptions.headers + JobOptions.credentials).within(\.words)),
            .init("Files", TypedJob.options([JobOptions.adopt, JobOptions.ifExists]).within(\.words)),
            .init("Service", ServiceOptions.options.within(\.service)), .others(options),
        ])

    private static let options: [OptionDeclaration<Self>] = [
        .text(
            "url", "url", \.url,
            help:
                "Download the same file from this URL. If it has another origin, headers and credentials must be given again."
        ),
        .texts("mirror", "url", \.mirror, help: "Add another URL of the same file. May be repeated."),
        .value(
            "connections", letter: "x", "number", \.connections, help: "Use up to this many connections.",
            read: OptionText.connections),
        .value(
            "tag", "text", \.tag, help: "A label to find it by, up to 64 characters; '' removes it.", takesNumber: false
        ) { (text) throws(OptionValueProblem) in
            guard text.unicodeScalars.count <= 64 else {
                throw OptionValueProblem(accepted: "a text of up to 64 characters")
            }
            return text
        },
        .flag("json", \.json, help: "Write one JSON object to stdout, a snapshot (docs/api.md)."),
    ]

    var id = ""
    var url: String?
    var mirror: [String] = []
    var connections: Int?
    var tag: String?
    /// The header fields, credentials, and options for existing files.
    var words = TypedJob()
    var json = false
    var service = ServiceOptions()

    /// Whether more than the tag is to change.
    var changesRequest: Bool {
        url != nil || !mirror.isEmpty || connections != nil || words.job.options.adoptsPartialFile
            || words.job.ifExists != nil || !words.job.headers.isEmpty || words.authenticates
    }

    func check() throws(UsageError) {
        guard !words.job.options.allowsOnlyDigest else {
            throw UsageError("--digest is for a new download: add it again.")
        }
        guard changesRequest || tag != nil else {
            throw UsageError("Say what to change, such as --url or --user; 'pawl change --help' lists it.")
        }
    }
}
