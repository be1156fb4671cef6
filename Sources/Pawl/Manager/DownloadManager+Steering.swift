public import PawlCore
import PawlEngine

/// Calls that control one download.
extension DownloadManager {
    /// Stops a download, makes received bytes durable, and keeps its place in the queue until ``resume(_:)``.
    ///
    /// ```swift
    /// let manager = try DownloadManager()
    /// let id = try manager.add(DownloadRequest("https://example.org/disk.iso", to: "disk.iso"))
    /// try manager.pause(id)
    /// try manager.resume(id)
    /// ```
    ///
    /// - Throws: ``DownloadError/Code/unknownDownload`` for an id that is not there (any more);
    ///   ``DownloadError/Code/alreadyCompleted`` for a completed download.
    public func pause(_ id: DownloadID) throws(DownloadError) {
        try checkUnfinished(id)
        pool.pause(id)
    }

    /// Lets a paused download run in its turn; retries a failed one, and at once one that waits for a back-off or a
    /// full disk. One that waits because its host rests ends that rest.
    ///
    /// - Throws: ``DownloadError/Code/locked`` when the target of a failed one has been given to another meanwhile;
    ///   ``DownloadError/Code/unknownDownload`` for an id that is not there (any more);
    ///   ``DownloadError/Code/alreadyCompleted`` for a completed download.
    public func resume(_ id: DownloadID) throws(DownloadError) {
        let entry = try checkUnfinished(id)
        if case .failed = entry.state, let holder = pool.inTheWay(of: id) {
            throw .taken(wanted: entry.fileName ?? "", by: holder)
        }
        pool.resume(id)
    }

    /// Pauses all downloads, including those that wait in the queue.
    public func pauseAll() { pool.pauseAll() }

    /// Resumes all paused downloads.
    public func resumeAll() { pool.resumeAll() }

    /// Removes a download from the manager, stopping it if it runs.
    ///
    /// ```swift
    /// let manager = try DownloadManager()
    /// let id = try manager.add(DownloadRequest("https://example.org/disk.iso", to: "disk.iso"))
    /// try manager.remove(id, deletingFiles: true)
    /// ```
    ///
    /// - Parameters:
    ///   - id: the download to remove.
    ///   - deletingFiles: also removes its partial file and journal, or the finished file if that is as it was left.
    ///     Otherwise what was received is kept for a later download to the same target.
    /// - Throws: ``DownloadError/Code/unknownDownload`` for an id that is not there (any more).
    public func remove(_ id: DownloadID, deletingFiles: Bool = false) throws(DownloadError) {
        try entry(id)
        pool.remove(id, deletesFiles: deletingFiles)
    }

    /// Changes the order in which downloads of one priority start. A running download continues; on a completed one it
    /// has no effect.
    ///
    /// ```swift
    /// let manager = try DownloadManager()
    /// let id = try manager.add(DownloadRequest("https://example.org/disk.iso", to: "disk.iso"))
    /// try manager.move(id, to: .top)
    /// ```
    ///
    /// - Throws: ``DownloadError/Code/unknownDownload`` for an id that is not there (any more), also for that of a
    ///   position.
    public func move(_ id: DownloadID, to position: QueuePosition) throws(DownloadError) {
        try entry(id)
        switch position {
        case .before(let other), .after(let other): try entry(other)
        case .top, .bottom, .offset, .index: break
        }
        pool.move(id, to: position)
    }

    /// Higher priorities run first. A running download continues.
    ///
    /// ```swift
    /// let manager = try DownloadManager()
    /// let id = try manager.add(DownloadRequest("https://example.org/disk.iso", to: "disk.iso"))
    /// try manager.setPriority(10, of: id)
    /// ```
    ///
    /// - Throws: ``DownloadError/Code/unknownDownload`` for an id that is not there (any more).
    public func setPriority(_ priority: Int, of id: DownloadID) throws(DownloadError) {
        try entry(id)
        pool.setPriority(id, Int32(clamping: priority))
    }

    /// Limits one download from now on, in bytes per second, whether it runs or not; nil lifts the limit. It is kept in
    /// the session. The limit of all downloads together is unchanged.
    ///
    /// - Throws: ``DownloadError/Code/invalidArgument`` when the limit is not positive;
    ///   ``DownloadError/Code/unknownDownload`` for an id that is not there (any more).
    public func setMaximumBytesPerSecond(_ limit: Int64?, of id: DownloadID) throws(DownloadError) {
        try Download.check(limit)
        try entry(id)
        pool.setMaximumBytesPerSecond(id, limit)
    }

    // MARK: Misuse

    @discardableResult
    private func entry(_ id: DownloadID) throws(DownloadError) -> QueueEntry {
        guard let entry = pool.entry(id) else { throw .unknown(id) }
        return entry
    }

    @discardableResult
    private func checkUnfinished(_ id: DownloadID) throws(DownloadError) -> QueueEntry {
        let entry = try entry(id)
        if case .completed(let facts) = entry.state { throw .alreadyCompleted(facts.fileName) }
        return entry
    }
}
