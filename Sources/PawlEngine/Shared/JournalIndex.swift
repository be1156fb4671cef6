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
        /// The journals of running downloads of this process, by directory.
        var held: [ExactText: Set<ExactText>] = [:]
        /// Grows with each journal that is left behind in a directory: a listing that was under way then may lack it.
        var changes: [ExactText: Int] = [:]
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
        let (known, changes) = state.withLock { ($0.listings[path], $0.changes[path]) }
        if let known, now < known.expires { return known.names }
        let names = try directory.names().filter { $0.ends(with: FileName.journalSuffix) }.sorted()
        let then = clock()
        state.withLock { state in
            state.listings = state.listings.filter { then < $0.value.expires }
            guard state.changes[path] == changes else { return }
            state.listings[path] = Listing(
                expires: then + min(max(Self.lifetime, (then - now) * 20), Self.longestLifetime), names: names)
        }
        return names
    }

    /// Whether the directory is known to hold no journal but those of running downloads, which are for other URLs.
    func hasNone(in path: String, at now: Instant) -> Bool {
        state.withLock { state in
            guard let listing = state.listings[ExactText(path)], now < listing.expires else { return false }
            if listing.names.isEmpty { return true }
            let held = state.held[ExactText(path)] ?? []
            return listing.names.allSatisfy { held.contains(ExactText($0)) }
        }
    }

    /// A running download of this process has this journal, or will have it.
    func hold(_ name: String, in path: String) {
        state.withLock { state in _ = state.held[ExactText(path), default: []].insert(ExactText(name)) }
    }

    /// The download has finished its file, and the journal is gone.
    func remove(_ name: String, from path: String) {
        state.withLock { state in
            state.held[ExactText(path)]?.remove(ExactText(name))
            state.listings[ExactText(path)]?.names.removeAll { $0.isExactly(name) }
        }
    }

    /// A download of this process has left a journal there, if it had one.
    func leave(_ name: String, in path: String) {
        state.withLock { state in
            state.held[ExactText(path)]?.remove(ExactText(name))
            state.listings[ExactText(path)] = nil
            state.changes[ExactText(path), default: 0] += 1
        }
    }
}
