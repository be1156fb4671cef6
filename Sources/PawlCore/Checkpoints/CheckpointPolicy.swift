/// The rule for when the next checkpoint is due: by time or by volume, whichever is first. If syncs are slow the
/// interval is stretched, so that at most a twentieth of the time goes into them.
package struct CheckpointPolicy: Hashable, Sendable {
    package var interval: Duration = .seconds(2)
    package var volume: Int64 = 256 << 20
    package var maximumInterval: Duration = .seconds(60)
    package var unsyncedInterval: Duration = .milliseconds(250)
    private var lastSync: Duration = .zero

    package init() {}

    package mutating func synced(in duration: Duration) { lastSync = duration }

    package var currentInterval: Duration { min(max(interval, lastSync * 20), maximumInterval) }

    /// - Parameters:
    ///   - elapsed: since the last checkpoint ended, or since the first byte was written.
    ///   - pending: bytes written since.
    package func isDue(elapsed: Duration, pending: Int64) -> Bool {
        guard pending > 0 else { return false }
        if elapsed >= currentInterval { return true }
        // Volume alone must not outrun a slow disk.
        return pending >= volume && elapsed >= lastSync * 20
    }

    /// Whether the journal is created before the first byte, so that what a kill leaves behind is recognised as ours.
    /// Without one it would be set aside, together with all the space reserved for it. A small file completes before
    /// its first checkpoint is due.
    package static func beginsWithJournal(total: Int64?) -> Bool { total ?? .max > 1 << 20 }

    /// Interval of the unsynced record, which costs a write to the page cache: the most that a kill may lose. A file
    /// that completes sooner never has a journal.
    package func isUnsyncedCheckpointDue(elapsed: Duration) -> Bool { elapsed >= unsyncedInterval }
}
