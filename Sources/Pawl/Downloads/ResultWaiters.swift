import PawlEngine

/// Tasks that wait for the result of one download, and the rule for when a cancelled wait cancels the download.
///
/// ``Downloader/start(_:)`` returns the same handle to everyone who asks for the same file. A cancelled wait cancels
/// the download only if no other task waits and every holder of the handle has cancelled a wait.
struct ResultWaiters {
    typealias Continuation = CheckedContinuation<DownloadDriver.Ending?, Never>

    enum Cancellation {
        /// The download goes on for others. The continuation is that of the cancelled wait, if it has begun.
        case wait(Continuation?)
        /// The wait goes on until the download has stopped.
        case download
    }

    /// The number of times that `start` has returned the handle.
    var handles = 1
    /// A manager or the reader of a stream owns the download, so cancelling a wait never cancels it.
    var isHeld = false
    private var cancelledWaits = 0
    private var nextID = 0
    /// Includes tasks whose continuation is not registered yet.
    private var waiting: Set<Int> = []
    private var continuations: [Int: Continuation] = [:]

    var count: Int { waiting.count }

    mutating func enter() -> Int {
        nextID += 1
        waiting.insert(nextID)
        return nextID
    }

    /// Registers a waiter. Returns false if the wait was cancelled before it began.
    mutating func register(_ continuation: Continuation, as id: Int) -> Bool {
        guard waiting.contains(id) else { return false }
        continuations[id] = continuation
        return true
    }

    mutating func cancel(_ id: Int) -> Cancellation {
        cancelledWaits += 1
        if !isHeld, cancelledWaits >= handles, waiting == [id] { return .download }
        waiting.remove(id)
        return .wait(continuations.removeValue(forKey: id))
    }

    /// The download has ended: the continuations to resume.
    mutating func end() -> [Continuation] {
        defer {
            waiting = []
            continuations = [:]
        }
        return Array(continuations.values)
    }
}
