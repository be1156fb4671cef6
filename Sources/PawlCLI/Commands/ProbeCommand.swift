import ArgumentParser
import Pawl
import PawlCore

struct ProbeCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract: "Show what a server says of a URL: length, ranges, validator, name, and what HEAD says beside GET.",
        discussion: "Nothing is stored. It costs the server two requests; a download never makes them.")

    @Argument(help: "An absolute http or https URL.")
    var url: String

    @OptionGroup(title: "Server") var server: ServerOptions
    @OptionGroup(title: "Network") var connection: ConnectionOptions
    @OptionGroup(title: "Credentials and cookies") var credentials: CredentialOptions
    @OptionGroup(title: "Requests") var caller: CallerOptions
    @OptionGroup(title: "Output") var verbosity: VerboseOptions

    @Flag(help: "Write one JSON object to stdout (docs/json-events.md).")
    var json = false

    /// All groups that change the request or the configuration: a new one is added here.
    private var groups: [any RequestOptions] { [server, connection, credentials, caller, verbosity] }

    func execute(in session: Session) async throws -> ExitCode {
        var configuration = Downloader.Configuration()
        var request = DownloadRequest(url)
        for group in groups {
            try group.apply(to: &request, reading: session.files)
            try group.apply(to: &configuration, reading: session.files)
            group.warnings(reading: session.files).forEach(session.complain)
        }
        let report = try await Downloader.forThisProcess(configuration).probe(request)
        for group in groups { try group.finish(configuration) }
        let code = session.write(json ? report.json(warnings: groups.flatMap { $0.warnings(reading: session.files) }).encoded + "\n" : report.table(in: Locale.current))
        guard code == .done, report.get.status >= 400 else { return code }
        session.complain("The server refuses this URL with status \(report.get.status).")
        return .refused
    }
}
