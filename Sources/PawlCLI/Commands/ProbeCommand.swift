import ArgumentParser
import Pawl
import PawlCore

struct ProbeCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract: "Show what a server says of a URL: length, ranges, validator, name, and what HEAD says beside GET.",
        discussion: "Nothing is stored. It costs the server two requests; a download never makes them.")

    @OptionGroup var server: ServerOptions

    @Flag(help: "Write one JSON object to stdout (docs/json-events.md).")
    var json = false

    func execute(in session: Session) async throws -> ExitCode {
        var configuration = Downloader.Configuration()
        configuration.certificateAuthorityFile = server.caCertificate
        let headers = try server.headers().map { (name: $0.name, value: $0.value) }
        let report = try await Downloader.forThisProcess(configuration).probe(server.url, headers: headers)
        let code = session.write(json ? report.json.encoded + "\n" : report.table(in: Locale.current))
        guard code == .done, report.get.status >= 400 else { return code }
        session.complain("The server refuses this URL with status \(report.get.status).")
        return .refused
    }
}
