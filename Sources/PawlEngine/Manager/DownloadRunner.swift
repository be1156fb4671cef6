package import PawlCore

/// Makes running downloads out of queued ones, so that a ``DownloadPool`` need not know how.
package protocol DownloadRunner: Sendable {
    /// Returns the plan of an entry, without what the queue knows.
    func plan(of entry: QueueEntry) -> Plan

    /// Begins one. The listener is told until `ended`, which comes once, and last.
    func begin(_ id: DownloadID, _ plan: Plan, _ listener: RunListener) throws(DownloadError) -> any RunningDownload

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
    package func url(_ text: String) -> HTTPURL? { try? HTTPURL(parsing: text) }
}

/// A running download. Both calls return at once; its end is told to the listener.
package protocol RunningDownload: Sendable {
    func pause()
    func cancel()
}

extension DownloadDriver: RunningDownload {}

/// A pool's callbacks from a running download: on any thread; the calls return at once.
package struct RunListener: Sendable {
    package var progress: @Sendable (DownloadProgress) -> Void
    package var report: @Sendable (DownloadReport) -> Void
    package var learned: @Sendable (HTTPURL, HostObservation) -> Void
    package var named: @Sendable (String) -> Void
    /// The name is taken: nobody behind has to wait for it. Which one it is comes with ``named``.
    package var claimed: @Sendable () -> Void
    /// Whether the name is no other download's; if so, it is this one's from now on.
    package var mayTake: @Sendable (String) -> Bool
    /// Calls back once a name that the server chose may be asked for: those in front of this one have theirs.
    package var inTurn: @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() }
    package var ended: @Sendable (DownloadDriver.Ending) -> Void
}
