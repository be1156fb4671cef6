public import Foundation
public import Pawl
public import PawlCore

/// A download that can be suspended and resumed under one handle, as a `URLSessionDownloadTask` can.
///
/// ```swift
/// let downloader = try Downloader()
/// let url = URL(string: "https://example.org/disk.iso")!
/// let task = try downloader.downloadTask(from: url, to: URL(filePath: "disk.iso"))
/// task.suspend()
/// task.resume()
/// let result = try await task.result()
/// ```
///
/// Unlike that of `URLSession`, it begins at once, and suspending it makes everything received durable and frees its
/// connections. A crash while it is suspended loses nothing: the same request resumes. Keep the task or its
/// ``progress``; one that runs and is held by nobody runs on.
///
/// It stops and resumes a `Download`: who started the same request elsewhere shares that.
public final class DownloadTask: Sendable {
    /// The states of `URLSessionTask.State`, and ``suspending``. A task that failed or was cancelled is completed, too.
    public enum State: Hashable, Sendable {
        case running
        /// The task was told to pause, and its received bytes are being made durable.
        case suspending
        /// The task has no connection, and its received bytes would survive a power cut.
        case suspended
        /// The task was told to stop, and has not stopped yet.
        case canceling
        case completed
    }

    /// The progress, as ``Pawl/Download/makeProgress()`` makes it; `pause()` suspends the task, and `resume()` resumes
    /// it.
    public let progress: Foundation.Progress
    private let run: SuspendableRun

    init(_ request: DownloadRequest, by downloader: Downloader) throws(DownloadError) {
        let progress = Foundation.Progress.ofDownload()
        let run = SuspendableRun(request, by: downloader, feed: ProgressFeed(progress))
        progress.cancellationHandler = { run.cancel() }
        progress.onPause { progress in run.setPaused { progress.isPaused } }
        (self.progress, self.run) = (progress, run)
        try run.start()
    }

    /// The current state of the task.
    public var state: State { run.state }

    /// The `Download` that runs now, for its notices; nil while the task does not run. After ``resume()`` it is
    /// another.
    public var download: Download? { run.download }

    /// Tasks that wait for its result.
    package var waiterCount: Int { run.waiterCount }

    /// Stops it until ``resume()``, and keeps what was received. Returns at once. Of one that does not run nothing
    /// changes.
    public func suspend() {
        if !run.isOver, !progress.isPaused { progress.pause() }
        run.setPaused { progress.isPaused }
    }

    /// Lets a suspended task run. Of one that runs or has ended nothing changes.
    public func resume() {
        if progress.isPaused { progress.resume() }
        run.setPaused { progress.isPaused }
    }

    /// Ends it. ``result()`` throws `CancellationError`. What was received is kept for a later run to the same target.
    public func cancel() { run.cancel() }

    /// Ends it, and returns what ``Pawl/Downloader/downloadTask(withResumeData:url:)`` needs, in this process or a
    /// later one; nil when it had ended.
    ///
    /// The data is JSON of a `ResumeData`: URL, target, digest and number of connections, and no secrets. Header
    /// fields and other options are not in it. It is a convenience: the same request to the same target resumes without
    /// it.
    public func cancelByProducingResumeData() async -> Data? {
        await run.cancelForResumeData().flatMap { try? JSONEncoder().encode($0) }
    }

    /// Waits until the file is complete, through suspensions. Any number of tasks may wait.
    ///
    /// Cancelling a task that waits ends its own wait; the last one that waits cancels the download. Cancel a suspended
    /// download before `shutdown()`: it does not hear of that.
    ///
    /// - Throws: `DownloadError`; `CancellationError` when the download or this wait was cancelled.
    public func result() async throws -> DownloadResult { try await run.result() }
}

extension Downloader {
    /// Starts a download that can be suspended, like `URLSession.downloadTask(with:)`.
    ///
    /// - Parameters:
    ///   - url: `http` or `https`.
    ///   - file: a file URL. Its directory must exist.
    /// - Throws: `DownloadError`, as ``downloadTask(with:)``.
    public func downloadTask(from url: URL, to file: URL) throws(DownloadError) -> DownloadTask {
        try downloadTask(with: DownloadRequest(url, to: file))
    }

    /// Starts a download that can be suspended, with all that a ``DownloadRequest`` can ask for.
    ///
    /// - Throws: `DownloadError`, before anything is touched: `invalidURL`, `invalidArgument`, or `locked`, as
    ///   `start(_:)`.
    public func downloadTask(with request: DownloadRequest) throws(DownloadError) -> DownloadTask {
        try DownloadTask(request, by: self)
    }

    /// Resumes what ``DownloadTask/cancelByProducingResumeData()`` stopped, like
    /// `URLSession.downloadTask(withResumeData:)`. The file goes where it went before.
    ///
    /// - Parameters:
    ///   - data: Pawl's. That of a `URLSession` cannot be used.
    ///   - url: a fresh URL of the same file; needed when the old one held credentials or a signature, which resume
    ///     data does not store.
    /// - Throws: `DownloadError`, with `invalidArgument` for other data, and where the URL is needed.
    public func downloadTask(withResumeData data: Data, url: URL? = nil) throws(DownloadError) -> DownloadTask {
        let resumeData = try ResumeData(reading: data)
        guard url != nil || !resumeData.needsURL else {
            throw .argument(
                "The URL of this download held credentials or a signature, which resume data does not store. "
                    + "Give the full URL again.")
        }
        var request = DownloadRequest(try url?.downloadAddress() ?? resumeData.url, in: resumeData.directory)
        request.fileName = resumeData.fileName
        request.maximumConnections = resumeData.maximumConnections
        request.digest = try resumeData.parsedDigest()
        return try downloadTask(with: request)
    }
}

extension ResumeData {
    fileprivate func parsedDigest() throws(DownloadError) -> Digest? {
        guard let digest else { return nil }
        do throws(DigestParseError) {
            return try Digest(parsing: digest)
        } catch {
            throw .argument(error.message)
        }
    }
}
