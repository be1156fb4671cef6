/// Events that a queue handles. Ids, hosts and times are inputs.
package enum QueueEvent: Hashable, Sendable {
    /// An entry without a position goes to the end of its priority.
    indirect case add(QueueEntry, isPaused: Bool)
    /// Restores the entries of a session, in any order; those that ran go first.
    case restore([QueueEntry])
    case pause(DownloadID)
    case resume(DownloadID)
    case pauseAll
    case resumeAll
    case remove(DownloadID, deletesFiles: Bool)
    case move(DownloadID, QueuePosition)
    case setPriority(DownloadID, Int32)
    /// Restores the position from an earlier session.
    case put(DownloadID, priority: Int32, position: Int64)
    /// Supplies the whole request, of which the session left something out.
    case supply(DownloadID, DownloadSettings.Request, target: UInt64, priority: Int32, isPaused: Bool)
    /// Changes what its runs to come ask for.
    case change(DownloadID, DownloadSettings.Request)
    case setMaximumRunning(Int)
    case setConnectionsPerHost(Int)
    /// News of a running download; sent when they change.
    case heard(DownloadID, QueueNews)
    /// The download's progress.
    case advanced(DownloadID, total: Int64?, stored: Int64, unreserved: Int64)
    case named(DownloadID, String)
    /// A running download has ended; its files are closed.
    case ended(DownloadID, QueueEnd)
    /// A restored download had completed before, and the session had not recorded it.
    indirect case concluded(DownloadID, FinishedFacts)
    /// A host asked for a pause.
    case hostBusy(String, until: Instant)
    /// A host serves again, before the pause is over.
    case hostServes(String)
    /// A host refused an exchange; `borne`: the number of connections that it accepts, if that was learned.
    case hostRefused(String, borne: Int?)
    /// A host accepts more connections than was learned.
    case hostCapLifted(String)
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
    /// The download's bytes are all here, and the rest takes a moment: the next one may have its place.
    case finishes
    /// The download waits for a connection that others have.
    case awaitingPermit
    /// The download has a connection again, and waits for the answer.
    case asks
    /// The download waits for the end of a pause, as all others do.
    case paused
    /// The download fetches nothing until then. `isHostDown`: the host itself did not answer as it should.
    indirect case backsOff(until: Instant, failures: Int, DownloadError, isHostDown: Bool)
    /// A redirect led to this host.
    case moved(String)
    /// The URL was given up, and bytes come from mirrors: they say nothing about its host.
    case usesMirrors
}

package enum QueueEnd: Hashable, Sendable {
    indirect case completed(FinishedFacts)
    case paused
    indirect case failed(DownloadError)
}

/// Actions to perform for a queue.
package enum QueueAction: Hashable, Sendable {
    /// Begin to drive it, which ends with ``QueueEvent/ended(_:_:)``.
    case start(DownloadID)
    /// Stop what runs, keeping what it has.
    case stop(DownloadID)
    /// Look at its disk, and answer with ``QueueEvent/measured(_:disk:available:)``.
    case measure(DownloadID, directory: String)
    /// The entry's state or position changed.
    case changed(DownloadID)
    indirect case completed(DownloadID, FinishedFacts, directory: String)
    /// The download failed; only a retry by the user starts it again.
    indirect case failed(DownloadID, DownloadError)
    /// The entry was removed from the queue; `entry` is its last state.
    indirect case removed(QueueEntry, deletesFiles: Bool)
}
