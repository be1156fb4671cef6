package import Pawl
import PawlCore
import PawlEngine
import Synchronization

/// A fetch by a download of a manager. Stopping it pauses the download.
package final class ManagedFetch: JobWork {
    private struct State {
        var id: DownloadID?
        var isBegun = false
        /// Whether the wait for space was reported.
        var isFull = false
        var isOver = false
    }

    private let manager: DownloadManager
    private let isUnpacked: Bool
    private let report: @Sendable (JobFetchReport) -> Void
    private let state = Locked(State())

    private init(
        _ manager: DownloadManager, isUnpacked: Bool, _ report: @escaping @Sendable (JobFetchReport) -> Void
    ) {
        self.manager = manager
        self.isUnpacked = isUnpacked
        self.report = report
    }

    /// The fetch by a download that there is. Returns nil if it has another one.
    package static func by(
        _ id: DownloadID, of manager: DownloadManager, isUnpacked: Bool = true,
        _ report: @escaping @Sendable (JobFetchReport) -> Void
    ) -> ManagedFetch? {
        let fetch = ManagedFetch(manager, isUnpacked: isUnpacked, report)
        fetch.state.withLock { $0.id = id }
        switch fetch.follow(id) {
        case .begun: break
        case .taken: return nil
        case .over: fetch.end(.stopped)
        }
        return fetch
    }

    /// The fetch by a new download, or by the one that the request is for. Returns nil if that has another one.
    ///
    /// - Parameter known: called with the id before anything is reported.
    static func begin(
        _ plan: Plan, isUnpacked: Bool, by manager: DownloadManager,
        known: (DownloadID) -> Void, _ report: @escaping @Sendable (JobFetchReport) -> Void
    ) throws(DownloadError) -> ManagedFetch? {
        let fetch = ManagedFetch(manager, isUnpacked: isUnpacked, report)
        var isNew = false
        let id = try manager.add(
            plan, onDuplicate: plan.ifExists == .rename ? .rename : .fail, follower: { fetch.hear($0) }
        ) { id in
            fetch.state.withLock { $0.id = id }
            known(id)
            isNew = true
        }
        if isNew { return fetch }
        if manager.isPaused(id) { try manager.resume(id) }
        known(id)
        return by(id, of: manager, isUnpacked: isUnpacked, report)
    }

    private func follow(_ id: DownloadID) -> DownloadPool.Following { manager.follow(id) { self.hear($0) } }

    package func stop() {
        guard let id = state.withLock({ $0.id }) else { return }
        do throws(DownloadError) {
            try manager.pause(id)
        } catch {
            // One that has completed says so itself; one that is gone says nothing any more.
            if error.code == .unknownDownload { end(.stopped) }
        }
    }

    // MARK: What happens

    private func hear(_ news: PoolEvents.News?) {
        let known = state.withLock { $0 }
        guard !known.isOver, let id = known.id else { return }
        guard let news else {
            // The manager was shut down.
            if let snapshot = manager.snapshot(id) { report(.progressed(JobProgress(snapshot))) }
            return end(.stopped)
        }
        // There is no news in the state of a download before its first turn, and a snapshot costs more than to ask.
        if case .state = news, !known.isBegun, !known.isFull, case .queued? = manager.state(of: id) { return }
        switch manager.event(news) {
        case .changed(let snapshot): look(at: snapshot)
        case .completed(_, let result): end(.fetched(FetchedFile(result, isUnpacked: isUnpacked)))
        case .failed(_, let error):
            // The download may have been resumed since.
            if let state = manager.state(of: id), state.isAlive, follow(id) == .begun { return }
            end(.failed(.download(error)))
        case .removed: end(.stopped)
        case .notice(_, let notice):
            begin()
            report(.notice(notice))
        case .added, .sessionNotSaved, .missed, nil: break
        }
    }

    private func look(at snapshot: DownloadSnapshot) {
        if snapshot.state.isRunning { begin() }
        switch snapshot.state {
        case .completed, .failed, .cancelled: break
        case .queued, .waiting, .running, .paused: report(.progressed(JobProgress(snapshot)))
        }
        switch snapshot.state {
        case .paused: end(.stopped)
        case .waiting(.diskFull(let reason)):
            waits(DownloadError(.diskFull, reason, remedies: [.freeSpace], recovery: .retryAfter(nil)))
        case .queued, .waiting, .running, .completed, .failed, .cancelled: waits(nil)
        }
    }

    private func begin() {
        let isFirst = state.withLock { state in
            defer { state.isBegun = true }
            return !state.isBegun
        }
        if isFirst { report(.began) }
    }

    /// Reports once when a download starts to wait for space, and once when it no longer does.
    private func waits(_ error: DownloadError?) {
        let hasChanged = state.withLock { state in
            defer { state.isFull = error != nil }
            return state.isFull != (error != nil)
        }
        if hasChanged { report(.waitsForSpace(error)) }
    }

    private func end(_ end: JobFetchReport) {
        // A download that ends at once was never seen to run.
        if case .stopped = end {} else { begin() }
        let (isLast, id) = state.withLock { state in
            defer { state.isOver = true }
            return (!state.isOver, state.id)
        }
        guard isLast else { return }
        if let id { manager.unfollow(id) }
        report(end)
    }
}

extension JobProgress {
    fileprivate init(_ snapshot: DownloadSnapshot) { self.init(snapshot.progress, fileName: snapshot.fileName) }
}
