import Pawl
import PawlCore
import PawlEngine
import PawlJobs
import Synchronization

/// Runs jobs.
extension JobService {
    /// Starts the driver for the rest of the job, unless the job has one, is paused or has ended.
    func begin(_ number: Int64) {
        let isFree = state.withLock { state in
            guard !state.isShutDown, state.runs[number] == nil, let sketch = state.sketches[number], !sketch.isPaused
            else { return false }
            if sketch.isDirect {
                guard state.direct.count < Self.maximumDirect else { return false }
                state.direct[number] = .some(nil)
            }
            state.runs[number] = Run()
            return true
        }
        guard isFree else { return }
        ledger.note(number, "started", "The download has started.")
        Task {
            do throws(DownloadError) {
                guard let job = try store.job(number: number), !job.isUnreadable else { return leave(number) }
                // It is getting another download.
                if job.download == nil, !job.isDirect { try? await Task.sleep(for: .milliseconds(50)) }
                guard let driver = try driver(of: job) else { return end(number) }
                start(driver, of: number, job.id)
            } catch {
                // The database cannot be read now; the download goes on meanwhile.
                try? await Task.sleep(for: .seconds(1))
                end(number)
            }
        }
    }

    /// - Returns: nil if the job cannot run, which it is told then.
    private func driver(of job: StoredJob) throws(DownloadError) -> JobDriver? {
        guard job.download != nil || job.isDirect else { return nil }
        let number = job.number
        let supplied = state.withLock { $0.secretSpecs[number] }
        if job.isDirect, job.lacksSecrets, supplied == nil {
            take(.refused(.download(.lacksSecrets)), of: number)
            return nil
        }
        var spec = supplied ?? job.spec
        spec.hook = hook
        if let refusal = refusal(of: spec) {
            if let download = job.download { try? manager.pause(download) }
            take(.refused(.download(refusal)), of: number)
            return nil
        }
        // Each run reads secrets anew: a file that was missing may be there now.
        let secrets = SecretReader()
        let file: JobFile
        do throws(DownloadError) {
            file = try spec.onlyFile(secrets, netrc)
        } catch {
            if let download = job.download { try? manager.pause(download) }
            take(.refused(.download(error)), of: number)
            return nil
        }
        var rules = JobMachine.Rules()
        rules.endsIfAllWaitForSpace = false
        let fetches: any JobFetchPort =
            if let download = job.download {
                KnownDownload(
                    download: download, fetches: ManagedFetches(manager), planner: JobPlanner(secrets, netrc))
            } else { directFetches(secrets) }
        // One that cannot be read says nothing: the ports find out what is there.
        let reached = (try? RunRecord.File(file, json: job.record)).flatMap { $0.outcome == nil ? $0 : nil }
        let recorder = RunRecorder(reached ?? RunRecord.File(file))
        let ports = JobPorts(
            documents: LiveDocuments(manager.downloader, secrets), fetches: fetches,
            archives: RecordedArchives(LiveArchives(secrets, followsLinks: followsDirectoryLinks)) { [weak self] in
                await self?.keep(recorder, of: job) ?? .stopping
            },
            hooks: hooks(of: job))
        return driver(recorder, of: number, rules, ports)
    }

    func driver(
        _ recorder: RunRecorder, of number: Int64, _ rules: JobMachine.Rules, _ ports: JobPorts
    ) -> JobDriver {
        JobDriver(resuming: [recorder.file], rules: rules, ports: ports) { [weak self] events in
            for event in events { self?.take(event, of: number, recorder.take(event)) }
        }
    }

    /// Makes durable how far the run of a job has got.
    private func keep(_ recorder: RunRecorder, of job: StoredJob) async -> RecordedArchives.Recording {
        if state.withLock({ $0.isShutDown }) { return .stopping }
        // First, so that a file that is known to be fetched is not fetched by the next process.
        guard await manager.saveSession() else { return .notYet }
        let json = recorder.file.json
        ledger.edit(job.number) { now in
            let isSame = now.download == job.download && (!job.isDirect || now.spec == job.spec)
            if isSame, !now.state.hasEnded { now.record = json }
        }
        do throws(DownloadError) {
            try await ledger.settle()
            return try store.job(number: job.number)?.record?.isExactly(json) ?? false ? .done : .needless
        } catch {
            return .notYet
        }
    }

    /// Returns the reason why the file, or its unpacked content, would leave the directories that downloads may be
    /// stored in; nil if it would not. These directories may differ from those at the time when the job was accepted.
    func refusal(of spec: JobSpec) -> DownloadError? {
        if let refusal = placeRefusal(spec.directory) { return refusal }
        // It is made, so the one that it is in is looked at.
        return spec.unpacking?.directory.flatMap { placeRefusal(FileTarget(path: $0).directory.text) }
    }

    private func start(_ driver: JobDriver, of number: Int64, _ id: String) {
        let mayStart = state.withLock { state in
            guard !state.isShutDown, state.sketches[number]?.isPaused == false else { return false }
            state.runs[number]?.driver = driver
            state.ids[number] = id
            if state.direct[number] != nil {
                state.sketches[number]?.state = .running
                ledger.edit(number) { if !$0.state.hasEnded { ($0.state, $0.step) = (.running, .fetch) } }
            }
            return true
        }
        if mayStart { driver.start() } else { end(number) }
    }

    /// - Parameter record: how the run has ended, where the event says that.
    func take(_ event: JobEvent, of number: Int64, _ record: String? = nil) {
        let now = LiveRuntime.wallClockMilliseconds
        if let (code, message) = event.entry { ledger.note(number, code, message) }
        switch event {
        case .began, .fetched: ledger.edit(number) { $0.take(event, at: now) }
        case .choseMembers(_, let chosen): ledger.edit(number) { $0.take(chosen) }
        case .progressed(_, let progress):
            state.withLock { if $0.direct[number] != nil { $0.direct[number] = progress } }
        case .notice(_, let notice):
            // Those of the queue's come from the manager.
            guard state.withLock({ $0.direct[number] != nil }), let entry = notice.entry else { return }
            ledger.note(number, entry.code, entry.message)
        case .ended(_, .stopped): break
        case .ended, .refused:
            let record = hook.isEmpty ? nil : record ?? event.refusal
            let forgets = !remembersSecrets
            let runsHook = state.withLock { state in
                if case .ended(_, let outcome) = event, let result = outcome.file?.result, !result.wasSkipped {
                    state.fetched += result.byteCount - result.resumedFrom
                }
                state.sketches[number] = nil
                // A failed job may be retried.
                if case .ended(_, .completed) = event { state.secretSpecs[number] = nil }
                // In one commit: a program that is due is run, now or after the next start.
                ledger.edit(number) { [weak self] job in
                    job.take(event, at: now)
                    if forgets, job.state == .completed, job.forgetSecrets() { self?.eraseForgotten() }
                    (job.record, job.isHookDue) = (record, record != nil)
                }
                guard case .refused = event else {
                    state.runs[number]?.end = now
                    return false
                }
                return record != nil && state.claimsRunOfHook(number)
            }
            if runsHook { runDueHook(of: number) }
            trimHistory()
        case .hookEnded(_, let ending): take(ending, of: number)
        case .finished: end(number)
        default: break
        }
    }

    /// Leaves a job that cannot run: it was removed, or its row cannot be read and is left as it is.
    private func leave(_ number: Int64) {
        if let id = state.withLock({ $0.sketches[number]?.download }) { try? manager.pause(id) }
        forget(number)
        end(number)
    }

    /// The database has it no longer. A run that it may still have ends by itself.
    func forget(_ number: Int64) {
        state.withLock { state in
            (state.sketches[number], state.secretSpecs[number], state.markers[number]) = (nil, nil, nil)
        }
    }

    /// Ends the run of a job. Its download may have changed meanwhile, so that another run or its hook is due.
    func end(_ number: Int64) {
        let (wasDirect, runsHook) = state.withLock { state in
            let run = state.runs[number]
            (state.runs[number], state.ids[number]) = (nil, nil)
            let wasDirect = state.direct.removeValue(forKey: number) != nil
            guard let run, run.isFollowedByHook, state.sketches[number] == nil, state.claimsRunOfHook(number) else {
                return (wasDirect, false)
            }
            state.runs[number]?.removed = run.removed
            return (wasDirect, true)
        }
        if runsHook { runDueHook(of: number) } else { reconcile(number) }
        if wasDirect { beginNextDirect() }
    }
}

/// The one file of a job whose download the manager has already.
private struct KnownDownload: JobFetchPort {
    let download: DownloadID
    let fetches: ManagedFetches
    let planner: JobPlanner

    func prepare(_ file: JobFile) throws(JobFailure) -> PreparedFile {
        do throws(DownloadError) { return try planner.prepare(file) } catch { throw .download(error) }
    }

    func fetch(_ id: JobFileID, _ file: JobFile, _ tell: @escaping JobTelling) {
        guard !fetches.fetch(id, by: download, tell) else { return }
        let error = DownloadError(
            .locked, "Another run of this job is waiting for its download.", recovery: .retryAfter(nil))
        tell([.fetchFailed(id, .download(error))])
    }

    func stop(_ file: JobFileID) { fetches.stop(file) }
}
