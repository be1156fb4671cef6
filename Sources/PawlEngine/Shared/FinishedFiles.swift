import PawlCore
import Synchronization

/// The finished files of all downloads of a process, by device and inode.
///
/// A disk that folds case, or the Unicode forms of a name, takes `A.bin` and `a.bin` for one name. What a second
/// download finds under its own name there is the first one's file: neither enough for it, nor to be replaced
/// (FAULTS D29).
package final class FinishedFiles: Sendable {
    /// Hashes of the name that a file was finished under.
    private struct Name {
        let exact: UInt64
        /// The same for all spellings that some disk takes for one.
        let folded: Int

        init(_ name: String) {
            exact = Array(name.utf8).withUnsafeBytes(XXHash64.hash)
            folded = FileName.folded(name).hashValue
        }
    }

    private struct State {
        var latest: [FileIdentity: Name] = [:]
        var former: [FileIdentity: Name] = [:]
    }

    /// The least number of files that are remembered; at most twice as many are.
    private static let maximumCount = 1 << 20

    private let state = Locked(State())
    private let turn = Locked(())

    package init() {}

    /// Notes a finished file. Call it before the file gets its name, so that no other download meets it unknown.
    package func note(_ file: FileIdentity?, as name: String) {
        guard let file else { return }
        state.withLock { state in
            if state.latest.count >= Self.maximumCount { (state.former, state.latest) = (state.latest, [:]) }
            state.latest[file] = Name(name)
        }
    }

    /// Whether the file that is found under `name` was finished, or found to be enough, under another spelling of it.
    func areOther(
        _ status: FileStatus, under name: String, in directory: any StorageDirectory
    ) throws(StorageError)
        -> Bool
    {
        let known = state.withLock { $0.latest[status.identity] ?? $0.former[status.identity] }
        let wanted = Name(name)
        guard let known, known.exact != wanted.exact else { return false }
        // A disk that folds keeps the spelling of a file that was there before, whatever replaces it.
        if known.folded == wanted.folded, status.linkCount <= 1 { return true }
        // An inode number passes on, and a file may have several names.
        return try !directory.names().contains { $0.isExactly(name) }
    }

    /// Looks at what is replaced, and replaces it, one download at a time.
    func replacing<Result: Sendable>(_ body: () throws(StorageError) -> Result) throws(StorageError) -> Result {
        try turn.withLock { (_) throws(StorageError) in try body() }
    }
}
