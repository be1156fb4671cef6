#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import CPawl
import Glibc
#elseif canImport(Musl)
import CPawl
import Musl
#endif

/// What unpacking asks of the system besides.
extension SystemCalls {
    /// Opens without following a link, and nothing outside `directory`. ENOSYS where there is no such call.
    static func openBeneath(_ directory: Int32, _ path: String, _ flags: Int32) -> Int32 {
        #if canImport(Darwin)
        errno = ENOSYS
        return -1
        #else
        pawl_open_beneath(directory, path, flags)
        #endif
    }

    /// EEXIST when the new name is taken. EINVAL or ENOTSUP where the file system cannot.
    static func renameExclusively(from: Int32, _ name: String, to: Int32, _ newName: String) -> Int32 {
        #if canImport(Darwin)
        renameatx_np(from, name, to, newName, UInt32(RENAME_EXCL))
        #else
        pawl_rename_exclusive(from, name, to, newName)
        #endif
    }

    /// Both exist, and each gets the name of the other in one step. EINVAL or ENOTSUP where the file system cannot.
    static func exchange(_ first: Int32, _ name: String, with second: Int32, _ other: String) -> Int32 {
        #if canImport(Darwin)
        renameatx_np(first, name, second, other, UInt32(RENAME_SWAP))
        #else
        pawl_rename_exchange(first, name, second, other)
        #endif
    }

    /// Makes the whole file system durable that `file` is on. ENOSYS where that cannot be asked or would not tell of errors.
    static func synchronizeFileSystem(_ file: Int32) -> Int32 {
        #if canImport(Darwin)
        errno = ENOSYS
        return -1
        #else
        pawl_sync_file_system(file)
        #endif
    }

    /// Whether ``synchronizeFileSystem(_:)`` tells of bytes that could not be written: "in Linux 5.8 and later, syncfs() will report an
    /// error if one or more inodes failed to be written back since the last syncfs() call" (syncfs(2)).
    static let synchronizesFileSystems: Bool = {
        #if canImport(Darwin)
        return false
        #else
        var names = utsname()
        guard uname(&names) == 0 else { return false }
        let release = withUnsafeBytes(of: &names.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let numbers = release.split { !$0.isASCII || !$0.isNumber }.prefix(2).compactMap { Int($0) }
        return numbers.count == 2 && (numbers[0], numbers[1]) >= (5, 8)
        #endif
    }()

    /// Advice; whether it was taken does not matter.
    static func startWriting(_ file: Int32, from offset: Int64, count: Int64) {
        #if !canImport(Darwin)
        _ = pawl_start_writing(file, offset, count)
        #endif
    }

    /// What this process may still write to the file system of `directory`; nil where that cannot be told.
    static func availableBytes(_ directory: Int32) -> Int64? {
        #if canImport(Darwin)
        // Not statvfs, whose block counts have 32 bits here.
        var status = statfs()
        guard fstatfs(directory, &status) == 0, status.f_blocks > 0 else { return nil }
        let (bytes, overflow) = status.f_bavail.multipliedReportingOverflow(by: UInt64(status.f_bsize))
        #else
        var status = statvfs()
        guard fstatvfs(directory, &status) == 0, status.f_blocks > 0 else { return nil }
        let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        #endif
        return overflow ? nil : Int64(clamping: bytes)
    }

    /// The two times for `futimens` and `utimensat`: this modification time, and the access time as it is.
    static func times(modified secondsSinceEpoch: Int64) -> [timespec] {
        #if canImport(Darwin)
        let omit = Int(UTIME_OMIT)
        #else
        // Glibc's definition is an expression that Swift does not import. The value is the kernel's, and the same everywhere.
        let omit = (1 << 30) - 2
        #endif
        return [timespec(tv_sec: 0, tv_nsec: omit), timespec(tv_sec: time_t(clamping: secondsSinceEpoch), tv_nsec: 0)]
    }
}
