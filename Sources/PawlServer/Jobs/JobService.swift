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
        /// The path of the database.
        package var path: String
        /// The configuration of the manager; its session is that of the service.
        package var manager = DownloadManager.Configuration()
        /// A program to run after each job that has completed or failed, with its arguments.
        package var hook: [String] = []
        /// Secrets of completed jobs are kept as long as these are listed. Where none are stored, nothing is.
        var remembersSecrets = false

        package init(path: String) { self.path = path }
    }

    struct Run {
        /// The driver of the run; nil while the run begins.
        var driver: JobDriver?
        /// The time of the end that the program of this run is told of.
        var end: Int64?
        /// The job was refused during the run, and the program for that end runs behind it.
        var isFollowedByHook = false
        /// The row of a job that was removed before its program has run.
        var removed: StoredJob?
    }

    struct State {
        /// The numbers of jobs by their downloads in the manager.
        var numbers: [DownloadID: Int64] = [:]
        /// The sketch of each unfinished job.
        var sketches: [Int64: JobSketch] = [:]
        /// The specifications of jobs that the database has without their secrets only.
        var secretSpecs: [Int64: JobSpec] = [:]
        var runs: [Int64: Run] = [:]
        /// Runs without the queue, and how far they are.
        var direct: [Int64: JobProgress?] = [:]
        /// The ids of jobs that have a run.
        var ids: [Int64: String] = [:]
        /// The markers of downloads that were taken from jobs to be made anew.
        var markers: [Int64: UInt64] = [:]
        /// The steps at work on completed jobs.
        var working: [Int64: JobStep] = [:]
        var workers: [Int64: Task<Void, Never>] = [:]
        /// The number of bytes of completed downloads since the start.
        var fetched: Int64 = 0
        var isShutDown = false
    }

    package let store: Store
    let manager: DownloadManager
    let ledger: JobLedger
    let state = Locked(State())
    let storesSecrets: Bool
    let remembersSecrets: Bool
    /// Returns the reason why nothing may be stored in a directory; nil if it may.
    let placeRefusal: @Sendable (String) -> DownloadError?
    let netrc: Netrc?
    let followsDirectoryLinks: Bool
    let hook: [String]
    let turn = AsyncSemaphore(1)
    let history = Locked(History())
    let isErasing = Locked(false)
    /// Seconds since 1970.
    package let started = LiveRuntime.wallClockSeconds
    let steadyStart = ContinuousClock.now
    /// The id of this start of the service.
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
        (storesSecrets, remembersSecrets) = (settings.storesSecrets, configuration.remembersSecrets)
        placeRefusal = settings.placeRefusal ?? { _ in nil }
        (netrc, followsDirectoryLinks) = (settings.downloader.netrc, settings.downloader.followsDirectoryLinks)
        let forgotten: [Int64: JobSpec]?
        do throws(DownloadError) {
            forgotten = remembersSecrets ? nil : try store.forgetSecrets(ofUnfinished: !settings.storesSecrets)
            // A process that died may have saved no more of a download than that it runs.
            let wanted = try store.wantedDownloads()
            settings.holds = { !wanted.contains($0) }
            manager = try DownloadManager(configuration: settings)
        } catch {
            store.close()
            throw error
        }
        ledger = JobLedger(store)
        // This process still knows what it no longer stores.
        state.withLock { $0.secretSpecs = forgotten ?? [:] }
        let events = manager.laterEvents
        do throws(DownloadError) {
            try restore()
        } catch {
            Task { await shutdown() }
            throw error
        }
        listen(to: events)
        if forgotten != nil { eraseForgotten() }
        // To restore a hundred thousand takes more than to have them.
        SystemCalls.returnFreedMemory()
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
        for id in manager.ids { try restore(id, of: downloads[id]) }
        // What was done with finished files has ended with the process.
        for number in try store.workingNumbers() { ledger.edit(number) { $0.step = nil } }
        for number in try store.numbersWithHooks() { runHook(ofRestored: number) }
        for sketch in sketches { restore(sketch) }
    }

    /// Removes a download that no job will have again, and concludes one whose job is completed. Those that their jobs
    /// do not wait for are paused.
    private func restore(_ id: DownloadID, of number: Int64?) throws(DownloadError) {
        // The process died before the job was accepted. The download never ran.
        guard let number else { return try manager.remove(id) }
        guard state.withLock({ $0.sketches[number] == nil }), manager.state(of: id)?.isAlive == true else { return }
        // Or between the commit of the end and the save of the session. Where it has failed, `retry` resumes it.
        guard let job = try store.job(number: number), job.state == .completed else { return }
        var facts = FinishedFacts(fileName: job.name ?? "", byteCount: job.total ?? job.stored, finalURL: "")
        (facts.isComplete, facts.isVerified) = (job.isComplete ?? false, job.isVerified ?? false)
        if job.isSkipped { facts.skipReason = .exists }
        manager.conclude(id, facts)
    }

    /// Restores a job at the start. The database decides about the order and about paused and running jobs; the session
    /// of the manager may be a moment older.
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
            task = Task { [weak self] in
                for await event in events { self?.take(event) }
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
            if notice.code == .tookOver { continueFromFreshURL(number) }
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
        case .completed, .failed, .cancelled: if !sketch.isPaused { begin(number) }
        case .paused where !sketch.isPaused: try? manager.resume(id)
        case .queued, .running, .waiting, .paused: look(at: snapshot)
        }
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
