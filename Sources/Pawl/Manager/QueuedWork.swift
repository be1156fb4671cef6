package import PawlCore
package import PawlEngine

/// Begins work whose turn in a manager's queue has come. It may be stopped and begun again.
package typealias QueuedWork = @Sendable (QueueTurn) -> any RunningDownload

/// The turn of running work in a manager's queue.
package struct QueueTurn: Sendable {
    private let listener: any RunListener
    private let plan: Plan

    /// Work counts as one large file, of which nothing is missing: nobody knows how much it brings.
    static let countedSize = SmallFileBudget.largest + 1

    init(_ listener: any RunListener, _ plan: Plan) { (self.listener, self.plan) = (listener, plan) }

    /// Tells the queue what the work waits for, so that others may run meanwhile.
    package func progress(_ progress: DownloadProgress) {
        var told = progress
        (told.totalBytes, told.bytesStored, told.bytesUnreserved) = (Self.countedSize, Self.countedSize, 0)
        listener.progressed(told)
    }

    /// Ends it, once: the work is paused then, and what has become of it is its own affair.
    package func end() { listener.ended(.paused(plan)) }
}
