public import PawlCore
import PawlEngine
import Synchronization

/// A running download. Handles are shared: starting the same download again returns the same handle.
///
/// It runs whether or not anyone waits for it, until ``result()`` is available, or ``pause()`` or ``cancel()`` stop it
/// for everyone who holds the handle. Cancelling a task that waits for ``result()`` stops it only if nobody else wants
/// the file.
public final class Download: Sendable {
    private struct State {
        var progress = DownloadProgress(state: .queued)
        var progressVersion = 0
        var ending: DownloadDriver.Ending?
        var waiters = ResultWaiters()
        /// Tasks waiting for a cancelled download to finish stopping. They do not keep it alive.
        var endWaiters: [CheckedContinuation<DownloadDriver.Ending, Never>] = []
        var progressWaiters: [Int: (seen: Int, CheckedContinuation<(DownloadProgress, Int)?, Never>)] = [:]
        var cancelledWaiters: Set<Int> = []
        var nextWaiter = 0
        var handlers: [@Sendable (DownloadProgress) -> Void] = []
    }

    /// The URL, redacted: no userinfo, no query values.
    public let url: String
    private let spec: DownloadSpec
    private let state = Locked(State())
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

    init(_ spec: DownloadSpec) {
        self.spec = spec
        url = spec.settings.url.redacted
        reports = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024))
    }

    func start(
        ports: Ports, refreshURL: (@Sendable () async -> String?)?,
        learned: (@Sendable (HostObservation, HTTPURL) -> Void)? = nil, listener outer: RunListener? = nil,
        observer: DownloadRecorder? = nil, takingOver handover: Handover? = nil,
        ended: @escaping @Sendable (_ conclude: @escaping @Sendable () -> Void) -> Void
    ) {
        var listener = DownloadDriver.Listener(
            progress: {
                self.publish($0)
                outer?.progress($0)
            },
            report: {
                observer?.reported($0, at: ports.runtime.now)
                self.publish($0, now: ports.runtime.now)
                outer?.report($0)
            },
            ended: { ending in
                observer?.ended(ending, at: ports.runtime.now)
                ended {
                    self.conclude(ending)
                    outer?.ended(ending)
                }
            })
        listener.observer = observer
        observer?.started(ObservedURL(spec.settings.url))
        if let learned { listener.learned = { learned($1, $0) } }
        if let outer {
            listener.learned = outer.learned
            listener.named = outer.named
            listener.mayTake = outer.mayTake
            listener.inTurn = outer.inTurn
        }
        if let refreshURL {
            listener.refreshURL = { await refreshURL().flatMap { try? HTTPURL(parsing: $0) } }
        }
        if outer != nil { hold() }
        let driver = DownloadDriver(spec, ports: ports, listener: listener, takingOver: handover)
        let early = control.withLock { control in
            control.driver = driver
            defer { control.early = [] }
            return control.early
        }
        driver.start()
        for word in early { word(driver) }
    }

    private func tell(_ word: @escaping @Sendable (DownloadDriver) -> Void) {
        let driver = control.withLock { control in
            if control.driver == nil, !control.hasEnded { control.early.append(word) }
            return control.driver
        }
        if let driver { word(driver) }
    }

    // MARK: Watching

    /// The latest progress.
    public var currentProgress: DownloadProgress { state.withLock { $0.progress } }

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
        state.withLock { $0.handlers.append(handler) }
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

    /// Waits until the file is complete and has its name. Any number of tasks may wait.
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
    /// - Throws: ``DownloadError``, or `CancellationError` when the download was cancelled or paused, or this task was
    ///   cancelled.
    public func result() async throws -> DownloadResult {
        guard let ending = await awaitedEnding() else { throw CancellationError() }
        switch ending.phase {
        case .completed(let outcome): return makeResult(ending, outcome)
        case .failed(let error): throw error
        case .paused, .cancelled, .idle, .fetching, .draining, .saving, .settingAside, .refreshing, .verifying,
            .finishing, .quarantining:
            throw CancellationError()
        }
    }

    /// Stops the download for everyone who waits for it, makes everything received durable, and returns what is needed
    /// to resume.
    ///
    /// Cancelling the task that waits for this does not undo the pause.
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
    public func pause() async throws -> ResumeData {
        tell { $0.pause() }
        let ending = await ending()
        switch ending.phase {
        case .paused: return makeResumeData(ending)
        case .failed(let error): throw error
        case .completed: throw DownloadError.alreadyCompleted(ending.fileName ?? url)
        default: throw CancellationError()
        }
    }

    /// ``pause()`` for one who does not wait.
    func stop() { tell { $0.pause() } }

    /// Tasks that wait for ``result()``.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    var hasEnded: Bool { state.withLock { $0.ending != nil } }

    /// Notes the number of bytes that the reader of a stream has taken in all.
    func consumed(_ count: Int64) { tell { $0.consumed(count) } }

    /// Waits for the end, without influence on it.
    package func finished() async { _ = await ending() }

    func isSame(as other: DownloadSpec) -> Bool { spec.settings.identity == other.settings.identity }

    func canServe(_ other: DownloadSpec) -> Bool { spec.settings.canShareDownload(with: other.settings) }

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
    public func cancel() { tell { $0.cancel() } }

    /// `start` has returned this handle once more.
    func share() { state.withLock { $0.waiters.handles += 1 } }

    /// Keeps the download running even when no handle is left.
    func hold() { state.withLock { $0.waiters.isHeld = true } }

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
    func apply(_ bytesPerSecond: Int64?) { tell { $0.limiter.bytesPerSecond = bytesPerSecond } }

    static func check(_ limit: Int64?) throws(DownloadError) {
        if let limit, limit <= 0 { throw .argument("A speed limit of \(limit): it must be more than zero.") }
    }

    // MARK: Inside

    private func publish(_ progress: DownloadProgress) {
        let (handlers, waiters, version) = state.withLock { state in
            state.progress = progress
            state.progressVersion += 1
            defer { state.progressWaiters = [:] }
            return (state.handlers, state.progressWaiters, state.progressVersion)
        }
        for (_, waiter) in waiters { waiter.1.resume(returning: (progress, version)) }
        for handler in handlers { handler(progress) }
    }

    private func publish(_ report: DownloadReport, now: Instant) {
        reports.continuation.yield(TimedReport(report: report, at: now))
    }

    private func conclude(_ ending: DownloadDriver.Ending) {
        let (results, stops, watchers) = state.withLock { state in
            state.ending = ending
            defer {
                state.endWaiters = []
                state.progressWaiters = [:]
            }
            return (state.waiters.end(), state.endWaiters, state.progressWaiters)
        }
        reports.continuation.finish()
        for waiter in results { waiter.resume(returning: ending) }
        for waiter in stops { waiter.resume(returning: ending) }
        for (_, waiter) in watchers { waiter.1.resume(returning: nil) }
        control.withLock { control in
            control.driver = nil
            control.hasEnded = true
        }
    }

    private func ending() async -> DownloadDriver.Ending {
        await withCheckedContinuation { continuation in
            let ending = state.withLock { state -> DownloadDriver.Ending? in
                guard state.ending == nil else { return state.ending }
                state.endWaiters.append(continuation)
                return nil
            }
            if let ending { continuation.resume(returning: ending) }
        }
    }

    /// Waits for the end; nil if this wait was cancelled and the download continues for others.
    private func awaitedEnding() async -> DownloadDriver.Ending? {
        let id = state.withLock { $0.waiters.enter() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state -> DownloadDriver.Ending?? in
                    if let ending = state.ending { return .some(ending) }
                    return state.waiters.register(continuation, as: id) ? nil : .some(nil)
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            switch state.withLock({ $0.waiters.cancel(id) }) {
            case .wait(let continuation): continuation?.resume(returning: nil)
            case .download: cancel()
            }
        }
    }

    func progress(after seen: Int) async -> (DownloadProgress, Int)? {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state -> (DownloadProgress, Int)?? in
                    if state.progressVersion > seen { return .some((state.progress, state.progressVersion)) }
                    if state.ending != nil || state.cancelledWaiters.remove(id) != nil { return .some(nil) }
                    state.progressWaiters[id] = (seen, continuation)
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.progressWaiters.removeValue(forKey: id)
                if waiter == nil { state.cancelledWaiters.insert(id) }
                return waiter
            }
            waiter?.1.resume(returning: nil)
        }
    }

    private func makeResult(
        _ ending: DownloadDriver.Ending, _ outcome: DownloadMachine.Outcome
    ) -> DownloadResult {
        let name = ending.fileName ?? ""
        return DownloadResult(
            path: ending.directory == "." ? name : (ending.directory == "/" ? "" : ending.directory) + "/" + name,
            byteCount: ending.total ?? 0, isComplete: outcome.isComplete, isVerified: outcome.isVerified,
            skipReason: outcome.skipReason, resumedFrom: ending.resumedFrom,
            entityTag: ending.representation?.entityTag?.raw, lastModified: ending.representation?.lastModified,
            contentEncoding: ending.representation?.contentCoding, finalURL: ending.finalURL.redacted,
            sources: ending.sources.map(\.redacted), representation: outcome.isSkipped ? nil : ending.representation)
    }

    private func makeResumeData(_ ending: DownloadDriver.Ending) -> ResumeData {
        ResumeData(
            url: spec.settings.url.withoutSecrets.serialized, needsURL: spec.settings.url.hasSecrets,
            directory: ending.directory, fileName: ending.fileName, byteCount: ending.stored,
            totalBytes: ending.total, digest: spec.settings.digest?.description,
            maximumConnections: spec.settings.maximumConnections)
    }
}
