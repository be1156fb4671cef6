public import PawlCore
import PawlEngine
import Synchronization

/// A download. Handles are shared: starting the same download again returns the same handle, and resumes it if it is
/// paused.
///
/// It runs whether or not anyone waits for it, until ``result()`` is available, or ``pause()`` or ``cancel()`` stop it
/// for everyone who holds the handle. Cancelling a task that waits for ``result()`` stops it only if nobody else wants
/// the file.
///
/// A button that toggles it:
///
/// ```swift
/// let downloader = try Downloader()
/// let download = try downloader.start(DownloadRequest("https://example.org/disk.iso", to: "disk.iso"))
/// if download.state == .paused { try download.resume() } else { try await download.pause() }
/// ```
///
/// A paused download has no connection and does not hold its target; a crash loses nothing of it. One that nobody holds
/// is forgotten, and the same request resumes it.
public final class Download: Sendable {
    /// Begins another run of a paused download.
    typealias Restart = @Sendable (Download, Plan) throws(DownloadError) -> Void

    private struct Values {
        var progress = DownloadProgress(state: .queued)
        var pausing = Pausing()
        /// Begins the next run; nil for a download that belongs to a manager or a stream, which ends when it is paused,
        /// and for one that has ended.
        var restart: Restart?
        var ending: DownloadDriver.Ending?
        var waiters = ResultWaiters()
        /// Tasks waiting until the download has stopped for good. They do not keep it alive.
        var endWaiters: [CheckedContinuation<DownloadDriver.Ending, Never>] = []
        var endHandlers: [@Sendable (Result<DownloadResult, any Error>, DownloadState) -> Void] = []
        var handlers: [@Sendable (DownloadProgress) -> Void] = []
        /// The speed limit that was set since the start; nil if none was.
        var limit: Int64??
    }

    /// The URL, redacted: no userinfo, no query values.
    public let url: String
    private let plan: Plan
    private let values = Locked(Values())
    private let readers = Readers()
    private let reports: (stream: AsyncStream<TimedReport>, continuation: AsyncStream<TimedReport>.Continuation)
    private let control = Locked(Control())

    /// A report whose text is made only for a reader; most downloads have none.
    private struct TimedReport: Sendable {
        let report: DownloadReport
        let at: Instant
    }

    private struct Control {
        var driver: DownloadDriver?
        /// Calls made before there was a driver.
        var early: [@Sendable (DownloadDriver) -> Void] = []
        var hasEnded = false
    }

    init(_ plan: Plan, restart: Restart? = nil) {
        self.plan = plan
        if restart == nil { values.withLock { _ = $0.pausing.end(isCancelled: false) } }
        values.withLock { $0.restart = restart }
        url = plan.settings.url.redacted
        reports = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024))
    }

    func start(
        ports: Ports, refreshURL: (@Sendable () async -> String?)?, listener: any RunListener,
        observer: DownloadRecorder? = nil, takingOver handover: Handover? = nil
    ) {
        observer?.started(ObservedURL(plan.settings.url))
        var refresh: (@Sendable () async -> HTTPURL?)?
        if let refreshURL { refresh = { await refreshURL().flatMap { try? HTTPURL(parsing: $0) } } }
        let driver = DownloadDriver(
            plan, ports: ports, listener: listener, observer: observer, refreshURL: refresh, takingOver: handover)
        let early = control.withLock { control in
            control.driver = driver
            defer { control.early = [] }
            return control.early
        }
        for word in early { word(driver) }
        driver.start()
    }

    deinit {
        // Readers may outlive it.
        readers.finish()
        reports.continuation.finish()
    }

    private func tell(_ word: @escaping @Sendable (DownloadDriver) -> Void) {
        let driver = control.withLock { control in
            if control.driver == nil, !control.hasEnded { control.early.append(word) }
            return control.driver
        }
        if let driver { word(driver) }
    }

    // MARK: Watching

    /// The current state. A download that was told to pause runs until its received bytes are durable.
    public var state: DownloadState { currentProgress.state }

    /// The latest progress.
    public var currentProgress: DownloadProgress { values.withLock { $0.progress } }

    /// Progress as it changes. Slow readers receive only the latest value and delay nothing. Ends with the download.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// let download = try downloader.start(DownloadRequest("https://example.org/disk.iso", to: "disk.iso"))
    /// for await progress in download.progress {
    ///     print(progress.bytesStored, progress.totalBytes ?? 0, progress.bytesPerSecond)
    /// }
    /// ```
    public var progress: Progress { Progress(download: self) }

    /// Calls `handler` at each change, about twenty times a second, on a thread of the library: it must return quickly.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// let download = try downloader.start(DownloadRequest("https://example.org/disk.iso", to: "disk.iso"))
    /// download.onProgress { progress in
    ///     print(progress.fractionCompleted ?? 0)  // from 0 to 1; nil while the length is unknown
    /// }
    /// let file = try await download.result()
    /// ```
    public func onProgress(_ handler: @escaping @Sendable (DownloadProgress) -> Void) {
        values.withLock { $0.handlers.append(handler) }
    }

    /// Events other than progress, from the start; the newest 1,024 are buffered. For one reader. Ends with the
    /// download.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// let download = try downloader.start(DownloadRequest("https://example.org/disk.iso", to: "disk.iso"))
    /// for await notice in download.notices {
    ///     print(notice.message)
    ///     if notice.code == .retrying, let delay = notice.facts.delay { print("again in \(delay)") }
    /// }
    /// ```
    public var notices: AsyncStream<DownloadNotice> {
        AsyncStream { [stream = reports.stream] in
            var iterator = stream.makeAsyncIterator()
            return await iterator.next().map { DownloadNotice($0.report, now: $0.at) }
        }
    }

    // MARK: Ending

    /// Waits until the file is complete and has its name, through pauses. Any number of tasks may wait.
    ///
    /// Cancelling a task that waits ends its own wait, with `CancellationError`. It also cancels the download if nobody
    /// else is known to want the file:
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// let download = try downloader.start(DownloadRequest("https://example.org/disk.iso", to: "disk.iso"))
    /// let file = try await download.result()
    /// print(file.path, file.byteCount, file.isVerified)
    /// ```
    ///
    /// - no other task waits for this result, and
    /// - at least as many waits have been cancelled as ``Downloader/start(_:)`` has returned this handle.
    ///
    /// Then the wait ends once the download has stopped and what it received is durable. The downloads of a
    /// ``DownloadManager`` and of a ``DownloadStream`` are never cancelled this way.
    /// - Throws: ``DownloadError``, or `CancellationError` when the download was cancelled, or this task was.
    public func result() async throws -> DownloadResult {
        guard let ending = await awaitedEnding() else { throw CancellationError() }
        return try result(ending).get()
    }

    private func result(_ ending: DownloadDriver.Ending) -> Result<DownloadResult, any Error> {
        switch ending.phase {
        case .completed(let outcome): .success(DownloadResult(ending, outcome))
        case .failed(let error): .failure(error)
        case .paused, .cancelled, .idle, .fetching, .draining, .saving, .settingAside, .refreshing, .verifying,
            .finishing, .quarantining:
            .failure(CancellationError())
        }
    }

    /// Stops the download until ``resume()``, makes everything received durable, and returns what a later process needs
    /// to resume it.
    ///
    /// Tasks that wait for ``result()`` wait on. Cancelling the task that waits for this does not undo the pause. The
    /// downloads of a ``DownloadManager`` and of a ``DownloadStream`` end by it: ``DownloadManager/resume(_:)`` begins
    /// another, and a stream cannot be resumed.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// let download = try downloader.start(DownloadRequest("https://example.org/disk.iso", to: "disk.iso"))
    /// let resumeData = try await download.pause()
    /// print("\(resumeData.byteCount) bytes are stored")
    /// ```
    ///
    /// - Throws: ``DownloadError/Code/alreadyCompleted`` when the file was complete first; the ``DownloadError`` the
    ///   download failed with, if it failed first; `CancellationError` when it was cancelled.
    @discardableResult
    public func pause() async throws -> ResumeData {
        let ending = await withCheckedContinuation { continuation in
            if let stopped = requestPause(continuation) { continuation.resume(returning: stopped) }
        }
        switch ending.phase {
        case .paused: return makeResumeData(ending)
        case .failed(let error): throw error
        case .completed: throw DownloadError.alreadyCompleted(ending.fileName ?? url)
        default: throw CancellationError()
        }
    }

    /// ``pause()`` for one who does not wait.
    package func requestPause() { _ = requestPause(nil) }

    /// - Returns: how the download has stopped, if it has.
    private func requestPause(_ waiter: Pausing.Waiter?) -> DownloadDriver.Ending? {
        let stopped = values.withLock { state in state.ending ?? state.pausing.pause(waiter) }
        if stopped == nil { tell { $0.pause() } }
        return stopped
    }

    /// Lets a paused download run again, under this handle. One that runs is not changed; one that is still pausing
    /// runs again as soon as it has stopped.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// let download = try downloader.start(DownloadRequest("https://example.org/disk.iso", to: "disk.iso"))
    /// try await download.pause()
    /// try download.resume()
    /// let file = try await download.result()
    /// ```
    ///
    /// - Throws: ``DownloadError/Code/locked`` when its target is being downloaded to by another request;
    ///   ``DownloadError/Code/alreadyCompleted``; the ``DownloadError`` that it failed with;
    ///   ``DownloadError/Code/invalidArgument`` when it was cancelled, or belongs to a manager or a stream.
    public func resume() throws(DownloadError) {
        let ending = try continueIfPaused()
        switch ending?.phase {
        case .completed: throw .alreadyCompleted(ending?.fileName ?? url)
        case .failed(let error): throw error
        case nil: break
        default: throw .argument("This download has ended. Start it again.")
        }
    }

    /// ``resume()`` of a download that may have ended.
    ///
    /// - Returns: how it has ended, if it has.
    @discardableResult
    func continueIfPaused() throws(DownloadError) -> DownloadDriver.Ending? {
        let (paused, ending) = values.withLock { state -> (DownloadDriver.Ending?, DownloadDriver.Ending?) in
            guard state.ending == nil else { return (nil, state.ending) }
            // The last progress of a run that is stopping says that it is paused.
            if state.restart != nil, state.progress.state == .paused { state.progress.state = .queued }
            let paused = state.pausing.resume()
            if paused != nil { begin(&state) }
            return (paused, nil)
        }
        guard let paused else { return ending }
        do throws(DownloadError) {
            try run(after: paused)
            return nil
        } catch {
            // The download stays paused, unless it was cancelled meanwhile.
            stopped(paused) { $0.notBegun($1) }
            throw error
        }
    }

    /// Calls from now on are for the next run.
    private func begin(_ state: inout Values) {
        state.progress.state = .queued
        control.withLock { $0.hasEnded = false }
    }

    private func run(after paused: DownloadDriver.Ending) throws(DownloadError) {
        var plan = plan
        // The server may have named it, or it was renamed on account of another one.
        if let name = paused.fileName { plan.fileName = name }
        if let limit = values.withLock({ $0.limit }) { plan.maximumBytesPerSecond = limit }
        try values.withLock({ $0.restart })?(self, plan)
    }

    /// Stops the download for good, as ``pause()`` does for one who does not wait.
    package func stop() {
        end(isCancelled: false) { $0.pause() }
    }

    /// Whether the download runs, or can be resumed, under this handle.
    var mayResume: Bool { values.withLock { $0.pausing.mayResume && $0.ending == nil } }

    /// Calls `handler` once, when the download has ended for good.
    package func onEnd(_ handler: @escaping @Sendable (Result<DownloadResult, any Error>, DownloadState) -> Void) {
        let (ending, end) = values.withLock { state in
            if state.ending == nil { state.endHandlers.append(handler) }
            return (state.ending, state.progress.state)
        }
        if let ending { handler(result(ending), end) }
    }

    /// Tasks that wait for ``result()``.
    var waiterCount: Int { values.withLock { $0.waiters.count } }

    var hasEnded: Bool { values.withLock { $0.ending != nil } }

    /// Notes the number of bytes that the reader of a stream has taken in all.
    func consumed(_ count: Int64) { tell { $0.consumed(count) } }

    /// Waits for the end, without influence on it.
    package func finished() async { _ = await ending() }

    func isSame(as other: Plan) -> Bool { plan.settings.identity == other.settings.identity }

    func canServe(_ other: Plan) -> Bool { plan.settings.canShareDownload(with: other.settings) }

    /// Stops the download for everyone who waits for it. Received bytes are kept for a later run to the same target.
    /// Has no effect once the download has ended.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// let download = try downloader.start(DownloadRequest("https://example.org/disk.iso", to: "disk.iso"))
    /// download.cancel()
    /// do {
    ///     _ = try await download.result()
    /// } catch is CancellationError {
    ///     print("Cancelled.")
    /// }
    /// ```
    public func cancel() { end(isCancelled: true) { $0.cancel() } }

    private func end(isCancelled: Bool, _ word: @escaping @Sendable (DownloadDriver) -> Void) {
        if let paused = values.withLock({ $0.pausing.end(isCancelled: isCancelled) }) {
            stopped(paused) { $0.stopped($1) }
        } else {
            tell(word)
        }
    }

    /// `start` has returned this handle once more.
    func share() { values.withLock { $0.waiters.handles += 1 } }

    /// Keeps the download running even when no handle is left.
    func hold() { values.withLock { $0.waiters.isHeld = true } }

    /// Limits this download from now on, in bytes per second; nil lifts the limit. The limit of all downloads together
    /// is unchanged.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// let download = try downloader.start(DownloadRequest("https://example.org/disk.iso", to: "disk.iso"))
    /// try download.setMaximumBytesPerSecond(1 << 20)
    /// let file = try await download.result()
    /// ```
    ///
    /// - Throws: ``DownloadError/Code/invalidArgument`` when the limit is not positive.
    public func setMaximumBytesPerSecond(_ limit: Int64?) throws(DownloadError) {
        try Self.check(limit)
        apply(limit)
    }

    /// A limit that has been checked.
    func apply(_ bytesPerSecond: Int64?) {
        values.withLock { $0.limit = .some(bytesPerSecond) }
        tell { $0.limiter.bytesPerSecond = bytesPerSecond }
    }

    static func check(_ limit: Int64?) throws(DownloadError) {
        if let limit, limit <= 0 { throw .argument("A speed limit of \(limit): it must be more than zero.") }
    }

    // MARK: Inside

    func makeReader() -> Readers.Reader {
        values.withLock { readers.makeReader(after: [.state(.only, $0.progress)]) }
    }

    func publish(_ progress: DownloadProgress) {
        values.withLock { publish(progress, &$0) }()
    }

    /// Tells readers in the order in which progress changes.
    ///
    /// - Returns: a call that tells handlers, once the lock is released.
    private func publish(_ progress: DownloadProgress, _ state: inout Values) -> () -> Void {
        state.progress = progress
        readers.publish(.state(.only, progress))
        return { [handlers = state.handlers] in for handler in handlers { handler(progress) } }
    }

    func publish(_ report: DownloadReport, now: Instant) {
        reports.continuation.yield(TimedReport(report: report, at: now))
    }

    /// Takes the end of a run.
    func conclude(_ ending: DownloadDriver.Ending) { stopped(ending) { $0.stopped($1) } }

    /// - Parameter decide: what follows the end of the run.
    private func stopped(
        _ ending: DownloadDriver.Ending,
        _ decide: (inout Pausing, DownloadDriver.Ending) -> (Pausing.Stop, [Pausing.Waiter])
    ) {
        control.withLock { ($0.driver, $0.early, $0.hasEnded) = (nil, [], true) }
        let (stop, waiters, tell) = values.withLock { state in
            let (stop, waiters) = decide(&state.pausing, ending)
            var tell = {}
            switch stop {
            case .ended(let ending):
                state.ending = ending
                tell = publish(DownloadState(ending.phase), &state)
            case .paused: tell = publish(.paused, &state)
            case .resumed: begin(&state)
            }
            return (stop, waiters, tell)
        }
        tell()
        switch stop {
        case .ended(let ending):
            for waiter in waiters { waiter.resume(returning: ending) }
            tellEnd(ending)
        case .paused: for waiter in waiters { waiter.resume(returning: ending) }
        case .resumed:
            for waiter in waiters { waiter.resume(returning: ending) }
            do throws(DownloadError) {
                try run(after: ending)
            } catch {
                stopped(ending) { $0.notResumed($1, error) }
            }
        }
    }

    /// Publishes a state that the run did not tell of.
    private func publish(_ end: DownloadState, _ state: inout Values) -> () -> Void {
        guard state.progress.state != end else { return {} }
        var progress = state.progress
        progress.state = end
        return publish(progress, &state)
    }

    private func tellEnd(_ ending: DownloadDriver.Ending) {
        // Released behind the lock: what they hold may call this download.
        let (results, stops, handlers, end, _, _) = values.withLock { state in
            defer { (state.endWaiters, state.endHandlers, state.handlers, state.restart) = ([], [], [], nil) }
            return (
                state.waiters.end(), state.endWaiters, state.endHandlers, state.progress.state, state.handlers,
                state.restart
            )
        }
        reports.continuation.finish()
        for handler in handlers { handler(result(ending), end) }
        for waiter in results { waiter.resume(returning: ending) }
        for waiter in stops { waiter.resume(returning: ending) }
        readers.finish()
    }

    private func ending() async -> DownloadDriver.Ending {
        await withCheckedContinuation { continuation in
            let ending = values.withLock { state -> DownloadDriver.Ending? in
                guard state.ending == nil else { return state.ending }
                state.endWaiters.append(continuation)
                return nil
            }
            if let ending { continuation.resume(returning: ending) }
        }
    }

    /// Waits for the end; nil if this wait was cancelled and the download continues for others.
    private func awaitedEnding() async -> DownloadDriver.Ending? {
        let id = values.withLock { $0.waiters.enter() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = values.withLock { state -> DownloadDriver.Ending?? in
                    if let ending = state.ending { return .some(ending) }
                    return state.waiters.register(continuation, as: id) ? nil : .some(nil)
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            switch values.withLock({ $0.waiters.cancel(id) }) {
            case .wait(let continuation): continuation?.resume(returning: nil)
            case .download: cancel()
            }
        }
    }

    private func makeResumeData(_ ending: DownloadDriver.Ending) -> ResumeData {
        ResumeData(
            url: plan.settings.url.withoutSecrets.serialized, needsURL: plan.settings.url.hasSecrets,
            directory: ending.directory, fileName: ending.fileName, byteCount: ending.stored,
            totalBytes: ending.total, digest: plan.settings.digest?.description,
            maximumConnections: plan.settings.maximumConnections)
    }
}

extension DownloadResult {
    fileprivate init(_ ending: DownloadDriver.Ending, _ outcome: DownloadMachine.Outcome) {
        self.init(FinishedFacts(ending, outcome), in: ending.directory)
        if !outcome.isSkipped { representation = ending.representation }
    }
}

extension DownloadState {
    fileprivate init(_ end: DownloadMachine.Phase) {
        switch end {
        case .paused: self = .paused
        case .completed: self = .completed
        case .failed(let error): self = .failed(error)
        case .cancelled, .idle, .fetching, .draining, .saving, .settingAside, .refreshing, .verifying, .finishing,
            .quarantining:
            self = .cancelled
        }
    }
}
