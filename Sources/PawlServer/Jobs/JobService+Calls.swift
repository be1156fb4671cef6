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
            (spec.id.map { [RequestKey(id: $0, of: asked)] } ?? []) + (requestKey.map { [RequestKey($0, of: asked)] } ?? [])
        }
    }

    package enum Added: Hashable, Sendable {
        case new(StoredJob)
        /// It was there before: the same id, the same key, or the same request to the same place.
        case known(StoredJob)

        package var job: StoredJob { switch self { case .new(let job), .known(let job): job } }
    }

    package enum Refusal: Error, Hashable, Sendable {
        case unknown
        case conflict(Conflict)
        case failed(JobFailure)
    }

    /// Why something is not possible in this state.
    package struct Conflict: Hashable, Sendable {
        package enum Code: String, Hashable, Sendable {
            case idInUse, keyReused, targetInUse, alreadyCompleted, alreadyFailed, notCompleted, notFailed, notAnArchive, noDigest, nameFixed, fileMissing
            case busy, notSupported, changed
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

    // MARK: Adding

    /// Accepts jobs in their order. One that is refused does not keep the others from being accepted. What was accepted is durable, and
    /// begins in its turn. Calls are served one after the other, so that a request that is repeated finds the job of the first.
    ///
    /// Documents that jobs name are read before: what was accepted depends on no other server than its own.
    package func add(_ jobs: [NewJob]) async -> [Result<Added, Refusal>] {
        let jobs = await readingDocuments(of: jobs)
        await turn.enter()
        let outcomes = await addInTurn(jobs)
        await turn.leave()
        return outcomes
    }

    private func addInTurn(_ jobs: [Result<NewJob, Refusal>]) async -> [Result<Added, Refusal>] {
        var batch = Batch()
        for job in jobs {
            do throws(Refusal) {
                try plan(try job.get(), &batch)
            } catch {
                batch.outcomes.append(.failure(error))
            }
        }
        guard !batch.new.isEmpty || !batch.keys.isEmpty else { return batch.outcomes.map { $0.map { $0.added([]) } } }
        do throws(DownloadError) {
            // The session first: a download that is finished proves by it whose it is.
            guard await manager.saveSession() else { throw store.problem ?? Self.notSaved }
            var changes = JobChanges()
            changes.added = batch.new
            changes.keys = batch.keys.values.map { ($0.key, $0.outcome.holder) }
            let jobs = try await store.apply(changes).added
            accept(jobs, batch.secretSpecs)
            return batch.outcomes.map { $0.map { $0.added(jobs) } }
        } catch {
            for job in batch.new { job.download.map { try? manager.remove($0) } }
            return batch.outcomes.map { outcome in
                switch outcome {
                case .success(.known(let job)): .success(.known(job))
                case .success: .failure(.failed(.download(error)))
                case .failure(let refusal): .failure(refusal)
                }
            }
        }
    }

    static let notSaved = DownloadError(
        .diskError, "The database of the service cannot be written, so the job was not accepted.", remedies: [.checkDisk], recovery: .retryAfter(nil))

    /// What becomes of each of several new jobs before they are written down.
    private struct Batch {
        enum Outcome {
            case known(StoredJob)
            /// Index among the new ones.
            case new(Int)
            case twin(ofNew: Int)

            func added(_ jobs: [StoredJob]) -> Added {
                switch self {
                case .known(let job): .known(job)
                case .new(let index): .new(jobs[index])
                case .twin(let index): .known(jobs[index])
                }
            }

            var holder: JobChanges.Holder {
                switch self {
                case .known(let job): .number(job.number)
                case .new(let index), .twin(let index): .added(index)
                }
            }
        }

        var outcomes: [Result<Outcome, Refusal>] = []
        var new: [StoredJob] = []
        /// Those that no job had.
        var keys: [ExactText: (key: RequestKey, outcome: Outcome)] = [:]
        var downloads: [DownloadID: Int] = [:]
        /// By their index among the new ones.
        var secretSpecs: [Int: JobSpec] = [:]
    }

    private func plan(_ job: NewJob, _ batch: inout Batch) throws(Refusal) {
        do {
            try job.spec.checked()
            if let known = try known(job, batch) { return batch.outcomes.append(.success(known)) }
            var stored = StoredJob(id: job.spec.id ?? StoredJob.freshID(), spec: job.spec, added: LiveRuntime.wallClockMilliseconds)
            (stored.tag, stored.priority) = (job.tag, job.priority)
            stored.name = job.spec.fileName
            stored.state = job.isPaused ? .paused : .queued
            let index = batch.new.count
            let twin = try stored.isDirect ? admitDirect(&stored, batch) : queue(&stored, batch)
            for key in job.keys { batch.keys[ExactText(key.text)] = (key, twin ?? .new(index)) }
            if let twin { return batch.outcomes.append(.success(twin)) }
            batch.outcomes.append(.success(.new(index)))
            if let download = stored.download { batch.downloads[download] = index }
            if !storesSecrets {
                let (spec, isComplete) = stored.spec.withoutSecrets
                if !isComplete { batch.secretSpecs[index] = stored.spec }
                (stored.spec, stored.lacksSecrets) = (spec, !isComplete)
            }
            batch.new.append(stored)
        } catch {
            throw refusal(error, of: job.spec, among: batch.new)
        }
    }

    /// - Parameter new: those that are accepted together with it.
    func refusal(_ error: any Error, of spec: JobSpec, among new: [StoredJob] = []) -> Refusal {
        switch error {
        case let refusal as Refusal: return refusal
        case let error as JobSpecError: return .failed(.spec(error))
        case let error as DownloadError where error.code == .locked:
            let url = StoredJob(id: "", spec: spec, added: 0).url
            let holder = try? store.job(named: spec.fileName ?? "", of: url, in: spec.directory)
            let twin = new.first { $0.spec.directory.isExactly(spec.directory) && $0.spec.fileName?.isExactly(spec.fileName ?? "") ?? false }
            return .conflict(Conflict(.targetInUse, error.message, id: holder?.id ?? twin?.id))
        case let error as DownloadError: return .failed(.download(error))
        default: return .failed(.download(DownloadError(.invalidArgument, "\(error)", recovery: .giveUp)))
        }
    }

    private func known(_ job: NewJob, _ batch: Batch) throws -> Batch.Outcome? {
        for key in job.keys {
            let conflict = key.isID
                ? Conflict(.idInUse, "Another download has the id \(job.spec.id ?? "").", id: job.spec.id)
                : Conflict(.keyReused, "This Idempotency-Key was sent with another job before.")
            if let earlier = batch.keys[ExactText(key.text)] {
                guard earlier.key == key else { throw Refusal.conflict(conflict) }
                if case .new(let index) = earlier.outcome { return .twin(ofNew: index) }
                return earlier.outcome
            }
            if let known = try store.job(requestKey: key.text) {
                guard known.fingerprint.isEmpty || known.fingerprint.isExactly(key.fingerprint) else { throw Refusal.conflict(conflict) }
                return .known(try supplied(known.job, job))
            }
        }
        // The service has given it, or it was asked for again where it existed.
        if let id = job.spec.id, let known = try store.job(id) {
            guard job.asked.isSameJob(as: known.spec) || job.spec.isSameJob(as: known.spec) else {
                throw Refusal.conflict(Conflict(.idInUse, "Another download has the id \(id).", id: id))
            }
            return .known(try supplied(known, job))
        }
        return nil
    }

    /// A job whose secrets were not kept gets them again by the same request.
    private func supplied(_ known: StoredJob, _ job: NewJob) throws(DownloadError) -> StoredJob {
        guard known.lacksSecrets, state.withLock({ $0.secretSpecs[known.number] }) == nil else { return known }
        if job.spec.withoutSecrets.isComplete { return known }
        if known.isDirect {
            // One that has failed may be retried with them.
            state.withLock { $0.secretSpecs[known.number] = job.spec }
            reconcile(known.number)
            return known
        }
        guard !known.state.hasEnded else { return known }
        let request = try job.spec.onlyFile(SecretReader(), netrc).spec.request(SecretReader())
        let id = try manager.add(request, priority: Int(known.priority), isPaused: true)
        guard id == known.download else {
            if state.withLock({ $0.numbers[id] }) == nil { try manager.remove(id) }
            throw DownloadError(
                .invalidArgument, "The job with this id or key waits for its secrets, and this is another request.", recovery: .giveUp)
        }
        state.withLock { $0.secretSpecs[known.number] = job.spec }
        reconcile(known.number)
        return known
    }

    /// Gives it to the manager, paused until it is durable.
    ///
    /// - Returns: the job that has the same download already.
    private func queue(_ job: inout StoredJob, _ batch: Batch) throws(DownloadError) -> Batch.Outcome? {
        let secrets = SecretReader()
        let request = try job.spec.onlyFile(secrets, netrc).spec.request(secrets)
        let id = try manager.add(request, priority: Int(job.priority), isPaused: true, onDuplicate: request.ifExists == .rename ? .rename : .fail)
        if let index = batch.downloads[id] { return .twin(ofNew: index) }
        if let number = state.withLock({ $0.numbers[id] }), let known = try store.job(number: number) {
            // It may be the one whose secrets were not kept.
            if known.lacksSecrets { state.withLock { $0.secretSpecs[number] = job.spec } }
            reconcile(number)
            return .known(known)
        }
        job.download = id
        if let place = manager.place(of: id) { (job.priority, job.rank) = place }
        return nil
    }

    /// - Returns: the job that asks for the same already.
    private func admitDirect(_ job: inout StoredJob, _ batch: Batch) throws(DownloadError) -> Batch.Outcome? {
        let secrets = SecretReader()
        _ = try job.spec.onlyFile(secrets, netrc).spec.request(secrets)
        job.rank = Self.directRank
        return switch try directTwin(of: job, among: batch.new) {
        case .known(let known): .known(known)
        case .new(let index): .twin(ofNew: index)
        case nil: nil
        }
    }

    private func accept(_ jobs: [StoredJob], _ secretSpecs: [Int: JobSpec]) {
        state.withLock { state in
            for (index, job) in jobs.enumerated() {
                state.secretSpecs[job.number] = secretSpecs[index]
                state.sketches[job.number] = JobSketch(job)
                if let download = job.download { state.numbers[download] = job.number }
            }
        }
        for job in jobs { reconcile(job.number) }
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
        state.withLock { state in
            guard state.sketches[job.number]?.isPaused == true else { return }
            state.sketches[job.number]?.state = .queued
            ledger.edit(job.number) { if !$0.state.hasEnded { $0.state = .queued } }
        }
        try await settle()
        if job.state == .waiting, let download = job.download { try? manager.resume(download) }
        reconcile(job.number)
    }

    /// Runs a failed job again, from the step that failed.
    package func retry(_ id: String) async throws(Refusal) {
        let job = try job(id)
        guard job.state == .failed else { throw .conflict(Conflict(.notFailed, "Only a failed download can be retried, and this one is \(job.state.rawValue).")) }
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
        let download = try await inTurn { () async throws(Refusal) in try await self.removeInTurn(id, deletesFiles: deletesFiles, ifChange) }
        if let download { await leaving(download) }
    }

    /// - Returns: its download, which may need a moment to end.
    private func removeInTurn(_ id: String, deletesFiles: Bool, _ ifChange: Int64?) async throws(Refusal) -> DownloadID? {
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
        guard job.change == ifChange else { throw .conflict(Conflict(.changed, "The download was changed meanwhile.")) }
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
        while manager.isBeingRemoved(download), ContinuousClock.now < deadline, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(2)) }
    }

    package func setPriority(_ priority: Int32, of id: String) async throws(Refusal) {
        let job = try unfinished(id)
        if job.isDirect { throw .conflict(Self.notQueued) }
        guard let download = job.download else { return }
        do throws(DownloadError) { try manager.setPriority(Int(priority), of: download) } catch { throw .failed(.download(error)) }
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
