import Pawl
import PawlCore
import PawlEngine
import Synchronization

/// Downloads the files of one run through a ``DownloadManager``.
final class QueuedFetches: Sendable {
    private let watch: DownloadWatch
    /// The stopped downloads, which can be resumed as they are.
    private let stopped = Locked<[JobFileID: DownloadID]>([:])

    init(_ watch: DownloadWatch) { self.watch = watch }

    func fetch(
        _ id: JobFileID, _ request: DownloadRequest, _ report: @escaping @Sendable (JobFetchReport) -> Void
    ) throws(DownloadError) -> any JobWork {
        let download = try begin(id, request)
        let former = stopped.withLock { stopped in
            defer { stopped[id] = download }
            return stopped[id]
        }
        let work = watch.wait(for: download) { [self] told in
            switch told {
            case .fetched, .failed: stopped.withLock { $0[id] = nil }
            default: break
            }
            report(told)
        }
        if let work { return work }
        stopped.withLock { $0[id] = former }
        throw DownloadError(
            .locked, "This run is already downloading the same URL to the same place.", remedies: [], recovery: .giveUp)
    }

    /// A stopped download is resumed under the name it has.
    private func begin(_ id: JobFileID, _ request: DownloadRequest) throws(DownloadError) -> DownloadID {
        let manager = watch.manager
        let former = stopped.withLock { $0[id] }
        let download: DownloadID
        if let former, manager.isPaused(former) {
            download = former
        } else {
            download = try manager.add(request, onDuplicate: request.ifExists == .rename ? .rename : .fail)
        }
        if manager.isPaused(download) { try manager.resume(download) }
        return download
    }
}
