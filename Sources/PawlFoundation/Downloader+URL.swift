public import Pawl
public import PawlCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Downloader {
    // MARK: Files

    /// Fetches one file and waits for it, like `URLSession.download(from:)`, but into a file of yours: it stays, and
    /// calling this again after an interruption resumes it.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// let url = URL(string: "https://example.org/disk.iso")!
    /// let file = try await downloader.download(from: url, to: URL(filePath: "disk.iso"))
    /// print(file.fileURL, file.byteCount)
    /// ```
    ///
    /// Anything but a whole file throws: there is no status to check. A file that is there already is an error, unless
    /// `DownloadOptions.ifExists` of a ``DownloadRequest`` says otherwise. Cancelling the task cancels the download
    /// unless another task waits for it.
    ///
    /// - Parameters:
    ///   - url: `http` or `https`.
    ///   - file: a file URL. Its directory must exist.
    /// - Throws: `DownloadError`, with `invalidURL` or `invalidArgument` for URLs that cannot be used (see the
    ///   initializer of ``DownloadRequest``); `CancellationError` when the task is cancelled.
    public func download(from url: URL, to file: URL) async throws -> DownloadResult {
        try await start(DownloadRequest(url, to: file)).result()
    }

    /// The same, into a directory: the server names the file, or else the URL. ``DownloadResult/fileURL`` says what it
    /// is called.
    ///
    /// - Parameters:
    ///   - url: `http` or `https`.
    ///   - directory: a file URL. It must exist.
    /// - Throws: `DownloadError`; `CancellationError` when the task is cancelled.
    public func download(from url: URL, in directory: URL) async throws -> DownloadResult {
        try await start(DownloadRequest(url, in: directory)).result()
    }

    /// The same for a `URLRequest`, like `URLSession.download(for:)`.
    ///
    /// - Parameters:
    ///   - request: a GET without a body; see the initializer of ``DownloadRequest`` for what is taken over. On Linux
    ///     one line is needed first: ``URLRequestFields``.
    ///   - file: a file URL. Its directory must exist.
    /// - Throws: `DownloadError`, with `invalidArgument` for what cannot be taken over; `CancellationError` when the
    ///   task is cancelled.
    public func download(for request: some URLRequestFields, to file: URL) async throws -> DownloadResult {
        try await start(DownloadRequest(request, to: file)).result()
    }

    /// Resumes a download that ``Pawl/Download/cancelByProducingResumeData()`` stopped, and waits for it, like
    /// `URLSession.download(resumeFrom:)`. The file goes where it went before.
    ///
    /// - Parameters:
    ///   - data: Pawl's. That of a `URLSession` cannot be used.
    ///   - url: a fresh URL of the same file; needed when the old one held credentials or a signature, which resume
    ///     data does not store.
    /// - Throws: `DownloadError`, with `invalidArgument` for other data, and where the URL is needed;
    ///   `CancellationError` when the task is cancelled.
    public func download(resumeFrom data: Data, url: URL? = nil) async throws -> DownloadResult {
        try await resume(from: data, url: url).result()
    }

    /// Resumes a download that ``Pawl/Download/cancelByProducingResumeData()`` stopped, and returns at once, like
    /// `URLSession.downloadTask(withResumeData:)`. The file goes where it went before.
    ///
    /// - Parameters:
    ///   - data: Pawl's. That of a `URLSession` cannot be used.
    ///   - url: a fresh URL of the same file; needed when the old one held credentials or a signature, which resume
    ///     data does not store.
    /// - Throws: `DownloadError`, with `invalidArgument` for other data, and where the URL is needed.
    public func resume(from data: Data, url: URL? = nil) throws(DownloadError) -> Download {
        let address = try url?.downloadAddress()
        return try resume(from: try ResumeData(reading: data), url: address)
    }

    // MARK: Bytes

    /// Fetches a small document into memory, like `URLSession.data(from:)`, but with a limit.
    ///
    /// A web page in place of another kind of document, such as `list.json`, is an error: it is taken for a login page.
    /// `document(_:maximumBytes:)` can be told otherwise (`DownloadOptions.allowsWebPage`), and also says where it
    /// came from.
    ///
    /// - Parameters:
    ///   - url: `http` or `https`.
    ///   - maximumBytes: a longer document fails with `tooLarge`. 16 MiB unless told.
    /// - Throws: `DownloadError`; `CancellationError` when the task is cancelled.
    public func data(from url: URL, maximumBytes: Int = 16 << 20) async throws -> Data {
        try await document(DownloadRequest(url), maximumBytes: maximumBytes).data
    }

    /// The same for a `URLRequest`, like `URLSession.data(for:)`.
    ///
    /// - Parameters:
    ///   - request: a GET without a body; see the initializer of ``DownloadRequest`` for what is taken over.
    ///   - maximumBytes: a longer document fails with `tooLarge`. 16 MiB unless told.
    /// - Throws: `DownloadError`, with `invalidArgument` for what cannot be taken over; `CancellationError` when the
    ///   task is cancelled.
    public func data(for request: some URLRequestFields, maximumBytes: Int = 16 << 20) async throws -> Data {
        try await document(DownloadRequest(request), maximumBytes: maximumBytes).data
    }

    /// Hands a file over in order while it comes, in chunks of at most a MiB, where `URLSession.bytes(from:)` hands
    /// over single bytes.
    ///
    /// - Parameter url: `http` or `https`.
    /// - Throws: `DownloadError`, before the network is touched. Reading the stream throws what happens later.
    public func stream(from url: URL) throws(DownloadError) -> DownloadStream {
        try stream(DownloadRequest(url))
    }
}

extension DownloadManager {
    /// Adds a download at the end of the queue of its priority, and returns at once.
    ///
    /// - Parameters:
    ///   - url: `http` or `https`.
    ///   - file: a file URL. Its directory must exist.
    ///   - priority: higher ones run first.
    /// - Throws: `DownloadError`, before anything is touched: as `add(_:priority:isPaused:onDuplicate:)`, and
    ///   `invalidArgument` for a target that cannot be used.
    @discardableResult
    public func add(_ url: URL, to file: URL, priority: Int = 0) throws(DownloadError) -> DownloadID {
        try add(DownloadRequest(url, to: file), priority: priority)
    }

    /// Queues a download and waits until it is completed, through pauses and retries.
    ///
    /// Cancelling the task ends the wait and leaves the download in the queue. `remove(_:deletingFiles:)` takes it
    /// out.
    ///
    /// - Parameters:
    ///   - url: `http` or `https`.
    ///   - file: a file URL. Its directory must exist.
    ///   - priority: higher ones run first.
    /// - Throws: `DownloadError`; `CancellationError` when it was removed, when the manager was shut down, and when
    ///   the task is cancelled.
    public func download(from url: URL, to file: URL, priority: Int = 0) async throws -> DownloadResult {
        try await result(of: add(url, to: file, priority: priority))
    }
}

extension Download {
    /// Ends the download, and returns what ``Pawl/Downloader/resume(from:url:)`` needs, in this process or a later one;
    /// nil when it had ended. `result()` throws `CancellationError`.
    ///
    /// The data is JSON of a `ResumeData`: URL, target, digest and number of connections, and no secrets. Header
    /// fields and other options are not in it. It is a convenience: the same request to the same target resumes without
    /// it.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// let url = URL(string: "https://example.org/disk.iso")!
    /// let download = try downloader.start(DownloadRequest(url, to: URL(filePath: "disk.iso")))
    /// if let data = await download.cancelByProducingResumeData() {
    ///     _ = try await downloader.download(resumeFrom: data)
    /// }
    /// ```
    public func cancelByProducingResumeData() async -> Data? {
        let resumeData = try? await pause()
        cancel()
        return resumeData.flatMap { try? JSONEncoder().encode($0) }
    }
}

extension ResumeData {
    init(reading data: Data) throws(DownloadError) {
        do {
            self = try JSONDecoder().decode(ResumeData.self, from: data)
        } catch {
            throw .argument("This is not Pawl's resume data. URLSession's cannot be used.")
        }
    }
}
