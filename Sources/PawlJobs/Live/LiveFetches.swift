package import Pawl
import PawlCore
import PawlEngine
import PawlMetalink
import Synchronization

/// Brings files by a ``DownloadManager``, and members of remote archives by a ``Downloader``.
package final class LiveFetches: JobFetchPort {
    private struct Fetching: JobWork {
        let manager: DownloadManager
        let id: DownloadID

        // One that has completed meanwhile says so.
        func stop() { try? manager.pause(id) }
    }

    /// Something that could not begin.
    private struct Nothing: JobWork {
        func stop() {}
    }

    private struct State {
        var fetches: [DownloadID: @Sendable (JobFetchReport) -> Void] = [:]
        /// Waits for space, as was told.
        var full: Set<DownloadID> = []
    }

    private let manager: DownloadManager
    private let members: LiveMembers
    private let netrc: Netrc?
    private let secrets: SecretReader
    private let state = Locked(State())
    private let watch: Locked<Task<Void, Never>?>

    /// - Parameters:
    ///   - downloader: for members.
    ///   - netrc: that of the manager's downloader.
    ///   - password: asked for where members want one.
    package init(
        _ manager: DownloadManager, _ downloader: Downloader, netrc: Netrc? = nil, _ secrets: SecretReader,
        password: @escaping LiveArchives.Password = { _, _, _ in nil }
    ) {
        self.manager = manager
        members = LiveMembers(downloader: downloader, secrets: secrets, password: password)
        self.netrc = netrc
        self.secrets = secrets
        watch = Locked(nil)
        let events = manager.events
        watch.withLock { watch in
            watch = Task { [weak self] in
                for await event in events { self?.take(event) }
            }
        }
    }

    deinit { watch.withLock { $0?.cancel() } }

    package func prepare(_ file: ResolvedFile) throws(JobFailure) -> JobFile {
        do throws(DownloadError) {
            let request = try file.spec.request(secrets)
            if let described = file.described { try described.file.makeDirectories(in: described.directory) }
            let identity = request.settings(netrc: netrc)?.identity ?? Array(request.url.utf8)
            return JobFile(spec: file.spec, identity: identity, target: JobTarget(in: request.directory, request.fileName))
        } catch {
            throw .download(error)
        }
    }

    package func fetch(
        _ id: JobFileID, _ file: JobFile, isWhole: Bool, _ report: @escaping @Sendable (JobFetchReport) -> Void
    ) -> any JobWork {
        guard isWhole || file.spec.members.isEmpty else { return members.fetch(file, report) }
        do throws(DownloadError) {
            let request = try file.spec.request(secrets)
            let download = try manager.add(request, onDuplicate: request.ifExists == .rename ? .rename : .fail)
            // One that was paused; before anybody listens, lest an old event be taken for a new one.
            if case .paused = manager.snapshot(download)?.state { try manager.resume(download) }
            let other = state.withLock { state in
                guard state.fetches[download] == nil else { return true }
                state.fetches[download] = report
                return false
            }
            guard !other else {
                throw DownloadError(.locked, "This run already downloads the same URL to the same place.", recovery: .giveUp)
            }
            if manager.snapshot(download)?.hasEnded == true { take(ended: download) }
            return Fetching(manager: manager, id: download)
        } catch {
            report(.failed(.download(error)))
            return Nothing()
        }
    }

    // MARK: What happens

    private func take(_ event: DownloadManager.Event) {
        switch event {
        case .completed(let id, let result): end(id, .fetched(FetchedFile(result)))
        case .failed(let id, let error): end(id, .failed(.download(error)))
        case .changed(let snapshot): look(at: snapshot)
        case .missed: for id in state.withLock({ Array($0.fetches.keys) }) { catchUp(id) }
        case .added, .removed, .notice, .sessionNotSaved: break
        }
    }

    private func look(at snapshot: DownloadSnapshot) {
        switch snapshot.state {
        // Not any more, if it was resumed meanwhile.
        case .paused: if case .paused = manager.snapshot(snapshot.id)?.state { end(snapshot.id, .stopped) }
        case .waiting(.diskFull(let reason)): tell(snapshot.id, DownloadError(.diskFull, reason, recovery: .retryAfter(nil)))
        case .queued, .running, .waiting, .completed, .failed: tell(snapshot.id, nil)
        }
    }

    /// Told once when it begins to wait for space, and once when it does not any more.
    private func tell(_ id: DownloadID, _ error: DownloadError?) {
        let report = state.withLock { state in
            let isNew = error == nil ? state.full.remove(id) != nil : state.full.insert(id).inserted
            return isNew ? state.fetches[id] : nil
        }
        report?(.waitsForSpace(error))
    }

    /// Events were lost: what has become of it meanwhile?
    private func catchUp(_ id: DownloadID) {
        guard let snapshot = manager.snapshot(id) else { return end(id, .stopped) }
        switch snapshot.state {
        case .completed, .failed: take(ended: id)
        case .queued, .running, .waiting, .paused: look(at: snapshot)
        }
    }

    private func take(ended id: DownloadID) {
        Task {
            do {
                end(id, .fetched(FetchedFile(try await manager.result(of: id))))
            } catch {
                end(id, JobFailure(error).map { .failed($0) } ?? .stopped)
            }
        }
    }

    private func end(_ id: DownloadID, _ report: JobFetchReport) {
        let told = state.withLock { state in
            state.full.remove(id)
            return state.fetches.removeValue(forKey: id)
        }
        told?(report)
    }
}

extension DownloadSnapshot {
    fileprivate var hasEnded: Bool {
        switch state {
        case .completed, .failed: true
        case .queued, .running, .waiting, .paused: false
        }
    }
}

extension FetchedFile {
    init(_ result: DownloadResult) {
        self.init(
            target: JobTarget(path: result.path), path: result.path, existed: result.wasSkipped, isVerified: result.isVerified,
            isComplete: result.isComplete)
    }
}
