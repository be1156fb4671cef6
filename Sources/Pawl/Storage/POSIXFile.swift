package import PawlCore
package import PawlEngine
import PawlSystem

/// A regular file, held by a descriptor that closes with the last copy of this value at the latest.
package struct POSIXFile: StorageFile {
    let descriptor: Descriptor

    /// `user.` is the one class of attributes that Linux leaves to unprivileged programs; elsewhere the name is as good
    /// as any.
    private static let markName = "user.pawl.id"

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
    }

    package func status() throws(StorageError) -> FileStatus {
        var status = stat()
        try call("fstat") { fstat($0, &status) }
        return FileStatus(status)
    }

    package func allocate(_ size: Int64) throws(StorageError) -> Bool {
        try descriptor.use("fallocate") { file throws(StorageError) in
            let isReserved = try reserve(file, size)
            // The reservation only ever lengthens a file.
            guard SystemCalls.retryingInterrupts({ ftruncate(file, off_t(size)) }) == 0 else {
                throw failure("ftruncate")
            }
            return isReserved
        }
    }

    private func reserve(_ file: Int32, _ size: Int64) throws(StorageError) -> Bool {
        // fallocate(2) refuses a length of zero.
        guard size != 0 else { return true }
        if SystemCalls.retryingInterrupts({ SystemCalls.reserve(file, size: size) }) == 0 { return true }
        switch errno {
        case EOPNOTSUPP, ENOTSUP, ENOSYS: return false
        default: throw failure("fallocate")
        }
    }

    package func truncate(to size: Int64) throws(StorageError) {
        try call("ftruncate") { file in SystemCalls.retryingInterrupts { ftruncate(file, off_t(size)) } }
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(StorageError) {
        try descriptor.use("pwrite") { file throws(StorageError) in
            let count = Transfer.all(bytes.count) { done in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
                return pwrite(
                    file, rest.baseAddress, min(rest.count, Self.largestTransfer), off_t(offset) + off_t(done))
            }
            guard let count else { throw failure("pwrite") }
            // Neither progress nor a reason: to try again could go on for ever (FAULTS D09).
            guard count == bytes.count else {
                throw StorageError(operation: "pwrite", name: descriptor.name, reason: .inputOutput)
            }
        }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StorageError) -> Int {
        try descriptor.use("pread") { file throws(StorageError) in
            let count = Transfer.all(buffer.count) { done in
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                return pread(file, rest.baseAddress, min(rest.count, Self.largestTransfer), off_t(offset) + off_t(done))
            }
            guard let count else { throw failure("pread") }
            return count
        }
    }

    package func copy(_ range: ByteRange, from other: any StorageFile) throws(StorageError) {
        guard let source = other as? POSIXFile else { return try copyThroughMemory(range, from: other) }
        var rest = range
        while !rest.isEmpty {
            // Zero too is left to reading and writing: at the end of the source that tells, and some file systems
            // answer so to what they cannot copy.
            let count = try copied(rest, from: source)
            guard count > 0, let next = ByteRange(start: rest.start + count, end: rest.end) else {
                return try copyThroughMemory(rest, from: other)
            }
            rest = next
        }
    }

    /// Copies by the system alone, and returns the number of bytes copied; zero where it cannot.
    private func copied(_ range: ByteRange, from source: POSIXFile) throws(StorageError) -> Int64 {
        try descriptor.use("copy_file_range") { target throws(StorageError) in
            try source.descriptor.use("copy_file_range") { file throws(StorageError) in
                let wanted = Int(min(range.count, Int64(Self.largestTransfer)))
                let count = SystemCalls.retryingInterrupts {
                    SystemCalls.copyRange(from: file, to: target, at: range.start, count: wanted)
                }
                if count >= 0 { return Int64(count) }
                switch errno {
                // copy_file_range(2): of two file systems, of a kind that does not know it, or kept from it.
                case EXDEV, EINVAL, ENOSYS, EOPNOTSUPP, ENOTSUP, EPERM, EBADF: return 0
                default: throw failure("copy_file_range")
                }
            }
        }
    }

    /// Apple's systems refuse more than Int32.max in one call; Linux shortens the call by itself.
    private static let largestTransfer = 1 << 30

    package func syncData() throws(StorageError) {
        try call("fdatasync", SystemCalls.synchronizeData)
    }

    package func sync() throws(StorageError) {
        try call("fsync", SystemCalls.synchronize)
    }

    package func startWriting() {
        // sync_file_range(2): a count of zero reaches to the end of the file.
        _ = try? descriptor.use("sync_file_range") { SystemCalls.startWriting($0, from: 0, count: 0) }
    }

    package func dropCache() {
        #if !canImport(Darwin)
        // posix_fadvise(2): a length of zero reaches to the end of the file. Dirty pages stay.
        _ = try? descriptor.use("posix_fadvise") { posix_fadvise($0, 0, 0, POSIX_FADV_DONTNEED) }
        #endif
    }

    package func lock() throws(StorageError) -> Bool {
        try descriptor.lockExclusively()
    }

    /// Whether another open file holds the lock. Only asks: a lock taken to find out would turn away whoever wants it
    /// meanwhile. False where the system does not tell.
    package func isLockedElsewhere() throws(StorageError) -> Bool {
        try descriptor.use("fcntl") { file throws(StorageError) in
            let answer = SystemCalls.retryingInterrupts { SystemCalls.isLocked(file) }
            if answer >= 0 { return answer > 0 }
            guard errno == EINVAL else { throw failure("fcntl") }
            return false
        }
    }

    package func setPermissions(_ mode: UInt16) throws(StorageError) {
        try call("fchmod") { fchmod($0, mode_t(mode)) }
    }

    package func setModified(_ secondsSinceEpoch: Int64) throws(StorageError) {
        try call("futimens") { SystemCalls.setModified($0, to: secondsSinceEpoch) }
    }

    package func setMark(_ mark: [UInt8]) throws(StorageError) -> Bool { try setAttribute(Self.markName, to: mark) }

    package func mark() throws(StorageError) -> [UInt8]? {
        do throws(StorageError) {
            // Longer than any that we set: somebody else's, and so no mark of ours.
            return try attribute(Self.markName).flatMap { $0.count <= Self.largestMark ? $0 : nil }
        } catch  where error.reason == .notSupported {
            return nil
        }
    }

    private static let largestMark = 1024

    package func removeMark() throws(StorageError) { try removeAttribute(Self.markName) }

    package func removeAttribute(_ name: String) throws(StorageError) {
        try descriptor.use("fremovexattr") { file throws(StorageError) in
            if SystemCalls.removeAttribute(file, name) == 0 { return }
            switch errno {
            case SystemCalls.noAttribute, ENOTSUP, EOPNOTSUPP, ENOSYS: return
            default: throw failure("fremovexattr")
            }
        }
    }

    package func nextData(from position: Int64) throws(StorageError) -> ByteRange? {
        let size = try status().size
        guard position < size else { return nil }
        return try descriptor.use("lseek") { file throws(StorageError) in
            let start = SystemCalls.nextData(file, from: position)
            if start < 0 {
                switch errno {
                // lseek(2): "offset is beyond the end of the file, or SEEK_DATA … within a hole at the end of the
                // file".
                case ENXIO: return nil
                case EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS: return ByteRange(position..<size)
                default: throw failure("lseek")
                }
            }
            let end = SystemCalls.nextHole(file, from: start)
            return ByteRange(start: start, end: end > start ? end : max(size, start + 1))
        }
    }

    package func created() throws(StorageError) -> Int64? {
        try descriptor.use("statx") { SystemCalls.creationTime($0) }
    }

    package func setAttribute(_ name: String, to value: [UInt8]) throws(StorageError) -> Bool {
        try descriptor.use("fsetxattr") { file throws(StorageError) in
            let result = value.withUnsafeBytes { SystemCalls.setAttribute(file, name, to: $0) }
            if result == 0 { return true }
            switch errno {
            case ENOTSUP, EOPNOTSUPP, ENOSYS: return false
            default: throw failure("fsetxattr")
            }
        }
    }

    package func attribute(_ name: String) throws(StorageError) -> [UInt8]? {
        try descriptor.use("fgetxattr") { file throws(StorageError) in
            var value = [UInt8](repeating: 0, count: Self.largestAttribute)
            let count = value.withUnsafeMutableBytes { SystemCalls.getAttribute(file, name, into: $0) }
            if count >= 0 {
                value.removeSubrange(count...)
                return value
            }
            switch errno {
            case SystemCalls.noAttribute: return nil
            // Longer than any that we set.
            case ERANGE: return nil
            default: throw failure("fgetxattr")
            }
        }
    }

    private static let largestAttribute = 4096

    package func close() throws(StorageError) {
        try descriptor.close()
    }

    /// Takes back O_NONBLOCK, which served the opening only: a file system in user space or on a network may heed it in
    /// each call.
    func block() throws(StorageError) {
        try call("fcntl") { file in
            let flags = fcntl(file, F_GETFL)
            return flags < 0 ? -1 : min(0, fcntl(file, F_SETFL, flags & ~O_NONBLOCK))
        }
    }
}

extension POSIXFile {
    /// A call that succeeds with zero.
    private func call(_ operation: String, _ body: (Int32) -> Int32) throws(StorageError) {
        try descriptor.use(operation) { file throws(StorageError) in
            guard body(file) == 0 else { throw failure(operation) }
        }
    }

    /// Returns the error of the call that has just failed.
    private func failure(_ operation: String) -> StorageError {
        StorageError(operation: operation, name: descriptor.name, errno: errno)
    }
}

extension FileStatus {
    init(_ status: stat) {
        let kind: Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            default: .other
            }
        #if canImport(Darwin)
        let modified = status.st_mtimespec.tv_sec
        #else
        let modified = status.st_mtim.tv_sec
        #endif
        self.init(
            identity: FileIdentity(
                // A device number is signed on Apple's systems.
                device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino)),
            kind: kind, size: Int64(status.st_size),
            // stat(3type): "number of 512B blocks allocated", whatever the block size is.
            occupied: Int64(status.st_blocks).multipliedReportingOverflow(by: 512).partialValue,
            linkCount: Int(clamping: status.st_nlink), permissions: UInt16(truncatingIfNeeded: status.st_mode & 0o7777),
            modified: Int64(modified))
    }
}
