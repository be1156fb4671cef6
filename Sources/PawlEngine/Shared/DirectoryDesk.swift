import PawlCore
import Synchronization

/// The directories that small files are made in, held open, with what is known of them.
///
/// The content of a directory is looked at again after a second, or after twenty times as long as that took. Before
/// each group of files, its path has to lead to it still.
package final class DirectoryDesk: Sendable {
    /// A directory as it was found.
    struct Place: Sendable {
        let directory: any StorageDirectory
        let identity: FileIdentity
        /// The names that belong to unfinished downloads, partial files and journals, in the form that is the same for
        /// all spellings that some disk takes for one.
        let leftovers: Set<ExactText>
        let expires: Instant
    }

    private struct State {
        var places: [ExactText: Place] = [:]
        /// Whether files without a name can be made in a directory, by its path.
        var abilities: [ExactText: Bool] = [:]
    }

    private static let lifetime: Duration = .seconds(1)
    private static let longestLifetime: Duration = .seconds(60)
    /// Each costs a descriptor.
    private static let maximumCount = 16

    private let state = Locked(State())

    private let runtime: any Runtime
    /// For work that blocks.
    let executor: any WorkExecutor

    package init(_ runtime: any Runtime) { (self.runtime, executor) = (runtime, runtime.makeSyncExecutor()) }

    /// Whether small files may be made there in groups, as far as is known.
    func serves(_ path: String) -> Bool { state.withLock { $0.abilities[ExactText(path)] } ?? true }

    /// Returns a directory that is known well enough; nil if somebody has to look.
    func known(_ path: String, at now: Instant) -> Place? {
        state.withLock { $0.places[ExactText(path)] }.flatMap { now < $0.expires ? $0 : nil }
    }

    /// Opens a directory and looks at it. Blocks. Nil: files without a name cannot be made there.
    func look(at path: String, _ storage: any Storage) throws(StorageError) -> Place? {
        let now = runtime.now
        let directory = try storage.openDirectory(path)
        guard try canMakeUnnamed(in: directory, path) else { return nil }
        let identity = try directory.identity()
        let leftovers = try directory.names().filter(FileName.isReserved)
        let then = runtime.now
        let place = Place(
            directory: directory, identity: identity, leftovers: Set(leftovers.map { ExactText(FileName.folded($0)) }),
            expires: then + min(max(Self.lifetime, (then - now) * 20), Self.longestLifetime))
        state.withLock { state in
            if state.places.count >= Self.maximumCount { state.places = [:] }
            state.places[ExactText(path)] = place
        }
        return place
    }

    private func canMakeUnnamed(in directory: any StorageDirectory, _ path: String) throws(StorageError) -> Bool {
        if let known = state.withLock({ $0.abilities[ExactText(path)] }) { return known }
        let made = try directory.createUnnamed()
        try? made?.close()
        state.withLock { $0.abilities[ExactText(path)] = made != nil }
        return made != nil
    }

    /// Whether the path still leads to the directory that was opened. Blocks.
    func isCurrent(_ place: Place, _ storage: any Storage) -> Bool {
        let found = try? storage.openDirectory(place.directory.path).identity()
        if found != place.identity { forget(place.directory.path) }
        return found == place.identity
    }

    /// A download leaves something there.
    func forget(_ path: String) { state.withLock { state in state.places[ExactText(path)] = nil } }
}

extension DirectoryDesk.Place {
    /// Whether nothing of an unfinished download stands beside a file of this name.
    func isFree(_ name: String) -> Bool {
        leftovers.isEmpty
            || ![FileName.partialName(for: name), FileName.journalName(for: name)].contains {
                leftovers.contains(ExactText(FileName.folded($0)))
            }
    }
}
