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
    }

    func probe(_ spec: JobSpec) async throws(DownloadError) -> ProbeReport {
        try await manager.probe(try spec.request(SecretReader()))
    }

    // MARK: Finished files

    /// - Throws: ``Refusal``, for one that is not completed or has no digest.
    package func verify(_ id: String) async throws(Refusal) {
        let job = try completed(id)
        guard job.spec.options.digest != nil else { throw .conflict(Conflict(.noDigest, "Nothing says which digest the file should have.")) }
        throw .conflict(Conflict(.notSupported, "The service cannot compare finished files yet. Use pawl verify."))
    }

    /// - Throws: ``Refusal``, for one that is not completed.
    package func extract(_ id: String) async throws(Refusal) {
        _ = try completed(id)
        throw .conflict(Conflict(.notSupported, "The service unpacks only what was added with “unpacking”. Use pawl extract."))
    }

    private func completed(_ id: String) throws(Refusal) -> StoredJob {
        let job = try job(id)
        guard job.state == .completed else { throw .conflict(Conflict(.notCompleted, "The download is not completed.")) }
        guard !DownloadJSON.isMissing(job) else { throw .conflict(Conflict(.fileMissing, "The file is no longer where it was downloaded to.")) }
        return job
    }
}
