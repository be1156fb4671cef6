import PawlCore
import Synchronization

/// The partial file and the journal of one download, and the written order in which they change (FAULTS E).
///
/// Every call blocks; the driver makes them on the sync lane, one after the other. Only ``file`` is used from elsewhere, by writers.
final class PartialFiles: Sendable {
    struct Names: Sendable {
        let target: String
        let partial: String
        let journal: String

        init(_ target: String) {
            self.target = target
            partial = FileName.partialName(for: target)
            journal = FileName.journalName(for: target)
        }
    }

    let names: Names
    let directory: any StorageDirectory
    let file: any StorageFile
    let identity: FileIdentity
    private let id: [UInt8]
    private let owner: Owner
    private let journal: Locked<JournalFile>
    private let shape = Locked(Shape())

    /// What the file has had from the start and nobody of us takes from it.
    private struct Shape {
        var size: Int64 = 0
        /// Zero where space is not reserved.
        var occupied: Int64 = 0
    }

    /// What is known of the journal file. Used on the sync lane only; the lock makes that visible to the compiler.
    private struct JournalFile {
        var file: (any StorageFile)?
        var generation: UInt64 = 0
        var blockSize: Int64
        var hashes: [Int64: UInt64] = [:]
        /// Hashed since the last generation, and in the one before.
        var fresh: [Int64] = []
        var recent: [Int64] = []
        var needsFullSync: Bool
    }

    /// What of the machine goes into a record.
    struct Facts: Sendable {
        var url: HTTPURL
        var representation: Representation
        var digest: Digest?
        var secondsSinceEpoch: Int64
    }

    // MARK: Making

    /// A new partial file with room for `total` bytes, marked as ours and locked.
    init(
        creating target: String, in directory: any StorageDirectory, total: Int64?, id: [UInt8], owner: Owner
    ) throws(StorageError) {
        names = Names(target)
        self.directory = directory
        self.id = id
        self.owner = owner
        file = try directory.create(names.partial)
        let status = try file.status()
        identity = status.identity
        journal = Locked(JournalFile(blockSize: BlockHasher.blockSize(total: total), needsFullSync: true))
        do throws(StorageError) {
            try takeLock()
            _ = try file.setMark(id)
            try reserve(total ?? 0)
        } catch {
            // It is ours by its identity and holds nothing yet.
            try? directory.remove(names.partial, ifStill: identity)
            try? file.close()
            throw error
        }
    }

    /// Makes room for the whole file before its bytes are asked for: a new one, or one that an earlier run was short of space for.
    func reserve(_ total: Int64) throws(StorageError) {
        guard total > 0 else { return }
        let isReserved = try file.allocate(total)
        let status = try file.status()
        shape.withLock { $0 = Shape(size: total, occupied: isReserved ? min(status.occupied, total) : 0) }
        // The length is set but no space reserved: say now what would else be found out after hours (FAULTS D02, L04).
        if !isReserved, try directory.availableBytes() < total - status.occupied {
            throw StorageError(operation: "fallocate", name: names.partial, reason: .noSpace)
        }
    }

    private func takeLock() throws(StorageError) {
        do throws(StorageError) {
            guard try file.lock() else { throw StorageError(operation: "lock", name: names.partial, reason: .busy) }
        } catch {
            // FAULTS D15: without locks the owner in the journal is all there is.
            if error.reason != .notSupported { throw error }
        }
    }

    /// A partial file found on disk, open and locked, with the record that describes it if there is one.
    init(
        opened file: any StorageFile, journal journalFile: (any StorageFile)?, record: JournalRecord?, target: String,
        in directory: any StorageDirectory, newID: [UInt8], owner: Owner, identity: FileIdentity
    ) {
        names = Names(target)
        self.directory = directory
        self.file = file
        self.identity = identity
        self.owner = owner
        id = record?.id ?? newID
        journal = Locked(
            JournalFile(
                file: journalFile, generation: record?.generation ?? 0,
                blockSize: record?.blockSize ?? BlockHasher.blockSize(total: nil), hashes: record?.blockHashes ?? [:],
                recent: record?.recentBlocks ?? [], needsFullSync: true))
    }

    // MARK: While bytes come

    func hasher(from position: Int64, total: Int64?) -> BlockHasher {
        BlockHasher(blockSize: journal.withLock { $0.blockSize }, total: total, position: position)
    }

    func note(_ blocks: [(index: Int64, hash: UInt64)]) {
        journal.withLock {
            for block in blocks {
                $0.hashes[block.index] = block.hash
                $0.fresh.append(block.index)
            }
        }
    }

    func forgetHashes(in ranges: [ByteRange]) {
        journal.withLock { journal in
            journal.hashes = journal.hashes.filter { index, _ in
                guard let block = BlockHasher.range(ofBlock: index, blockSize: journal.blockSize, total: nil) else { return false }
                return !ranges.contains { $0.overlaps(block) }
            }
        }
    }

    /// FAULTS D12: someone may have moved, replaced, deleted or shortened the file meanwhile. A shortened one soon has its length again,
    /// from a write near its end, but not its space.
    func checkUntouched(expecting size: Int64) throws(DownloadError) {
        do throws(StorageError) {
            let own = try file.status()
            let named = try directory.status(names.partial)
            let shape = shape.withLock { $0 }
            guard own.linkCount > 0, named?.identity == identity, own.size >= max(size, shape.size),
                own.occupied >= shape.occupied
            else {
                throw StorageError(operation: "fstat", name: names.partial, reason: .notFound)
            }
        } catch where error.reason == .notFound {
            throw DownloadError(
                .partialFileChanged,
                "“\(names.partial)” was moved, replaced or shortened while it was being written. Leave it in place and run the download again.",
                recovery: .restart, underlying: error.operation)
        } catch {
            throw .storage(error, directory: directory.path)
        }
    }

    /// Data first, then the record that claims it: journal ⊆ synced ⊆ written.
    func checkpoint(
        _ ranges: RangeSet, _ facts: Facts, state: JournalRecord.State = .downloading
    ) throws(DownloadError) {
        try checkUntouched(expecting: ranges.upperBound)
        do throws(StorageError) {
            try syncData()
            try writeRecord(ranges, facts, state)
        } catch {
            throw .storage(error)
        }
    }

    private func syncData() throws(StorageError) {
        // The first sync also covers what made the file: size and extents.
        let isFirst = journal.withLock { $0.needsFullSync }
        if isFirst { try file.sync() } else { try file.syncData() }
        journal.withLock { $0.needsFullSync = false }
    }

    private func writeRecord(
        _ ranges: RangeSet, _ facts: Facts, _ state: JournalRecord.State
    ) throws(StorageError) {
        let (open, isNew) = try journalFile()
        let record = journal.withLock { journal in
            let claimed = journal.hashes.filter { index, _ in
                BlockHasher.range(ofBlock: index, blockSize: journal.blockSize, total: facts.representation.total)
                    .map(ranges.contains) ?? false
            }
            return JournalRecord(
                generation: journal.generation + 1, id: id, owner: owner, state: state,
                url: facts.url.withoutSecrets.serialized, urlHash: JournalRecord.urlHash(for: facts.url),
                targetName: names.target, representation: facts.representation, partialDevice: identity.device,
                partialInode: identity.inode, expectedDigest: facts.digest, updated: facts.secondsSinceEpoch,
                blockSize: journal.blockSize, durable: ranges, blockHashes: claimed,
                recentBlocks: (journal.recent + journal.fresh).filter { claimed[$0] != nil })
        }
        try open.write(Journal.encode(record), at: Journal.slotOffset(generation: record.generation))
        try open.syncData()
        if isNew { try directory.sync() }
        journal.withLock {
            $0.generation = record.generation
            $0.recent = $0.fresh
            $0.fresh = []
        }
    }

    private func journalFile() throws(StorageError) -> (any StorageFile, isNew: Bool) {
        if let open = journal.withLock({ $0.file }) { return (open, false) }
        let created = try directory.create(names.journal)
        _ = try created.allocate(Int64(Journal.fileSize))
        try created.sync()
        journal.withLock { $0.file = created }
        return (created, true)
    }

    // MARK: Reading back

    func read(_ range: ByteRange) throws(StorageError) -> [UInt8] {
        let bytes = try file.read(Int(range.count), at: range.start)
        guard bytes.count == Int(range.count) else {
            throw StorageError(operation: "pread", name: names.partial, reason: .inputOutput)
        }
        return bytes
    }

    /// Reads the whole file once and compares: with the hashes taken at receipt, then with the digests.
    func verify(_ digests: [Digest], total: Int64, factory: any DigestFactory) throws(DownloadError) -> Verification {
        do throws(StorageError) {
            try syncData()
            var digesters = digests.map { factory.makeDigester($0.algorithm) }
            let (hashes, blockSize) = journal.withLock { ($0.hashes, $0.blockSize) }
            var hasher = BlockHasher(blockSize: blockSize, total: total, position: 0)
            var damaged: [ByteRange] = []
            try scan(ByteRange(0..<total)) { bytes in
                for index in digesters.indices { digesters[index].update(bytes) }
                for block in hasher.update(bytes) where hashes[block.index].map({ $0 != block.hash }) ?? false {
                    damaged.append(ByteRange((block.index * blockSize)..<min((block.index + 1) * blockSize, total)))
                }
            }
            if !damaged.isEmpty { return .damaged(damaged) }
            for (index, expected) in digests.enumerated() {
                let actual = digesters[index].finalize()
                if actual != expected.bytes { return .mismatch(mismatch(expected, actual)) }
            }
            return .passed
        } catch {
            throw .storage(error)
        }
    }

    private func mismatch(_ expected: Digest, _ actual: [UInt8]) -> DownloadError {
        let found = Digest(algorithm: expected.algorithm, bytes: actual)?.description ?? "?"
        return DownloadError(
            .digestMismatch,
            "The bytes are not the ones expected: \(found) instead of \(expected). They are kept in “\(names.partial).bad”; compare the digest with its source, then download again.",
            recovery: .restart)
    }

    /// The blocks among `indices` whose bytes are not what was received.
    func damagedBlocks(
        _ record: JournalRecord, within durable: RangeSet, among indices: [Int64]
    ) throws(StorageError) -> [ByteRange] {
        var damaged: [ByteRange] = []
        for index in indices {
            guard let expected = record.blockHashes[index],
                let range = BlockHasher.range(
                    ofBlock: index, blockSize: record.blockSize, total: record.representation.total),
                durable.contains(range)
            else { continue }
            var hash = XXHash64()
            try scan(range) { hash.update($0) }
            if hash.value != expected { damaged.append(range) }
        }
        return damaged
    }

    private func scan(_ range: ByteRange, _ body: (UnsafeRawBufferPointer) -> Void) throws(StorageError) {
        let buffer = WriteBuffer(capacity: 1 << 20)
        var position = range.start
        while position < range.end {
            let wanted = Int(min(Int64(buffer.memory.count), range.end - position))
            let count = try file.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer.memory[..<wanted]), at: position)
            guard count > 0 else { throw StorageError(operation: "pread", name: names.partial, reason: .inputOutput) }
            body(UnsafeRawBufferPointer(rebasing: buffer.memory[..<count]))
            position += Int64(count)
        }
    }

    // MARK: Ending

    /// The finishing sequence. Each step may be the last one before a power cut, and each may be repeated.
    /// Returns the final name.
    func finish(
        _ facts: Facts, total: Int64, policy: ExistingFilePolicy
    ) throws(DownloadError) -> String {
        try checkUntouched(expecting: total)
        do throws(StorageError) {
            // A length that was announced before the real one was known must not be left behind the last byte.
            if try file.status().size > total { try file.truncate(to: total) }
            shape.withLock { $0 = Shape() }
            if journal.withLock({ $0.file != nil }) {
                try syncData()
                try writeRecord(RangeSet(ByteRange(0..<total)), facts, .verified)
            }
            // FAULTS D18: never wider than what a replaced file had.
            let former = try directory.status(names.target)
            try file.setPermissions(former.map { $0.permissions & directory.newFilePermissions } ?? directory.newFilePermissions)
            try file.sync()
        } catch {
            throw .storage(error, directory: directory.path)
        }
        // A sync may take long, and what is renamed next is whatever has the name.
        try checkUntouched(expecting: total)
        let name = try rename(facts, total: total, policy)
        do throws(StorageError) {
            try directory.sync()
            if try removeJournal() { try directory.sync() }
            return name
        } catch {
            throw .storage(error, directory: directory.path)
        }
    }

    private func rename(_ facts: Facts, total: Int64, _ policy: ExistingFilePolicy) throws(DownloadError) -> String {
        do throws(StorageError) {
            return try rename(policy)
        } catch {
            leaveToBeRenamed(facts, total: total)
            switch error.reason {
            case .exists, .isADirectory: throw targetExists()
            default: throw .storage(error, directory: directory.path)
            }
        }
    }

    /// FAULTS D17: all is there and synced but for the name. The next start has only the renaming to do, and asks nothing of the
    /// network.
    private func leaveToBeRenamed(_ facts: Facts, total: Int64) {
        // Without them the next start does the work anew, so an error adds nothing to the one that is being told.
        try? file.setPermissions(Self.privatePermissions)
        if journal.withLock({ $0.file == nil }) { try? writeRecord(RangeSet(ByteRange(0..<total)), facts, .verified) }
    }

    /// While it is no finished file, and so that it can be opened again.
    private static let privatePermissions: UInt16 = 0o600

    private func rename(_ policy: ExistingFilePolicy) throws(StorageError) -> String {
        // FAULTS D14: what came there meanwhile may be something that is never replaced.
        if policy == .replace, let kind = try directory.status(names.target)?.kind, kind == .directory || kind == .other {
            throw StorageError(operation: "renameat", name: names.target, reason: .exists)
        }
        var name = names.target
        var attempt = 0
        while true {
            do throws(StorageError) {
                try directory.rename(names.partial, to: name, replacing: policy == .replace)
                return name
            } catch {
                guard error.reason == .exists, policy == .rename, attempt < 10_000 else { throw error }
                attempt += 1
                name = FileName.renamed(names.target, attempt: attempt)
            }
        }
    }

    private func targetExists() -> DownloadError {
        DownloadError(
            .fileExists,
            "“\(names.target)” appeared while it was being downloaded. All bytes are kept in “\(names.partial)”: move what has the name away and run it again, or use --if-exists replace for a file.",
            recovery: .giveUp)
    }

    /// False when there was none.
    @discardableResult
    private func removeJournal() throws(StorageError) -> Bool {
        guard let open = journal.withLock({ $0.file }) else { return false }
        try directory.remove(names.journal, ifStill: open.status().identity)
        return true
    }

    /// Moves the partial file out of the way, or removes it when nothing could ever use it. The journal goes: it describes it no longer.
    func setAside(keep: Bool) throws(DownloadError) {
        // What has the name now may be somebody else's.
        if keep { try checkUntouched(expecting: 0) }
        do throws(StorageError) {
            // The journal first: one that claims ranges must never meet another partial file.
            try removeJournal()
            if keep {
                try Self.moveAside(names.partial, suffix: "orphan", in: directory)
            } else {
                try directory.remove(names.partial, ifStill: identity)
            }
            try directory.sync()
            try close()
        } catch {
            throw .storage(error, directory: directory.path)
        }
    }

    /// Keeps bytes that are not what was asked for, under a name that says so.
    func condemn() throws(DownloadError) {
        try checkUntouched(expecting: 0)
        do throws(StorageError) {
            try removeJournal()
            do throws(StorageError) {
                try directory.rename(names.partial, to: names.partial + ".bad", replacing: false)
            } catch where error.reason == .exists {
                try Self.moveAside(names.partial, suffix: "bad", in: directory)
            }
            try directory.sync()
        } catch {
            throw .storage(error, directory: directory.path)
        }
    }

    /// Renames to the next free `NAME.SUFFIX-n`.
    static func moveAside(_ name: String, suffix: String, in directory: any StorageDirectory) throws(StorageError) {
        var number = 1
        while true {
            do throws(StorageError) {
                return try directory.rename(name, to: "\(name).\(suffix)-\(number)", replacing: false)
            } catch {
                guard error.reason == .exists, number < 10_000 else { throw error }
                number += 1
            }
        }
    }

    func close() throws(StorageError) {
        let open = journal.withLock { journal in
            defer { journal.file = nil }
            return journal.file
        }
        do throws(StorageError) {
            try open?.close()
        } catch {
            try? file.close()
            throw error
        }
        try file.close()
    }

    var path: String { directory.path == "/" ? "/" + names.target : directory.path + "/" + names.target }
}
