import Pawl
import PawlCore
import PawlJobs

extension StatusCommand: Subcommand {
    func execute(in session: Session) async throws -> ExitCode {
        let status = try PartialFileStatus.read(file)
        return session.write(json ? status.json.encoded + "\n" : status.table(in: Locale.current))
    }
}
