import PawlCore
import Synchronization

/// The journal of one download on disk: two durable slots, two unsynced ones, and the hashes that go into both.
///
/// The durable slots are written on the sync executor only. The unsynced ones are written on any executor; a lock of
/// their own is held over those writes, so that what is doubtful stays so. The hashes have another lock, which is never
/// held over a call to the disk: the control executor takes it.
final class JournalFile: Sendable {
    /// The values that are the same in all records of a partial file.
    struct Identity: Sendable {
        var id: [UInt8]
        /// Names this process in each record. Asked when one is written: most small files never have a journal.
        var storage: any Storage
        var targetName: String
        /// The identity of the partial file; nil until there is one.
        var partial: FileIdentity?
        /// See ``JournalRecord/adopted``.
        var adopted: Int64 = 0
    }

    /// The machine's facts that go into a record.
    struct Facts: Sendable {
        var url: HTTPURL
        /// See ``JournalRecord/urlHash``.
        var urlHash: URLHash
        /// See ``JournalRecord/identityHash``.
        var identityHash: [UInt8]?
        var representation: Representation
        var digest: Digest?
        var secondsSinceEpoch: Int64
    }

    private struct State {
        var file: (any StorageFile)?
        /// Whether the length, space and name of the journal have been synced.
        var isEstablished: Bool
        var generation: UInt64
        var unsyncedGeneration: UInt64
        /// A sync of the partial file is under way or has failed: see ``UnsyncedRecord``.
        var isDoubtful = false
        var isClosed = false
        /// Whether writing is suspended, while the file is still another program's.
        var isSuspended = false
        /// The partial file carries the id, so the journal does as well: a partial file without it is another one then.
        var isMarked = false
    }

    private let name: String
    private let directory: any StorageDirectory
    private let identity: Identity
    private let partial: Locked<FileIdentity?>
    /// The id of the download.
    var id: [UInt8] { identity.id }
    private let state: Locked<State>
    private let blocks: Locked<JournalBlocks>

    /// A journal that is yet to be made, when there is something to say.
    init(
        _ name: String, in directory: any StorageDirectory, _ identity: Identity, blockSize: Int64,
        isSuspended: Bool = false
    ) {
        self.name = name
        self.directory = directory
        self.identity = identity
        partial = Locked(identity.partial)
        state = Locked(State(isEstablished: false, generation: 0, unsyncedGeneration: 0, isSuspended: isSuspended))
        blocks = Locked(JournalBlocks(size: blockSize))
    }

    /// A journal found on disk, with what of it is believed.
    init(
        _ name: String, in directory: any StorageDirectory, _ identity: Identity, found file: any StorageFile,
        durable: JournalRecord?, unsynced: JournalRecord?, unsyncedGeneration: UInt64
    ) {
        self.name = name
        self.directory = directory
        self.identity = identity
        partial = Locked(identity.partial)
        // The first write of this run also syncs the directory, which an earlier run may not have got to.
        state = Locked(
            State(
                file: file, isEstablished: false, generation: durable?.generation ?? 0,
                unsyncedGeneration: unsyncedGeneration))
        blocks = Locked(JournalBlocks(durable: durable, unsynced: unsynced))
    }

    // MARK: Hashes

    func hasher(from position: Int64, total: Int64?) -> BlockHasher {
        let (size, function) = blocks.withLock { ($0.size, $0.function) }
        return BlockHasher(blockSize: size, total: total, position: position, function)
    }

    func note(_ hashed: [(index: Int64, hash: UInt64)]) {
        blocks.withLock { $0.note(hashed) }
    }

    func forgetHashes(in ranges: [ByteRange]) {
        blocks.withLock { $0.forget(in: ranges) }
    }

    var hashes: [Int64: UInt64] { blocks.withLock { $0.hashes } }

    // MARK: Durable records

    /// Whether a durable record was ever written.
    var hasRecord: Bool { state.withLock { $0.generation > 0 } }

    /// Claims ranges whose data has been synced. When it returns, the claim survives a power cut.
    func write(_ ranges: RangeSet, _ facts: Facts, _ progress: JournalRecord.State) throws(StorageError) {
        let (file, isEstablished) = try opened()
        let record = makeRecord(generation: state.withLock { $0.generation } + 1, ranges, facts, progress)
        try file.write(Journal.encode(record), at: Journal.slotOffset(generation: record.generation))
        if isEstablished {
            try file.syncData()
        } else {
            try file.sync()
            try directory.sync()
        }
        state.withLock {
            $0.isEstablished = true
            $0.generation = record.generation
        }
        blocks.withLock { $0.beginGeneration() }
    }

    /// Returns the other process that has written the newest record; nil if none has.
    func stranger() throws(StorageError) -> Owner? {
        guard let file = state.withLock({ $0.file }) else { return nil }
        guard let owner = Journal.latest(try file.read(Journal.fileSize, at: 0))?.owner else { return nil }
        return owner == identity.storage.owner ? nil : owner
    }

    private func opened() throws(StorageError) -> (any StorageFile, isEstablished: Bool) {
        try state.withLock { state throws(StorageError) -> (any StorageFile, isEstablished: Bool) in
            (try open(&state), state.isEstablished)
        }
    }

    private func open(_ state: inout State) throws(StorageError) -> any StorageFile {
        if let file = state.file { return file }
        let file = try directory.create(name)
        state.file = file
        if state.isMarked { _ = try? file.setMark(identity.id) }
        _ = try file.allocate(Int64(Journal.fileSize))
        return file
    }

    var fileIdentity: FileIdentity? {
        state.withLock { $0.file }.flatMap { try? $0.status().identity }
    }

    /// Whether there is a file.
    var exists: Bool { state.withLock { $0.file != nil } }

    /// This is the partial file from now on.
    func describe(_ partial: FileIdentity) { self.partial.withLock { $0 = partial } }

    /// Resumes writing, because the described file is the partial file from now on.
    func start() { state.withLock { $0.isSuspended = false } }

    /// The partial file carries the id now.
    func noteMarked() {
        state.withLock { state in
            state.isMarked = true
            _ = try? state.file?.setMark(identity.id)
        }
    }

    private func makeRecord(
        generation: UInt64, _ ranges: RangeSet, _ facts: Facts, _ progress: JournalRecord.State
    ) -> JournalRecord {
        let claimed = blocks.withLock { $0.claimed(ranges, of: facts.representation.total) }
        let partial = partial.withLock { $0 }
        return JournalRecord(
            generation: generation, id: identity.id, owner: identity.storage.owner, state: progress,
            url: facts.url.withoutSecrets.serialized, urlHash: facts.urlHash,
            targetName: identity.targetName, representation: facts.representation, partialDevice: partial?.device ?? 0,
            partialInode: partial?.inode ?? 0, expectedDigest: facts.digest, updated: facts.secondsSinceEpoch,
            blockSize: claimed.size, durable: ranges, blockHashes: claimed.hashes,
            recentBlocks: (claimed.recent + claimed.fresh).filter { claimed.hashes[$0] != nil },
            blockHashFunction: claimed.function, identityHash: facts.identityHash, adopted: identity.adopted)
    }

    /// The record that a file without the right digest carries: whose it is, and which version of the server's file.
    func verdict(_ facts: Facts) -> [UInt8] {
        var record = makeRecord(generation: 2, RangeSet(), facts, .downloading)
        // For people, and long at times.
        record.url = ""
        return Journal.encode(record)
    }

    // MARK: Unsynced records

    /// Records what is written, without a sync, so that it survives a killed process. A failure is harmless: the
    /// durable slots claim less.
    func recordUnsynced(_ ranges: RangeSet, _ facts: Facts, _ progress: JournalRecord.State = .downloading) {
        state.withLock { state in
            guard !state.isDoubtful, !state.isClosed, !state.isSuspended else { return }
            try? writeUnsynced(&state, ranges, facts, progress)
        }
    }

    /// Marks the unsynced record as doubtful. Call it before a sync of the partial file; nothing is recorded from then
    /// on until ``recordUnsyncedAgain(_:_:_:)``. If it throws, the sync must not be made: it could take the only notice
    /// of an error, while the unsynced record still says that all is well.
    func doubt(_ facts: Facts?) throws(StorageError) {
        try state.withLock { state throws(StorageError) in
            state.isDoubtful = true
            guard state.unsyncedGeneration > 0, !state.isClosed, let facts else { return }
            try writeUnsynced(&state, RangeSet(), facts, .downloading)
        }
    }

    /// The sync that was waited for has succeeded.
    func recordUnsyncedAgain(_ ranges: RangeSet, _ facts: Facts, _ progress: JournalRecord.State = .downloading) {
        state.withLock { state in
            state.isDoubtful = false
            guard state.unsyncedGeneration > 0, !state.isClosed else { return }
            try? writeUnsynced(&state, ranges, facts, progress)
        }
    }

    private func writeUnsynced(
        _ state: inout State, _ ranges: RangeSet, _ facts: Facts, _ progress: JournalRecord.State
    ) throws(StorageError) {
        let file = try open(&state)
        state.unsyncedGeneration += 1
        let unsynced = UnsyncedRecord(
            makeRecord(generation: state.unsyncedGeneration, ranges, facts, progress), isDoubtful: state.isDoubtful)
        try file.write(Journal.encode(unsynced), at: Journal.unsyncedSlotOffset(generation: state.unsyncedGeneration))
    }

    // MARK: The end

    /// Removes the name, while it still is this file. False when there was none. Nothing is recorded any more.
    @discardableResult
    func remove() throws(StorageError) -> Bool {
        let file = state.withLock { state in
            state.isClosed = true
            return state.file
        }
        guard let file else { return false }
        try directory.remove(name, ifStill: file.status().identity)
        return true
    }

    func close() throws(StorageError) {
        let file = state.withLock { state in
            state.isClosed = true
            defer { state.file = nil }
            return state.file
        }
        try file?.close()
    }
}
