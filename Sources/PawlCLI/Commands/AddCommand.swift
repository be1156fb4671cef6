import ArgumentParser
import Pawl
import PawlCore
import PawlJobs

/// The flags of `pawl add`: those of `pawl get` that are about a job.
struct AddCommand: ParsableCommand, JobCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add downloads to the service and return at once.",
        usage:
            "pawl add [<options>] <url> ...\npawl add [<options>] -i <list>\npawl add [<options>] --metalink <document>",
        discussion: """
            Prints the id of each. Once its id is printed, a download survives the end of this program and of the service, and a power cut. Files and \
            environment variables that options name are read now, and secrets are sent to the service. Proxies and certificates are settings of the service.
            """)

    @Argument(help: "Absolute http or https URLs. [01-20], [a-f] and {one,two} expand to several.")
    var urls: [String] = []

    @OptionGroup(title: "Queue") var queue: AddOptions
    @OptionGroup(title: "Target") var target: ServiceTargetOptions
    @OptionGroup(title: "Several files") var input: InputOptions
    @OptionGroup(title: "Transfer") var transfer: TransferOptions
    @OptionGroup(title: "Speed") var speed: SpeedOptions
    @OptionGroup(title: "Parts of a file") var parts: RangeOptions
    @OptionGroup(title: "Archives") var members: MemberOptions
    @OptionGroup(title: "Archives") var extract: ExtractOptions
    @OptionGroup(title: "Archives") var unpacking: UnpackingOptions
    @OptionGroup(title: "Sources and trust") var mirrors: MirrorOptions
    @OptionGroup(title: "Sources and trust") var metalink: MetalinkOptions
    @OptionGroup(title: "Sources and trust") var checksumFile: ChecksumFileOption
    @OptionGroup(title: "Requests") var header: HeaderOptions
    @OptionGroup(title: "Requests") var login: LoginOptions
    @OptionGroup(title: "Requests") var caller: CallerOptions
    @OptionGroup(title: "Requests") var retry: RetryOptions
    @OptionGroup(title: "Requests") var details: DetailOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Service") var service: ServiceOptions

    var groups: [any RequestOptions] {
        [target, transfer, speed, parts, mirrors, header, login, caller, retry, details]
    }

    var outputName: String? { target.output }
    var directory: String? { target.directory }
}

/// Where the service puts files.
struct ServiceTargetOptions: RequestOptions {
    @Option(
        name: [.customShort("o", allowingJoined: true), .customLong("output")],
        help: ArgumentHelp(
            "Name of the file, beneath the directory. '#1' is the value of the URL's first pattern.", valueName: "file")
    )
    var output: String?

    @Option(
        name: [.customShort("d", allowingJoined: true), .customLong("directory")],
        help: ArgumentHelp(
            "Directory for the files. It must exist, and the service must allow it. Default: the service's.",
            valueName: "dir"),
        completion: .directory)
    var directory: String?

    @Option(
        help: ArgumentHelp(
            "What to do if a file exists. With --extract it also applies to the directory; 'replace' deletes its contents. Default: the service's setting.",
            valueName: "policy"))
    var ifExists: ExistingFilePolicy?

    func apply(to job: inout JobSpec) { job.ifExists = ifExists }
}

/// How the service queues what is added.
struct AddOptions: ParsableArguments, Sendable {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Downloads with a higher priority run first: -1000 to 1000.", valueName: "number"))
    var priority = 0

    @Flag(help: "Add them paused.")
    var paused = false

    @Flag(help: "Add them at the top of the queue.")
    var top = false

    @Option(help: ArgumentHelp("A label to find them by, up to 64 characters.", valueName: "text"))
    var tag: String?

    @Flag(help: "Watch until all have ended, and exit as 'pawl get' would. Ctrl-C stops watching, not the downloads.")
    var wait = false

    func validate() throws {
        guard (-1000...1000).contains(priority) else {
            throw ValidationError("--priority takes a number from -1000 to 1000, not \(priority).")
        }
        if let tag, tag.isEmpty || tag.unicodeScalars.count > 64 {
            throw ValidationError("--tag takes a text of 1 to 64 characters.")
        }
        guard !(wait && paused) else {
            throw ValidationError("--wait would wait for ever for what is added by --paused.")
        }
    }
}
