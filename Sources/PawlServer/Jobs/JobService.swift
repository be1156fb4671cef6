package import Pawl
package import PawlCore
import PawlEngine
import PawlJobs
import Synchronization

/// The jobs of the service: accepts them, has them downloaded by one manager, and keeps what becomes of them.
///
/// A job that waits costs an entry of the queue and a sketch. Its ``JobDriver`` lives from the moment its download runs until the job has ended
/// or stops. Calls may come from any task; what they have answered is durable.
package final class JobService: Sendable {
    package struct Configuration: Sendable {
        /// Of the database.
        package var path: String
        /// Its session is the service's.
        package var manager = DownloadManager.Configuration()

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
        var isShutDown = false
    }

    package let store: Store
    let manager: DownloadManager
    let ledger: JobLedger
    let state = Locked(State())
    let storesSecrets: Bool
    private let downloader: Downloader
    let secrets = SecretReader()
    let netrc: Netrc?
    private let watch: DownloadWatch
    private let words = FailureWords { $0.message } exitCode: { _, _ in 1 }
    private let listening = Locked<Task<Void, Never>?>(nil)

    /// Opens the database, and resumes what ran.
    ///
    /// - Throws: what ``Store`` and ``DownloadManager`` throw.
    package init(_ configuration: Configuration) throws(DownloadError) {
        store = try Store(configuration.path)
        var settings = configuration.manager
        settings.session = SessionTable(store)
        // A job is kept until it is removed, and its download with it.
        settings.maximumFinished = .max
        storesSecrets = settings.storesSecrets
        netrc = settings.downloader.netrc
        do throws(DownloadError) {
            downloader = try Downloader(configuration: settings.downloader)
            manager = try DownloadManager(configuration: settings)
        } catch {
            store.close()
            throw error
        }
        watch = DownloadWatch(manager)
        ledger = JobLedger(store)
        do throws(DownloadError) {
            try restore()
        } catch {
            Task { await shutdown() }
            throw error
        }
        listen()
    }

    /// Stops what runs, keeping all that was received, and closes the database.
    package func shutdown() async {
        let runs = state.withLock { state in
            state.isShutDown = true
            return state.runs.values.compactMap(\.driver)
        }
        for run in runs { run.stop() }
        await manager.shutdown()
        await waitForRuns()
        await downloader.shutdown()
        await ledger.close()
        listening.withLock { $0?.cancel() }
        store.close()
    }

    /// A program that a job has started may run longer than anybody waits for it.
    private func waitForRuns() async {
        let deadline = ContinuousClock.now + .seconds(1)
        while ContinuousClock.now < deadline, !state.withLock({ $0.runs.isEmpty }) { try? await Task.sleep(for: .milliseconds(5)) }
    }

    // MARK: Restoring

    private func restore() throws(DownloadError) {
        let downloads = try store.downloads()
        let sketches = try store.sketches()
        state.withLock { state in
            state.numbers = downloads
            state.sketches = Dictionary(sketches.map { ($0.number, $0) }) { first, _ in first }
        }
        // The process died before the job of such a download was accepted. It never ran.
        for id in manager.ids where downloads[id] == nil { try manager.remove(id) }
        for sketch in sketches { try settle(sketch) }
    }

    /// The database knows who is paused, and the session of the manager may be a moment older.
    private func settle(_ sketch: JobSketch) throws(DownloadError) {
        guard let id = sketch.download, let snapshot = manager.snapshot(id) else { return begin(sketch.number) }
        switch snapshot.state {
        case .paused: if !sketch.isPaused { try manager.resume(id) }
        case .queued, .running, .waiting: if sketch.isPaused { try manager.pause(id) }
        // The process died before its job knew.
        case .completed, .failed: if !sketch.isPaused { begin(sketch.number) }
        }
    }

    // MARK: What happens

    private func listen() {
        let events = manager.events
        listening.withLock { task in
            task = Task { [weak self] in for await event in events { self?.take(event) } }
        }
    }

    private func take(_ event: DownloadManager.Event) {
        switch event {
        case .changed(let snapshot): look(at: snapshot)
        case .completed(let id, _), .failed(let id, _): conclude(id)
        case .missed: for id in state.withLock({ Array($0.numbers.keys) }) { manager.snapshot(id).map(look) }
        case .added, .notice, .removed, .sessionNotSaved: break
        }
    }

    /// Also tells apart what is no change: progress comes often, and is not written down.
    func look(at snapshot: DownloadSnapshot) {
        guard let place = manager.place(of: snapshot.id) else { return }
        let (changed, mustBegin) = state.withLock { state -> (JobSketch?, Int64?) in
            guard let number = state.numbers[snapshot.id], let known = state.sketches[number] else { return (nil, nil) }
            let isRunning = if case .running = snapshot.state { true } else { false }
            let mustBegin = isRunning && state.runs[number] == nil ? number : nil
            guard let sketch = known.following(snapshot, place), sketch != known else { return (nil, mustBegin) }
            state.sketches[number] = sketch
            return (sketch, mustBegin)
        }
        if let changed {
            let stored = snapshot.progress.bytesStored
            ledger.edit(changed.number) { job in
                job.take(changed)
                job.stored = stored
            }
        }
        if let mustBegin { begin(mustBegin) }
    }

    private func conclude(_ id: DownloadID) {
        let number = state.withLock { state in
            state.numbers[id].flatMap { number in state.sketches[number].map { $0.isPaused ? nil : number } ?? nil }
        }
        if let number { begin(number) }
    }

    // MARK: Runs

    /// Has its driver do what is left of the job. Nothing, if it has one or has ended.
    func begin(_ number: Int64) {
        let isFree = state.withLock { state in
            guard !state.isShutDown, state.runs[number] == nil, state.sketches[number] != nil else { return false }
            state.runs[number] = .beginning
            return true
        }
        guard isFree else { return }
        Task {
            do throws(DownloadError) {
                guard let job = try store.job(number: number) else { return end(number) }
                start(try driver(of: job), of: number)
            } catch {
                finish(number, with: .download(error))
            }
        }
    }

    private func driver(of job: StoredJob) throws(DownloadError) -> JobDriver {
        let number = job.number
        let observe: @Sendable (JobEvent) -> Void = { [weak self] in self?.take($0, of: number) }
        let spec = state.withLock { $0.secretSpecs[number] } ?? job.spec
        guard let download = job.download, manager.snapshot(download) != nil else {
            return JobDriver([spec], ports: ports(LiveFetches(downloader, secrets, netrc: netrc, sharing: watch)), observe: observe)
        }
        let file = RunRecord.File(try spec.onlyFile(secrets, netrc))
        return JobDriver(resuming: [file], ports: ports(KnownDownload(id: download, watch: watch, secrets: secrets, netrc: netrc)), observe: observe)
    }

    private func ports(_ fetches: any JobFetchPort) -> JobPorts {
        JobPorts(documents: LiveDocuments(downloader, secrets), fetches: fetches, archives: LiveArchives(secrets), hooks: LiveHooks(words))
    }

    private func start(_ driver: JobDriver, of number: Int64) {
        let mayStart = state.withLock { state in
            guard !state.isShutDown, state.runs[number] != nil else { return false }
            state.runs[number] = .live(driver)
            return true
        }
        if mayStart { driver.start() }
    }

    private func take(_ event: JobEvent, of number: Int64) {
        let now = Clock.secondsSinceEpoch
        switch event {
        case .began, .fetched: ledger.edit(number) { $0.take(event, at: now) }
        case .ended(_, .stopped): break
        case .ended, .refused:
            state.withLock { state in
                state.sketches[number] = nil
                state.secretSpecs[number] = nil
            }
            ledger.edit(number) { $0.take(event, at: now) }
        case .finished: end(number)
        default: break
        }
    }

    /// Its run is over. What happened to its download meanwhile may ask for another.
    private func end(_ number: Int64) {
        let download = state.withLock { state in
            state.runs[number] = nil
            return state.sketches[number]?.download
        }
        if let snapshot = download.flatMap({ manager.snapshot($0) }) { look(at: snapshot) }
    }

    private func finish(_ number: Int64, with failure: JobFailure) {
        take(.refused(failure), of: number)
        end(number)
    }
}

/// The one file of a job whose download the manager has already.
private struct KnownDownload: JobFetchPort {
    let id: DownloadID
    let watch: DownloadWatch
    let secrets: SecretReader
    let netrc: Netrc?

    func prepare(_ file: ResolvedFile, ofJob index: Int) throws(JobFailure) -> JobFile {
        do throws(DownloadError) { return try JobFile(file, ofJob: index, secrets, netrc) } catch { throw .download(error) }
    }

    func fetch(_ file: JobFileID, _ wanted: FileToFetch, _ report: @escaping @Sendable (JobFetchReport) -> Void) -> any JobWork {
        if let work = watch.wait(for: id, report) { return work }
        report(.failed(.download(DownloadError(.locked, "Another run of this job waits for its download.", recovery: .retryAfter(nil)))))
        return NoWork()
    }
}

private struct NoWork: JobWork {
    func stop() {}
}
