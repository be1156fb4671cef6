public import PawlCore

/// The store in which a ``DownloadManager`` keeps its list, so that it survives the program.
///
/// Calls block, come one at a time, and never from an event loop. A store promises that what ``save(_:)`` has returned
/// from is there after a crash or a power cut, and that one that was cut off left the state of before or of after it.
/// What it cannot read is an error and is left as it is: a session is never silently emptied.
public protocol SessionStore: Sendable {
    /// Returns all downloads that were put and not removed, in any order; an empty list if nothing was ever saved.
    func load() throws(DownloadError) -> [SessionRecord]

    /// Told of a record that cannot be used. A store that returns keeps it, and the session is taken over without it.
    ///
    /// - Throws: the error, by default: nothing is taken over then.
    func leaveOut(_ id: DownloadID, _ error: DownloadError) throws(DownloadError)

    /// Applies the changes in their order, all or none.
    func save(_ changes: [SessionChange]) throws(DownloadError)

    /// No more calls will come.
    func close()
}

extension SessionStore {
    public func leaveOut(_ id: DownloadID, _ error: DownloadError) throws(DownloadError) { throw error }
}
