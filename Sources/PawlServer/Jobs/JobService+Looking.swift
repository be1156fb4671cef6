import Pawl
package import PawlCore
import PawlJobs
import Synchronization

/// The service as a whole.
extension JobService {
    /// The jobs that run now, with their progress.
    var running: [(number: Int64, progress: DownloadProgress)] {
        let (queued, direct) = state.withLock { state in
            (
                state.runs.keys.compactMap { number in state.sketches[number]?.download.map { (number, $0) } },
                state.direct.compactMap { number, progress in progress.map { (number, $0.progress) } }
            )
        }
        return direct
            + queued.compactMap { number, id in
                guard let snapshot = manager.snapshot(id), case .running = snapshot.state else { return nil }
                return (number, snapshot.progress)
            }
    }

    /// Returns the ids of running jobs without asking the database; nil for a job that does not run.
    func ids(of numbers: [Int64]) -> [String?] { state.withLock { state in numbers.map { state.ids[$0] } } }

    /// Returns the specification of a job, with its secrets if they are known.
    func spec(of job: StoredJob) -> JobSpec { state.withLock { $0.secretSpecs[job.number] } ?? job.spec }

    /// Bytes that came from servers for completed downloads, since the service started.
    var fetched: Int64 { state.withLock { $0.fetched } }

    /// The reason why changes cannot be saved; nil while they can. A change that the ledger still has to save counts,
    /// even if the database accepts others.
    package var problem: DownloadError? { store.problem ?? ledger.problem }
}
