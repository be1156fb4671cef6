import PawlCore
import Synchronization

/// The finished files of all downloads of a process, by device and inode.
///
/// A disk that folds case, or the Unicode forms of a name, takes `A.bin` and `a.bin` for one name. What a second
/// download finds under its own name there is the first one's file: neither enough for it, nor to be replaced
/// (FAULTS D29). Within one run, nor is a file that has the very same name.
package final class FinishedFiles: Sendable {
    /// The name that a file was finished under, as hashes.
    private struct Name {
        let exact: UInt64
        /// The same for all spellings that some disk takes for one.
        let folded: UInt32
        /// Whether a download has made the file; false for one that was there before, and was enough.
        var isMade: Bool

        init(_ name: String, isMade: Bool) {
            exact = Array(name.utf8).withUnsafeBytes(XXHash64.hash)
            folded = UInt32(truncatingIfNeeded: FileName.folded(name).hashValue)
            self.isMade = isMade
        }
    }

    private struct State {
        /// Whether all downloads were asked for at once, so that none of them may replace another's file.
        var isOneRun = false
        var latest: [FileIdentity: Name] = [:]
        var former: [FileIdentity: Name] = [:]

        subscript(_ file: FileIdentity) -> Name? { latest[file] ?? former[file] }
    }

    /// The least number of files that are remembered outside of a run; at most twice as many are.
    private static let maximumCount = 1 << 20

    private let state = Locked(State())
    private let turn = Locked(())

    package init() {}

    /// Keeps each name for the first download that finishes a file under it: all were asked for at once.
    package func keepNames() { state.withLock { $0.isOneRun = true } }

    /// Notes a finished file. Call it before the file gets its name, so that no other download meets it unknown.
    ///
    /// - Parameter isMade: false for a file that was there before, and is enough for a download.
    package func note(_ file: FileIdentity?, as name: String, isMade: Bool = true) {
        guard let file else { return }
        var name = Name(name, isMade: isMade)
        state.withLock { state in
            if !isMade, let known = state[file], known.exact == name.exact { name.isMade = known.isMade }
            if !state.isOneRun, state.latest.count >= Self.maximumCount {
                (state.former, state.latest) = (state.latest, [:])
            }
            state.latest[file] = name
        }
    }

    /// Returns how the file that is found under `name` came to be another download's; nil if it is not known as one.
    func finisher(
        of status: FileStatus, under name: String, in directory: any StorageDirectory
    ) throws(StorageError) -> ExistingFileRule.Finisher? {
        let wanted = Name(name, isMade: false)
        let (found, isOneRun) = state.withLock { ($0[status.identity], $0.isOneRun) }
        guard let known = found else { return nil }
        guard known.exact != wanted.exact else { return isOneRun && known.isMade ? .sameRun : nil }
        // A disk that folds keeps the spelling of a file that was there before, whatever replaces it.
        if known.folded == wanted.folded, status.linkCount <= 1 { return .otherSpelling }
        // An inode number passes on, and a file may have several names.
        return try directory.names().contains { $0.isExactly(name) } ? nil : .otherSpelling
    }

    /// Looks at what is replaced, and replaces it, one download at a time.
    func replacing<Result: Sendable>(_ body: () throws(StorageError) -> Result) throws(StorageError) -> Result {
        try turn.withLock { (_) throws(StorageError) in try body() }
    }
}
