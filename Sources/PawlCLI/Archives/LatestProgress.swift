import PawlArchive
import Synchronization

/// The last word of work on a thread, for whoever draws at times of its own.
final class LatestProgress: Sendable {
    private let progress = Mutex(ArchiveProgress?.none)

    /// Nil until there is something to tell.
    var value: ArchiveProgress? { progress.withLock { $0 } }

    func set(_ value: ArchiveProgress) { progress.withLock { $0 = value } }
}
