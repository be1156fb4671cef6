import Pawl
package import PawlCore
package import PawlJobs
import Synchronization

/// Calls on the jobs of the service: add, pause, resume, retry, remove.
extension JobService {
    package struct NewJob: Sendable {
        package var spec: JobSpec
        package var priority: Int32 = 0
        package var isPaused = false
        package var tag: String?
        /// The client's key for the request.
        package var requestKey: String?
        /// The specification as the client sent it: without the settings of the service, and before documents were
        /// read.
        package var asked: JobSpec

        package init(_ spec: JobSpec, asked: JobSpec? = nil) { (self.spec, self.asked) = (spec, asked ?? spec) }

        /// The keys that recognize the same request when it is repeated; an id that the client has chosen is one of
        /// them.
        var keys: [RequestKey] {
            (spec.id.map { [RequestKey(id: $0, of: asked)] } ?? [])
                + (requestKey.map { [RequestKey($0, of: asked)] } ?? [])
        }
    }

    package enum Added: Hashable, Sendable {
        case new(StoredJob)
        /// The job existed before: the same id, the same key, or the same request to the same place.
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

    /// The reason why an action is not possible in this state.
    package struct Conflict: Hashable, Sendable {
        package enum Code: String, Hashable, Sendable {
            case idInUse, keyReused, targetInUse, alreadyCompleted, alreadyFailed, notCompleted, notFailed,
                notAnArchive, noDigest, nameFixed, fileMissing
            case busy, notSupported, changed, lacksCredentials, outsideRoots
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

    /// Stops them, and keeps what they have, until ``resume(_:)-([String])``. This and the other calls for several jobs
    /// make one commit.
    ///
    /// - Returns: for each id why it was not done.
    package func pause(_ ids: [String]) async -> [Refusal?] {
        await settled(
            each(ids) { (job) throws(Refusal) in
                try Self.checkUnfinished(job)
                let run = state.withLock { state -> JobDriver? in
                    state.sketches[job.number]?.state = .paused
                    ledger.edit(job.number) { if !$0.state.hasEnded { $0.state = .paused } }
                    return state.runs[job.number]?.driver
                }
                // One that has completed meanwhile is not paused.
                if let download = job.download { try? manager.pause(download) }
                run?.stop()
            })
    }

    /// Lets paused jobs run in their turn.
    package func resume(_ ids: [String]) async -> [Refusal?] {
        var resumed: [StoredJob] = []
        let outcomes = await settled(
            each(ids) { (job) throws(Refusal) in
                try Self.checkUnfinished(job)
                try checkBegin(of: job)
                state.withLock { state in
                    guard state.sketches[job.number]?.isPaused == true else { return }
                    state.sketches[job.number]?.state = .queued
                    ledger.edit(job.number) { if !$0.state.hasEnded { $0.state = .queued } }
                }
                resumed.append(job)
            })
        for job in resumed {
            if job.state == .waiting, let download = job.download { try? manager.resume(download) }
            reconcile(job.number)
        }
        return outcomes
    }

    /// Throws the refusal that the job would meet as soon as it ran.
    private func checkBegin(of job: StoredJob) throws(Refusal) {
        if lacksSecrets(job) { throw .conflict(Self.lacksCredentials) }
        if let refusal = refusal(of: spec(of: job)) { throw .conflict(Conflict(.outsideRoots, refusal.message)) }
    }

    /// Returns whether secrets of the job were left out and nobody has given them again.
    func lacksSecrets(_ job: StoredJob) -> Bool {
        job.lacksSecrets && state.withLock { $0.secretSpecs[job.number] } == nil
    }

    static var lacksCredentials: Conflict {
        Conflict(
            .lacksCredentials,
            "Its URL, credentials or header fields were not kept across a restart. Provide them again to resume it.")
    }

    /// Runs failed jobs again, from the step that failed.
    package func retry(_ ids: [String]) async -> [Refusal?] {
        var retried: [StoredJob] = []
        var outcomes = await settled(
            each(ids) { (job) throws(Refusal) in
                try beginRetry(job)
                retried.append(job)
            })
        // The history may have been trimmed before that was written down.
        let kept = Set((try? store.numbers(of: retried)) ?? retried.map(\.number))
        for job in retried where !kept.contains(job.number) {
            forget(job.number)
            if let download = job.download { try? manager.remove(download) }
            for index in ids.indices where ids[index].isExactly(job.id) { outcomes[index] = .unknown }
        }
        for job in retried where kept.contains(job.number) { reconcile(job.number) }
        return outcomes
    }

    private func beginRetry(_ job: StoredJob) throws(Refusal) {
        guard job.state == .failed else {
            throw .conflict(
                Conflict(.notFailed, "Only a failed download can be retried, and this one is \(job.state.rawValue)."))
        }
        try Self.checkReadable(job)
        try checkBegin(of: job)
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
    }

    /// Ends and forgets them.
    ///
    /// - Parameters:
    ///   - deletesFiles: what they have stored as well, but nothing that is not provably their own.
    ///   - ifChange: nothing happens to one whose latest change has another number.
    package func remove(_ ids: [String], deletesFiles: Bool, ifChange: Int64? = nil) async -> [Refusal?] {
        // Not while one of them gets another download.
        await turn.acquire()
        if ifChange != nil { try? await ledger.settle() }
        var removed: [StoredJob] = []
        var outcomes = each(ids) { (job) throws(Refusal) in
            try Self.check(job, ifChange)
            removed.append(job)
        }
        var changes = JobChanges()
        changes.removed = removed
        var leaving: [DownloadID] = []
        do throws(DownloadError) {
            leaving = try await store.apply(changes).removed.compactMap { drop($0, deletingFiles: deletesFiles) }
        } catch {
            outcomes = outcomes.map { $0 ?? .failed(.download(error)) }
        }
        await turn.release()
        await self.leaving(leaving)
        eraseSecrets(of: removed)
        return outcomes
    }

    /// Releases a job that is gone from the database and was there to the end. Call it in turn.
    ///
    /// - Returns: its download, which may need a moment to end.
    func drop(_ job: StoredJob, deletingFiles: Bool = false) -> DownloadID? {
        let (download, run) = state.withLock { state in
            let download = state.sketches[job.number]?.download ?? job.download
            (state.sketches[job.number], state.secretSpecs[job.number], state.markers[job.number]) = (nil, nil, nil)
            if let download { state.numbers[download] = nil }
            // Its end was told, and clients remove what has ended.
            if job.isHookDue { state.runs[job.number]?.removed = job }
            return (download, state.runs[job.number]?.driver)
        }
        if let download { try? manager.remove(download, deletingFiles: deletingFiles) }
        run?.stop()
        return download
    }

    // MARK: One of them

    package func pause(_ id: String) async throws(Refusal) { try Self.check(await pause([id])) }

    package func resume(_ id: String) async throws(Refusal) { try Self.check(await resume([id])) }

    package func retry(_ id: String) async throws(Refusal) { try Self.check(await retry([id])) }

    package func remove(_ id: String, deletesFiles: Bool, ifChange: Int64? = nil) async throws(Refusal) {
        try Self.check(await remove([id], deletesFiles: deletesFiles, ifChange: ifChange))
    }

    private static func check(_ outcomes: [Refusal?]) throws(Refusal) {
        if let refusal = outcomes.first ?? nil { throw refusal }
    }

    // MARK: Several

    /// - Returns: for each id what the body has thrown, or that there is no such job.
    private func each(_ ids: [String], _ body: (StoredJob) throws(Refusal) -> Void) -> [Refusal?] {
        let jobs: [ExactText: StoredJob]
        do throws(DownloadError) { jobs = try store.jobs(ids) } catch {
            return ids.map { _ in .failed(.download(error)) }
        }
        return ids.map { id in
            guard let job = jobs[ExactText(id)] else { return .unknown }
            do throws(Refusal) { try body(job) } catch { return error }
            return nil
        }
    }

    /// The same, or why what was done is not durable.
    private func settled(_ outcomes: [Refusal?]) async -> [Refusal?] {
        guard outcomes.contains(where: { $0 == nil }) else { return outcomes }
        do throws(Refusal) { try await settle() } catch { return outcomes.map { $0 ?? error } }
        return outcomes
    }

    /// The job, if this is the number of its latest change, also of those that are about to be written down.
    func current(_ id: String, _ ifChange: Int64?) async throws(Refusal) -> StoredJob {
        guard let ifChange else { return try job(id) }
        try await settle()
        let job = try job(id)
        try Self.check(job, ifChange)
        return job
    }

    private static func check(_ job: StoredJob, _ ifChange: Int64?) throws(Refusal) {
        guard let ifChange, job.change != ifChange else { return }
        throw .conflict(Conflict(.changed, "The download has changed in the meantime."))
    }

    /// - Throws: for one that stands for a row that is left as it is.
    static func checkReadable(_ job: StoredJob) throws(Refusal) {
        guard job.isUnreadable else { return }
        throw .failed(.download(DownloadError(.journal, job.failure?.message ?? "", recovery: .giveUp)))
    }

    /// Runs the body after all earlier ones. Adding, removing or replacing the download of a job takes turns in this
    /// way.
    func inTurn<Value: Sendable>(_ body: () async throws(Refusal) -> Value) async throws(Refusal) -> Value {
        await turn.acquire()
        do throws(Refusal) {
            let value = try await body()
            await turn.release()
            return value
        } catch {
            await turn.release()
            throw error
        }
    }

    /// Waits, for ten seconds at most, until removed downloads have left their files, so that others may have them.
    func leaving(_ downloads: [DownloadID]) async {
        let deadline = ContinuousClock.now + .seconds(10)
        for download in downloads {
            while manager.isBeingRemoved(download), ContinuousClock.now < deadline, !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(2))
            }
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

    /// Returns the state of a download that the manager has.
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
        try Self.checkUnfinished(job)
        return job
    }

    private static func checkUnfinished(_ job: StoredJob) throws(Refusal) {
        try checkReadable(job)
        switch job.state {
        case .completed: throw .conflict(Conflict(.alreadyCompleted, "This download is completed."))
        case .failed: throw .conflict(Conflict(.alreadyFailed, "This download has failed. Retry it."))
        case .queued, .running, .waiting, .paused: break
        }
    }

    func settle() async throws(Refusal) {
        do throws(DownloadError) { try await ledger.settle() } catch { throw .failed(.download(error)) }
    }
}
