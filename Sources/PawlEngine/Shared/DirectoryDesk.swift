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
        /// Where it was opened.
        let storage: any Storage
        let identity: FileIdentity
        /// Whether files without a name can be made here. Elsewhere they have a name of ours until they are whole.
        let makesUnnamed: Bool
        /// The names that belong to unfinished downloads, partial files and journals, in the form that is the same for
        /// all spellings that some disk takes for one.
        fileprivate(set) var leftovers: Set<ExactText>
        /// The hashes of all names; nil: too many to keep.
        fileprivate let names: Set<Int>?
        let expires: Instant
    }

    /// A look that is under way. There is one at a time in a directory.
    private struct Look {
        var waiting: [@Sendable (Place?) -> Void]
        /// The names that downloads have used there since it began.
        var leftovers: Set<ExactText> = []
    }

    private struct State {
        var places: [ExactText: Place] = [:]
        var looks: [ExactText: Look] = [:]
        /// Whether files without a name can be made, by device.
        var abilities: [UInt64: Bool] = [:]
        /// The directories in which files bear no marks.
        var unmarked: Set<ExactText> = []
    }

    private static let lifetime: Duration = .seconds(1)
    private static let longestLifetime: Duration = .seconds(60)
    /// Each costs a descriptor.
    private static let maximumCount = 16
    private static let maximumUnmarked = 1000
    /// The most names whose hashes are kept, in 16 MiB.
    private static let maximumNames = 1_500_000

    private let state = Locked(State())
    private let runtime: any Runtime
    private let executor: any WorkExecutor
    /// Told which journals a directory holds.
    private let journals: JournalIndex

    package init(_ runtime: any Runtime, _ journals: JournalIndex) {
        (self.runtime, executor, self.journals) = (runtime, runtime.makeControlExecutor(), journals)
    }

    /// Whether small files may be made there in groups, as far as is known.
    ///
    /// - Parameter marked: with a mark.
    func serves(_ path: String, marked: Bool) -> Bool {
        !marked || state.withLock { !$0.unmarked.contains(ExactText(path)) }
    }

    /// Files there bear no marks.
    func noteUnmarked(_ path: String) {
        state.withLock { state in
            if state.unmarked.count >= Self.maximumUnmarked { state.unmarked = [] }
            state.unmarked.insert(ExactText(path))
        }
    }

    /// Files without names are given none there.
    func noteUnable(_ place: Place) {
        state.withLock { state in
            state.abilities[place.identity.device] = false
            state.places[ExactText(place.directory.path)] = nil
        }
    }

    /// Calls back with the directory: at once if it is known well enough, else on a thread that may block. Nil: it
    /// cannot be looked at.
    func find(_ path: String, _ storage: any Storage, _ found: @escaping @Sendable (Place?) -> Void) {
        let (key, now) = (ExactText(path), runtime.now)
        let (known, isDue) = state.withLock { state -> (Place?, Bool) in
            if let place = state.places[key], now < place.expires { return (place, false) }
            defer { state.looks[key, default: Look(waiting: [])].waiting.append(found) }
            return (nil, state.looks[key] == nil)
        }
        if let known { return found(known) }
        if isDue { runtime.makeSyncExecutor().submit { self.look(at: path, storage) } }
    }

    /// Calls back with whether nothing of a file with this name is there: at once if that is known, else on a thread
    /// that may block.
    func lacks(
        _ name: String, verifying digest: Digest?, in place: Place, _ answer: @escaping @Sendable (Bool) -> Void
    ) {
        guard place.isFree(name), !FileName.isReserved(name) else { return answer(false) }
        if let isThere = place.holds(name) { return answer(!isThere && !place.mayHoldMismatch(of: name, digest)) }
        let names = [name] + (digest == nil ? [] : [Place.mismatchName(for: name)])
        runtime.makeSyncExecutor().submit {
            do throws(StorageError) {
                for name in names where try place.directory.status(name) != nil { return answer(false) }
                answer(true)
            } catch { answer(false) }
        }
    }

    private func look(at path: String, _ storage: any Storage) {
        let place = try? see(path, storage)
        let (waiting, found) = state.withLock { state in
            let key = ExactText(path)
            let look = state.looks.removeValue(forKey: key)
            var place = place
            place?.leftovers.formUnion(look?.leftovers ?? [])
            state.places[key] = place
            if state.places.count > Self.maximumCount {
                state.places.min { $0.value.expires < $1.value.expires }.map { state.places[$0.key] = nil }
            }
            return (look?.waiting ?? [], place)
        }
        for call in waiting { call(found) }
        guard let found else { return }
        _ = runtime.schedule(after: found.expires - runtime.now, on: executor) { [weak self] in
            self?.letGoOfOld()
        }
    }

    /// A directory that nobody uses is not held open: its file system may be about to be unmounted.
    private func letGoOfOld() {
        let now = runtime.now
        // Closed outside of the lock.
        _ = state.withLock { state in
            let old = state.places.filter { $0.value.expires <= now }
            for path in old.keys { state.places[path] = nil }
            return old
        }
    }

    /// Opens a directory and looks at it. Blocks.
    private func see(_ path: String, _ storage: any Storage) throws(StorageError) -> Place {
        let now = runtime.now
        let directory = try storage.openDirectory(path)
        let identity = try directory.identity()
        let makesUnnamed = try canMakeUnnamed(in: directory, on: identity.device)
        let changes = journals.changes(in: path)
        let names = try directory.names()
        let then = runtime.now
        journals.note(names, in: path, since: changes, from: now, to: then)
        directory.remove(names.filter(TemporaryName.isOne))
        return Place(
            directory: directory, storage: storage, identity: identity, makesUnnamed: makesUnnamed,
            leftovers: Self.folded(names.filter(FileName.isReserved)),
            names: names.count > Self.maximumNames ? nil : Set(names.lazy.map { ExactText($0).hashValue }),
            expires: then + min(max(Self.lifetime, (then - now) * 20), Self.longestLifetime))
    }

    private func canMakeUnnamed(
        in directory: any StorageDirectory, on device: UInt64
    ) throws(StorageError) -> Bool {
        if let known = state.withLock({ $0.abilities[device] }) { return known }
        let made = try directory.createUnnamed()
        try? made?.close()
        state.withLock { $0.abilities[device] = made != nil }
        return made != nil
    }

    /// Whether the path still leads to the directory that was opened. Blocks.
    func isCurrent(_ place: Place) -> Bool {
        let found = try? place.storage.openDirectory(place.directory.path).identity()
        if found != place.identity { state.withLock { $0.places[ExactText(place.directory.path)] = nil } }
        return found == place.identity
    }

    /// A download uses these names there, and may leave them.
    func note(_ names: [String], in path: String) {
        state.withLock { state in
            let key = ExactText(path)
            state.looks[key]?.leftovers.formUnion(Self.folded(names))
            state.places[key]?.leftovers.formUnion(Self.folded(names))
        }
    }

    private static func folded(_ names: [String]) -> Set<ExactText> {
        Set(names.map { ExactText(FileName.folded($0)) })
    }
}

extension DirectoryDesk.Place {
    /// Whether a file has this name, or one with the same hash; nil: that is not known.
    func holds(_ name: String) -> Bool? { names?.contains(ExactText(name).hashValue) }

    /// Whether nothing of an unfinished download stands beside a file of this name.
    func isFree(_ name: String) -> Bool {
        leftovers.isEmpty
            || ![FileName.partialName(for: name), FileName.journalName(for: name)].contains {
                leftovers.contains(ExactText(FileName.folded($0)))
            }
    }

    /// Whether a file may be there that an earlier run has set aside because it did not match the digest. What becomes
    /// of it depends on the digest that is given now.
    func mayHoldMismatch(of name: String, _ digest: Digest?) -> Bool {
        digest != nil && holds(Self.mismatchName(for: name)) != false
    }

    fileprivate static func mismatchName(for name: String) -> String {
        FileName.partialName(for: name) + FileName.mismatchSuffix
    }
}
