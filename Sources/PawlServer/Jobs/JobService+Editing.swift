package import Pawl
package import PawlCore
package import PawlJobs
import Synchronization

/// Changes to a job after it was accepted.
extension JobService {
    package struct Changes: Sendable {
        package var priority: Int32?
        package var position: Position?
        /// The inner nil lifts the limit.
        package var maxSpeed: Int64??
        /// The inner nil takes the tag away.
        package var tag: String??
        package var connections: Int?
        package var url: String?
        package var mirrors: [Mirror] = []
        /// The complete list of sources, the first of which is preferred; not together with ``url`` and ``mirrors``.
        package var sources: [String]?
        package var authentication: Authentication??
        package var headers: [HTTPField]?
        package var fileName: String?
        package var adoptsPartialFile: Bool?
        package var ifExists: ExistingFilePolicy?
        /// Other changes to the specification.
        package var edit: (@Sendable (inout JobSpec) -> Void)?
        /// The expected number of the job's latest change; otherwise nothing happens.
        package var ifChange: Int64?

        package init() {}

        /// The download has to be made anew with these, from what it has stored.
        var needsRequest: Bool {
            connections != nil || url != nil || !mirrors.isEmpty || sources != nil || edit != nil
                || authentication != nil || headers != nil || fileName != nil || adoptsPartialFile != nil
                || ifExists != nil
        }

        /// Whether the changes bring secrets that may be missing after a restart.
        var givesSecrets: Bool {
            url != nil || sources != nil || authentication.map { $0 != nil } ?? false || headers?.isEmpty == false
        }
    }

    /// A place in the queue.
    package enum Position: Hashable, Sendable {
        case top, bottom
        case index(Int)
        case by(Int)
        case before(String)
        case after(String)
    }

    /// - Throws: ``Refusal``; nothing is changed then.
    package func change(_ id: String, _ changes: Changes) async throws(Refusal) {
        // Others may change it together with us, and share the commit.
        guard changes.needsRequest || changes.ifChange != nil else { return try await apply(changes, to: id) }
        try await inTurn { () async throws(Refusal) in try await self.apply(changes, to: id) }
    }

    private func apply(_ changes: Changes, to id: String) async throws(Refusal) {
        let job = try await current(id, changes.ifChange)
        try Self.checkReadable(job)
        if changes.movesFile(of: spec(of: job)),
            job.state.hasEnded || job.stored > 0 || job.started != nil || job.state == .running
        {
            throw .conflict(Conflict(.nameFixed, "The name cannot be changed once the download has begun."))
        }
        // One that has failed may get what it needs to be retried.
        if job.state == .completed && changes.needsRequest || changes.priority != nil || changes.position != nil
            || changes.maxSpeed != nil
        {
            _ = try unfinished(id)
        }
        let position = try changes.position.map { (position) throws(Refusal) in try queuePosition(position) }
        if changes.needsRequest { try await renew(job, changes) }
        if let tag = changes.tag { ledger.edit(job.number) { $0.tag = tag } }
        // It may have another download by now.
        if let limit = changes.maxSpeed { try await setSpeedLimit(limit, of: try self.job(id)) }
        if let priority = changes.priority { try await setPriority(priority, of: id) }
        if let position { try await move(id, to: position) }
        try await settle()
    }

    /// - Throws: ``Refusal``, if it names a download that is not in the queue.
    package func queuePosition(_ position: Position) throws(Refusal) -> QueuePosition {
        switch position {
        case .top: return .top
        case .bottom: return .bottom
        case .index(let index): return .index(index)
        case .by(let offset): return .offset(offset)
        case .before(let id): return .before(try download(of: id))
        case .after(let id): return .after(try download(of: id))
        }
    }

    private func download(of id: String) throws(Refusal) -> DownloadID {
        guard let download = try unfinished(id).download else {
            throw .conflict(Conflict(.notSupported, "\(id) is not in the queue."))
        }
        return download
    }

    private func setSpeedLimit(_ limit: Int64?, of job: StoredJob) async throws(Refusal) {
        if job.isDirect { throw .conflict(Self.notQueued) }
        guard let download = job.download else { return }
        do throws(DownloadError) { try manager.setMaximumBytesPerSecond(limit, of: download) } catch {
            throw .failed(.download(error))
        }
        // A restart takes it from there.
        guard await manager.saveSession() else { throw .failed(.download(store.problem ?? Self.notSaved)) }
        state.withLock { $0.secretSpecs[job.number]?.options.maximumBytesPerSecond = limit }
        ledger.edit(job.number) { $0.spec.options.maximumBytesPerSecond = limit }
    }

    // MARK: Another request

    /// Stops it, and has it downloaded by another request, from what is stored. In turn.
    private func renew(_ job: StoredJob, _ changes: Changes) async throws(Refusal) {
        let supplied = state.withLock { $0.secretSpecs[job.number] }
        // What was left out is not known any more: a job that goes on without it may fetch something else.
        guard supplied != nil || !job.lacksSecrets || changes.givesSecrets else {
            throw .conflict(Self.lacksCredentials)
        }
        var spec = supplied ?? job.spec
        // The row may be a moment behind.
        let snapshot = job.download.flatMap(manager.snapshot)
        let stored = max(job.stored, snapshot?.progress.bytesStored ?? 0)
        let name = snapshot?.fileName ?? job.name
        let hasBegun = stored > 0 || job.started != nil && name != nil
        changes.apply(to: &spec, hasBegun: hasBegun)
        // By its name, what is stored is found whoever asks for it, and compared.
        if hasBegun, spec.fileName == nil { spec.fileName = name }
        do {
            try spec.checked()
            let request = try spec.onlyFile(SecretReader(), netrc).spec.request(SecretReader())
            try request.check()
            if changes.movesFile(of: supplied ?? job.spec), !job.isDirect {
                // Whether the name is free is for the manager to say.
                let id = try manager.add(request, isPaused: true, onDuplicate: .fail)
                if let number = state.withLock({ $0.numbers[id] }) {
                    throw Refusal.conflict(
                        Conflict(.targetInUse, "Another download has this name.", id: try store.job(number: number)?.id)
                    )
                }
                try manager.remove(id)
                await leaving([id])
            }
        } catch {
            throw refusal(error, of: spec)
        }
        let position = snapshot?.position
        let (kept, isComplete) = kept(of: spec)
        // At once, and not by the ledger, which would try again what was refused. From here on, a restart makes the
        // download by the new request.
        do throws(DownloadError) {
            try await ledger.settle()
            _ = try await store.edit([
                JobEdit(number: job.number) {
                    ($0.spec, $0.lacksSecrets, $0.download, $0.stored) = (kept, !isComplete, nil, stored)
                    // What an earlier request has brought says nothing of this one.
                    $0.record = nil
                }
            ])
        } catch {
            throw .failed(.download(error))
        }
        let run = state.withLock { state -> JobDriver? in
            state.secretSpecs[job.number] = isComplete ? nil : spec
            if let download = job.download {
                (state.numbers[download], state.markers[job.number]) = (nil, manager.markerNumber(of: download))
            }
            state.sketches[job.number]?.download = nil
            return state.runs[job.number]?.driver
        }
        run?.stop()
        if let download = job.download {
            try? manager.remove(download)
            await leaving([download])
        }
        eraseSecrets(of: [job])
        if job.isDirect { return reconcile(job.number) }
        if !job.state.hasEnded { take(await queueAgainInTurn(job.number, at: position), of: job.number) }
    }

    /// Gives the manager the download of a job that it does not have.
    func requeue(_ number: Int64) {
        Task {
            await turn.acquire()
            let outcome = await queueAgainInTurn(number, at: nil)
            await turn.release()
            take(outcome, of: number)
        }
    }

    private enum Requeueing {
        case done
        /// The job has a download already, or has ended.
        case needless
        /// The database cannot be read or written now.
        case later
        case refused(DownloadError)
    }

    private func take(_ outcome: Requeueing, of number: Int64) {
        switch outcome {
        case .done: reconcile(number)
        case .needless: break
        case .refused(let error): take(.refused(.download(error)), of: number)
        case .later:
            Task {
                try? await Task.sleep(for: .seconds(1))
                reconcile(number)
            }
        }
    }

    private func queueAgainInTurn(_ number: Int64, at position: Int?) async -> Requeueing {
        let isOpen = state.withLock { state in
            !state.isShutDown && state.sketches[number].map { $0.download.flatMap(manager.snapshot) == nil } ?? false
        }
        guard isOpen else { return .needless }
        let job: StoredJob
        do throws(DownloadError) {
            try await ledger.settle()
            guard let known = try store.job(number: number), !known.state.hasEnded else {
                forget(number)
                return .needless
            }
            job = known
        } catch {
            return .later
        }
        let id: DownloadID
        do throws(DownloadError) {
            id = try queueAgain(job)
        } catch {
            // The next start takes it from there.
            return state.withLock { $0.isShutDown } ? .needless : .refused(error)
        }
        if let position { try? manager.move(id, to: .index(position)) }
        let place = manager.place(of: id)
        // The session first, as for a new job.
        guard await manager.saveSession() else {
            try? manager.remove(id)
            await leaving([id])
            return .later
        }
        state.withLock { state in
            (state.numbers[id], state.markers[number]) = (number, nil)
            state.sketches[number]?.download = id
            ledger.edit(number) { job in
                job.download = id
                if let place { (job.priority, job.rank) = place }
            }
        }
        // What the database refuses now, the ledger tries again.
        try? await ledger.settle()
        return .done
    }

    private func queueAgain(_ job: StoredJob) throws(DownloadError) -> DownloadID {
        let supplied = state.withLock { $0.secretSpecs[job.number] }
        guard supplied != nil || !job.lacksSecrets else { throw .lost(job.name ?? "") }
        let secrets = SecretReader()
        let request = try (supplied ?? job.spec).onlyFile(secrets, netrc).spec.request(secrets)
        // Never another name than the one that its bytes are stored by.
        let marker = state.withLock { $0.markers[job.number] }
        let id = try manager.add(
            request, priority: Int(job.priority), isPaused: true, onDuplicate: .fail, markerNumber: marker)
        if let other = state.withLock({ $0.numbers[id] }), other != job.number {
            throw DownloadError(
                .locked, "Another download writes to the same file.", remedies: [.chooseName], recovery: .giveUp)
        }
        return id
    }
}

extension JobService {
    /// Makes the fresh URL the job's own once its journal goes by it: with yet another URL, it is the former one.
    func continueFromFreshURL(_ number: Int64) {
        state.withLock { $0.secretSpecs[number]?.continueFromFreshURL() }
        ledger.edit(number) { $0.spec.continueFromFreshURL() }
    }
}

extension JobSpec {
    fileprivate mutating func continueFromFreshURL() {
        guard let freshURL, case .url(_, let mirrors) = source else { return }
        source = .url(freshURL, mirrors: mirrors)
        self.freshURL = nil
    }
}

extension JobService.Changes {
    /// - Parameter hasBegun: what is stored goes by the URL, which is kept then.
    fileprivate func apply(to spec: inout JobSpec, hasBegun: Bool) {
        guard case .url(let old, let others) = spec.source else { return }
        let url = sources?.first ?? url
        let wanted =
            sources.map { $0.dropFirst().map { Mirror($0) } } ?? others + mirrors.filter { !others.contains($0) }
        spec.source = .url(hasBegun ? old : url ?? old, mirrors: wanted)
        if let url, !url.isExactly(spec.freshURL ?? old) {
            let before = try? HTTPURL(parsing: spec.freshURL ?? old)
            // What was meant for one server is not shown to another.
            if let before, let after = try? HTTPURL(parsing: url), before.origin != after.origin {
                (spec.headers, spec.authentication) = ([], nil)
                if let page = spec.referer.flatMap({ try? HTTPURL(parsing: $0) }), page.origin == before.origin {
                    spec.referer = nil
                }
            }
            spec.freshURL = hasBegun ? url : nil
        }
        if let adoptsPartialFile { spec.options.adoptsPartialFile = adoptsPartialFile }
        if let ifExists { spec.ifExists = ifExists }
        if let connections { spec.options.maximumConnections = connections }
        if let authentication { spec.authentication = authentication }
        if let headers { spec.headers = headers }
        if let fileName { spec.fileName = fileName }
        edit?(&spec)
    }

    /// Returns whether the file would get another name or directory.
    fileprivate func movesFile(of spec: JobSpec) -> Bool {
        if fileName != nil { return true }
        var changed = spec
        edit?(&changed)
        return changed.fileName.map { ExactText($0) } != spec.fileName.map { ExactText($0) }
            || !changed.directory.isExactly(spec.directory)
    }
}
