package import PawlCore
package import PawlEngine
import PawlSystem
import Synchronization

/// A fact that was found out once.
private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}

/// A directory, held by a descriptor that closes with the last copy of this value.
package struct POSIXDirectory: StorageDirectory {
    private let descriptor: Descriptor
    private let permissions: NewFilePermissions
    private let ownIdentity: FileIdentity
    /// Whether syncs of the file system, and of files without a name, do here what they should.
    private let isKnownSystem: Bool
    /// Whether open(2) gives files without a name their permissions here; false: that is not known.
    private let keepsPermissions = Flag()

    init(_ descriptor: Descriptor, _ permissions: NewFilePermissions) throws(StorageError) {
        self.descriptor = descriptor
        self.permissions = permissions
        (ownIdentity, isKnownSystem) = try descriptor.use("fstat") { directory throws(StorageError) in
            var status = stat()
            guard fstat(directory, &status) == 0 else {
                throw StorageError(operation: "fstat", name: descriptor.name, errno: errno)
            }
            return (FileStatus(status).identity, SystemCalls.makesUnnamedFilesDurable(directory))
        }
    }

    package var path: String { descriptor.name }

    package var newFilePermissions: UInt16 { permissions.value }

    package func create(_ name: String) throws(StorageError) -> any StorageFile {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        return try use("openat", name) { directory throws(StorageError) in
            let file = SystemCalls.retryingInterrupts { openat(directory, name, flags, 0o600) }
            guard file >= 0 else { throw StorageError(operation: StorageError.creating, name: name, errno: errno) }
            return POSIXFile(Descriptor(file, name: name))
        }
    }

    package func createUnnamed() throws(StorageError) -> (any StorageFile)? {
        guard isKnownSystem else { return nil }
        return try descriptor.use("openat") { directory throws(StorageError) in
            let file = SystemCalls.retryingInterrupts {
                SystemCalls.openUnnamed(directory, permissions: UInt32(newFilePermissions))
            }
            if file >= 0 {
                let made = POSIXFile(Descriptor(file, name: path))
                if keepsPermissions.isSet { return made }
                // Some kernels forget the umask, and a directory's default ACL takes its place.
                if try made.status().permissions == newFilePermissions {
                    keepsPermissions.set()
                } else {
                    try made.setPermissions(newFilePermissions)
                }
                return made
            }
            switch errno {
            // open(2): a file system without them, or a kernel that takes the flag for O_DIRECTORY.
            case EOPNOTSUPP, ENOTSUP, EISDIR, EINVAL, ENOSYS: return nil
            default: throw StorageError(operation: StorageError.creating, name: path, errno: errno)
            }
        }
    }

    package func link(_ file: any StorageFile, to name: String) throws(StorageError) -> Bool {
        guard let file = file as? POSIXFile else { return false }
        return try use("linkat", name) { directory throws(StorageError) in
            try file.descriptor.use("linkat") { file throws(StorageError) in
                if SystemCalls.linkUnnamed(file, to: directory, name) == 0 { return true }
                switch errno {
                // link(2): no /proc and not the right to do without it, or a file system that has no links.
                case ENOENT, EPERM, ENOSYS, ENOTSUP, EOPNOTSUPP, EXDEV, EMLINK: return false
                default: throw StorageError(operation: "linkat", name: name, errno: errno)
                }
            }
        }
    }

    package func open(_ name: String, writable: Bool) throws(StorageError) -> any StorageFile {
        // O_NONBLOCK: a FIFO without a peer would hold the call for ever. It changes nothing for a regular file.
        let flags = (writable ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = try use("openat", name) { directory throws(StorageError) in
            let file = SystemCalls.retryingInterrupts { openat(directory, name, flags) }
            if file < 0 {
                // open(2): ENXIO for a socket, and for a device that has no driver.
                let reason = errno == ENXIO ? .notSupported : StorageError.Reason(errno: errno)
                throw StorageError(operation: "openat", name: name, reason: reason)
            }
            return Descriptor(file, name: name)
        }
        let file = POSIXFile(descriptor)
        // Asked of the open file and not of the name, which may have passed to another file meanwhile.
        switch try file.status().kind {
        case .regular:
            try file.block()
            return file
        case .directory: throw StorageError(operation: "openat", name: name, reason: .isADirectory)
        case .symbolicLink: throw StorageError(operation: "openat", name: name, reason: .symbolicLink)
        case .other: throw StorageError(operation: "openat", name: name, reason: .notSupported)
        }
    }

    package func status(_ name: String) throws(StorageError) -> FileStatus? {
        try use("fstatat", name) { directory throws(StorageError) in
            var status = stat()
            if fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return FileStatus(status) }
            if errno == ENOENT { return nil }
            throw StorageError(operation: "fstatat", name: name, errno: errno)
        }
    }

    package func names() throws(StorageError) -> [String] {
        try descriptor.use("readdir") { directory throws(StorageError) in
            // A description of its own: the position in the directory belongs to it, and other calls may list at the
            // same time.
            let copy = SystemCalls.retryingInterrupts { openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
            guard copy >= 0 else { throw StorageError(operation: "openat", name: path, errno: errno) }
            guard let stream = fdopendir(copy) else {
                let error = StorageError(operation: "fdopendir", name: path, errno: errno)
                _ = SystemCalls.close(copy)
                throw error
            }
            defer { closedir(stream) }
            var names: [String] = []
            while let name = SystemCalls.nextName(in: stream) {
                if name != ".", name != ".." { names.append(name) }
            }
            guard errno == 0 else { throw StorageError(operation: "readdir", name: path, errno: errno) }
            return names
        }
    }

    package func rename(_ name: String, to newName: String, replacing: Bool) throws(StorageError) {
        try check(newName, for: "renameat")
        if replacing { return try renameReplacing(name, to: newName) }
        let canRename = try use("renameat2", name) { directory throws(StorageError) in
            if SystemCalls.renameExclusively(from: directory, name, to: directory, newName) == 0 { return true }
            switch errno {
            case EINVAL, ENOSYS, ENOTSUP: return false
            default: throw StorageError(operation: "renameat2", name: name, errno: errno)
            }
        }
        if !canRename { try renameByLinking(name, to: newName) }
    }

    package func remove(_ name: String, ifStill identity: FileIdentity) throws(StorageError) {
        guard let status = try status(name) else { return }
        guard status.identity == identity else {
            throw StorageError(operation: "unlinkat", name: name, reason: .exists)
        }
        // No call removes a name on condition. Between the look and the removal lie microseconds, not the length of a
        // download.
        try use("unlinkat", name) { directory throws(StorageError) in
            guard unlinkat(directory, name, 0) == 0 || errno == ENOENT else {
                throw StorageError(operation: "unlinkat", name: name, errno: errno)
            }
        }
    }

    package func sync() throws(StorageError) {
        try descriptor.use("fsync") { directory throws(StorageError) in
            guard SystemCalls.synchronizeDirectory(directory) == 0 else {
                throw StorageError(operation: "fsync", name: path, errno: errno)
            }
        }
    }

    /// Syncs the file system. syncfs(2) waits for what other programs have written as well, which can be minutes'
    /// worth. It does nothing on most FUSE and on CIFS, and overlayfs does not report the errors of the file system
    /// beneath it.
    package func syncFileSystem() throws(StorageError) -> Bool {
        guard isKnownSystem, SystemCalls.synchronizesFileSystems, let unwritten = SystemCalls.bytesToWriteBack,
            unwritten <= Self.maximumToWriteBack
        else {
            return false
        }
        return try descriptor.use("syncfs") { directory throws(StorageError) in
            guard SystemCalls.synchronizeFileSystem(directory) == 0 else {
                throw StorageError(operation: "syncfs", name: path, errno: errno)
            }
            return true
        }
    }

    /// The number of bytes that a slow disk writes within half a second.
    private static let maximumToWriteBack: Int64 = 32 << 20

    package func identity() -> FileIdentity { ownIdentity }

    package func availableBytes() throws(StorageError) -> Int64 {
        try descriptor.use("fstatvfs") { directory throws(StorageError) in
            let bytes = SystemCalls.availableBytes(directory)
            guard bytes >= 0 else { throw StorageError(operation: "fstatvfs", name: path, errno: errno) }
            return bytes
        }
    }
}

extension POSIXDirectory {
    private func renameReplacing(_ name: String, to newName: String) throws(StorageError) {
        try use("renameat", name) { directory throws(StorageError) in
            guard renameat(directory, name, directory, newName) == 0 else {
                throw StorageError(operation: "renameat", name: name, errno: errno)
            }
        }
    }

    /// Renames a file on file systems that cannot rename on condition: link(2) fails on a taken name, atomically too. A
    /// crash between the two calls leaves both names on one file, which the next start finds by the identity in the
    /// journal.
    func renameByLinking(_ name: String, to newName: String) throws(StorageError) {
        let canLink = try use("linkat", name) { directory throws(StorageError) in
            if linkat(directory, name, directory, newName, 0) == 0 {
                guard unlinkat(directory, name, 0) == 0 else {
                    throw StorageError(operation: "unlinkat", name: name, errno: errno)
                }
                return true
            }
            switch errno {
            // link(2): EPERM where the file system has no hard links, such as FAT.
            case EPERM, ENOSYS, ENOTSUP, EMLINK: return false
            default: throw StorageError(operation: "linkat", name: name, errno: errno)
            }
        }
        if canLink { return }
        // Nothing atomic is left to try.
        guard try status(newName) == nil else {
            throw StorageError(operation: "renameat", name: name, reason: .exists)
        }
        try renameReplacing(name, to: newName)
    }

    private func use<Result>(
        _ operation: String, _ name: String, _ body: (Int32) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try check(name, for: operation)
        return try descriptor.use(operation, body)
    }

    /// The last line before the system: whatever the caller let through, no name reaches outside this directory, and
    /// none is cut short at a NUL.
    private func check(_ name: String, for operation: String) throws(StorageError) {
        let isComponent = !name.isEmpty && name != "." && name != ".."
        guard isComponent, !name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") }) else {
            throw StorageError(operation: operation, name: name, errno: EINVAL)
        }
    }
}
