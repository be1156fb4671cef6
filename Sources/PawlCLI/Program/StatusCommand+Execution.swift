import Pawl
import PawlCore
import PawlJobs

extension StatusCommand: Subcommand {
    func execute(in session: Session) async throws -> ExitCode {
        guard !JobDocument.isURL(file) else {
            throw UsageError(
                "“pawl status” takes the name of a file here, not a URL. “pawl list --partial” lists unfinished downloads with their URLs."
            )
        }
        let status = try PartialFileStatus.read(file)
        return session.write(json ? status.json.encoded + "\n" : status.table(in: Locale.current))
    }
}
