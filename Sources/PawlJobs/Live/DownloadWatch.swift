package import Pawl
import PawlCore
import PawlEngine
import Synchronization

/// Tells whoever waits for a download of a manager what happens to it.
package final class DownloadWatch: Sendable {
    private struct Waiting: JobWork {
        let watch: DownloadWatch
        let id: DownloadID

        func stop() { watch.stop(id) }
    }

    /// The waiter for a download. Events before the registration do not count.
    private struct Registration {
        let number: Int
        let isUnpacked: Bool
        let report: @Sendable (JobFetchReport) -> Void
        var isBegun = false
        /// Whether the wait for space was reported.
        var isFull = false
    }

    private struct State {
        var registrations: [DownloadID: Registration] = [:]
        var nextNumber = 0
    }

    package let manager: DownloadManager
    private let state = Locked(State())
    private let watch: Locked<Task<Void, Never>?>

    /// - Parameter listens: false: its owner hands it the manager's events, and says when they have ended.
    package init(_ manager: DownloadManager, listens: Bool = true) {
        self.manager = manager
        watch = Locked(nil)
        guard listens else { return }
        let events = manager.events { [weak self] in self?.isWanted($0) ?? false }
        watch.withLock { watch in
            watch = Task { [weak self] in
                for await event in events { self?.handle(event) }
                self?.endAll()
            }
        }
    }

    deinit { watch.withLock { $0?.cancel() } }

    /// - Returns: nil if somebody else waits for it. Stopping pauses the download.
    package func wait(for id: DownloadID, _ report: @escaping @Sendable (JobFetchReport) -> Void) -> (any JobWork)? {
        let work = register(id, isUnpacked: true, report)
        // Events may have passed before the registration.
        if work != nil { catchUp(id) }
        return work
    }

    /// The same for a download that nothing has happened to.
    func register(
        _ id: DownloadID, isUnpacked: Bool, _ report: @escaping @Sendable (JobFetchReport) -> Void
    ) -> (any JobWork)? {
        state.withLock { state in
            guard state.registrations[id] == nil else { return nil }
            state.nextNumber += 1
            state.registrations[id] = Registration(
                number: state.nextNumber, isUnpacked: isUnpacked, report: report)
            return Waiting(watch: self, id: id)
        }
    }

    private func stop(_ id: DownloadID) {
        do throws(DownloadError) {
            try manager.pause(id)
        } catch {
            // One that has completed says so itself; one that is gone says nothing any more.
            if error.code == .unknownDownload { end(id, .stopped) }
        }
    }

    // MARK: What happens

    /// Whether there is news in the state of a download. There is none while it waits for its first turn.
    private func isWanted(_ id: DownloadID) -> Bool {
        guard let known = state.withLock({ $0.registrations[id] }) else { return false }
        if known.isBegun || known.isFull { return true }
        if case .queued = manager.state(of: id) { return false }
        return true
    }

    package func handle(_ event: DownloadManager.Event) {
        switch event {
        case .completed(let id, let result): end(id, fetched: result)
        case .failed(let id, let error):
            // It may have been retried, and somebody else be waiting for it, since the event was made.
            if manager.snapshot(id).map({ if case .failed = $0.state { true } else { false } }) ?? true {
                end(id, .failed(.download(error)))
            }
        case .changed(let snapshot): look(at: snapshot)
        case .removed(let id): end(id, .stopped)
        case .missed: for id in state.withLock({ Array($0.registrations.keys) }) { catchUp(id) }
        case .notice(let id, let notice): tell(id, .notice(notice))
        case .added, .sessionNotSaved: break
        }
    }

    private func look(at snapshot: DownloadSnapshot) {
        let id = snapshot.id
        switch snapshot.state {
        case .paused:
            // It may have been resumed, and somebody else be waiting for it, since the event was made.
            guard let number = state.withLock({ $0.registrations[id]?.number }),
                case .paused = manager.snapshot(id)?.state
            else { return }
            tell(id, .progressed(JobProgress(snapshot)))
            end(id, .stopped, of: number)
        case .waiting(.diskFull(let reason)):
            tell(id, .progressed(JobProgress(snapshot)))
            waits(id, DownloadError(.diskFull, reason, remedies: [.freeSpace], recovery: .retryAfter(nil)))
        case .running:
            begin(id)
            tell(id, .progressed(JobProgress(snapshot)))
            waits(id, nil)
        case .queued, .waiting:
            tell(id, .progressed(JobProgress(snapshot)))
            waits(id, nil)
        case .completed, .failed, .cancelled: waits(id, nil)
        }
    }

    private func tell(_ id: DownloadID, _ report: JobFetchReport) {
        if case .notice = report { begin(id) }
        state.withLock({ $0.registrations[id]?.report })?(report)
    }

    private func begin(_ id: DownloadID) {
        let report = state.withLock { state -> (@Sendable (JobFetchReport) -> Void)? in
            guard let known = state.registrations[id], !known.isBegun else { return nil }
            state.registrations[id]?.isBegun = true
            return known.report
        }
        report?(.began)
    }

    /// Reports once when a download starts to wait for space, and once when it no longer does.
    private func waits(_ id: DownloadID, _ error: DownloadError?) {
        let report = state.withLock { state -> (@Sendable (JobFetchReport) -> Void)? in
            guard let known = state.registrations[id], known.isFull != (error != nil) else { return nil }
            state.registrations[id]?.isFull = error != nil
            return known.report
        }
        report?(.waitsForSpace(error))
    }

    /// Catches up with events that were missed.
    private func catchUp(_ id: DownloadID) {
        guard let snapshot = manager.snapshot(id) else { return end(id, .stopped) }
        switch snapshot.state {
        case .completed, .failed, .cancelled: handle(ended: id)
        case .queued, .running, .waiting, .paused: look(at: snapshot)
        }
    }

    private func handle(ended id: DownloadID) {
        Task {
            do {
                end(id, fetched: try await manager.result(of: id))
            } catch {
                end(id, JobFailure(error).map { .failed($0) } ?? .stopped)
            }
        }
    }

    private func end(_ id: DownloadID, fetched result: DownloadResult) {
        guard let known = state.withLock({ $0.registrations[id] }) else { return }
        end(id, .fetched(FetchedFile(result, isUnpacked: known.isUnpacked)))
    }

    /// - Parameter number: nil: whoever is registered.
    private func end(_ id: DownloadID, _ report: JobFetchReport, of number: Int? = nil) {
        // What ends at once was never seen to run.
        if case .stopped = report {} else { begin(id) }
        let told = state.withLock { state -> Registration? in
            guard let known = state.registrations[id], number == nil || known.number == number else { return nil }
            state.registrations[id] = nil
            return known
        }
        told?.report(report)
    }

    /// The manager was shut down, and sends no more events.
    package func endAll() {
        for id in state.withLock({ Array($0.registrations.keys) }) {
            if let snapshot = manager.snapshot(id) { tell(id, .progressed(JobProgress(snapshot))) }
            end(id, .stopped)
        }
    }
}

extension JobProgress {
    fileprivate init(_ snapshot: DownloadSnapshot) {
        self.init(snapshot.progress, fileName: snapshot.fileName)
    }
}
