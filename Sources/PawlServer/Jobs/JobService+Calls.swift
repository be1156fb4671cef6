import Pawl
package import PawlCore
package import PawlJobs
import Synchronization

extension JobSpec {
    /// The same but for its id and for what is secret.
    func isSameJob(as other: JobSpec) -> Bool {
        var (mine, theirs) = (withoutSecrets.spec, other.withoutSecrets.spec)
        (mine.id, theirs.id) = (nil, nil)
        return mine == theirs
    }
}

/// What is asked of the service.
extension JobService {
    package struct NewJob: Sendable {
        package var spec: JobSpec
        package var priority: Int32 = 0
        package var isPaused = false
        package var tag: String?
        /// The client's key for the request.
        package var requestKey: String?
        /// As the client said it: without the settings of the service, and before documents were read.
        package var asked: JobSpec

        package init(_ spec: JobSpec, asked: JobSpec? = nil) { (self.spec, self.asked) = (spec, asked ?? spec) }

        /// What the same request comes with when it is repeated: an id that the client has chosen is one of them.
        var keys: [RequestKey] {
            (spec.id.map { [RequestKey(id: $0, of: asked)] } ?? [])
                + (requestKey.map { [RequestKey($0, of: asked)] } ?? [])
        }
    }

    package enum Added: Hashable, Sendable {
        case new(StoredJob)
        /// It was there before: the same id, the same key, or the same request to the same place.
        case known(StoredJob)

        package var job: StoredJob {
            switch self {
            case .new(let job), .known(let job): job
            }
        }
    }

    package enum Refusal: Error, Hashable, Sendable {
        case unknown
        case conflict(Conflict)
        case failed(JobFailure)
    }

    /// Why something is not possible in this state.
    package struct Conflict: Hashable, Sendable {
        package enum Code: String, Hashable, Sendable {
            case idInUse, keyReused, targetInUse, alreadyCompleted, alreadyFailed, notCompleted, notFailed,
                notAnArchive, noDigest, nameFixed, fileMissing
            case busy, notSupported, changed, lacksCredentials
        }

        package var code: Code
        package var message: String
        /// The job that is in the way.
        package var id: String?

        package init(_ code: Code, _ message: String, id: String? = nil) {
            self.code = code
            self.message = message
            self.id = id
        }
    }

    // MARK: Steering

    /// Stops it, and keeps what it has, until ``resume(_:)``.
    package func pause(_ id: String) async throws(Refusal) {
        let job = try unfinished(id)
        let run = state.withLock { state -> JobDriver? in
            state.sketches[job.number]?.state = .paused
            ledger.edit(job.number) { if !$0.state.hasEnded { $0.state = .paused } }
            return state.runs[job.number]?.driver
        }
        // One that has completed meanwhile is not paused.
        if let download = job.download { try? manager.pause(download) }
        run?.stop()
        try await settle()
    }

    /// Lets a paused job run in its turn.
    package func resume(_ id: String) async throws(Refusal) {
        let job = try unfinished(id)
        try checkCredentials(of: job)
        state.withLock { state in
            guard state.sketches[job.number]?.isPaused == true else { return }
            state.sketches[job.number]?.state = .queued
            ledger.edit(job.number) { if !$0.state.hasEnded { $0.state = .queued } }
        }
        try await settle()
        if job.state == .waiting, let download = job.download { try? manager.resume(download) }
        reconcile(job.number)
    }

    private func checkCredentials(of job: StoredJob) throws(Refusal) {
        if job.lacksSecrets, state.withLock({ $0.secretSpecs[job.number] }) == nil {
            throw .conflict(Self.lacksCredentials)
        }
    }

    static var lacksCredentials: Conflict {
        Conflict(
            .lacksCredentials,
            "Its URL, credentials or header fields were not kept across a restart. Provide them again to resume it.")
    }

    /// Runs a failed job again, from the step that failed.
    package func retry(_ id: String) async throws(Refusal) {
        let job = try job(id)
        guard job.state == .failed else {
            throw .conflict(
                Conflict(.notFailed, "Only a failed download can be retried, and this one is \(job.state.rawValue)."))
        }
        try checkCredentials(of: job)
        if let download = job.download, let snapshot = manager.snapshot(download), case .failed = snapshot.state {
            do throws(DownloadError) { try manager.resume(download) } catch { throw .failed(.download(error)) }
        }
        state.withLock { state in
            guard state.sketches[job.number] == nil else { return }
            var again = job
            again.retry()
            state.sketches[job.number] = JobSketch(again)
            ledger.edit(job.number) { if $0.state == .failed { $0.retry() } }
        }
        try await settle()
        reconcile(job.number)
    }

    /// Ends and forgets it.
    ///
    /// - Parameters:
    ///   - deletesFiles: what it has stored as well, but nothing that is not provably its own.
    ///   - ifChange: nothing happens unless this is the number of its latest change.
    package func remove(_ id: String, deletesFiles: Bool, ifChange: Int64? = nil) async throws(Refusal) {
        // Not while it gets another download.
        let download = try await inTurn { () async throws(Refusal) in
            try await self.removeInTurn(id, deletesFiles: deletesFiles, ifChange)
        }
        if let download { await leaving(download) }
    }

    /// - Returns: its download, which may need a moment to end.
    private func removeInTurn(_ id: String, deletesFiles: Bool, _ ifChange: Int64?) async throws(Refusal) -> DownloadID?
    {
        let job = try await current(id, ifChange)
        var changes = JobChanges()
        changes.removed = [job]
        do throws(DownloadError) { _ = try await store.apply(changes) } catch { throw .failed(.download(error)) }
        let (download, run) = state.withLock { state in
            let download = state.sketches[job.number]?.download ?? job.download
            (state.sketches[job.number], state.secretSpecs[job.number], state.markers[job.number]) = (nil, nil, nil)
            if let download { state.numbers[download] = nil }
            return (download, state.runs[job.number]?.driver)
        }
        if let download { try? manager.remove(download, deletingFiles: deletesFiles) }
        run?.stop()
        return download
    }

    /// The job, if this is the number of its latest change, also of those that are about to be written down.
    func current(_ id: String, _ ifChange: Int64?) async throws(Refusal) -> StoredJob {
        guard let ifChange else { return try job(id) }
        try await settle()
        let job = try job(id)
        guard job.change == ifChange else {
            throw .conflict(Conflict(.changed, "The download has changed in the meantime."))
        }
        return job
    }

    /// After all that were asked before: what adds, removes or replaces the download of a job.
    func inTurn<Value: Sendable>(_ body: () async throws(Refusal) -> Value) async throws(Refusal) -> Value {
        await turn.enter()
        do throws(Refusal) {
            let value = try await body()
            await turn.leave()
            return value
        } catch {
            await turn.leave()
            throw error
        }
    }

    /// A download that is removed needs a moment to leave its files; then others may have them.
    func leaving(_ download: DownloadID) async {
        let deadline = ContinuousClock.now + .seconds(10)
        while manager.isBeingRemoved(download), ContinuousClock.now < deadline, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(2))
        }
    }

    package func setPriority(_ priority: Int32, of id: String) async throws(Refusal) {
        let job = try unfinished(id)
        if job.isDirect { throw .conflict(Self.notQueued) }
        guard let download = job.download else { return }
        do throws(DownloadError) { try manager.setPriority(Int(priority), of: download) } catch {
            throw .failed(.download(error))
        }
        manager.snapshot(download).map(look)
        try await settle()
    }

    package func move(_ id: String, to position: QueuePosition) async throws(Refusal) {
        let job = try unfinished(id)
        if job.isDirect { throw .conflict(Self.notQueued) }
        guard let download = job.download else { return }
        do throws(DownloadError) { try manager.move(download, to: position) } catch { throw .failed(.download(error)) }
        manager.snapshot(download).map(look)
        try await settle()
    }

    // MARK: Looking

    /// Of a download that the manager has.
    func snapshot(_ id: DownloadID) -> DownloadSnapshot? { manager.snapshot(id) }

    package func job(_ id: String) throws(Refusal) -> StoredJob {
        do throws(DownloadError) {
            if let job = try store.job(id) { return job }
        } catch {
            throw .failed(.download(error))
        }
        throw .unknown
    }

    func unfinished(_ id: String) throws(Refusal) -> StoredJob {
        let job = try job(id)
        switch job.state {
        case .completed: throw .conflict(Conflict(.alreadyCompleted, "This download is completed."))
        case .failed: throw .conflict(Conflict(.alreadyFailed, "This download has failed. Retry it."))
        case .queued, .running, .waiting, .paused: return job
        }
    }

    func settle() async throws(Refusal) {
        do throws(DownloadError) { try await ledger.settle() } catch { throw .failed(.download(error)) }
    }
}
