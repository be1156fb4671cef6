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
        _ id: JobFileID, _ file: JobFile, _ request: DownloadRequest,
        _ report: @escaping @Sendable (JobFetchReport) -> Void
    ) throws(DownloadError) -> any JobWork {
        let manager = watch.manager
        let told: @Sendable (JobFetchReport) -> Void = { [self] told in
            switch told {
            case .fetched, .failed: stopped.withLock { $0[id] = nil }
            default: break
            }
            report(told)
        }
        // A stopped download is resumed under the name it has.
        if let former = stopped.withLock({ $0[id] }), manager.isPaused(former) {
            try manager.resume(former)
            return try wait(for: former, of: id, told)
        }
        var begun: (any JobWork)?
        let download = try manager.add(
            request, priority: 0, isPaused: false, onDuplicate: request.ifExists == .rename ? .rename : .fail,
            markerNumber: nil, target: file.requestTarget
        ) { new in
            stopped.withLock { $0[id] = new }
            begun = watch.register(new, isUnpacked: file.spec.unpacking != nil || !file.spec.members.isEmpty, told)
        }
        if let begun { return begun }
        if manager.isPaused(download) { try manager.resume(download) }
        return try wait(for: download, of: id, told)
    }

    private func wait(
        for download: DownloadID, of id: JobFileID, _ told: @escaping @Sendable (JobFetchReport) -> Void
    ) throws(DownloadError) -> any JobWork {
        let former = stopped.withLock { stopped in
            defer { stopped[id] = download }
            return stopped[id]
        }
        if let work = watch.wait(for: download, told) { return work }
        stopped.withLock { $0[id] = former }
        throw DownloadError(
            .locked, "This run is already downloading the same URL to the same place.", remedies: [], recovery: .giveUp)
    }
}
