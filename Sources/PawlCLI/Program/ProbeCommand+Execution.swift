import Pawl
import PawlCore
import PawlJobs

extension ProbeCommand: Subcommand {
    func execute(in session: Session) async throws -> ExitCode {
        let (job, configuration) = try groups.settled(for: url, in: session)
        let report = try await Downloader.forThisProcess(configuration).probe(try job.request(session.secrets))
        for group in groups { try group.finish(configuration) }
        let code = session.write(
            json
                ? report.json(warnings: groups.flatMap { $0.warnings(reading: session.files) }).encoded + "\n"
                : report.table(in: Locale.current))
        guard code == .done, report.get.status >= 400 else { return code }
        session.complain("The server refuses this URL with status \(report.get.status).")
        return .refused
    }
}
