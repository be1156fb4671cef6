/// What happened to a queue. Ids, hosts and times are inputs.
package enum QueueEvent: Hashable, Sendable {
    case add(QueueEntry, isPaused: Bool)
    /// From a session, in any order; those that ran go first.
    case restore([QueueEntry])
    case pause(DownloadID)
    case resume(DownloadID)
    case pauseAll
    case resumeAll
    case remove(DownloadID, deletesFiles: Bool)
    case move(DownloadID, QueuePosition)
    case setPriority(DownloadID, Int32)
    /// A place that it had before, among others that get theirs.
    case put(DownloadID, priority: Int32, position: Int64)
    /// What the session left out, given again: the whole URL.
    case supply(DownloadID, url: String, target: UInt64, priority: Int32, isPaused: Bool)
    case setMaximumRunning(Int)
    case setConnectionsPerHost(Int)
    /// How a running one is doing; told when it changes.
    case heard(DownloadID, QueueNews)
    /// How far it is.
    case advanced(DownloadID, total: Int64?, stored: Int64, unreserved: Int64)
    case named(DownloadID, String)
    /// A running download has ended; its files are closed.
    case ended(DownloadID, QueueEnd)
    /// A restored download had completed before, and the session had not recorded it.
    case concluded(DownloadID, FinishedFacts)
    /// A host asked for a pause.
    case hostBusy(String, until: Instant)
    /// A host serves again, before the pause is over.
    case hostServes(String)
    /// An address of this machine or a route has appeared.
    case networkChanged
    /// The answer to ``QueueAction/measure(_:directory:)``: which file system it is and what is free on it. Nil: nobody
    /// knows.
    case measured(DownloadID, disk: UInt64?, available: Int64)
    case wake
    /// The program ends: nothing is begun any more, and what runs now runs on after a restart.
    case close
}

package enum QueueNews: Hashable, Sendable {
    /// Bytes come, or are about to.
    case works
    /// Its bytes are all here, and the rest takes a moment: the next one may have its place.
    case finishes
    /// It waits for a connection that others have.
    case awaitingPermit
    /// It waits for the end of a pause, as all others do.
    case paused
    /// Nothing is fetched until then. `isHostDown`: the host itself did not answer as it should.
    case backsOff(until: Instant, failures: Int, DownloadError, isHostDown: Bool)
    /// A redirect led to this host.
    case moved(String)
}

package enum QueueEnd: Hashable, Sendable {
    case completed(FinishedFacts)
    case paused
    case failed(DownloadError)
}

/// What is to be done for a queue.
package enum QueueAction: Hashable, Sendable {
    /// Begin to drive it, which ends with ``QueueEvent/ended(_:_:)``.
    case start(DownloadID)
    /// Stop what runs, keeping what it has.
    case stop(DownloadID)
    /// Look at its disk, and answer with ``QueueEvent/measured(_:disk:available:)``.
    case measure(DownloadID, directory: String)
    /// Its state or place is another one.
    case changed(DownloadID)
    case completed(DownloadID, FinishedFacts, directory: String)
    /// For good, or until someone asks again.
    case failed(DownloadID, DownloadError)
    /// It is forgotten. `entry` as it was.
    case removed(QueueEntry, deletesFiles: Bool)
}
