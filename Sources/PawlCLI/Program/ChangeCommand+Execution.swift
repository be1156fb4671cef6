import Pawl
import PawlClient
import PawlCore
import PawlJobs

extension ChangeCommand: Subcommand {
    func execute(in session: Session) async throws -> ExitCode {
        let client = try service.client()
        let patch = try patch(session.secrets)
        words.droppedNotice.map(session.warn)
        let download = try await session.ask {
            let ids = try await DownloadIDs(client: client).resolve([self.id])
            let changed = try await client.change(ids[0], patch)
            guard changed.state == .failed, changesRequest else { return changed }
            if let error = try await client.act(.retry, on: ids).first?.error { throw error }
            return try await client.download(ids[0]).download
        }
        if json { return session.write(download.json.encoded + "\n") }
        session.say("Changed \(ServiceWords.name(download)): \(ServiceWords.state(download)).")
        return .done
    }

    /// Returns the changes to send. Files and the environment are read now.
    func patch(_ secrets: SecretReader) throws -> DownloadPatch {
        let job = try words.described().withSecrets(secrets)
        var patch = DownloadPatch()
        patch.url = url
        patch.mirrors = mirror
        patch.connections = connections
        if job.options.adoptsPartialFile { patch.adoptsPartialFile = true }
        patch.ifExists = job.ifExists
        if let tag { patch.tag = .some(tag.isEmpty ? nil : tag) }
        if !job.headers.isEmpty { patch.headers = job.headers }
        if let authentication = job.authentication { patch.authentication = .some(authentication) }
        return patch
    }
}
