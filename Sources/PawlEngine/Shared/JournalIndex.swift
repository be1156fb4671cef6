import PawlCore
import Synchronization

/// Which journals a directory holds, so that thousands of downloads in one directory do not each list it.
///
/// A listing is trusted for a second, or for twenty times as long as it took. A journal that another process leaves meanwhile is met when the file it stands beside is created.
package final class JournalIndex: Sendable {
    private struct Listing {
        var expires: Instant
        /// Ascending.
        var names: [String]
    }

    private static let lifetime: Duration = .seconds(1)

    private let listings = Locked<[ExactText: Listing]>([:])

    package init() {}

    /// The names in the directory that are a journal's, ascending.
    ///
    /// - Parameter clock: asked for the time.
    func names(in directory: any StorageDirectory, clock: () -> Instant) throws(StorageError) -> [String] {
        let path = ExactText(directory.path)
        let now = clock()
        if let listing = listings.withLock({ $0[path] }), now < listing.expires { return listing.names }
        let names = try directory.names().filter { $0.ends(with: FileName.journalSuffix) }.sorted()
        listings.withLock { listings in
            let then = clock()
            listings = listings.filter { then < $0.value.expires }
            listings[path] = Listing(expires: then + max(Self.lifetime, (then - now) * 20), names: names)
        }
        return names
    }

    /// Whether the directory is known to hold no journal.
    func hasNone(in path: String, at now: Instant) -> Bool {
        listings.withLock { $0[ExactText(path)] }.map { now < $0.expires && $0.names.isEmpty } ?? false
    }

    /// A download of this process has left a journal there.
    func forget(_ path: String) {
        listings.withLock { _ = $0.removeValue(forKey: ExactText(path)) }
    }
}
