package import PawlCore
package import PawlEngine
import Synchronization

/// A disk in memory that can fail, fill up, stop at any call and lose its power. Its behaviour follows from the seed
/// and the calls alone.
///
/// It is as unkind as POSIX lets a disk be: nothing is durable before its sync, a file's sync does not cover its name,
/// and no order holds between files. See ``crash()`` for the state after a power loss.
package final class SimulatedDisk: Storage {
    /// The calls that can be counted, and made to fail.
    package enum Operation: CaseIterable, Sendable {
        case openDirectory, create, createUnnamed, link, open, status, names, rename, remove, directorySync,
            fileSystemSync, availableBytes
        case fileStatus, allocate, truncate, write, read, syncData, sync, lock, setPermissions, setModified, setMark,
            mark, close
        case setAttribute, attribute
    }

    /// The names that a directory takes for one. The first spelling stays.
    package enum NameFolding: CaseIterable, Sendable {
        /// As most file systems of Linux do.
        case none
        /// Unicode forms alone.
        case forms
        /// As APFS, exFAT, NTFS, and ext4 with `+F` do.
        case caseAndForms
    }

    /// The file system's capabilities.
    package struct Features: Hashable, Sendable {
        package var reservesSpace = true
        package var hasLocks = true
        package var hasMarks = true
        package var largestFile = Int64.max
        /// A new file gets the number of the file removed last, as on ext4.
        package var reusesInodes = false
        /// Reports when a file was created.
        package var recordsCreation = true
        /// Reports where a file has holes.
        package var tellsHoles = true

        /// Files without a name.
        package var hasUnnamedFiles = true
        /// Whether unnamed files can be given a name.
        package var linksUnnamedFiles = true
        /// Makes all that was written durable at once, if asked.
        package var syncsFileSystems = true

        /// Directories made from now on.
        package var folding = NameFolding.none

        /// A rename that must not replace is a link and a removal.
        package var renamesByLinking = false

        package init() {}

        /// One story in eight cannot make files without a name, one in eight cannot name them, half cannot sync all at
        /// once, and one in four links where others rename.
        mutating func vary(_ seed: UInt64) {
            hasUnnamedFiles = seed / 2 % 8 != 0
            linksUnnamedFiles = seed / 2 % 8 != 1
            syncsFileSystems = seed / 16 % 2 == 0
            renamesByLinking = seed / 512 % 4 == 3
        }
    }

    /// Every other story holds small files in memory.
    static func largestHeldFile(_ seed: UInt64) -> Int64 { seed % 2 == 0 ? 128 << 10 : 0 }

    /// The reason of every error after ``stopAfter(operations:)`` has taken effect.
    package static let stopped = StorageError.Reason.other(errno: -1)

    let state: Locked<SimulatedDiskState>

    /// - Parameter capacity: In bytes of content alone.
    package init(seed: UInt64 = 0, capacity: Int64 = .max) {
        state = Locked(SimulatedDiskState(seed: seed, capacity: capacity))
    }

    package var owner: Owner {
        state.withLock { $0.owner }
    }

    /// Only one process lives at a time.
    package func isRunning(_ other: Owner) -> Bool? {
        other.bootID == owner.bootID ? false : nil
    }

    package var faults: FaultPlan {
        get { state.withLock { $0.faults } }
        set { state.withLock { $0.faults = newValue } }
    }

    package var features: Features {
        get { state.withLock { $0.features } }
        set { state.withLock { $0.features = newValue } }
    }

    package func openDirectory(_ path: String) throws(StorageError) -> any StorageDirectory {
        let path = SimulatedDiskState.normalized(path)
        let generation = try perform(.openDirectory, path) { state throws(StorageError.Reason) in
            guard state.folders[path] != nil else {
                throw state.inode(path) == nil ? .notFound : .notADirectory
            }
            return state.generation
        }
        return SimulatedDirectory(disk: self, path: path, generation: generation)
    }

    /// Counts the call, then fails it if the plan says so, or runs `body`. `faulted` applies the effects of a failing
    /// call.
    func perform<Result: Sendable>(
        _ operation: Operation, _ name: String, generation: Int? = nil,
        faulted: (inout SimulatedDiskState) -> Void = { _ in },
        _ body: (inout SimulatedDiskState) throws(StorageError.Reason) -> Result
    ) throws(StorageError) -> Result {
        do throws(StorageError.Reason) {
            return try state.withLock { state throws(StorageError.Reason) in
                if let generation, generation != state.generation { throw .stale }
                try state.admit(operation)
                if let reason = state.faults.next(operation) {
                    faulted(&state)
                    throw reason
                }
                return try body(&state)
            }
        } catch {
            throw StorageError(operation: operation.call, name: name, reason: error)
        }
    }

    func isOpen(_ handle: Int) -> Bool {
        state.withLock { $0.handles[handle] != nil }
    }

    /// Releases a handle that was never closed; this counts as no call.
    func release(handle: Int) {
        state.withLock { $0.close(handle) }
    }
}

// MARK: The end of the machine or the process

extension SimulatedDisk {
    /// Makes all calls throw ``stopped`` after this many modifying ones, until ``crash()`` or ``kill()``.
    package func stopAfter(operations: Int) {
        state.withLock { $0.changesLeft = operations }
    }

    /// Simulates a power loss. Each unsynced write of a file survives whole, in some of its 512-byte sectors, or not at
    /// all; the file's length is any that it has had since its last sync. Of each directory's unsynced changes, the
    /// first few survive. Locks are gone, and handles from before throw `.stale`.
    package func crash() {
        state.withLock { $0.losePower() }
    }

    /// Fails the writeback of unsynced data. Reads still return the data; the next sync of each such file reports the
    /// error, once.
    package func failWriteback() {
        state.withLock { $0.failWriteback() }
    }

    /// Ends the process alone. All written data survives; locks are gone, and handles from before throw `.stale`.
    package func kill() {
        state.withLock { $0.endProcess() }
    }
}

// MARK: For tests to inspect and to meddle

extension SimulatedDisk {
    /// How often the operation was called, including failed calls.
    package func count(of operation: Operation) -> Int {
        state.withLock { $0.counts[operation, default: 0] }
    }

    /// How many calls modified something: a bound for ``stopAfter(operations:)``.
    package var changeCount: Int {
        state.withLock { $0.changeCount }
    }

    package var bytesWritten: Int64 {
        state.withLock { $0.bytesWritten }
    }

    package var openFileCount: Int {
        state.withLock { $0.handles.count }
    }

    /// Makes a directory durably, with its parents.
    package func makeDirectory(_ path: String) {
        state.withLock { _ = $0.folder(making: SimulatedDiskState.normalized(path)) }
    }

    /// Installs a file durably, along with all earlier changes of its directory, which is made if necessary. Replaces
    /// any file of the name, and ignores the capacity.
    package func install(_ path: String, _ bytes: [UInt8]) {
        state.withLock { state in
            let inode = state.install(path, kind: .regular)
            bytes.withUnsafeBytes { inode.write($0, at: 0) }
            inode.occupy(ByteRange(0..<Int64(bytes.count)))
            inode.sync()
            state.used += Int64(bytes.count)
        }
    }

    /// Installs something other than a regular file.
    package func install(_ path: String, kind: FileStatus.Kind) {
        state.withLock { _ = $0.install(path, kind: kind) }
    }

    /// Changes bytes on the disk, unseen by anyone who has the file open. Does nothing if the file does not exist.
    package func overwrite(_ path: String, at offset: Int64, with bytes: [UInt8]) {
        state.withLock { state in
            guard let inode = state.inode(path) else { return }
            bytes.withUnsafeBytes { inode.write($0, at: offset) }
            inode.sync()
        }
    }

    /// Removes a name durably, along with all earlier changes of its directory.
    package func delete(_ path: String) {
        state.withLock { $0.delete(path) }
    }

    /// The file's content as reads return it; nil if there is no such file.
    package func contents(of path: String) -> [UInt8]? {
        state.withLock { state in
            guard let inode = state.inode(path), inode.kind == .regular else { return nil }
            return [UInt8](unsafeUninitializedCapacity: Int(inode.size)) { buffer, count in
                count = inode.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
            }
        }
    }

    package func exists(_ path: String) -> Bool {
        state.withLock { $0.inode(path) != nil }
    }

    package func names(in path: String) -> [String] {
        state.withLock { $0.folders[SimulatedDiskState.normalized(path)]?.names ?? [] }
    }
}

extension SimulatedDisk.Operation {
    /// The system call that the live storage makes, for messages.
    var call: String {
        switch self {
        case .openDirectory: "open"
        case .create, .createUnnamed, .open: "openat"
        case .link: "linkat"
        case .status: "fstatat"
        case .names: "readdir"
        case .rename: "renameat"
        case .remove: "unlinkat"
        case .directorySync, .sync: "fsync"
        case .fileSystemSync: "syncfs"
        case .availableBytes: "fstatvfs"
        case .fileStatus: "fstat"
        case .allocate: "fallocate"
        case .truncate: "ftruncate"
        case .write: "pwrite"
        case .read: "pread"
        case .syncData: "fdatasync"
        case .lock: "fcntl"
        case .setPermissions: "fchmod"
        case .setModified: "futimens"
        case .setMark, .setAttribute: "fsetxattr"
        case .mark, .attribute: "fgetxattr"
        case .close: "close"
        }
    }

    /// Whether power losses just before and just after the call can leave different disks.
    var isChange: Bool {
        switch self {
        case .create, .createUnnamed, .link, .rename, .remove, .directorySync, .fileSystemSync, .allocate, .truncate,
            .write, .syncData, .sync, .setPermissions,
            .setModified, .setMark, .setAttribute:
            true
        case .openDirectory, .open, .status, .names, .availableBytes, .fileStatus, .read, .lock, .mark, .attribute,
            .close:
            false
        }
    }
}
