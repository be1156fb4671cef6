import PawlCore
import PawlEngine

/// The wishes of callers for one download, and what follows when one of its runs has stopped: a value.
struct Pausing {
    typealias Waiter = CheckedContinuation<DownloadDriver.Ending, Never>

    /// Whether a pause was asked for last, and no resumption.
    private var isWanted = false
    /// The end of the last run; nil while the download is not paused.
    private var ending: DownloadDriver.Ending?
    /// Whether the download ends when its run has stopped.
    private var isLast = false
    private var isCancelled = false
    /// Tasks that wait until the run has stopped.
    private var waiters: [Waiter] = []

    enum Stop {
        case ended(DownloadDriver.Ending)
        case paused
        /// The download was resumed while it was pausing: another run begins.
        case resumed
    }

    /// Whether the download runs on, or can be resumed, under its handle.
    var mayResume: Bool { !isLast }

    /// - Returns: how the last run has ended, of a download that is paused already. Otherwise the waiter waits.
    mutating func pause(_ waiter: Waiter?) -> DownloadDriver.Ending? {
        isWanted = true
        if let ending { return ending }
        if let waiter { waiters.append(waiter) }
        return nil
    }

    /// - Returns: the end of the last run, behind which another is to begin; nil if the download is not paused.
    mutating func resume() -> DownloadDriver.Ending? {
        isWanted = false
        return takeEnding()
    }

    /// Ends the download with its current run.
    ///
    /// - Returns: the end of its last run, if it is paused.
    mutating func end(isCancelled: Bool) -> DownloadDriver.Ending? {
        isLast = true
        if isCancelled { self.isCancelled = true }
        return takeEnding()
    }

    private mutating func takeEnding() -> DownloadDriver.Ending? {
        defer { ending = nil }
        return ending
    }

    /// The run has stopped.
    ///
    /// - Returns: what follows, and the tasks that have waited for it.
    mutating func stopped(_ ending: DownloadDriver.Ending) -> (Stop, [Waiter]) {
        defer { waiters = [] }
        var ending = ending
        if ending.phase == .paused, isCancelled { ending.phase = .cancelled }
        guard ending.phase == .paused, !isLast else { return (.ended(ending), waiters) }
        guard isWanted else { return (.resumed, waiters) }
        self.ending = ending
        return (.paused, waiters)
    }

    /// The run that followed a pause at once could not begin: the download ends.
    mutating func notResumed(_ ending: DownloadDriver.Ending, _ error: DownloadError) -> (Stop, [Waiter]) {
        var ending = ending
        ending.phase = isCancelled ? .cancelled : .failed(error)
        return stopped(ending)
    }

    /// The run that ``resume()`` asked for could not begin: the download stays paused.
    mutating func notBegun(_ ending: DownloadDriver.Ending) -> (Stop, [Waiter]) {
        isWanted = true
        return stopped(ending)
    }
}
