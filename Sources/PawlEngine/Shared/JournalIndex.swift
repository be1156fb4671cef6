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
        let known = state.withLock { $0.listings[path] }
        if let known, now < known.expires { return known.names }
        let changes = changes(in: path.text)
        let names = try directory.names()
        return note(names, in: path.text, since: changes, from: now, to: clock())
    }

    /// The number of journals that were left behind in a directory, for ``note(_:in:since:from:to:)``.
    func changes(in path: String) -> Int { state.withLock { $0.changes[ExactText(path)] ?? 0 } }

    /// Notes what a directory was found to hold.
    ///
    /// - Parameters:
    ///   - names: all of them.
    ///   - changes: ``changes(in:)`` before they were listed.
    ///   - now: when that began.
    ///   - then: when it ended.
    /// - Returns: those that are a journal's, ascending.
    @discardableResult
    func note(
        _ names: [String], in path: String, since changes: Int, from now: Instant, to then: Instant
    ) -> [String] {
        let names = names.filter { $0.ends(with: FileName.journalSuffix) }.sorted()
        state.withLock { state in
            state.listings = state.listings.filter { then < $0.value.expires }
            guard state.changes[ExactText(path)] ?? 0 == changes else { return }
            state.listings[ExactText(path)] = Listing(
                expires: then + min(max(Self.lifetime, (then - now) * 20), Self.longestLifetime), names: names)
        }
        return names
    }

    /// Whether the directory holds no journal but those of running downloads, which are for other URLs; nil: that is
    /// not known now.
    func hasNone(in path: String, at now: Instant) -> Bool? {
        state.withLock { state in
            guard let listing = state.listings[ExactText(path)], now < listing.expires else { return nil }
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
