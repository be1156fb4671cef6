import CPawl

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file's data besides its bytes: locks, attributes and times.
extension SystemCalls {
    /// A lock on the whole file that ends with the open file, and that two opens in one process do not share. EAGAIN
    /// when taken.
    package static func lockExclusively(_ file: Int32) -> Int32 {
        #if canImport(Darwin)
        flock(file, LOCK_EX | LOCK_NB)
        #else
        pawl_lock_exclusive(file)
        #endif
    }

    package static func unlock(_ file: Int32) {
        #if canImport(Darwin)
        flock(file, LOCK_UN)
        #else
        pawl_unlock(file)
        #endif
    }

    /// 1 when another open file holds the lock, 0 when none does. Takes no lock.
    package static func isLocked(_ file: Int32) -> Int32 {
        #if canImport(Darwin)
        // The system keeps locks of flock(2) and fcntl(2) in one list.
        var lock = flock(l_start: 0, l_len: 0, l_pid: 0, l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET))
        guard fcntl(file, F_GETLK, &lock) == 0 else { return -1 }
        return lock.l_type == Int16(F_UNLCK) ? 0 : 1
        #else
        pawl_is_locked(file)
        #endif
    }

    package static func setAttribute(_ file: Int32, _ name: String, to value: UnsafeRawBufferPointer) -> Int32 {
        #if canImport(Darwin)
        fsetxattr(file, name, value.baseAddress, value.count, 0, 0)
        #else
        pawl_set_attribute(file, name, value.baseAddress, value.count)
        #endif
    }

    /// The attribute's length; an empty buffer asks for nothing else.
    package static func getAttribute(_ file: Int32, _ name: String, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Darwin)
        fgetxattr(file, name, buffer.baseAddress, buffer.count, 0, 0)
        #else
        pawl_get_attribute(file, name, buffer.baseAddress, buffer.count)
        #endif
    }

    package static func removeAttribute(_ file: Int32, _ name: String) -> Int32 {
        #if canImport(Darwin)
        fremovexattr(file, name, 0)
        #else
        pawl_remove_attribute(file, name)
        #endif
    }

    /// The error that `getAttribute` returns for an attribute that is not there.
    package static var noAttribute: Int32 {
        #if canImport(Darwin)
        ENOATTR
        #else
        ENODATA
        #endif
    }

    /// Returns the creation time in nanoseconds since 1970; nil where the system does not tell.
    package static func creationTime(_ file: Int32) -> Int64? {
        #if canImport(Darwin)
        var status = stat()
        guard fstat(file, &status) == 0, status.st_birthtimespec.tv_sec > 0 else { return nil }
        return Int64(status.st_birthtimespec.tv_sec) * 1_000_000_000 + Int64(status.st_birthtimespec.tv_nsec)
        #else
        var time: Int64 = 0
        return pawl_creation_time(file, &time) == 0 ? time : nil
        #endif
    }

    /// Sets the modification time and leaves the access time.
    package static func setModified(_ file: Int32, to secondsSinceEpoch: Int64) -> Int32 {
        #if canImport(Darwin)
        let omit = Int(UTIME_OMIT)
        #else
        // Glibc's definition is an expression that Swift does not import. The value is the kernel's, and the same
        // everywhere.
        let omit = (1 << 30) - 2
        #endif
        let times = [
            timespec(tv_sec: 0, tv_nsec: omit),
            timespec(tv_sec: time_t(clamping: secondsSinceEpoch), tv_nsec: 0),
        ]
        return futimens(file, times)
    }
}
