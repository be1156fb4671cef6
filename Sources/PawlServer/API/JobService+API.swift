import Pawl
import PawlCore
import PawlJobs
import Synchronization

/// Calls of the API that concern the service as a whole.
extension JobService {
    func apply(_ settings: ServiceSettings) {
        manager.maximumRunning = settings.maximumRunning
        manager.maximumConnectionsPerHost = settings.maximumConnectionsPerHost
        manager.setSpeedLimit(settings.schedule)
        history.withLock { ($0.days, $0.count) = (settings.historyDays, settings.historyCount) }
        trimHistory()
    }

    /// - Throws: also for a server that refuses, as the download would fail.
    func probe(_ spec: JobSpec) async throws(DownloadError) -> ProbeReport {
        let report = try await manager.probe(try spec.onlyFile(SecretReader(), netrc).spec.request(SecretReader()))
        let status = report.get.status
        guard status >= 400 else { return report }
        let (code, remedies): (DownloadError.Code, [DownloadError.Remedy]) =
            switch status {
            case 401, 407: (.unauthorized, [.giveCredentials])
            case 404, 410: (.notFound, [.checkURL])
            default: (.refused, [.tryLater])
            }
        throw DownloadError(
            code,
            "\(DownloadJSON.shown(report.finalURL)): the server refused the request (\(StatusPhrase.text(status))).",
            remedies: remedies, recovery: .giveUp)
    }
}
