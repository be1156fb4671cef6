public import Foundation

extension Foundation.Progress {
    /// A parent for the `Progress` of several downloads.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// let url = URL(string: "https://example.org/")!
    /// let total = Progress.ofDownloads(totalUnitCount: 2)
    /// for name in ["disk.iso", "tools.zip"] {
    ///     let request = try DownloadRequest(url.appending(path: name), to: URL(filePath: name))
    ///     total.addChild(try downloader.start(request).makeProgress(), withPendingUnitCount: 1)
    /// }
    /// ```
    ///
    /// On Linux `Progress` has no lock: a child that is added, cancelled or paused by its parent while another one
    /// finishes can crash the program. This one's `addChild`, `cancel()`, `pause()` and `resume()` take turns with all
    /// downloads, and can be called from any thread. docs/urlsession.md says which numbers are exact there. On Apple's
    /// platforms it is a plain `Progress`. It is itself no child of anything, and can be added to another one made
    /// here.
    ///
    /// - Parameter totalUnitCount: what the pending units of the children add up to.
    public static func ofDownloads(totalUnitCount: Int64) -> Foundation.Progress {
        let progress = detached()
        progress.totalUnitCount = totalUnitCount
        progress.isCancellable = true
        return progress
    }

    /// Creates the progress of one download, of which nothing is known yet.
    static func ofDownload() -> Foundation.Progress {
        let progress = detached()
        #if canImport(Darwin)
        progress.fileOperationKind = .downloading
        #else
        progress.setUserInfoObject(FileOperationKind.downloading, forKey: .fileOperationKindKey)
        #endif
        progress.kind = .file
        progress.totalUnitCount = -1
        progress.isCancellable = true
        return progress
    }

    /// Creates a progress that is no child of the one current on this thread.
    private static func detached() -> Foundation.Progress {
        #if canImport(Darwin)
        Foundation.Progress(parent: nil)
        #else
        LockedProgress(parent: nil)
        #endif
    }

    /// Calls `follow` after each change of `isPaused`.
    ///
    /// On Linux handlers run late, out of order and at the same time. So `follow` looks at what holds now, and does so
    /// in turn: the last one to look sees what was said last.
    func onPause(_ follow: @escaping @Sendable (Foundation.Progress) -> Void) {
        isPausable = true
        let changed = { @Sendable [weak self] in
            if let self { follow(self) }
        }
        pausingHandler = changed
        resumingHandler = changed
    }

    /// Changes a tree of which other threads change other parts.
    static func exclusively<Value>(_ body: () -> Value) -> Value {
        #if canImport(Darwin)
        // `Progress` has locks there, and observers, whom no lock of ours should make wait for each other.
        body()
        #else
        LockedProgress.lock.withLock(body)
        #endif
    }
}

#if !canImport(Darwin)
/// A thread-safe progress, which Foundation lacks on Linux: one lock for all trees, since trees can be joined.
///
/// Numbers are read without it. Those of a download are plain integers, and a little late at worst; `fractionCompleted`
/// of a parent is two sums, which may be read while one of them has changed and the other has not.
private final class LockedProgress: Foundation.Progress, @unchecked Sendable {  // Trees change only under `lock`.
    /// Recursive, because a parent calls its children.
    static let lock = NSRecursiveLock()

    override func addChild(_ child: Foundation.Progress, withPendingUnitCount count: Int64) {
        Self.lock.withLock { super.addChild(child, withPendingUnitCount: count) }
    }

    override func cancel() { Self.lock.withLock { super.cancel() } }

    override func pause() { Self.lock.withLock { super.pause() } }

    override func resume() { Self.lock.withLock { super.resume() } }

    override var userInfo: [ProgressUserInfoKey: Any] { Self.lock.withLock { super.userInfo } }

    override func setUserInfoObject(_ object: Any?, forKey key: ProgressUserInfoKey) {
        Self.lock.withLock { super.setUserInfoObject(object, forKey: key) }
    }
}
#endif
