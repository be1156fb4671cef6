import Pawl
import PawlCore
import PawlJobs

extension ProbeCommand: Subcommand {
    func execute(in session: Session) async throws -> ExitCode {
        let (job, configuration) = try server.settled(words, for: url, in: session)
        let report = try await Downloader.forThisProcess(configuration).probe(try job.request(session.secrets))
        try server.finish(configuration)
        let code = session.write(
            json
                ? report.json(warnings: server.warnings(reading: session.files)).encoded + "\n"
                : report.table(in: Locale.current))
        guard code == .done, report.get.status >= 400 else { return code }
        session.complain("The server refused this URL (\(StatusPhrase.text(report.get.status))).")
        return .refused
    }
}
