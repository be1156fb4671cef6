import Pawl
import PawlArchive
import PawlCore
import PawlEngine
import Synchronization

/// A fetch that is more than one download, or that hands on the bytes. Stopping it pauses its download, which keeps
/// received bytes, and ends everything else.
final class DownloadWork: RunningDownload {
    private struct State {
        var task: Task<Void, Never>?
        var download: Download?
        var turn: QueueTurn?
        /// The number of times that it was begun.
        var begun = 0
        var hasChosen = false
        var isStopped = false
        var end: JobMachineEvent?
    }

    /// - Throws: also a `JobFailure` that says that members cannot be had alone.
    typealias Body = @Sendable (DownloadWork) async throws -> FetchedFile

    private let state = Locked(State())
    private let id: JobFileID
    private let tell: @Sendable (JobMachineEvent) -> Void
    private let body: Body

    /// The number of times that its turn passes to others while it waits to try again. Each time it begins anew to
    /// count what has failed.
    private static let maximumYields = 3

    /// The interval between progress reports.
    private static let interval = Duration.milliseconds(100)

    /// - Parameter tell: not told the end.
    init(_ id: JobFileID, _ tell: @escaping @Sendable (JobMachineEvent) -> Void, _ body: @escaping Body) {
        (self.id, self.tell, self.body) = (id, tell, body)
    }

    /// The event that ends the fetch; that it was stopped, until it has come to an end of its own.
    var end: JobMachineEvent { state.withLock { $0.end } ?? .fetchStopped(id) }

    func start(_ ended: @escaping @Sendable (JobMachineEvent) -> Void) {
        state.withLock { state in
            state.isStopped = false
            state.begun += 1
            state.task = Task { ended(await run()) }
        }
    }

    private func run() async -> JobMachineEvent {
        do {
            return end(.fetched(id, try await body(self)))
        } catch let failure as JobFailure {
            return end(.membersNotAvailable(id, failure))
        } catch {
            guard let failure = JobFailure(error) else { return .fetchStopped(id) }
            return end(.fetchFailed(id, failure))
        }
    }

    private func end(_ event: JobMachineEvent) -> JobMachineEvent {
        state.withLock { $0.end = event }
        return event
    }

    /// Runs in its turn in a queue, unless it has come to its end already.
    func start(in turn: QueueTurn) {
        let hasEnded = state.withLock { state in
            state.turn = turn
            return state.end != nil
        }
        if hasEnded { turn.end() } else { start { _ in turn.end() } }
    }

    /// Tells of the download while it lasts.
    ///
    /// - Throws: what its result throws; `CancellationError` where it was stopped before.
    func watch(_ download: Download) async throws -> DownloadResult {
        try await watch(download) { try await download.result() }
    }

    /// Passes on the bytes of a stream in order, and reports its download.
    ///
    /// - Parameter take: false where nobody wants any more: the download ends as if it were stopped.
    func watch(_ stream: DownloadStream, _ take: @Sendable ([UInt8]) -> Bool) async throws -> DownloadResult {
        try await watch(stream.download) {
            for try await bytes in stream where !take(bytes) {
                stream.download.cancel()
                throw CancellationError()
            }
            return try await stream.download.result()
        }
    }

    private func watch(
        _ download: Download, until body: () async throws -> DownloadResult
    ) async throws -> DownloadResult {
        try await begin(download)
        tell(.began(id))
        let notices = Task { for await notice in download.notices { tell(.notice(id, notice)) } }
        let ticker = Task {
            while true {
                do { try await Pause.sleep(for: Self.interval) } catch { return }
                progressed(download.currentProgress)
            }
        }
        let ending: Result<DownloadResult, any Error>
        do { ending = .success(try await body()) } catch { ending = .failure(error) }
        ticker.cancel()
        await ticker.value
        await notices.value
        tell(.progressed(id, JobProgress(download.currentProgress)))
        let result = try ending.get()
        // The bytes are used in its turn, too.
        passOn(.running(.verifying), rate: 0)
        return result
    }

    private func progressed(_ progress: DownloadProgress) {
        tell(.progressed(id, JobProgress(progress)))
        passOn(progress.state, rate: progress.bytesPerSecond)
    }

    /// Tells the queue what a download of the work waits for, as long as that lasts.
    func passOn(_ download: Download) {
        guard state.withLock({ $0.turn != nil }) else { return }
        Task {
            for await progress in download.progress { passOn(progress.state, rate: progress.bytesPerSecond) }
        }
    }

    /// Tells the queue what the work waits for.
    private func passOn(_ progress: DownloadState, rate: Double) {
        let (turn, begun) = state.withLock { ($0.turn, $0.begun) }
        switch progress {
        case .running(.finishing), .completed, .failed, .cancelled, .paused: return
        case .waiting(.backOff), .waiting(.network): if begun > Self.maximumYields { return }
        case .queued, .waiting, .running: break
        }
        turn?.progress(DownloadProgress(state: progress, bytesPerSecond: rate))
    }

    /// Tells of the unpacking of members.
    func tell(_ archive: String, _ progress: ArchiveProgress) { tell(.unpacking(id, archive: archive, progress)) }

    /// The target exists, and nothing is downloaded.
    func tellExisting() {
        tell(.began(id))
        tell(.notice(id, DownloadNotice(.skipped(.exists), now: .zero)))
    }

    func tell(_ members: ChosenMembers) {
        let isFirst = state.withLock { state in
            defer { state.hasChosen = true }
            return !state.hasChosen
        }
        if isFirst { tell(.choseMembers(id, members)) }
    }

    private func begin(_ download: Download) async throws(CancellationError) {
        let isStopped = state.withLock { state in
            state.download = download
            return state.isStopped
        }
        guard !isStopped else {
            download.stop()
            await download.finished()
            throw CancellationError()
        }
    }

    func cancel() { pause() }

    func pause() {
        let (task, download) = state.withLock { state in
            state.isStopped = true
            return (state.task, state.download)
        }
        // Its result tells how that went.
        download?.stop()
        task?.cancel()
    }
}
