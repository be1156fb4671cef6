package import PawlCore

/// One download as the engine takes it: the machine's settings, and where the file goes.
package struct DownloadSpec: Sendable {
    package var settings: DownloadSettings
    /// An existing directory.
    package var directory: String
    /// A single path component, used as given. Nil: the server's name, made safe.
    package var fileName: String?
    package var ifExists: ExistingFilePolicy = .fail
    /// Fetch only what is newer than the file that has the target's name; it is replaced then.
    package var onlyIfNewer = false
    /// Go on from a partial file that has no journal.
    package var adopts = false
    /// Nil: no limit.
    package var bytesPerSecond: Int64?
    /// Take the next free name where another download under way has the one that the server chose; else that is an error.
    package var renamesTaken = false
    /// Written into the finished file, so that a later run knows that this download has made it; nil: nothing.
    package var receipt: UInt64?
    /// What this download shares with others; nil: nothing.
    package var limiter: SpeedLimiter?

    package init(settings: DownloadSettings, directory: String) {
        self.settings = settings
        self.directory = directory
    }
}

/// What to do when the target exists already.
public enum ExistingFilePolicy: String, Hashable, Sendable, CaseIterable {
    /// Stop with ``DownloadError/Code/fileExists``.
    case fail
    /// Leave it and be done.
    case skip
    /// Take the next free name, `file (1).iso`.
    case rename
    /// Put the whole new file in its place at the end, atomically.
    case replace
}
