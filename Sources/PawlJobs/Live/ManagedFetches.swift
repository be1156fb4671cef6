package import Pawl
package import PawlCore
package import PawlEngine
import Synchronization

/// Fetches by downloads of a manager. Stopping one pauses its download.
package final class ManagedFetches: Sendable {
    private struct Fetch {
        let file: JobFileID
        let isUnpacked: Bool
        /// The work that runs in its turn in the queue; nil for a download.
        var work: DownloadWork?
        /// Whether it was told to run.
        var isBegun = false
        /// Whether it was told to wait for space.
        var isFull = false
    }

    private struct State {
        var fetches: [DownloadID: Fetch] = [:]
        /// The downloads of files that are fetched, and of those that were stopped: these can be resumed as they are.
        var downloads: [JobFileID: DownloadID] = [:]
        var tell: JobTelling?

        /// - Returns: false if the download fetches another file already.
        mutating func begin(_ fetch: Fetch, by id: DownloadID, _ tell: @escaping JobTelling) -> Bool {
            guard fetches[id] == nil else { return false }
            (fetches[id], downloads[fetch.file], self.tell) = (fetch, id, tell)
            return true
        }

        /// - Returns: nil if it has ended already.
        mutating func end(_ id: DownloadID, isStopped: Bool) -> Fetch? {
            guard let fetch = fetches.removeValue(forKey: id) else { return nil }
            if fetches.isEmpty { tell = nil }
            if !isStopped { downloads[fetch.file] = nil }
            return fetch
        }
    }

    private let manager: DownloadManager
    private let state = Locked(State())

    package init(_ manager: DownloadManager) { self.manager = manager }

    /// Fetches by a download that there is.
    ///
    /// - Returns: false if somebody else follows that.
    package func fetch(
        _ file: JobFileID, by id: DownloadID, isUnpacked: Bool = true, _ tell: @escaping JobTelling
    ) -> Bool {
        let fetch = Fetch(file: file, isUnpacked: isUnpacked)
        guard state.withLock({ $0.begin(fetch, by: id, tell) }) else { return false }
        switch manager.follow(id, self) {
        case .begun: return true
        case .over:
            if end(id, isStopped: true) != nil { tell([.fetchStopped(file)]) }
            return true
        case .taken:
            _ = end(id, isStopped: false)
            return false
        }
    }

    /// Fetches by a new download, or by the one that the plan is for.
    ///
    /// - Returns: false if somebody else follows that.
    func fetch(
        _ file: JobFileID, _ plan: Plan, isUnpacked: Bool, _ tell: @escaping JobTelling
    ) throws(DownloadError) -> Bool {
        // A stopped download is resumed under the name it has.
        if let former = state.withLock({ $0.downloads[file] }), manager.isPaused(former) {
            try manager.resume(former)
            if fetch(file, by: former, isUnpacked: isUnpacked, tell) { return true }
        }
        var isNew = false
        let id = try manager.add(
            plan, DownloadPool.Joining(position: Int64(file.number), follower: self),
            onDuplicate: plan.ifExists == .rename ? .rename : .fail,
            added: { id in isNew = state.withLock { $0.begin(Fetch(file: file, isUnpacked: isUnpacked), by: id, tell) }
            })
        if isNew { return true }
        if manager.isPaused(id) { try manager.resume(id) }
        return fetch(file, by: id, isUnpacked: isUnpacked, tell)
    }

    /// Fetches by work that waits for its turn in the queue.
    ///
    /// - Parameter plan: the URL that it begins with, and its directory.
    func fetch(
        _ file: JobFileID, _ plan: Plan, by work: DownloadWork, _ tell: @escaping JobTelling
    ) throws(DownloadError) {
        try manager.add(plan, position: Int64(file.number), follower: self) { turn in
            work.start(in: turn)
            return work
        } added: { id in
            _ = state.withLock { $0.begin(Fetch(file: file, isUnpacked: false, work: work), by: id, tell) }
        }
    }

    package func stop(_ file: JobFileID) {
        let (id, tell) = state.withLock { state in
            (state.downloads[file].flatMap { state.fetches[$0] == nil ? nil : $0 }, state.tell)
        }
        guard let id, let tell else { return }
        do throws(DownloadError) {
            try manager.pause(id)
        } catch {
            // One that has completed says so itself; one that is gone says nothing any more.
            if error.code == .unknownDownload, end(id, isStopped: true) != nil { tell([.fetchStopped(file)]) }
        }
    }

    private func end(_ id: DownloadID, isStopped: Bool) -> Fetch? {
        state.withLock { $0.end(id, isStopped: isStopped) }
    }
}

// MARK: What happens

extension ManagedFetches: PoolFollower {
    package func hear(_ news: [PoolEvents.News]) {
        guard let tell = state.withLock({ $0.tell }) else { return }
        var events: [JobMachineEvent] = []
        for news in news {
            switch news {
            case .state(let id, _): look(at: id, &events)
            case .event(let event): take(event, &events)
            case .missed: break
            }
        }
        if !events.isEmpty { tell(events) }
    }

    private func take(_ event: PoolEvent, _ events: inout [JobMachineEvent]) {
        switch event {
        case .notice(let id, let report, let now):
            guard let fetch = state.withLock({ $0.fetches[id] }) else { return }
            begin(fetch, id, &events)
            events.append(.notice(fetch.file, DownloadNotice(report, now: now)))
        case .completed(let id, let facts, let directory):
            guard let fetch = end(id, isStopped: false) else { return }
            let result = DownloadResult(facts, in: directory)
            events.append(.fetched(fetch.file, FetchedFile(result, isUnpacked: fetch.isUnpacked)))
        case .failed(let id, let error):
            // The download may have been resumed since.
            if let state = manager.state(of: id), state.isAlive, manager.follow(id, self) == .begun { return }
            guard let fetch = end(id, isStopped: false) else { return }
            if fetch.work != nil { try? manager.remove(id) }
            events.append(.fetchFailed(fetch.file, .download(error)))
        case .removed(let id):
            if let fetch = end(id, isStopped: true) { events.append(.fetchStopped(fetch.file)) }
        case .added, .notSaved: break
        }
    }

    private func look(at id: DownloadID, _ events: inout [JobMachineEvent]) {
        guard let fetch = state.withLock({ $0.fetches[id] }) else { return }
        if let work = fetch.work { return look(at: id, fetch, work, &events) }
        // There is no news in the state of a download before its first turn, and a snapshot costs more than to ask.
        if !fetch.isBegun, !fetch.isFull, case .queued? = manager.state(of: id) { return }
        guard let snapshot = manager.snapshot(id) else { return }
        if snapshot.state.isRunning { begin(fetch, id, &events) }
        switch snapshot.state {
        // Its end will be told.
        case .completed, .failed, .cancelled: return
        case .queued, .waiting, .running, .paused: events.append(.progressed(fetch.file, JobProgress(snapshot)))
        }
        if case .waiting(.diskFull(let reason)) = snapshot.state {
            waits(
                fetch, id, DownloadError(.diskFull, reason, remedies: [.freeSpace], recovery: .retryAfter(nil)), &events
            )
        } else {
            waits(fetch, id, nil, &events)
        }
        guard case .paused = snapshot.state, end(id, isStopped: true) != nil else { return }
        manager.unfollow(id)
        events.append(.fetchStopped(fetch.file))
    }

    /// Looks at work, which tells by itself how far it is.
    private func look(at id: DownloadID, _ fetch: Fetch, _ work: DownloadWork, _ events: inout [JobMachineEvent]) {
        let queued = manager.state(of: id)
        let lack: DownloadError? = if case .waiting(.diskFull(let error))? = queued { error } else { nil }
        waits(fetch, id, lack, &events)
        guard case .paused? = queued, end(id, isStopped: false) != nil else { return }
        // Nobody else would.
        try? manager.remove(id)
        events.append(work.end)
    }

    /// Tells once that a fetch waits for space, and once that it does no longer.
    private func waits(
        _ fetch: Fetch, _ id: DownloadID, _ error: DownloadError?, _ events: inout [JobMachineEvent]
    ) {
        guard fetch.isFull != (error != nil) else { return }
        state.withLock { $0.fetches[id]?.isFull = error != nil }
        events.append(.waitsForSpace(fetch.file, error))
    }

    private func begin(_ fetch: Fetch, _ id: DownloadID, _ events: inout [JobMachineEvent]) {
        guard !fetch.isBegun else { return }
        state.withLock { $0.fetches[id]?.isBegun = true }
        events.append(.began(fetch.file))
    }

    package func poolEnded() {
        let (fetches, tell) = state.withLock { ($0.fetches, $0.tell) }
        guard let tell else { return }
        var events: [JobMachineEvent] = []
        for (id, fetch) in fetches where end(id, isStopped: true) != nil {
            if let work = fetch.work {
                events.append(work.end)
                continue
            }
            if let snapshot = manager.snapshot(id) { events.append(.progressed(fetch.file, JobProgress(snapshot))) }
            events.append(.fetchStopped(fetch.file))
        }
        tell(events)
    }
}

extension JobProgress {
    fileprivate init(_ snapshot: DownloadSnapshot) { self.init(snapshot.progress, fileName: snapshot.fileName) }
}
