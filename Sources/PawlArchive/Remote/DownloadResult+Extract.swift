public import Pawl

extension DownloadResult {
    /// Unpacks the file that was downloaded, when the download has completed: never while bytes are still to come
    /// (FAULTS Z12).
    ///
    /// - Parameters:
    ///   - directory: see ``Archive/extract(into:options:progress:)``; nil: beside the file, its name without the
    ///     extensions that tell what it is.
    ///   - options: limits, which members to unpack, and what to do with links and an existing directory.
    ///   - progress: called on the unpacking thread, at most twenty times a second.
    /// - Throws: ``ArchiveError``, also for a file that may have been cut off, of which the server gave neither the
    ///   length nor a clear end. A digest that was known matched, or the download would have failed; a file that had
    ///   been there before was not read by the download, and whoever knows its digest checks it first.
    ///   `CancellationError` when the task is cancelled. The file is kept in any case.
    public func extract(
        into directory: String? = nil, options: ExtractionOptions = ExtractionOptions(),
        progress: (@Sendable (ArchiveProgress) -> Void)? = nil
    ) async throws -> ExtractionResult {
        guard isComplete || wasSkipped else {
            throw ArchiveError(
                .truncated,
                "\(quoted(path)) may be incomplete: the server gave neither a length nor a clear end. It was kept and not unpacked."
            )
        }
        let archive = Archive(path)
        return try await archive.extract(
            into: directory ?? archive.defaultDirectory, options: options, progress: progress)
    }
}
