import Pawl
import PawlArchive
import PawlCore
import PawlEngine
import Synchronization

/// A download without a queue, and the further use of its bytes. Stopping it pauses the download, which keeps received
/// bytes, and ends everything else.
final class DownloadWork: JobWork {
    private struct State {
        var task: Task<Void, Never>?
        var download: Download?
        var isStopped = false
    }

    private let state = Locked(State())
    private let report: @Sendable (JobFetchReport) -> Void

    /// The interval between progress reports.
    private static let interval = Duration.milliseconds(100)

    init(_ report: @escaping @Sendable (JobFetchReport) -> Void) { self.report = report }

    /// - Parameter body: what it reports ends the fetch; a `JobFailure` that it throws says that members cannot be had
    ///   alone.
    func run(_ body: @escaping @Sendable (DownloadWork) async throws -> FetchedFile) {
        let task = Task {
            do {
                report(.fetched(try await body(self)))
            } catch let failure as JobFailure {
                report(.membersNotAvailable(failure))
            } catch {
                report(JobFailure(error).map { .failed($0) } ?? .stopped)
            }
        }
        state.withLock { state in
            state.task = task
            if state.isStopped { task.cancel() }
        }
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
        report(.began)
        let notices = Task { for await notice in download.notices { report(.notice(notice)) } }
        let ticker = Task {
            while true {
                do { try await Pause.sleep(for: Self.interval) } catch { return }
                report(.progressed(JobProgress(download.currentProgress)))
            }
        }
        let ending: Result<DownloadResult, any Error>
        do { ending = .success(try await body()) } catch { ending = .failure(error) }
        ticker.cancel()
        await ticker.value
        await notices.value
        report(.progressed(JobProgress(download.currentProgress)))
        return try ending.get()
    }

    /// Tells of the unpacking of members.
    func tell(_ archive: String, _ progress: ArchiveProgress) { report(.unpacking(archive: archive, progress)) }

    /// The target exists, and nothing is downloaded.
    func tellExisting() {
        report(.began)
        report(.notice(DownloadNotice(.skipped(.exists), now: .zero)))
    }

    func tell(_ members: ChosenMembers) { report(.choseMembers(members)) }

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

    func stop() {
        let (task, download) = state.withLock { state in
            state.isStopped = true
            return (state.task, state.download)
        }
        // Its result tells how that went.
        download?.stop()
        task?.cancel()
    }
}
