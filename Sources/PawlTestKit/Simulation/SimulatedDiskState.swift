import PawlCore
import PawlEngine

/// Thrown only inside the simulation; callers receive a ``StorageError`` that also names the call and its object.
extension StorageError.Reason: Error {}

/// All state that a ``SimulatedDisk`` guards with its lock.
struct SimulatedDiskState {
    struct Handle {
        let inode: SimulatedInode
        let isWritable: Bool
    }

    var faults = FaultPlan()
    var features = SimulatedDisk.Features()
    var changesLeft: Int?
    var folders: [String: SimulatedFolder] = [:]
    /// The space in use, including open files that have lost their last name.
    var used: Int64 = 0
    var bytesWritten: Int64 = 0
    private(set) var handles: [Int: Handle] = [:]
    private(set) var counts: [SimulatedDisk.Operation: Int] = [:]
    private(set) var changeCount = 0
    /// Grows with each end of the process; handles of earlier generations are stale.
    private(set) var generation = 0

    private let capacity: Int64
    private var chance: SimulatedChance
    private var isStopped = false
    private var bootCount: UInt8 = 1
    private var lastHandle = 0
    private var lastInode: UInt64 = 0
    private var lastSerial = 0
    /// Numbers of removed files, the most recent last.
    private var freeInodes: [UInt64] = []

    /// The time of every event: nothing may depend on when a file was changed (FAULTS D20).
    private static let secondsSinceEpoch: Int64 = 1_700_000_000

    init(seed: UInt64, capacity: Int64) {
        chance = SimulatedChance(seed: seed)
        self.capacity = capacity
    }

    var owner: Owner {
        Owner(
            processID: 1000 + Int32(generation), bootID: [UInt8](repeating: bootCount, count: 16),
            startTime: Self.secondsSinceEpoch + Int64(generation), hostName: "simulated")
    }

    var available: Int64 { max(0, capacity - used) }

    mutating func admit(_ operation: SimulatedDisk.Operation) throws(StorageError.Reason) {
        if operation.isChange, let left = changesLeft {
            if left <= 0 { isStopped = true }
            changesLeft = left - 1
        }
        if isStopped { throw SimulatedDisk.stopped }
        counts[operation, default: 0] += 1
        if operation.isChange { changeCount += 1 }
    }

    /// Names in an order that differs from disk to disk, because POSIX promises none.
    mutating func names(_ folder: SimulatedFolder, at path: String) -> [String] {
        let inner = folders.keys.filter { $0.begins(with: path + "/") }.map { $0.utf8.dropFirst(path.utf8.count + 1) }
        let names = inner.filter { !$0.contains(UInt8(ascii: "/")) }.map { String(decoding: $0, as: UTF8.self) }
        return (folder.names + names.sorted()).shuffled(using: &chance)
    }

    mutating func makeInode(kind: FileStatus.Kind, permissions: UInt16) -> SimulatedInode {
        lastSerial += 1
        return SimulatedInode(
            identity: FileIdentity(device: 1, inode: nextInode()), serial: lastSerial, kind: kind,
            attributes: .init(permissions: permissions, modified: Self.secondsSinceEpoch, mark: nil))
    }

    private mutating func nextInode() -> UInt64 {
        if features.reusesInodes, let free = freeInodes.popLast() { return free }
        lastInode += 1
        return lastInode
    }

    // MARK: Open files

    mutating func open(_ inode: SimulatedInode, writable: Bool) -> Int {
        lastHandle += 1
        handles[lastHandle] = Handle(inode: inode, isWritable: writable)
        inode.openCount += 1
        return lastHandle
    }

    func handle(_ number: Int) throws(StorageError.Reason) -> Handle {
        guard let handle = handles[number] else { throw .stale }
        return handle
    }

    func writableInode(_ number: Int) throws(StorageError.Reason) -> SimulatedInode {
        let handle = try handle(number)
        // EBADF.
        guard handle.isWritable else { throw .other(errno: 9) }
        return handle.inode
    }

    mutating func close(_ number: Int) {
        guard let inode = handles.removeValue(forKey: number)?.inode else { return }
        if inode.lockHolder == number { inode.lockHolder = nil }
        inode.openCount -= 1
        freeSpace(of: inode)
    }

    /// Frees a file's space once neither a name nor an open handle refers to it.
    mutating func freeSpace(of inode: SimulatedInode) {
        guard inode.linkCount == 0, inode.openCount == 0 else { return }
        used -= inode.occupied.count
        if features.reusesInodes { freeInodes.append(inode.identity.inode) }
    }

    // MARK: Contents

    mutating func allocate(_ inode: SimulatedInode, _ size: Int64) throws(StorageError.Reason) -> Bool {
        try checkSize(size)
        if features.reservesSpace {
            let whole = ByteRange(0..<size)
            let missing = inode.unoccupied(whole)
            guard missing <= available else { throw .noSpace }
            inode.occupy(whole)
            used += missing
        }
        resize(inode, to: size)
        return features.reservesSpace
    }

    mutating func truncate(_ inode: SimulatedInode, to size: Int64) throws(StorageError.Reason) {
        try checkSize(size)
        resize(inode, to: size)
    }

    private mutating func resize(_ inode: SimulatedInode, to size: Int64) {
        let before = inode.occupied.count
        inode.resize(to: size)
        used -= before - inode.occupied.count
    }

    private func checkSize(_ size: Int64) throws(StorageError.Reason) {
        // EINVAL.
        guard size >= 0 else { throw .other(errno: 22) }
        guard size <= features.largestFile else { throw .fileTooLarge }
    }

    /// Writes as much as there is space for, like the system call; only the error shows that the write was partial.
    mutating func write(
        _ inode: SimulatedInode, _ bytes: UnsafeRawBufferPointer, at offset: Int64
    ) throws(StorageError.Reason) {
        let (end, overflow) = offset.addingReportingOverflow(Int64(bytes.count))
        guard offset >= 0 else { throw .other(errno: 22) }
        guard !overflow, end <= features.largestFile else { throw .fileTooLarge }
        let missing = inode.unoccupied(ByteRange(offset..<end))
        guard missing <= available else {
            // Write nothing where old and new space are mixed: any part may have been written.
            let count = missing == end - offset ? Int(available) : 0
            store(inode, UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
            throw .noSpace
        }
        store(inode, bytes, at: offset)
    }

    private mutating func store(_ inode: SimulatedInode, _ bytes: UnsafeRawBufferPointer, at offset: Int64) {
        let range = ByteRange(offset..<offset + Int64(bytes.count))
        used += inode.unoccupied(range)
        inode.occupy(range)
        inode.write(bytes, at: offset)
        bytesWritten += range.count
    }

    /// A write that fails for another reason than space, having written some part.
    mutating func writePart(_ inode: SimulatedInode, _ bytes: UnsafeRawBufferPointer, at offset: Int64) {
        let count = Int.random(in: 0...bytes.count, using: &chance)
        try? write(inode, UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
    }

    // MARK: Ends

    mutating func endProcess() {
        for number in handles.keys.sorted() { close(number) }
        generation += 1
        isStopped = false
        changesLeft = nil
    }

    func failWriteback() {
        for inode in inodes where inode.hasUnsynced {
            inode.loseUnsynced()
            inode.hasUnseenError = true
        }
    }

    /// All files and directories. An error that nobody was told of is told, and again to whoever syncs that file.
    func sync() throws(StorageError.Reason) {
        let hasError = inodes.contains { $0.hasUnseenError }
        for inode in inodes where !inode.hasUnseenError { inode.sync() }
        for folder in folders.values { folder.sync() }
        if hasError { throw .inputOutput }
    }

    /// The inodes that have a name, and those that are open.
    private var inodes: [SimulatedInode] {
        let named = folders.sorted { $0.key < $1.key }.flatMap(\.value.inodes)
        var seen = Set(named.map(\.serial))
        return named + handles.sorted { $0.key < $1.key }.map(\.value.inode).filter { seen.insert($0.serial).inserted }
    }

    mutating func losePower() {
        endProcess()
        bootCount &+= 1
        used = 0
        // Go by path, and by name within a folder: the order decides which file draws which random number.
        for folder in folders.sorted(by: { $0.key < $1.key }).map(\.value) {
            folder.losePower(&chance)
            for inode in folder.inodes {
                inode.losePower(&chance)
                used += inode.occupied.count
            }
        }
        // A file whose removal was lost is back.
        let inUse = Set(folders.values.flatMap(\.inodes).map(\.identity.inode))
        freeInodes.removeAll { inUse.contains($0) }
    }

    // MARK: Paths

    /// The path without trailing slashes.
    static func normalized(_ path: String) -> String {
        let end = path.lastIndex { $0 != "/" }
        return end.map { String(path[...$0]) } ?? "/"
    }

    static func split(_ path: String) -> (folder: String, name: String) {
        let path = normalized(path)
        guard let slash = path.lastIndex(of: "/") else { return ("/", path) }
        return (normalized(String(path[..<slash])), String(path[path.index(after: slash)...]))
    }

    mutating func folder(making path: String) -> SimulatedFolder {
        if let folder = folders[path] { return folder }
        lastSerial += 1
        let identity = FileIdentity(device: 1, inode: UInt64.max - UInt64(lastSerial))
        let folder = SimulatedFolder(identity, folding: features.folding)
        folders[path] = folder
        return folder
    }

    func inode(_ path: String) -> SimulatedInode? {
        let (folder, name) = Self.split(path)
        return folders[folder]?[name]
    }

    mutating func install(_ path: String, kind: FileStatus.Kind) -> SimulatedInode {
        delete(path)
        let (folder, name) = Self.split(path)
        if kind == .directory { _ = self.folder(making: Self.normalized(path)) }
        let inode = makeInode(kind: kind, permissions: kind == .directory ? 0o755 : 0o644)
        let parent = self.folder(making: folder)
        parent.link(name, to: inode)
        parent.sync()
        return inode
    }

    mutating func delete(_ path: String) {
        let (folder, name) = Self.split(path)
        guard let parent = folders[folder], let inode = parent[name] else { return }
        parent.unlink(name)
        parent.sync()
        freeSpace(of: inode)
    }
}
