import PawlCore
import Synchronization

/// The partial file and the journal of one download, and the order in which they change (docs/journal-format.md).
///
/// Every call blocks; the driver makes them on the sync executor, one after the other. Only ``content`` is used from
/// elsewhere, by writers.
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

    typealias Facts = JournalFile.Facts

    let names: Names
    let directory: any StorageDirectory
    let file: any StorageFile
    /// The bytes of ``file``, in positions of the whole.
    let content: any FileContent
    private let latestLayout: Locked<ResultLayout?>
    let latestIdentity: Locked<FileIdentity?>
    /// ``file``, if it began in memory.
    let held: MemoryFirstFile?
    let floor: SpaceFloor
    let journal: JournalFile
    let origin: Origin
    /// The files that this run has set aside because their content could not be verified.
    let leftover: Leftover?
    let finished: FinishedFiles
    /// The journal, where it stays beside the finished file.
    let receipt = Locked<FileIdentity?>(nil)
    let shape = Locked(Shape())
    /// The first sync also covers what made the file: size and extents.
    private let isEstablished = Locked(false)

    /// The space that the file has had from the start and that no part of Pawl releases.
    struct Shape {
        var size: Int64 = 0
        /// Zero where space is not reserved.
        var occupied: Int64 = 0
        /// The file system reports reserved space as a hole until it is written to.
        var tellsHoles = false
        /// Whether the partial file is locked; false where the file system has no locks.
        var isLocked = true
    }

    /// The origin of the partial file, which decides whose its bytes are.
    enum Origin: Sendable {
        case thisRun
        /// `isOurs`: by a mark or by its age it is the file that the journal describes, and nothing in it was adopted.
        case earlierRun(claims: Bool, isOurs: Bool)
        case anotherProgram(Adoption)
    }

    /// The identity of the partial file; nil while all bytes are in memory.
    var identity: FileIdentity? { latestIdentity.withLock { $0 } }

    /// Whether all bytes are in memory and none on the disk.
    var isHeld: Bool { held?.isImmediate ?? false }

    /// The positions of the wanted parts; nil if the file is the whole.
    var layout: ResultLayout? { latestLayout.withLock { $0 } }

    /// Parts may have been asked for past the end of a file whose length was not known yet. Those before the end stand
    /// where they stood.
    func settle(_ layout: ResultLayout) { latestLayout.withLock { $0 = layout } }

    // MARK: Making

    /// A new partial file with room for `total` bytes, marked as ours and locked.
    init(
        creating target: String, in directory: any StorageDirectory, total: Int64?, layout: ResultLayout? = nil,
        id: [UInt8], storage: any Storage,
        leftover: Leftover? = nil, finished: FinishedFiles = FinishedFiles()
    ) throws(StorageError) {
        names = Names(target)
        self.directory = directory
        latestLayout = Locked(layout)
        self.leftover = leftover
        self.finished = finished
        origin = .thisRun
        held = nil
        file = try directory.create(names.partial)
        content = Self.content(of: file, layout)
        let identity = try file.status().identity
        latestIdentity = Locked(identity)
        floor = SpaceFloor(directory, name: names.partial)
        journal = JournalFile(
            names.journal, in: directory,
            JournalFile.Identity(id: id, storage: storage, targetName: target, partial: identity),
            blockSize: BlockHasher.blockSize(total: total))
        do throws(StorageError) {
            try own(file, identity)
            try reserve(layout.map { $0.isSparse ? 0 : $0.length } ?? total ?? 0)
        } catch {
            // It is ours by its identity and holds nothing yet.
            try? directory.remove(names.partial, ifStill: identity)
            try? file.close()
            throw error
        }
    }

    /// A file of `total` bytes that is held in memory until it is whole, or until something has to be kept of it.
    init(
        holding target: String, in directory: any StorageDirectory, total: Int64, id: [UInt8], storage: any Storage,
        leftover: Leftover?, finished: FinishedFiles = FinishedFiles()
    ) {
        names = Names(target)
        self.directory = directory
        latestLayout = Locked(nil)
        self.leftover = leftover
        self.finished = finished
        origin = .thisRun
        let held = MemoryFirstFile(names.partial, size: Int(total))
        self.held = held
        file = held
        content = held
        latestIdentity = Locked(nil)
        floor = SpaceFloor(directory, name: names.partial)
        floor.lift()
        journal = JournalFile(
            names.journal, in: directory, JournalFile.Identity(id: id, storage: storage, targetName: target),
            blockSize: BlockHasher.blockSize(total: total))
    }

    func own(_ file: any StorageFile, _ identity: FileIdentity) throws(StorageError) {
        try takeLock(file)
        // Before the lock another process may have taken it for empty and left behind, and removed it.
        guard try directory.status(names.partial)?.identity == identity else {
            throw StorageError(operation: "fstatat", name: names.partial, reason: .busy)
        }
        if try file.setMark(journal.id) { journal.noteMarked() }
    }

    /// Makes room for the whole file before its bytes are asked for: a new one, or one that an earlier run was short of
    /// space for.
    func reserve(_ total: Int64) throws(StorageError) { try reserve(total, in: file) }

    func reserve(_ total: Int64, in file: any StorageFile) throws(StorageError) {
        guard total > 0 else { return }
        // Asked first: of a length that no file can have, the system would say that, and not that there is no room for
        // it. And where nothing can be reserved, it is said now what would else be found out after hours (FAULTS D02,
        // L04).
        let needed = total - (try file.status().occupied)
        if let available = try? directory.availableBytes(), available < needed {
            throw StorageError(
                operation: "fstatvfs", name: names.partial,
                reason: .tooLittleSpace(needed: needed, available: available))
        }
        let isReserved = try file.allocate(total)
        let status = try file.status()
        let data = isReserved ? try file.nextData(from: 0) : nil
        let tellsHoles = isReserved && data.map { $0.end < total } ?? true
        shape.withLock {
            $0.size = total
            $0.occupied = isReserved ? min(status.occupied, total) : 0
            $0.tellsHoles = tellsHoles
        }
        if isReserved { floor.lift() }
    }

    private func takeLock(_ file: any StorageFile) throws(StorageError) {
        do throws(StorageError) {
            guard try file.lock() else { throw StorageError(operation: "lock", name: names.partial, reason: .busy) }
        } catch {
            guard error.reason == .notSupported else { throw error }
            shape.withLock { $0.isLocked = false }
        }
    }

    /// FAULTS D15: without a lock the newest record says whose the files are, so it is ours before a byte is written.
    func takeOver(_ claims: RangeSet, _ facts: JournalFile.Facts, _ progress: JournalRecord.State) throws(StorageError)
    {
        do throws(StorageError) {
            // Asked again by the one who holds it, the answer is the same.
            if try file.lock() { return }
        } catch {
            guard error.reason == .notSupported else { throw error }
        }
        shape.withLock { $0.isLocked = false }
        try journal.write(claims, facts, progress)
    }

    /// Checks that no other process has taken over the files. Without a lock, one may have taken them for left behind.
    private func checkOwnership() throws(DownloadError) {
        guard !shape.withLock({ $0.isLocked }) else { return }
        let stranger: Owner?
        do throws(StorageError) {
            stranger = try journal.stranger()
        } catch {
            throw .storage(error, directory: directory.path)
        }
        guard let stranger else { return }
        throw DownloadError(
            .locked,
            "Process \(stranger.processID) on \(stranger.hostName) has taken over “\(names.target)”, on a file system without locks.",
            remedies: [.waitForOther, .chooseName], recovery: .retryAfter(nil))
    }

    /// A partial file found on disk, open and locked, with its journal or one that is yet to be made.
    init(
        opened file: any StorageFile, journal: JournalFile, target: String, in directory: any StorageDirectory,
        identity: FileIdentity, layout: ResultLayout? = nil, origin: Origin,
        finished: FinishedFiles = FinishedFiles()
    ) {
        names = Names(target)
        self.finished = finished
        self.origin = origin
        held = nil
        leftover = nil
        self.directory = directory
        latestLayout = Locked(layout)
        self.file = file
        content = Self.content(of: file, layout)
        latestIdentity = Locked(identity)
        self.journal = journal
        floor = SpaceFloor(directory, name: names.partial)
    }

    /// A file of another program, open and locked.
    init(adopting adoption: Adoption, finished: FinishedFiles = FinishedFiles()) {
        names = adoption.names
        self.finished = finished
        directory = adoption.directory
        latestLayout = Locked(nil)
        origin = .anotherProgram(adoption)
        held = nil
        leftover = nil
        file = adoption.file
        content = AdoptedFile(adoption)
        latestIdentity = Locked(adoption.status.identity)
        journal = adoption.journal
        floor = SpaceFloor(directory, name: names.partial)
    }

    private static func content(of file: any StorageFile, _ layout: ResultLayout?) -> any FileContent {
        if let layout { SelectedFile(base: file, layout: layout) } else { file }
    }

    // MARK: While bytes come

    /// Data first, then the record that claims it: journal ⊆ synced ⊆ written.
    func checkpoint(_ ranges: RangeSet, _ facts: Facts) throws(DownloadError) {
        try checkOwnership()
        try takeAdopted(facts)
        try putDown()
        try checkUntouched(expecting: layout?.length(holding: ranges) ?? ranges.upperBound, holding: ranges)
        do throws(StorageError) {
            try syncData(of: ranges, facts)
            try journal.write(ranges, facts, .downloading)
        } catch {
            throw .storage(error)
        }
        adoption?.removeControl()
    }

    /// `ranges` are written by now; when this returns they are durable.
    func syncData(of ranges: RangeSet, _ facts: Facts) throws(StorageError) {
        guard !isHeld else { return }
        try journal.doubt(facts)
        if isEstablished.withLock({ $0 }) { try file.syncData() } else { try file.sync() }
        isEstablished.withLock { $0 = true }
        journal.recordUnsyncedAgain(ranges, facts)
    }

    // MARK: Ending

    /// The finishing sequence. Each step may be the last one before a power cut, and each may be repeated.
    /// Returns the final name.
    ///
    /// - Parameters:
    ///   - syncs: false leaves it to the system when the file reaches the disk, and its name.
    ///   - keepsReceipt: where the marker cannot be set, the journal stays and stands for it.
    func finish(
        _ facts: Facts, total: Int64, policy: ExistingFilePolicy, syncs: Bool = true,
        carrying carried: FileFacts = FileFacts(),
        marker: CompletionMarker? = nil, keepsReceipt: Bool = false, report: (DownloadReport) -> Void = { _ in }
    ) throws(DownloadError) -> String {
        try putDown()
        try checkOwnership()
        try checkUntouched(expecting: total, holding: everything(of: total))
        if let adoption, !adoption.isTaken, adoption.isTarget, adoption.status.size == total {
            return try finishInPlace(facts, carried, report)
        }
        try takeAdopted(facts)
        let permissions: UInt16
        var needsReceipt = false
        do throws(StorageError) {
            // A length that was announced before the real one was known must not be left behind the last byte.
            if try file.status().size > total { try file.truncate(to: total) }
            shape.withLock { ($0.size, $0.occupied) = (0, 0) }
            let everything = everything(of: total)
            // What is put together from parts is another file, and only a journal says afterwards whose it is.
            if (journal.hasRecord && syncs) || !(layout?.isFinal ?? true) {
                try syncData(of: everything, facts)
                try journal.write(everything, facts, .verified)
            }
            permissions = try finalPermissions()
            // Nothing is written to it after this, so its time stays.
            if layout?.isFinal ?? true {
                // An earlier run may have got as far as its mark, and with that mark the file would be its.
                if case .earlierRun = origin, marker == nil,
                    (try? file.attribute(CompletionMarker.attributeName)) ?? nil != nil
                {
                    try file.removeAttribute(CompletionMarker.attributeName)
                }
                let isMarked = Self.carry(carried, marker, on: file, facts.representation, report)
                needsReceipt = !isMarked && keepsReceipt && syncs && layout == nil
            }
            // Whatever comes between this and the name, we can open it again.
            try? file.setPermissions(permissions | Self.privatePermissions)
            if syncs {
                try journal.doubt(facts)
                try file.sync()
            }
            // For a process that is killed between the rename and the removal of a journal that was never synced.
            if syncs { journal.recordUnsyncedAgain(everything, facts, .verified) }
            if needsReceipt { try describeWhole(total, facts) }
        } catch {
            throw .storage(error, directory: directory.path)
        }
        // A sync may take long, and what is renamed next is whatever has the name.
        try checkUntouched(expecting: total)
        if let layout, !layout.isFinal {
            return try finishAssembled(layout, permissions, policy) {
                Self.carry(carried, marker, on: $0, facts.representation, report)
            }
        }
        let name = try rename(facts, total: total, policy, isSynced: syncs)
        do throws(StorageError) {
            try settleName(permissions, keepsJournal: needsReceipt, syncs: syncs)
            return name
        } catch {
            throw .storage(error, directory: directory.path)
        }
    }

    /// A failure to store attributes or the time is reported, and does not fail the download.
    ///
    /// - Returns: false where the marker is wanted and could not be set.
    @discardableResult
    static func carry(
        _ carried: FileFacts, _ marker: CompletionMarker?, on file: any StorageFile, _ representation: Representation,
        _ report: (DownloadReport) -> Void
    ) -> Bool {
        let isMarked = marker.map { marker in
            (try? file.setAttribute(CompletionMarker.attributeName, to: Array(marker.text.utf8))) ?? false
        }
        if carried.hasImpossibleTime { report(.timeNotKept(representation.lastModified ?? "")) }
        if let time = carried.modified {
            do throws(StorageError) { try file.setModified(time) } catch {
                report(.timeNotKept(representation.lastModified ?? ""))
            }
        }
        var areKept = true
        for attribute in carried.attributes where areKept {
            areKept = (try? file.setAttribute(attribute.name, to: Array(attribute.value.utf8))) ?? false
        }
        if !areKept { report(.attributesNotKept) }
        return isMarked ?? true
    }

    /// FAULTS D18: never wider than what a replaced file had. Where they cannot be set the file stays as it was made,
    /// for its owner alone.
    private func finalPermissions() throws(StorageError) -> UInt16 {
        let usual = directory.newFilePermissions
        return try directory.status(names.target).map { $0.permissions & usual } ?? usual
    }

    /// Returns the ranges that a finished file of `total` bytes holds, in positions of the whole.
    func everything(of total: Int64) -> RangeSet { layout?.selection.wanted ?? RangeSet(ByteRange(0..<total)) }

    /// The permissions of an unfinished file, with which it can be opened again.
    static let privatePermissions: UInt16 = 0o600

    /// Marks the unsynced records as doubtful. After a failed sync or write, only durable records are believed, even in
    /// the same boot.
    func distrust(_ facts: Facts?) { try? journal.doubt(facts) }

    /// Removes what this run has made and stored nothing in. Where files carry no marks, nobody could tell later that
    /// it holds nothing, and may go (FAULTS D24).
    func removeUnused() {
        guard case .thisRun = origin, !isHeld, !journal.hasRecord, let identity,
            let hasData = try? OrphanedPartialFile(file, size: shape.withLock { $0.size }).hasData, !hasData
        else { return }
        // The file goes first: without its journal nothing would show any longer that it may go.
        do throws(StorageError) {
            try directory.remove(names.partial, ifStill: identity)
            try journal.remove()
        } catch {
            // A file that stays costs space only.
        }
    }

    /// Removes the file and its journal.
    func discard() throws(StorageError) {
        guard !isHeld, let identity else { return }
        try directory.remove(names.partial, ifStill: identity)
        try journal.remove()
    }

    func close() throws(StorageError) {
        do throws(StorageError) {
            try journal.close()
        } catch {
            try? file.close()
            throw error
        }
        try file.close()
    }

    var path: String { directory.path == "/" ? "/" + names.target : directory.path + "/" + names.target }
}
