package import Pawl
package import PawlCore
import PawlEngine
import PawlJobs
import PawlSystem
import Synchronization

/// The jobs of the service: accepts them, has them downloaded by one manager, and keeps what becomes of them.
///
/// A job that waits costs an entry of the queue and a sketch. Its ``JobDriver`` lives from the moment its download runs
/// until the job has ended or stops. Calls may come from any task; what they have answered is durable.
package final class JobService: Sendable {
    package struct Configuration: Sendable {
        /// Of the database.
        package var path: String
        /// Its session is the service's.
        package var manager = DownloadManager.Configuration()
        /// A program to run after each job that has completed or failed, with its arguments.
        package var hook: [String] = []

        package init(path: String) { self.path = path }
    }

    enum Run {
        case beginning
        case live(JobDriver)

        var driver: JobDriver? { if case .live(let driver) = self { driver } else { nil } }
    }

    struct State {
        /// Jobs whose download the manager has.
        var numbers: [DownloadID: Int64] = [:]
        /// Of each unfinished job.
        var sketches: [Int64: JobSketch] = [:]
        /// What was asked for, where the database has it without its secrets only.
        var secretSpecs: [Int64: JobSpec] = [:]
        var runs: [Int64: Run] = [:]
        /// Runs without the queue, and how far they are.
        var direct: [Int64: JobProgress?] = [:]
        /// Of those that have a run.
        var ids: [Int64: String] = [:]
        /// Of the downloads that were taken from jobs to be made anew.
        var markers: [Int64: UInt64] = [:]
        /// What is done with completed jobs.
        var working: [Int64: JobStep] = [:]
        var workers: [Int64: Task<Void, Never>] = [:]
        /// Bytes of completed downloads, since the start.
        var fetched: Int64 = 0
        var isShutDown = false
    }

    package let store: Store
    let manager: DownloadManager
    let ledger: JobLedger
    let state = Locked(State())
    let storesSecrets: Bool
    let netrc: Netrc?
    let followsDirectoryLinks: Bool
    private let watch: DownloadWatch
    /// One for all, so that its limit holds for all.
    private static let hooks = LiveHooks(
        FailureWords {
            $0.message
        } exitCode: { _, _ in
            1
        })
    private let hook: [String]
    let turn = OneAtATime()
    let history = Locked(History())
    /// Seconds since 1970.
    package let started = LiveRuntime.wallClockSeconds
    /// Another one after each start.
    package let instance = StoredJob.freshID()
    private let listening = Locked<Task<Void, Never>?>(nil)

    /// Opens the database, and resumes what ran.
    ///
    /// - Throws: what ``Store`` and ``DownloadManager`` throw.
    package init(_ configuration: Configuration) throws(DownloadError) {
        store = try Store(configuration.path)
        hook = configuration.hook
        var settings = configuration.manager
        settings.session = SessionTable(store)
        // A job is kept until it is removed, and its download with it.
        settings.maximumFinished = .max
        storesSecrets = settings.storesSecrets
        (netrc, followsDirectoryLinks) = (settings.downloader.netrc, settings.downloader.followsDirectoryLinks)
        do throws(DownloadError) {
            manager = try DownloadManager(configuration: settings)
        } catch {
            store.close()
            throw error
        }
        watch = DownloadWatch(manager, listens: false)
        ledger = JobLedger(store)
        let events = manager.laterEvents
        do throws(DownloadError) {
            try restore()
        } catch {
            Task { await shutdown() }
            throw error
        }
        listen(to: events)
        // To restore a hundred thousand takes more than to have them.
        SystemCalls.returnFreedMemory()
    }

    static func check(hook: [String]) throws(DownloadError) {
        guard let program = hook.first, !LiveHooks.canRun(program) else { return }
        throw DownloadError(
            .notWritable, "on_complete: “\(program)” is not an executable program. Give its path, or check PATH.",
            recovery: .giveUp)
    }

    /// Stops what runs, keeping all that was received, and closes the database.
    ///
    /// - Parameter atEnd: called when nothing runs any more, and the database is still open.
    package func shutdown(_ atEnd: @Sendable () async -> Void = {}) async {
        state.withLock { $0.isShutDown = true }
        // First, so that its session says that what ran runs on.
        await manager.shutdown()
        for run in state.withLock({ $0.runs.values.compactMap(\.driver) }) { run.stop() }
        for worker in state.withLock({ $0.workers.values }) { worker.cancel() }
        await waitForRuns()
        await ledger.close()
        listening.withLock { $0?.cancel() }
        await atEnd()
        store.close()
    }

    /// A program that a job has started may run longer than anybody waits for it.
    private func waitForRuns() async {
        let deadline = ContinuousClock.now + .seconds(1)
        while ContinuousClock.now < deadline, state.withLock({ !$0.runs.isEmpty || !$0.workers.isEmpty }) {
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    // MARK: Restoring

    private func restore() throws(DownloadError) {
        let downloads = try store.downloads()
        let sketches = try store.sketches()
        state.withLock { state in
            state.numbers = downloads
            state.sketches = Dictionary(sketches.map { ($0.number, $0) }) { first, _ in first }
        }
        if let last = downloads.keys.max() { manager.reserveIDs(upTo: last) }
        // The process died before the job of such a download was accepted. It never ran.
        for id in manager.ids where downloads[id] == nil { try manager.remove(id) }
        // What was done with finished files has ended with the process.
        for number in try store.workingNumbers() { ledger.edit(number) { $0.step = nil } }
        for sketch in sketches { restore(sketch) }
    }

    /// The database knows the order, who is paused and who is to run, and the session of the manager may be a moment
    /// older.
    private func restore(_ sketch: JobSketch) {
        if sketch.isDirect { return restoreDirect(sketch) }
        guard let id = sketch.download, let state = manager.state(of: id), let place = manager.place(of: id) else {
            return requeue(sketch.number)
        }
        if place != (sketch.priority, sketch.rank) { manager.put(id, at: (sketch.priority, sketch.rank)) }
        switch state {
        // Its job was retried, or it failed a moment ago and fails again.
        case .failed: if !sketch.isPaused { try? manager.resume(id) }
        case .queued where sketch.state == .queued: break
        case .queued, .running, .waiting:
            if sketch.isPaused { try? manager.pause(id) } else { reconcile(sketch.number) }
        case .paused: if !sketch.isPaused { reconcile(sketch.number) }
        case .completed: reconcile(sketch.number)
        }
    }

    // MARK: What happens

    private func listen(to events: DownloadManager.Events) {
        listening.withLock { task in
            task = Task { [weak self, watch] in
                for await event in events {
                    self?.take(event)
                    watch.take(event)
                }
                watch.endAll()
            }
        }
    }

    private func take(_ event: DownloadManager.Event) {
        switch event {
        case .changed(let snapshot): look(at: snapshot)
        case .completed(let id, _), .failed(let id, _), .removed(let id):
            state.withLock({ $0.numbers[id] }).map(reconcile)
        case .missed: for number in state.withLock({ Array($0.sketches.keys) }) { reconcile(number) }
        case .notice(let id, let notice):
            // Not from its run, which may not have begun yet.
            guard let entry = notice.entry, let number = state.withLock({ $0.numbers[id] }) else { return }
            // That it runs is told by changes, which come less often.
            begin(number)
            ledger.note(number, entry.code, entry.message)
        case .added, .sessionNotSaved: break
        }
    }

    /// Writes down what has changed: progress comes often, and is no change. A download that runs gets its driver.
    func look(at snapshot: DownloadSnapshot) {
        guard let place = manager.place(of: snapshot.id) else { return }
        let progress = snapshot.progress
        let mustBegin = state.withLock { state -> Int64? in
            guard let number = state.numbers[snapshot.id], let known = state.sketches[number] else { return nil }
            if let sketch = known.following(snapshot, place), sketch != known {
                state.sketches[number] = sketch
                // Under the lock, so that edits come in the order of what they say.
                ledger.edit(number) { job in
                    guard !job.state.hasEnded else { return }
                    job.take(sketch)
                    if progress.bytesStored > 0 || progress.hasBegun { job.stored = progress.bytesStored }
                }
            }
            guard case .running = snapshot.state, state.runs[number] == nil else { return nil }
            return number
        }
        if let mustBegin { begin(mustBegin) }
    }

    /// Brings what is done for a job in line with what it and its download are: called whenever something may have been
    /// missed.
    func reconcile(_ number: Int64) {
        let sketch = state.withLock { $0.isShutDown ? nil : $0.sketches[number] }
        guard let sketch else { return }
        if sketch.isDirect { return begin(number) }
        guard let id = sketch.download, let snapshot = manager.snapshot(id) else { return requeue(number) }
        switch snapshot.state {
        case .completed, .failed: if !sketch.isPaused { begin(number) }
        case .paused where !sketch.isPaused: try? manager.resume(id)
        case .queued, .running, .waiting, .paused: look(at: snapshot)
        }
    }

    // MARK: Runs

    /// Has its driver do what is left of the job. Nothing, if it has one, is paused or has ended.
    func begin(_ number: Int64) {
        let isFree = state.withLock { state in
            guard !state.isShutDown, state.runs[number] == nil, let sketch = state.sketches[number], !sketch.isPaused
            else { return false }
            if sketch.isDirect {
                guard state.direct.count < Self.maximumDirect else { return false }
                state.direct[number] = .some(nil)
            }
            state.runs[number] = .beginning
            return true
        }
        guard isFree else { return }
        ledger.note(number, "started", "The download has started.")
        Task {
            do throws(DownloadError) {
                guard let job = try store.job(number: number) else { return forget(number) }
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
                KnownDownload(id: download, watch: watch, secrets: secrets, netrc: netrc)
            } else { directFetches(secrets) }
        let ports = JobPorts(
            documents: LiveDocuments(manager.downloader, secrets), fetches: fetches,
            archives: LiveArchives(secrets, followsLinks: followsDirectoryLinks),
            hooks: Self.hooks.named(job.id))
        return JobDriver(resuming: [RunRecord.File(file)], rules: rules, ports: ports) { [weak self] in
            self?.take($0, of: number)
        }
    }

    private func start(_ driver: JobDriver, of number: Int64, _ id: String) {
        let mayStart = state.withLock { state in
            guard !state.isShutDown, state.sketches[number]?.isPaused == false else { return false }
            state.runs[number] = .live(driver)
            state.ids[number] = id
            if state.direct[number] != nil {
                state.sketches[number]?.state = .running
                ledger.edit(number) { if !$0.state.hasEnded { ($0.state, $0.step) = (.running, .fetch) } }
            }
            return true
        }
        if mayStart { driver.start() } else { end(number) }
    }

    func take(_ event: JobEvent, of number: Int64) {
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
            state.withLock { state in
                if case .ended(_, let outcome) = event, let result = outcome.file?.result, !result.wasSkipped {
                    state.fetched += result.byteCount - result.resumedFrom
                }
                state.sketches[number] = nil
                // A failed job may be retried.
                if case .ended(_, .completed) = event { state.secretSpecs[number] = nil }
                ledger.edit(number) { $0.take(event, at: now) }
            }
            trimHistory()
        case .finished: end(number)
        default: break
        }
    }

    /// The database has it no longer.
    func forget(_ number: Int64) {
        let wasDirect = state.withLock { state in
            (
                state.runs[number], state.ids[number], state.sketches[number], state.secretSpecs[number],
                state.markers[number]
            ) = (nil, nil, nil, nil, nil)
            return state.direct.removeValue(forKey: number) != nil
        }
        if wasDirect { beginNextDirect() }
    }

    /// Its run is over. What happened to its download meanwhile may ask for another.
    private func end(_ number: Int64) {
        let wasDirect = state.withLock { state in
            (state.runs[number], state.ids[number]) = (nil, nil)
            return state.direct.removeValue(forKey: number) != nil
        }
        reconcile(number)
        if wasDirect { beginNextDirect() }
    }
}

extension DownloadError {
    static let lacksSecrets = DownloadError(
        .invalidArgument, "The passwords, tokens or header fields of the job were not kept across a restart.",
        remedies: [.giveCredentials], recovery: .giveUp)

    static func lost(_ name: String) -> DownloadError {
        DownloadError(
            .unknownDownload,
            "The session no longer has the download of “\(name)”. Add it again; the stored bytes are kept.",
            remedies: [.tryAgain],
            recovery: .giveUp)
    }
}

/// The one file of a job whose download the manager has already.
private struct KnownDownload: JobFetchPort {
    let id: DownloadID
    let watch: DownloadWatch
    let secrets: SecretReader
    let netrc: Netrc?

    func prepare(_ file: ResolvedFile, ofJob index: Int) throws(JobFailure) -> JobFile {
        do throws(DownloadError) { return try JobFile(file, ofJob: index, secrets, netrc) } catch {
            throw .download(error)
        }
    }

    func fetch(
        _ file: JobFileID, _ wanted: FileToFetch, _ report: @escaping @Sendable (JobFetchReport) -> Void
    ) -> any JobWork {
        if let work = watch.wait(for: id, report) { return work }
        report(
            .failed(
                .download(
                    DownloadError(
                        .locked, "Another run of this job is waiting for its download.", recovery: .retryAfter(nil)))))
        return NoWork()
    }
}
