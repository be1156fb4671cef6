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
        var isStopped = false
        var end: JobMachineEvent?
    }

    /// - Throws: also a `JobFailure` that says that members cannot be had alone.
    typealias Body = @Sendable (DownloadWork) async throws -> FetchedFile

    private let state = Locked(State())
    private let id: JobFileID
    private let tell: @Sendable (JobMachineEvent) -> Void
    private let body: Body

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
            state.task = Task {
                let end: JobMachineEvent?
                do {
                    end = .fetched(id, try await body(self))
                } catch let failure as JobFailure {
                    end = .membersNotAvailable(id, failure)
                } catch {
                    end = JobFailure(error).map { .fetchFailed(id, $0) }
                }
                self.state.withLock { $0.end = end }
                ended(end ?? .fetchStopped(id))
            }
        }
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
        return try ending.get()
    }

    private func progressed(_ progress: DownloadProgress) {
        tell(.progressed(id, JobProgress(progress)))
        // Its turn lasts until the bytes have been used.
        if progress.state != .running(.finishing) { state.withLock { $0.turn }?.progress(progress) }
    }

    /// Tells of the unpacking of members.
    func tell(_ archive: String, _ progress: ArchiveProgress) { tell(.unpacking(id, archive: archive, progress)) }

    /// The target exists, and nothing is downloaded.
    func tellExisting() {
        tell(.began(id))
        tell(.notice(id, DownloadNotice(.skipped(.exists), now: .zero)))
    }

    func tell(_ members: ChosenMembers) { tell(.choseMembers(id, members)) }

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
