import Pawl
import PawlCore
import PawlJobs
import Synchronization

/// Accepts new jobs.
extension JobService {
    /// Accepts jobs in their order. One that is refused does not keep the others from being accepted. What was accepted
    /// is durable, and begins in its turn. Calls are served one after the other, so that a request that is repeated
    /// finds the job of the first.
    ///
    /// Documents that jobs name are read before: what was accepted depends on no other server than its own.
    package func add(_ jobs: [NewJob]) async -> [Result<Added, Refusal>] {
        let jobs = await readingDocuments(of: jobs)
        await turn.acquire()
        let outcomes = await addInTurn(jobs)
        await turn.release()
        // What known jobs were given again; one that is not kept would be missing after a restart only.
        try? await ledger.settle()
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
            eraseSecrets(of: batch.new)
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
        .diskError, "The service cannot write to its database, so the job was not accepted.", remedies: [.checkDisk],
        recovery: .retryAfter(nil))

    /// The outcome of each of several new jobs, planned before they are written to the database.
    private struct Batch {
        enum Outcome {
            case known(StoredJob)
            /// The index among the new jobs.
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
        /// The request keys that no job had.
        var keys: [ExactText: (key: RequestKey, outcome: Outcome)] = [:]
        var downloads: [DownloadID: Int] = [:]
        /// The jobs that run without the queue, by the request.
        var direct: [ExactText: Int] = [:]
        /// The specifications with secrets, by index among the new jobs.
        var secretSpecs: [Int: JobSpec] = [:]
    }

    private func plan(_ job: NewJob, _ batch: inout Batch) throws(Refusal) {
        do {
            try job.spec.checked()
            if let known = try known(job, batch) { return batch.outcomes.append(.success(known)) }
            var stored = StoredJob(
                id: job.spec.id ?? StoredJob.freshID(), spec: job.spec, added: LiveRuntime.wallClockMilliseconds)
            (stored.tag, stored.priority) = (job.tag, job.priority)
            stored.name = job.spec.fileName
            stored.state = job.isPaused ? .paused : .queued
            let index = batch.new.count
            let twin = try stored.isDirect ? admitDirect(&stored, &batch) : queue(&stored, batch)
            for key in job.keys { batch.keys[ExactText(key.text)] = (key, twin ?? .new(index)) }
            if let twin { return batch.outcomes.append(.success(twin)) }
            batch.outcomes.append(.success(.new(index)))
            if let download = stored.download { batch.downloads[download] = index }
            let (kept, isComplete) = kept(of: stored.spec)
            if !isComplete { batch.secretSpecs[index] = stored.spec }
            (stored.spec, stored.lacksSecrets) = (kept, !isComplete)
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
            let twin = new.first {
                $0.spec.directory.isExactly(spec.directory) && $0.spec.fileName?.isExactly(spec.fileName ?? "") ?? false
            }
            return .conflict(Conflict(.targetInUse, error.message, id: holder?.id ?? twin?.id))
        case let error as DownloadError: return .failed(.download(error))
        default: return .failed(.download(DownloadError(.invalidArgument, "\(error)", recovery: .giveUp)))
        }
    }

    private func known(_ job: NewJob, _ batch: Batch) throws -> Batch.Outcome? {
        for key in job.keys {
            let conflict =
                key.isID
                ? Conflict(.idInUse, "Another download has the id \(job.spec.id ?? "").", id: job.spec.id)
                : Conflict(.keyReused, "This Idempotency-Key has already been used for a different job.")
            if let earlier = batch.keys[ExactText(key.text)] {
                guard earlier.key == key else { throw Refusal.conflict(conflict) }
                if case .new(let index) = earlier.outcome { return .twin(ofNew: index) }
                return earlier.outcome
            }
            if let known = try store.job(requestKey: key.text) {
                guard known.fingerprint.isEmpty || known.fingerprint.isExactly(key.fingerprint) else {
                    throw Refusal.conflict(conflict)
                }
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
        guard lacksSecrets(known), job.spec.holdsSecrets else { return known }
        if known.isDirect {
            // One that has failed may be retried with them.
            supply(job.spec, to: known.number)
            reconcile(known.number)
            return known
        }
        guard !known.state.hasEnded else { return known }
        let request = try job.spec.onlyFile(SecretReader(), netrc).spec.request(SecretReader())
        let id = try manager.add(request, priority: Int(known.priority), isPaused: true)
        guard id == known.download else {
            if state.withLock({ $0.numbers[id] }) == nil { try manager.remove(id) }
            throw DownloadError(
                .invalidArgument,
                "The job with this id or key is waiting for its secrets, and this request is different.",
                recovery: .giveUp)
        }
        supply(job.spec, to: known.number)
        reconcile(known.number)
        return known
    }

    /// Gives it to the manager, paused until it is durable.
    ///
    /// - Returns: the job that has the same download already.
    private func queue(_ job: inout StoredJob, _ batch: Batch) throws -> Batch.Outcome? {
        let secrets = SecretReader()
        let request = try job.spec.onlyFile(secrets, netrc).spec.request(secrets)
        let asked = job
        // The job that has the download and uses the file otherwise, if there is one.
        var other: Result<StoredJob, any Error>?
        func mayServe(_ id: DownloadID) -> Bool {
            do {
                guard let holder = try holder(of: id, batch), holder.usesFileOtherwise(than: asked) else { return true }
                other = .success(holder)
            } catch {
                other = .failure(error)
            }
            return false
        }
        let id: DownloadID
        do {
            id = try manager.add(
                request, priority: Int(asked.priority), isPaused: true,
                onDuplicate: request.ifExists == .rename ? .rename : .fail, markerNumber: nil, mayServe: mayServe)
        } catch {
            if error.code == .locked, let other { throw Self.usedOtherwise(by: try other.get()) }
            throw error
        }
        if let index = batch.downloads[id] { return .twin(ofNew: index) }
        if let known = try holder(of: id, batch) {
            supply(job.spec, to: known)
            reconcile(known.number)
            return .known(known)
        }
        if let other, request.ifExists != .rename {
            // The other one was restored without its secrets, and has no target yet that could be in the way.
            try manager.remove(id)
            throw Self.usedOtherwise(by: try other.get())
        }
        job.download = id
        if let place = manager.place(of: id) { (job.priority, job.rank) = place }
        return nil
    }

    private static func usedOtherwise(by job: StoredJob) -> Refusal {
        .conflict(
            Conflict(
                .targetInUse,
                "The file is already being downloaded by a job that unpacks it differently or not at all.",
                id: job.id))
    }

    /// The job that has this download.
    private func holder(of id: DownloadID, _ batch: Batch) throws(DownloadError) -> StoredJob? {
        if let index = batch.downloads[id] { return batch.new[index] }
        guard let number = state.withLock({ $0.numbers[id] }) else { return nil }
        return try store.job(number: number)
    }

    /// - Returns: the job that asks for the same already.
    private func admitDirect(_ job: inout StoredJob, _ batch: inout Batch) throws(DownloadError) -> Batch.Outcome? {
        let secrets = SecretReader()
        _ = try job.spec.onlyFile(secrets, netrc).spec.request(secrets)
        job.rank = Self.directRank
        let asked = ExactText(RequestKey("", of: job.spec).fingerprint)
        if let index = batch.direct[asked] { return .twin(ofNew: index) }
        if let known = try store.unfinishedDirectJobs(of: job.url, in: job.spec.directory).first(where: {
            $0.spec.isSameJob(as: job.spec)
        }) {
            supply(job.spec, to: known)
            reconcile(known.number)
            return .known(known)
        }
        batch.direct[asked] = batch.new.count
        return nil
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
}

extension StoredJob {
    /// Whether it does something else with the file, apart from passwords.
    fileprivate func usesFileOtherwise(than other: StoredJob) -> Bool {
        spec.withoutSecrets.spec.use != other.spec.withoutSecrets.spec.use
    }
}
