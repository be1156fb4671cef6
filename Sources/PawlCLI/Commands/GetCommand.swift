import ArgumentParser
import Pawl
import PawlCore
import PawlJobs
import PawlSystem

/// The flags of `pawl get`, as typed, in groups by subject.
struct GetCommand: ParsableCommand, JobCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Download files; rerun to resume.",
        usage:
            "pawl get [<options>] <url> ...\npawl get [<options>] -i <list>\npawl get [<options>] --metalink <document>",
        discussion: """
            The bytes so far are in NAME.part, and the record of them in NAME.pawl, both beside the file. Ctrl-C saves the progress and stops.
            """)

    @Argument(help: "Absolute http or https URLs. [01-20], [a-f] and {one,two} expand to several.")
    var urls: [String] = []

    @OptionGroup(title: "Target") var target: TargetOptions
    @OptionGroup(title: "Several files") var queue: QueueOptions
    @OptionGroup(title: "Transfer") var transfer: TransferOptions
    @OptionGroup(title: "Speed") var limits: LimitOptions
    @OptionGroup(title: "Parts of a file") var parts: RangeOptions
    @OptionGroup(title: "Archives") var members: MemberOptions
    @OptionGroup(title: "Archives") var extract: ExtractOptions
    @OptionGroup(title: "Archives") var unpacking: UnpackingOptions
    @OptionGroup(title: "Sources and trust") var mirrors: MirrorOptions
    @OptionGroup(title: "Sources and trust") var metalink: MetalinkOptions
    @OptionGroup(title: "Sources and trust") var checksumFile: ChecksumFileOption
    @OptionGroup(title: "Server") var server: ServerOptions
    @OptionGroup(title: "Network") var connection: ConnectionOptions
    @OptionGroup(title: "Credentials and cookies") var credentials: CredentialOptions
    @OptionGroup(title: "Requests") var caller: CallerOptions
    @OptionGroup(title: "Requests") var retry: RetryOptions
    @OptionGroup(title: "Requests") var details: DetailOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Output") var progress: ProgressOptions
    @OptionGroup(title: "Output") var verbosity: VerboseOptions
    @OptionGroup(title: "Output") var hook: HookOptions
    @OptionGroup(title: "Output") var defaults: DefaultsOptions

    var input: InputOptions { queue.input }
    var outputName: String? { target.output }
    var directory: String? { target.directory }

    /// All groups that change requests or the configuration: a new one is added here.
    var groups: [any RequestOptions] {
        [target, transfer, limits, parts, mirrors, server, connection, credentials, caller, retry, details, verbosity]
    }

    /// The job that the flags describe, without its URL and target.
    func template() throws(UsageError) -> JobSpec {
        var job = try describedJob()
        try hook.apply(to: &job)
        if queue.dryRun { job.options.usesServerMirrors = false }
        return job
    }
}
