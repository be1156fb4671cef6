package import PawlCore

/// An event in a pool, for its readers. That the state, progress or place of a download has changed is the state of its
/// key, which a reader looks at.
package enum PoolEvent: Sendable {
    case added(DownloadID)
    indirect case notice(DownloadID, DownloadReport, at: Instant)
    /// The directory is part of the event, since the download may be removed before a reader gets there.
    indirect case completed(DownloadID, FinishedFacts, directory: String)
    indirect case failed(DownloadID, DownloadError)
    case removed(DownloadID)
    /// The session could not be saved; it is tried again.
    indirect case notSaved(DownloadError)
}

package typealias PoolEvents = Broadcast<DownloadID, Void, PoolEvent>

extension Broadcast.Item where Key == DownloadID, State == Void {
    static func changed(_ id: DownloadID) -> Self { .state(id, ()) }
}
