import ArgumentParser
import Pawl

/// The flags of `pawl get`, as typed, in groups by subject.
struct GetCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Download a file; run it again to go on after an interruption.",
        discussion: """
            The bytes so far are in NAME.part, what is known of them in NAME.pawl, both beside the file. Ctrl-C saves and stops.

            Exit codes:
            \(ExitCode.table)
            """)

    @Argument(help: "An absolute http or https URL.")
    var url: String

    @OptionGroup var target: TargetOptions
    @OptionGroup var transfer: TransferOptions
    @OptionGroup var limits: LimitOptions
    @OptionGroup var server: ServerOptions

    @Flag(help: "Write one JSON object a line to stdout (docs/json-events.md).")
    var json = false

    @Flag(name: [.customShort("q"), .customLong("quiet")], help: "Say nothing but errors.")
    var quiet = false

    /// All groups that change requests or the configuration: a new one is added here.
    private var groups: [any RequestOptions] { [transfer, limits, server] }

    func execute(in session: Session) async throws -> ExitCode {
        try await GetRun(get: resolved(isDirectory: FileKind.isDirectory), session: session).run()
    }

    /// - Parameter isDirectory: whether a path names an existing directory.
    func resolved(isDirectory: (String) -> Bool) throws(UsageError) -> ResolvedGet {
        let place = try TargetPlace(output: target.output, directory: target.directory, isDirectory: isDirectory)
        var request = DownloadRequest(url, in: place.directory)
        request.fileName = place.fileName
        var get = ResolvedGet(request)
        for group in groups {
            try group.apply(to: &get.request)
            try group.apply(to: &get.configuration)
            if group.holdsSecrets { get.isFreeOfSecrets = false }
        }
        get.writesJSON = json
        get.isQuiet = quiet
        return get
    }
}
