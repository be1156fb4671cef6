import Pawl
import PawlCore
import PawlEngine
import PawlJobs
import Synchronization

/// The programs that run after jobs. One is due from the commit of an end until it has exited: one that was killed, or
/// could not be started, runs again after the next start of the service, and not before.
extension JobService {
    /// The hooks of all services, which share one limit. Ctrl-C at the terminal of the service ends no program.
    private static let hooks = LiveHooks(
        FailureWords {
            $0.message
        } exitCode: { _, _ in
            1
        }, in: .own)

    static func check(hook: [String]) throws(DownloadError) {
        guard let program = hook.first, !LiveHooks.canRun(program) else { return }
        throw DownloadError(
            .notWritable, "on_complete: “\(program)” is not an executable program. Give its path, or check PATH.",
            recovery: .giveUp)
    }

    func hooks(of job: StoredJob) -> RecordedHooks {
        let (id, number) = (job.id, job.number)
        return RecordedHooks { [weak self] end in
            Self.hooks.named(id, end: end) { [weak self] in self?.state.withLock { !$0.isShutDown } ?? false }
        } _: { [weak self] in
            await self?.decideHook(of: number, id) ?? .needless
        }
    }

    private func decideHook(of number: Int64, _ id: String) async -> RecordedHooks.Decision {
        switch await dueHook(of: number) {
        case .job(let job):
            // One that has ended again has a program for that end.
            job.ended == state.withLock { $0.runs[number]?.end }
                ? .run(end: "\(id) \(number) \(job.ended ?? 0) \(store.path)") : .needless
        // The end was not in the database yet.
        case .removed: .run(end: "\(id) \(number) \(store.path)")
        case .later: .notYet
        case .never: .needless
        }
    }

    private enum DueHook: Sendable {
        case job(StoredJob)
        /// The job was removed before its end was in the database.
        case removed
        /// The database cannot be read or written now.
        case later
        case never
    }

    /// The job, once its end is durable and if its program has not run.
    private func dueHook(of number: Int64) async -> DueHook {
        do throws(DownloadError) {
            try await ledger.settle()
            guard !state.withLock({ $0.isShutDown }) else { return .never }
            if let job = try store.job(number: number) { return job.isHookDue ? .job(job) : .never }
            // Whoever removes it keeps its row in the same turn.
            await turn.acquire()
            await turn.release()
            return state.withLock { $0.runs[number]?.removed }.map(DueHook.job) ?? .removed
        } catch {
            return state.withLock({ $0.isShutDown }) ? .never : .later
        }
    }

    /// Runs the program that an earlier process has not run to its end.
    func runHook(ofRestored number: Int64) {
        if state.withLock({ $0.claimsRunOfHook(number) }) { runDueHook(of: number) }
    }

    /// Runs the program that waits for a job that has ended, in the run that was claimed for that.
    func runDueHook(of number: Int64) {
        Task {
            while true {
                switch await dueHook(of: number) {
                case .job(let job): return runHook(of: job)
                case .later: try? await Task.sleep(for: RecordedHooks.pause)
                case .removed, .never: return end(number)
                }
            }
        }
    }

    private func runHook(of job: StoredJob) {
        guard !hook.isEmpty, let driver = hookDriver(of: job) else {
            settleHook(of: job.number, job.ended)
            return end(job.number)
        }
        let mayStart = state.withLock { state in
            if !state.isShutDown {
                state.runs[job.number]?.driver = driver
                state.runs[job.number]?.end = job.ended
            }
            return !state.isShutDown
        }
        if mayStart { driver.start() } else { end(job.number) }
    }

    /// - Returns: nil where the outcome is not known any more.
    private func hookDriver(of job: StoredJob) -> JobDriver? {
        var spec = job.spec
        spec.hook = hook
        let file = JobFile(spec: spec)
        guard let ended = try? RunRecord.File(file, json: job.record), ended.outcome != nil else { return nil }
        let secrets = SecretReader()
        let ports = JobPorts(
            documents: LiveDocuments(manager.downloader, secrets), fetches: directFetches(secrets),
            archives: LiveArchives(secrets, followsLinks: followsDirectoryLinks), hooks: hooks(of: job))
        return driver(RunRecorder(ended), of: job.number, JobMachine.Rules(), ports)
    }

    /// A program that was killed may have been killed together with the service, which does not know yet that it stops.
    func take(_ ending: HookEnding, of number: Int64) {
        guard case .exited = ending else { return }
        settleHook(of: number, state.withLock { $0.runs[number]?.end })
        trimHistory()
    }

    /// The program for this end is not due any more. One for a later end of the job still is.
    private func settleHook(of number: Int64, _ end: Int64?) {
        state.withLock { state in
            if state.runs[number]?.removed?.ended == end { state.runs[number]?.removed = nil }
        }
        ledger.edit(number) { job in
            if job.ended == end { (job.record, job.isHookDue) = (nil, false) }
        }
    }
}

extension JobService.State {
    /// - Returns: false if the program of a job that has ended has to wait for the run that the job still has, behind
    ///   which it runs, or for the next start of the service.
    mutating func claimsRunOfHook(_ number: Int64) -> Bool {
        guard !isShutDown else { return false }
        guard runs[number] == nil else {
            runs[number]?.isFollowedByHook = true
            return false
        }
        runs[number] = JobService.Run()
        return true
    }
}
