package import Pawl
import PawlArchive
import PawlCore
import PawlEngine
import PawlMetalink
import Synchronization

/// Brings the files of one run by a ``DownloadManager``, and members of remote archives by a ``Downloader``.
package final class LiveFetches: JobFetchPort {
    private struct Fetching: JobWork {
        let fetches: LiveFetches
        let id: DownloadID

        func stop() { fetches.stop(id) }
    }

    /// Something that could not begin.
    private struct Nothing: JobWork {
        func stop() {}
    }

    /// Who waits for a download. Of what was seen of it before it was registered, nothing counts.
    private struct Registration {
        let number: Int
        let report: @Sendable (JobFetchReport) -> Void
        /// It waits for space, as was told.
        var isFull = false
    }

    private struct State {
        var registrations: [DownloadID: Registration] = [:]
        var nextNumber = 0
        /// Downloads that were stopped, to go on as they are.
        var stopped: [JobFileID: DownloadID] = [:]
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
                self?.endAll()
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
            let download = try begin(id, file)
            let isOthers = state.withLock { state in
                guard state.registrations[download] == nil else { return true }
                state.nextNumber += 1
                state.registrations[download] = Registration(number: state.nextNumber, report: report)
                state.stopped[id] = download
                return false
            }
            guard !isOthers else {
                throw DownloadError(
                    .locked, "This run already downloads the same URL to the same place.", remedies: [], recovery: .giveUp)
            }
            // What has happened before anybody was registered.
            catchUp(download)
            return Fetching(fetches: self, id: download)
        } catch {
            report(.failed(.download(error)))
            return Nothing()
        }
    }

    /// One that was stopped goes on under the name that it has.
    private func begin(_ id: JobFileID, _ file: JobFile) throws(DownloadError) -> DownloadID {
        let request = try file.spec.request(secrets)
        let former = state.withLock { $0.stopped[id] }
        let download: DownloadID
        if let former, case .paused = manager.snapshot(former)?.state {
            download = former
        } else {
            download = try manager.add(request, onDuplicate: request.ifExists == .rename ? .rename : .fail)
        }
        if case .paused = manager.snapshot(download)?.state { try manager.resume(download) }
        return download
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

    private func take(_ event: DownloadManager.Event) {
        switch event {
        case .completed(let id, let result): end(id, .fetched(FetchedFile(result)))
        case .failed(let id, let error): end(id, .failed(.download(error)))
        case .changed(let snapshot): look(at: snapshot)
        case .removed(let id): end(id, .stopped)
        case .missed: for id in state.withLock({ Array($0.registrations.keys) }) { catchUp(id) }
        case .added, .notice, .sessionNotSaved: break
        }
    }

    private func look(at snapshot: DownloadSnapshot) {
        let id = snapshot.id
        switch snapshot.state {
        case .paused:
            // It may have been resumed, and somebody else be waiting for it, since the event was made.
            guard let number = state.withLock({ $0.registrations[id]?.number }), case .paused = manager.snapshot(id)?.state else { return }
            end(id, .stopped, of: number)
        case .waiting(.diskFull(let reason)):
            tell(id, DownloadError(.diskFull, reason, remedies: [.freeSpace], recovery: .retryAfter(nil)))
        case .queued, .running, .waiting, .completed, .failed: tell(id, nil)
        }
    }

    /// Told once when it begins to wait for space, and once when it does not any more.
    private func tell(_ id: DownloadID, _ error: DownloadError?) {
        let report = state.withLock { state -> (@Sendable (JobFetchReport) -> Void)? in
            guard let known = state.registrations[id], known.isFull != (error != nil) else { return nil }
            state.registrations[id]?.isFull = error != nil
            return known.report
        }
        report?(.waitsForSpace(error))
    }

    /// What has become of it while nobody listened.
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

    /// - Parameter number: nil: whoever is registered.
    private func end(_ id: DownloadID, _ report: JobFetchReport, of number: Int? = nil) {
        let told = state.withLock { state -> Registration? in
            guard let known = state.registrations[id], number == nil || known.number == number else { return nil }
            state.registrations[id] = nil
            if case .stopped = report { return known }
            state.stopped = state.stopped.filter { $0.value != id }
            return known
        }
        told?.report(report)
    }

    /// The manager was shut down, and tells nothing any more.
    private func endAll() {
        for id in state.withLock({ Array($0.registrations.keys) }) { end(id, .stopped) }
    }
}

extension FetchedFile {
    init(_ result: DownloadResult) {
        self.init(
            target: JobTarget(path: result.path), path: result.path, existed: result.wasSkipped, isVerified: result.isVerified,
            isComplete: result.isComplete, mark: UnpackedMark(of: result.path, patterns: nil))
    }
}
