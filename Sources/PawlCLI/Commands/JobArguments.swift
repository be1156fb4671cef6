import PawlCore
import PawlJobs
import PawlOptions

/// The URLs and the options that describe jobs: `pawl get` does them, `pawl add` hands them to the service.
struct JobArguments: Sendable {
    var urls: [String] = []
    /// `-o` and `-d`.
    var target = TargetOptions()
    /// The lists that `-i` names.
    var inputFile: [String] = []
    /// Whether URLs are taken literally, not as patterns.
    var noGlob = false
    var metalink = MetalinkOptions()
    var words = TypedJob()
    var extract = ExtractOptions()
    var unpacking = UnpackingOptions()

    static let url = CommandDeclaration<Self>.Operand(
        "url", help: "Absolute http or https URLs. [01-20], [a-f] and {one,two} expand to several.", isOptional: true,
        isRepeated: true
    ) { $0.urls.append($1) }

    /// The options for URLs from elsewhere than the command line.
    static let input = OptionDeclaration<Self>.without(
        [.lists, .configuration], because: .wholeRun,
        [
            .texts(
                "input-file", letter: "i", "list", \.inputFile,
                help: "Download the URLs in this list; - is standard input.", completion: .file),
            .flag("no-glob", \.noGlob, help: "Do not expand [1-9], [a-f] and {one,two} in URLs."),
        ])

    /// The subjects that both commands have.
    static let groups: [CommandDeclaration<Self>.Group] = [
        .init("Transfer", options(JobOptions.transfer)),
        .init("Speed", options(JobOptions.speed)),
        .init("Parts of a file", options(JobOptions.parts)),
        .init("Archives", options(JobOptions.members)),
        .init("Archives", ExtractOptions.options.within(\.extract)),
        .init("Archives", UnpackingOptions.options.within(\.unpacking)),
        .init("Sources and trust", [TypedJob.mirror.within(\.words)]),
        .init("Sources and trust", options(JobOptions.mirrors)),
        .init("Sources and trust", MetalinkOptions.options.within(\.metalink)),
        .init("Sources and trust", options(JobOptions.digestLists)),
    ]

    static func options(_ options: [JobOption]) -> [OptionDeclaration<Self>] {
        TypedJob.options(options).within(\.words)
    }

    /// The job that the words describe, without its URL and target.
    func template() throws(UsageError) -> JobSpec {
        var job = try words.described()
        job.unpacking = try extract.unpacking(unpacking.unpacking)
        return job
    }
}
