import PawlArchive
import Synchronization

/// The latest progress of work on a thread, for a display with its own timing.
final class LatestProgress: Sendable {
    private let progress = Mutex(ArchiveProgress?.none)

    /// The latest progress; nil until there is some.
    var value: ArchiveProgress? { progress.withLock { $0 } }

    func set(_ value: ArchiveProgress) { progress.withLock { $0 = value } }
}
