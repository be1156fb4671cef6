package import Pawl
package import PawlCore
package import PawlJobs
import Synchronization

/// What can be changed in a job after it was accepted.
extension JobService {
    package struct Changes: Sendable {
        package var priority: Int32?
        package var position: Position?
        /// The inner nil lifts the limit.
        package var speedLimit: Int64??
        /// The inner nil takes the tag away.
        package var tag: String??
        package var connections: Int?
        package var url: String?
        package var mirrors: [Mirror] = []
        package var authentication: JobSpec.Authentication??
        package var headers: [HTTPField]?
        package var fileName: String?
        /// Nothing happens unless this is the number of its latest change.
        package var ifChange: Int64?

        package init() {}

        /// The download has to be made anew with these, from what it has stored.
        var needsRequest: Bool {
            connections != nil || url != nil || !mirrors.isEmpty || authentication != nil || headers != nil || fileName != nil
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
        let job = try job(id)
        if let expected = changes.ifChange, expected != job.change { throw .conflict(Conflict(.changed, "The download was changed meanwhile.")) }
        if changes.fileName != nil, job.state.hasEnded || job.stored > 0 || job.started != nil {
            throw .conflict(Conflict(.nameFixed, "The name cannot be changed once the download has begun."))
        }
        // One that has failed may get what it needs to be retried.
        if job.state == .completed && changes.needsRequest || changes.priority != nil || changes.position != nil || changes.speedLimit != nil {
            _ = try unfinished(id)
        }
        let position = try changes.position.map { (position) throws(Refusal) in try queuePosition(position) }
        if changes.needsRequest { try await renew(job, changes) }
        if let tag = changes.tag { ledger.edit(job.number) { $0.tag = tag } }
        // It may have another download by now.
        if let limit = changes.speedLimit { try await setSpeedLimit(limit, of: try self.job(id)) }
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
        guard let download = try unfinished(id).download else { throw .conflict(Conflict(.notSupported, "\(id) is not in the queue.")) }
        return download
    }

    private func setSpeedLimit(_ limit: Int64?, of job: StoredJob) async throws(Refusal) {
        guard let download = job.download else { return }
        do throws(DownloadError) { try manager.setMaximumBytesPerSecond(limit, of: download) } catch { throw .failed(.download(error)) }
        // A restart takes it from there.
        guard await manager.saveSession() else { throw .failed(.download(ledger.problem ?? Self.notSaved)) }
        state.withLock { $0.secretSpecs[job.number]?.options.maximumBytesPerSecond = limit }
        ledger.edit(job.number) { $0.spec.options.maximumBytesPerSecond = limit }
    }

    // MARK: Another request

    /// Stops it, and has it downloaded by another request, from what is stored.
    private func renew(_ job: StoredJob, _ changes: Changes) async throws(Refusal) {
        var spec = state.withLock { $0.secretSpecs[job.number] } ?? job.spec
        changes.apply(to: &spec, hasBegun: job.stored > 0 || job.started != nil && job.name != nil)
        do {
            try spec.checked()
            let request = try spec.onlyFile(SecretReader(), netrc).spec.request(SecretReader())
            if changes.fileName != nil {
                // Whether the name is free is for the manager to say.
                let id = try manager.add(request, isPaused: true, onDuplicate: .fail)
                if let number = state.withLock({ $0.numbers[id] }) {
                    throw Refusal.conflict(Conflict(.targetInUse, "Another download has this name.", id: try store.job(number: number)?.id))
                }
                try manager.remove(id)
                await leaving(id)
            }
        } catch {
            throw refusal(error, of: spec)
        }
        let position = job.download.flatMap { manager.snapshot($0)?.position }
        let (kept, isComplete) = storesSecrets ? (spec, true) : spec.withoutSecrets
        let run = state.withLock { state -> JobDriver? in
            state.secretSpecs[job.number] = isComplete ? nil : spec
            if let download = job.download { state.numbers[download] = nil }
            state.sketches[job.number]?.download = nil
            ledger.edit(job.number) { ($0.spec, $0.lacksSecrets, $0.download) = (kept, !isComplete, nil) }
            return state.runs[job.number]?.driver
        }
        // From here on, a restart makes the download by the new request.
        do throws(Refusal) { try await settle() } catch {
            reconcile(job.number)
            throw error
        }
        run?.stop()
        if let download = job.download {
            try? manager.remove(download)
            await leaving(download)
        }
        if !job.state.hasEnded { await queueAgain(job.number, at: position) }
    }

    /// Gives the manager the download of a job that it does not have.
    func requeue(_ number: Int64) {
        Task { await queueAgain(number, at: nil) }
    }

    private func queueAgain(_ number: Int64, at position: Int?) async {
        await adding.enter()
        let outcome = await queueAgainInTurn(number, at: position)
        await adding.leave()
        switch outcome {
        case .success: reconcile(number)
        case .failure(let error): take(.refused(.download(error)), of: number)
        }
    }

    private func queueAgainInTurn(_ number: Int64, at position: Int?) async -> Result<Void, DownloadError> {
        do throws(DownloadError) {
            let isOpen = state.withLock { state in
                !state.isShutDown && state.sketches[number].map { $0.download.flatMap(manager.snapshot) == nil } ?? false
            }
            guard isOpen, let job = try store.job(number: number), !job.state.hasEnded else { return .success(()) }
            let supplied = state.withLock { $0.secretSpecs[number] }
            guard supplied != nil || !job.lacksSecrets else { throw .lost(job.name ?? "") }
            let secrets = SecretReader()
            let request = try (supplied ?? job.spec).onlyFile(secrets, netrc).spec.request(secrets)
            // Never another name than the one that its bytes are stored by.
            let id = try manager.add(request, priority: Int(job.priority), isPaused: true, onDuplicate: .fail)
            if let other = state.withLock({ $0.numbers[id] }), other != number {
                throw DownloadError(.locked, "Another download writes to the same file.", remedies: [.chooseName], recovery: .giveUp)
            }
            if let position { try? manager.move(id, to: .index(position)) }
            let place = manager.place(of: id)
            // The session first, as for a new job.
            guard await manager.saveSession() else { throw ledger.problem ?? Self.notSaved }
            state.withLock { state in
                state.numbers[id] = number
                state.sketches[number]?.download = id
                ledger.edit(number) { job in
                    job.download = id
                    if let place { (job.priority, job.rank) = place }
                }
            }
            try await ledger.settle()
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}

extension JobService.Changes {
    /// - Parameter hasBegun: what is stored goes by the URL, which is kept then.
    fileprivate func apply(to spec: inout JobSpec, hasBegun: Bool) {
        guard case .url(let old, let others) = spec.source else { return }
        spec.source = .url(hasBegun ? old : url ?? old, mirrors: others + mirrors.filter { !others.contains($0) })
        if let url {
            let before = try? HTTPURL(parsing: spec.freshURL ?? old)
            // What was meant for one server is not shown to another.
            if let before, let after = try? HTTPURL(parsing: url), before.origin != after.origin { (spec.headers, spec.authentication) = ([], nil) }
            spec.freshURL = hasBegun ? url : nil
        }
        if let connections { spec.options.maximumConnections = connections }
        if let authentication { spec.authentication = authentication }
        if let headers { spec.headers = headers }
        if let fileName { spec.fileName = fileName }
    }
}
