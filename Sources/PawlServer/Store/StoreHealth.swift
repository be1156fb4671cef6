import PawlCore

/// Decides from the outcomes of writes whether the database can save changes.
///
/// On a full disk, a small change may still fit into the log of the database, so a success proves nothing about larger
/// changes. After a refusal, the database is well again only once as much was written as the largest refused change
/// needs, by a change or by a trial (decision 105).
struct StoreHealth: Sendable {
    /// Sizes are in pages that SQLite writes. A transaction that wrote none proves nothing.
    enum Event: Sendable {
        case saved(pages: Int)
        /// `pages` counts what SQLite wrote or tried to write. A change larger than its cache (2 MB) may be refused
        /// before all of it was tried.
        case refused(DownloadError, pages: Int)
        /// The wait before a trial is over.
        case trialDue
        case trialSaved(pages: Int)
        case trialRefused(DownloadError)
        /// The store is closed, and no further trial may begin.
        case closed
    }

    enum Action: Hashable, Sendable {
        /// Tell the owner why changes cannot be saved, or (nil) that they can be saved again.
        case report(DownloadError?)
        /// Send ``Event/trialDue`` after a pause: perhaps nobody else has a change to save.
        case awaitTrial
        /// Write this many pages, undo that, and send ``Event/trialSaved(pages:)`` or ``Event/trialRefused(_:)``.
        case tryWriting(pages: Int)
    }

    /// The latest refusal; nil while changes can be saved.
    private(set) var problem: DownloadError?
    /// The size of the largest change refused since the database was last well.
    private var refusedPages = 0
    /// A trial is awaited or runs.
    private var isTrying = false
    private var isClosed = false

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .saved(let pages):
            return recover(pages)
        case .refused(let error, let pages):
            let report: [Action] = problem == nil ? [.report(error)] : []
            problem = error
            refusedPages = max(refusedPages, pages, 1)
            return report + awaitTrial()
        case .trialDue:
            guard problem != nil, !isClosed else {
                isTrying = false
                return []
            }
            return [.tryWriting(pages: refusedPages)]
        case .trialSaved(let pages):
            isTrying = false
            return recover(pages) + awaitTrial()
        case .trialRefused(let error):
            isTrying = false
            // A change as large may have been saved before the trial. A trial writes a little more than it has to, so
            // its size must not count.
            if problem != nil { problem = error }
            return awaitTrial()
        case .closed:
            isClosed = true
            return []
        }
    }

    private mutating func recover(_ pages: Int) -> [Action] {
        guard problem != nil, pages >= refusedPages else { return [] }
        (problem, refusedPages) = (nil, 0)
        return [.report(nil)]
    }

    private mutating func awaitTrial() -> [Action] {
        guard problem != nil, !isTrying, !isClosed else { return [] }
        isTrying = true
        return [.awaitTrial]
    }
}
