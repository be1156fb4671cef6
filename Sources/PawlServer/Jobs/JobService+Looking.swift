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
    package var problem: DownloadError? { store.problem }
}
