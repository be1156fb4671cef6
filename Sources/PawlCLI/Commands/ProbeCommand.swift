import ArgumentParser
import Pawl
import PawlCore
import PawlJobs

struct ProbeCommand: ParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract:
            "Show what a server says about a URL: length, ranges, validator, name, and how HEAD differs from GET.",
        discussion: "Makes two requests and stores nothing.")

    @Argument(help: "An absolute http or https URL.")
    var url: String

    @OptionGroup(title: "Server") var server: ServerOptions
    @OptionGroup(title: "Network") var connection: ConnectionOptions
    @OptionGroup(title: "Credentials and cookies") var credentials: CredentialOptions
    @OptionGroup(title: "Requests") var caller: CallerOptions
    @OptionGroup(title: "Output") var verbosity: VerboseOptions
    @OptionGroup(title: "Output") var defaults: DefaultsOptions

    @Flag(help: "Write one JSON object to stdout (docs/json-events.md).")
    var json = false

    /// All groups that change the request or the configuration: a new one is added here.
    var groups: [any RequestOptions] { [server, connection, credentials, caller, verbosity] }
}
