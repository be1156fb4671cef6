import Pawl
import PawlCore
import PawlEngine
import PawlJobs
import Synchronization

/// The programs that run after jobs. One is due from the commit of an end until it has exited: one that was killed, or
/// could not be started, runs again after the next start of the service, and not before.
extension JobService {
    /// One for all, so that its limit holds for all. Ctrl-C at the terminal of the service ends no program.
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
        let (id, number, place) = (job.id, job.number, store.path)
        return RecordedHooks { [weak self] end in
            Self.hooks.named(id, end: end) { [weak self] in self?.state.withLock { !$0.isShutDown } ?? false }
        } _: { [weak self] in
            switch await self?.dueHook(of: number) ?? .never {
            case .job(let job): .run(end: "\(id) \(number) \(job.ended ?? 0) \(place)")
            // Its end was told, and clients remove what has ended.
            case .removed: .run(end: "\(id) \(number) \(place)")
            case .later: .notYet
            case .never: .needless
            }
        }
    }

    private enum DueHook: Sendable {
        case job(StoredJob)
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
            guard let job = try store.job(number: number) else { return .removed }
            return job.isHookDue ? .job(job) : .never
        } catch {
            return state.withLock({ $0.isShutDown }) ? .never : .later
        }
    }

    /// Runs the program that waits for a job that has ended, after the run that the job may still have.
    func runHook(ofEnded number: Int64) {
        let isFree = state.withLock { state in
            guard !state.isShutDown else { return false }
            guard state.runs[number] == nil else {
                state.waitingHooks.insert(number)
                return false
            }
            state.runs[number] = .beginning
            return true
        }
        guard isFree else { return }
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
            ledger.edit(job.number) { ($0.record, $0.isHookDue) = (nil, false) }
            return end(job.number)
        }
        let mayStart = state.withLock { state in
            if !state.isShutDown { state.runs[job.number] = .live(driver) }
            return !state.isShutDown
        }
        if mayStart { driver.start() } else { end(job.number) }
    }

    /// - Returns: nil where the outcome is not known any more.
    private func hookDriver(of job: StoredJob) -> JobDriver? {
        var spec = job.spec
        spec.hook = hook
        let file = JobFile(spec: spec, identity: [], target: FileTarget(in: spec.directory, job.name))
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
        ledger.edit(number) { ($0.record, $0.isHookDue) = (nil, false) }
        trimHistory()
    }
}
