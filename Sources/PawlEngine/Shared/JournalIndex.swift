import PawlCore
import Synchronization

/// The journals that a directory holds, so that thousands of downloads in one directory do not each list it.
///
/// A listing is trusted for a second, or for twenty times as long as it took, but no longer than a minute. A journal
/// that another process leaves meanwhile is met when the file it stands beside is created.
package final class JournalIndex: Sendable {
    private struct Listing {
        var expires: Instant
        /// Ascending.
        var names: [String]
    }

    private struct State {
        var listings: [ExactText: Listing] = [:]
        /// Grows with each journal that is left behind: a listing that was under way then may lack it.
        var changes = 0
    }

    private static let lifetime: Duration = .seconds(1)
    private static let longestLifetime: Duration = .seconds(60)

    private let state = Locked(State())

    package init() {}

    /// The names in the directory that are a journal's, ascending.
    ///
    /// - Parameter clock: asked for the time.
    func names(in directory: any StorageDirectory, clock: () -> Instant) throws(StorageError) -> [String] {
        let path = ExactText(directory.path)
        let now = clock()
        let (known, changes) = state.withLock { ($0.listings[path], $0.changes) }
        if let known, now < known.expires { return known.names }
        let names = try directory.names().filter { $0.ends(with: FileName.journalSuffix) }.sorted()
        let then = clock()
        state.withLock { state in
            state.listings = state.listings.filter { then < $0.value.expires }
            guard state.changes == changes else { return }
            state.listings[path] = Listing(
                expires: then + min(max(Self.lifetime, (then - now) * 20), Self.longestLifetime), names: names)
        }
        return names
    }

    /// Whether the directory is known to hold no journal.
    func hasNone(in path: String, at now: Instant) -> Bool {
        state.withLock { $0.listings[ExactText(path)] }.map { now < $0.expires && $0.names.isEmpty } ?? false
    }

    /// A download of this process has left a journal there.
    func forget(_ path: String) {
        state.withLock { state in
            state.listings[ExactText(path)] = nil
            state.changes += 1
        }
    }
}
