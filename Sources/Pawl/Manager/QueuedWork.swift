package import PawlCore
package import PawlEngine

/// Begins work whose turn in a manager's queue has come. It may be stopped and begun again.
package typealias QueuedWork = @Sendable (QueueTurn) -> any RunningDownload

/// The turn of running work in a manager's queue.
package struct QueueTurn: Sendable {
    /// Tells the queue what the work waits for, so that others may run meanwhile.
    package let progress: @Sendable (DownloadProgress) -> Void
    /// Ends it, once: the work is paused then, and what has become of it is its own affair.
    package let end: @Sendable () -> Void

    /// Work counts as one large file, of which nothing is missing: nobody knows how much it brings.
    static let countedSize = SmallFileBudget.largest + 1

    init(progress: @escaping @Sendable (DownloadProgress) -> Void, end: @escaping @Sendable () -> Void) {
        self.progress = { told in
            var told = told
            (told.totalBytes, told.bytesStored, told.bytesUnreserved) = (Self.countedSize, Self.countedSize, 0)
            progress(told)
        }
        self.end = end
    }
}
