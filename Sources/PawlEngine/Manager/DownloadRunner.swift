package import PawlCore

/// Makes running downloads out of queued ones, so that a ``DownloadPool`` need not know how.
package protocol DownloadRunner: Sendable {
    /// Returns the plan of an entry, without what the queue knows.
    func plan(of entry: QueueEntry) -> Plan

    /// Begins one.
    func begin(_ id: DownloadID, _ plan: Plan, _ listener: any RunListener) throws(DownloadError) -> any RunningDownload

    /// Told of the end of one that was begun, before the queue goes on.
    func ended(_ id: DownloadID)

    /// Limits one that runs from now on; nil lifts the limit.
    func setMaximumBytesPerSecond(_ limit: Int64?, of id: DownloadID)

    /// Returns the hash of the entry's target once it has this name.
    func target(of entry: QueueEntry, named name: String) -> UInt64?

    /// Reads a URL of a session; nil if it is none.
    func url(_ text: String) -> HTTPURL?

    /// Returns the form of the entry that a session keeps.
    func store(_ entry: QueueEntry) -> StoredDownload

    /// The inverse: the entry with its host and its target, and what it asks for remembered. Throws for what cannot be
    /// understood.
    func restore(_ download: StoredDownload) throws(DownloadError) -> QueueEntry

    /// Drops everything kept for a download that was removed from the queue.
    func forget(_ id: DownloadID)
}

extension DownloadRunner {
    package func ended(_ id: DownloadID) {}

    package func setMaximumBytesPerSecond(_ limit: Int64?, of id: DownloadID) {}

    package func url(_ text: String) -> HTTPURL? { try? HTTPURL(parsing: text) }
}

/// A running download. Both calls return at once; its end is told to the listener.
package protocol RunningDownload: Sendable {
    func pause()
    func cancel()
}

extension DownloadDriver: RunningDownload {}
