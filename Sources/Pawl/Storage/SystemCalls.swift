#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import CPawl
import Glibc
#elseif canImport(Musl)
import CPawl
import Musl
#endif

/// The calls whose name or shape differs between systems. Each answers like a system call: a negative result means failure, with
/// the reason in `errno`.
enum SystemCalls {
    /// For use inside types that have a `close` of their own.
    static func close(_ file: Int32) -> Int32 {
        #if canImport(Darwin)
        Darwin.close(file)
        #elseif canImport(Glibc)
        Glibc.close(file)
        #elseif canImport(Musl)
        Musl.close(file)
        #endif
    }

    /// Repeats a call that a signal interrupted. Never for `close`, `fsync` and their kin: what those were told is told once.
    static func retryingInterrupts<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    /// Renames within a directory, failing with EEXIST when `newName` is taken. EINVAL or ENOTSUP where the file system cannot.
    static func renameExclusively(in directory: Int32, _ name: String, to newName: String) -> Int32 {
        #if canImport(Darwin)
        renameatx_np(directory, name, directory, newName, UInt32(RENAME_EXCL))
        #else
        pawl_rename_exclusive(directory, name, directory, newName)
        #endif
    }

    /// Reserves space for the first `size` bytes, `size` being positive, and makes the file at least that long.
    static func reserve(_ file: Int32, size: Int64) -> Int32 {
        #if canImport(Darwin)
        var status = stat()
        guard fstat(file, &status) == 0 else { return -1 }
        guard size > status.st_size else { return 0 }
        // fcntl(2): F_PEOFPOSMODE counts from the physical end of the file, and the length does not change.
        var request = fstore_t(
            fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0,
            fst_length: size - status.st_size, fst_bytesalloc: 0)
        guard fcntl(file, F_PREALLOCATE, &request) >= 0 else { return -1 }
        return ftruncate(file, size)
        #else
        // Not posix_fallocate: where the file system cannot reserve, that writes zeros over the whole length (FAULTS D02).
        pawl_fallocate(file, size)
        #endif
    }

    /// Copies within the system, by sharing blocks where the file system can; may copy less than it was asked to.
    static func copyRange(from source: Int32, to target: Int32, at offset: Int64, count: Int) -> Int {
        #if canImport(Darwin)
        errno = ENOSYS
        return -1
        #else
        pawl_copy_range(source, target, offset, count)
        #endif
    }

    /// Makes data durable, and the metadata needed to read it back.
    static func synchronizeData(_ file: Int32) -> Int32 {
        #if canImport(Darwin)
        synchronize(file)
        #else
        fdatasync(file)
        #endif
    }

    /// Makes a file or a directory durable.
    static func synchronize(_ file: Int32) -> Int32 {
        #if canImport(Darwin)
        // fsync(2): it does not empty the drive's own cache, F_FULLFSYNC does.
        if fcntl(file, F_FULLFSYNC) != -1 { return 0 }
        // Refused and not failed: file systems over a network do not know the request.
        guard errno == ENOTSUP || errno == EINVAL || errno == ENOTTY else { return -1 }
        return fsync(file)
        #else
        fsync(file)
        #endif
    }

    /// A lock on the whole file that ends with the open file, and that two opens in one process do not share. EAGAIN when taken.
    static func lockExclusively(_ file: Int32) -> Int32 {
        #if canImport(Darwin)
        flock(file, LOCK_EX | LOCK_NB)
        #else
        pawl_lock_exclusive(file)
        #endif
    }

    static func unlock(_ file: Int32) {
        #if canImport(Darwin)
        flock(file, LOCK_UN)
        #else
        pawl_unlock(file)
        #endif
    }

    /// 1 when another open file holds the lock, 0 when none does. Takes no lock.
    static func isLocked(_ file: Int32) -> Int32 {
        #if canImport(Darwin)
        // The system keeps locks of flock(2) and fcntl(2) in one list.
        var lock = flock(l_start: 0, l_len: 0, l_pid: 0, l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET))
        guard fcntl(file, F_GETLK, &lock) == 0 else { return -1 }
        return lock.l_type == Int16(F_UNLCK) ? 0 : 1
        #else
        pawl_is_locked(file)
        #endif
    }

    static func setAttribute(_ file: Int32, _ name: String, to value: UnsafeRawBufferPointer) -> Int32 {
        #if canImport(Darwin)
        fsetxattr(file, name, value.baseAddress, value.count, 0, 0)
        #else
        pawl_set_attribute(file, name, value.baseAddress, value.count)
        #endif
    }

    /// The attribute's length; an empty buffer asks for nothing else.
    static func getAttribute(_ file: Int32, _ name: String, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Darwin)
        fgetxattr(file, name, buffer.baseAddress, buffer.count, 0, 0)
        #else
        pawl_get_attribute(file, name, buffer.baseAddress, buffer.count)
        #endif
    }

    static func removeAttribute(_ file: Int32, _ name: String) -> Int32 {
        #if canImport(Darwin)
        fremovexattr(file, name, 0)
        #else
        pawl_remove_attribute(file, name)
        #endif
    }

    /// The first written byte at or after `offset`. ENXIO when there is none, EINVAL where the system does not tell.
    static func nextData(_ file: Int32, from offset: Int64) -> Int64 {
        #if canImport(Darwin)
        lseek(file, offset, SEEK_DATA)
        #else
        pawl_next_data(file, offset)
        #endif
    }

    /// The first hole at or after `offset`; the end of the file counts as one.
    static func nextHole(_ file: Int32, from offset: Int64) -> Int64 {
        #if canImport(Darwin)
        lseek(file, offset, SEEK_HOLE)
        #else
        pawl_next_hole(file, offset)
        #endif
    }

    /// In nanoseconds since 1970; nil where the system does not tell.
    static func creationTime(_ file: Int32) -> Int64? {
        #if canImport(Darwin)
        var status = stat()
        guard fstat(file, &status) == 0, status.st_birthtimespec.tv_sec > 0 else { return nil }
        return Int64(status.st_birthtimespec.tv_sec) * 1_000_000_000 + Int64(status.st_birthtimespec.tv_nsec)
        #else
        var time: Int64 = 0
        return pawl_creation_time(file, &time) == 0 ? time : nil
        #endif
    }

    /// What `getAttribute` answers for an attribute that is not there.
    static var noAttribute: Int32 {
        #if canImport(Darwin)
        ENOATTR
        #else
        ENODATA
        #endif
    }

    /// Sets the modification time and leaves the access time.
    static func setModified(_ file: Int32, to secondsSinceEpoch: Int64) -> Int32 {
        #if canImport(Darwin)
        let omit = Int(UTIME_OMIT)
        #else
        // Glibc's definition is an expression that Swift does not import. The value is the kernel's, and the same everywhere.
        let omit = (1 << 30) - 2
        #endif
        let times = [
            timespec(tv_sec: 0, tv_nsec: omit),
            timespec(tv_sec: time_t(clamping: secondsSinceEpoch), tv_nsec: 0),
        ]
        return futimens(file, times)
    }

    /// What an unprivileged user may still write to the file system that `directory` is on; negative for failure. One that keeps no
    /// count, as some over a network do, is taken to have room.
    static func availableBytes(_ directory: Int32) -> Int64 {
        #if canImport(Darwin)
        // Not statvfs, whose block counts have 32 bits here.
        var status = statfs()
        guard fstatfs(directory, &status) == 0 else { return -1 }
        if status.f_blocks == 0 { return .max }
        let (bytes, overflow) = status.f_bavail.multipliedReportingOverflow(by: UInt64(status.f_bsize))
        #else
        var status = statvfs()
        guard fstatvfs(directory, &status) == 0 else { return -1 }
        if status.f_blocks == 0 { return .max }
        let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        #endif
        return overflow ? .max : Int64(clamping: bytes)
    }
}
