import Pawl
package import PawlCore
import PawlJobs
import Synchronization

/// The service as a whole.
extension JobService {
    /// Those that run now, with the ids of their jobs.
    var running: [(number: Int64, snapshot: DownloadSnapshot)] {
        let running = state.withLock { state in
            state.runs.keys.compactMap { number in state.sketches[number]?.download.map { (number, $0) } }
        }
        return running.compactMap { number, id in
            guard let snapshot = manager.snapshot(id), case .running = snapshot.state else { return nil }
            return (number, snapshot)
        }
    }

    /// Of those that run, without asking the database.
    func ids(of numbers: [Int64]) -> [String?] { state.withLock { state in numbers.map { state.ids[$0] } } }

    var runningSnapshots: [DownloadSnapshot] { running.map(\.snapshot) }

    /// Bytes that came from servers for completed downloads, since the service started.
    var fetched: Int64 { state.withLock { $0.fetched } }

    /// Why the database could not be written, if it could not be at the latest try.
    package var problem: DownloadError? { ledger.problem }

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
        throw DownloadError(code, "\(DownloadJSON.shown(report.finalURL)): the server refuses it with status \(status).", remedies: remedies, recovery: .giveUp)
    }
}
