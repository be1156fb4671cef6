package import PawlCore
import Synchronization

/// A session in one plain file: a log of changes, of which only what is committed counts (docs/session-format.md).
///
/// A save appends, syncs, and then commits by writing one of two slots and syncing that: its cost is that of what has
/// changed. When more of the log is out of date than not, it is written anew beside and takes the old one's place. Only
/// its user can read it.
package final class SessionFile: SessionStore {
    private struct Place: Sendable {
        var offset: Int64
        var size: Int
    }

    private struct Open: Sendable {
        var file: any StorageFile
        var commit: SessionLog.Commit
        /// The position of the latest record of each download.
        var places: [DownloadID: Place] = [:]
        var live: Int64 = 0
        /// Whether a sync has failed: uncommitted records are not believed then, and committed ones are copied to
        /// another file.
        var isDoubtful = false
    }

    private let storage: any Storage
    private let directoryPath: String
    private let name: String
    private let state = Locked<Open?>(nil)
    /// The number of tries to lock: before each further one, another process gave the name to another file between the
    /// opening and the lock.
    private static let triesToLock = 16
    /// Less waste than this is not worth a new file.
    private static let smallestWaste: Int64 = 1 << 20

    package init(_ storage: any Storage, directory: String, name: String) {
        self.storage = storage
        directoryPath = directory
        self.name = name
    }

    private var path: String { directoryPath + "/" + name }

    // MARK: Loading

    package func load() throws(DownloadError) -> [SessionRecord] {
        do throws(StorageError) {
            let directory = try storage.openDirectory(directoryPath)
            guard let file = try opened(in: directory) else {
                try removeLeftovers(in: directory)
                return []
            }
            do throws(StorageError) {
                // Only now: while another process has the session, the new file is its own.
                try removeLeftovers(in: directory)
                return try read(file)
            } catch {
                try? file.close()
                throw error
            }
        } catch {
            throw translated(error)
        }
    }

    /// The session, locked; nil where there is none.
    private func opened(in directory: any StorageDirectory) throws(StorageError) -> (any StorageFile)? {
        for _ in 0..<Self.triesToLock {
            let file: any StorageFile
            do throws(StorageError) {
                file = try directory.open(name, writable: true)
            } catch  where error.reason == .notFound {
                return nil
            }
            if try directory.lock(file, as: name) { return file }
        }
        throw StorageError(operation: "lock", name: name, reason: .busy)
    }

    private func read(_ file: any StorageFile) throws(StorageError) -> [SessionRecord] {
        switch SessionLog.readHeader(try file.read(SessionLog.headerSize, at: 0)) {
        case .current: break
        case .newer(let version): throw fault(.newer(version: version))
        case .damaged: throw fault(.damagedHeader)
        }
        var slots: [[UInt8]] = []
        for offset in SessionLog.slotOffsets { slots.append(try file.read(SessionLog.slotSize, at: Int64(offset))) }
        guard let commit = SessionLog.newestCommit(slots) else { throw fault(.noCommit) }
        let size = try file.status().size
        guard commit.length <= size - SessionLog.start, commit.length <= Int64(Int.max / 2) else {
            throw fault(.cutShort(saved: commit.length + SessionLog.start, size: size))
        }
        let isTorn = SessionLog.isTorn(slots)
        let log = try file.read(
            Int(isTorn ? min(size - SessionLog.start, Int64(Int.max / 2)) : commit.length), at: SessionLog.start)
        var open = Open(file: file, commit: commit)
        var records: [DownloadID: SessionRecord] = [:]
        var offset = 0
        while offset < log.count {
            guard let frame = SessionLog.frame(in: log, at: offset) else {
                if offset >= commit.length { break }
                throw fault(.damaged(at: Int64(offset) + SessionLog.start))
            }
            Self.note(frame.change, Place(offset: SessionLog.start + Int64(offset), size: frame.size), &open)
            switch frame.change {
            case .put(let record): records[record.id] = record
            case .remove(let id): records[id] = nil
            }
            offset += frame.size
        }
        open.commit.length = Int64(offset)
        state.withLock { $0 = open }
        return records.values.sorted { $0.id < $1.id }
    }

    private static func note(_ change: SessionChange, _ place: Place, _ open: inout Open) {
        switch change {
        case .put(let record):
            open.live += Int64(place.size) - Int64(open.places[record.id]?.size ?? 0)
            open.places[record.id] = place
        case .remove(let id): open.live -= Int64(open.places.removeValue(forKey: id)?.size ?? 0)
        }
    }

    // MARK: Saving

    package func save(_ changes: [SessionChange]) throws(DownloadError) {
        var open = state.withLock { $0 }
        do throws(StorageError) {
            var current = try usable(&open)
            try append(changes, to: &current)
            open = current
        } catch {
            // What failed counts for nothing: the places are those of the last commit.
            open?.isDoubtful = true
            let former = open
            state.withLock { $0 = former }
            throw translated(error)
        }
        let saved = open
        state.withLock { $0 = saved }
    }

    /// The file to append to: a new one where there is none, where the old one is doubtful, or mostly out of date.
    private func usable(_ open: inout Open?) throws(StorageError) -> Open {
        if let known = open {
            let waste = known.commit.length - known.live
            if !known.isDoubtful, waste <= max(Self.smallestWaste, known.live) { return known }
        }
        return try replace(&open)
    }

    private func append(_ changes: [SessionChange], to open: inout Open) throws(StorageError) {
        var bytes: [UInt8] = []
        var next = open
        for change in changes {
            let frame = SessionLog.frame(change)
            Self.note(
                change, Place(offset: SessionLog.start + open.commit.length + Int64(bytes.count), size: frame.count),
                &next)
            bytes += frame
        }
        next.commit.length += Int64(bytes.count)
        try open.file.write(bytes, at: SessionLog.start + open.commit.length)
        try open.file.sync()
        try Self.commit(&next)
        open = next
    }

    /// The data is durable; now commit it.
    private static func commit(_ open: inout Open) throws(StorageError) {
        open.commit.generation += 1
        try open.file.write(SessionLog.slot(open.commit), at: SessionLog.slotOffset(generation: open.commit.generation))
        try open.file.sync()
    }

    /// Makes a new file beside the old one, with only what is still so, and puts it in its place when it is durable.
    ///
    /// From the renaming on it is the session, and `open` is it, even if this throws: only it has the lock on that
    /// name.
    private func replace(_ open: inout Open?) throws(StorageError) -> Open {
        let directory = try storage.openDirectory(directoryPath)
        let (file, newName) = try createNew(in: directory)
        var fresh: Open
        do throws(StorageError) {
            fresh = try Self.filled(file, from: open, name: name)
            // Where there was none, nobody may have made one meanwhile.
            try directory.rename(newName, to: name, replacing: open != nil)
        } catch {
            if let identity = try? file.status().identity { try? directory.remove(newName, ifStill: identity) }
            try? file.close()
            guard open == nil, error.reason == .exists else { throw error }
            throw StorageError(operation: error.operation, name: name, reason: .busy)
        }
        try? open?.file.close()
        // Until the directory is synced a power cut may undo the renaming, and whatever is appended until then with it.
        fresh.isDoubtful = true
        open = fresh
        try directory.sync()
        fresh.isDoubtful = false
        open = fresh
        return fresh
    }

    private static func filled(_ file: any StorageFile, from old: Open?, name: String) throws(StorageError) -> Open {
        // All that stands before the log, so that no file is whole that is shorter than this.
        let header = SessionLog.header
        try file.write(header + [UInt8](repeating: 0, count: Int(SessionLog.start) - header.count), at: 0)
        var fresh = Open(file: file, commit: SessionLog.Commit(generation: 0, length: 0))
        if let old {
            var bytes: [UInt8] = []
            for (id, place) in old.places.sorted(by: { $0.key < $1.key }) {
                let frame = try old.file.read(place.size, at: place.offset)
                guard SessionLog.frame(in: frame, at: 0)?.size == place.size else {
                    throw fault(.damaged(at: place.offset), name)
                }
                fresh.places[id] = Place(offset: SessionLog.start + Int64(bytes.count), size: place.size)
                bytes += frame
            }
            fresh.live = Int64(bytes.count)
            fresh.commit.length = fresh.live
            try file.write(bytes, at: SessionLog.start)
        }
        try file.sync()
        try commit(&fresh)
        return fresh
    }

    /// Locked before a byte is written, so that no other process takes it for left behind.
    private func createNew(in directory: any StorageDirectory) throws(StorageError) -> (any StorageFile, name: String) {
        for attempt in 0..<UInt64(Self.triesToLock) {
            try removeLeftovers(in: directory)
            let newName = TemporaryName(for: name, random: seed &+ attempt).text
            let file: any StorageFile
            do throws(StorageError) {
                file = try directory.create(newName)
            } catch  where error.reason == .exists {
                continue
            }
            do throws(StorageError) {
                if try directory.lock(file, as: newName) { return (file, newName) }
            } catch  where error.reason == .busy {
                // Somebody who looks for such files has just taken it for left behind.
                try? file.close()
            }
        }
        throw StorageError(operation: "openat", name: name, reason: .exists)
    }

    /// A seed that differs in each process.
    private var seed: UInt64 {
        let owner = storage.owner
        return UInt64(truncatingIfNeeded: owner.startTime) << 32 ^ UInt64(truncatingIfNeeded: owner.processID)
    }

    /// New files that a crash kept from the session's name. Failing to remove one does no harm.
    ///
    /// - Throws: `.busy` while another process is writing one.
    private func removeLeftovers(in directory: any StorageDirectory) throws(StorageError) {
        for leftover in (try? directory.names()) ?? [] where TemporaryName.isOne(leftover, for: name) {
            guard let file = try? directory.open(leftover, writable: true), try directory.lock(file, as: leftover)
            else { continue }
            defer { try? file.close() }
            if let identity = try? file.status().identity { try? directory.remove(leftover, ifStill: identity) }
        }
    }

    package func close() {
        let file = state.withLock { state in
            defer { state = nil }
            return state?.file
        }
        try? file?.close()
    }

    // MARK: Errors

    private static func fault(_ fault: SessionFault, _ name: String) -> StorageError {
        StorageError(operation: "read", name: name, reason: .invalidSession(fault))
    }

    private func fault(_ fault: SessionFault) -> StorageError { Self.fault(fault, name) }

    private func translated(_ error: StorageError) -> DownloadError {
        if case .invalidSession(let fault) = error.reason {
            return .storage(error.reason, "“\(path)”", cause: "\(fault)")
        }
        if error.reason == .busy {
            return DownloadError(
                .locked, "The session “\(path)” is in use by another process. End it first, or use another session.",
                recovery: .retryAfter(nil))
        }
        return .storage(error, directory: directoryPath)
    }
}
