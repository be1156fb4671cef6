import CPawl

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What survives a loss of power.
extension SystemCalls {
    /// Makes data durable, and the metadata needed to read it back.
    package static func synchronizeData(_ file: Int32) -> Int32 {
        #if canImport(Darwin)
        synchronize(file)
        #else
        fdatasync(file)
        #endif
    }

    /// Makes a file or a directory durable.
    package static func synchronize(_ file: Int32) -> Int32 {
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

    /// Makes the names in a directory durable. Some file systems, over a network or in user space, refuse the call for directories
    /// (fsync(2): EINVAL); it has not failed then, and there is nothing else to call.
    package static func synchronizeDirectory(_ directory: Int32) -> Int32 {
        synchronize(directory) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : -1
    }

    /// Makes the whole file system durable that `file` is on. ENOSYS where that cannot be asked or would not tell of errors.
    package static func synchronizeFileSystem(_ file: Int32) -> Int32 {
        #if canImport(Darwin)
        errno = ENOSYS
        return -1
        #else
        pawl_sync_file_system(file)
        #endif
    }

    /// Whether ``synchronizeFileSystem(_:)`` reports bytes that could not be written: "in Linux 5.8 and later, syncfs()
    /// will report an error if one or more inodes failed to be written back since the last syncfs() call" (syncfs(2)).
    package static let synchronizesFileSystems: Bool = {
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

    /// Advice to begin writing back; whether the system takes it does not matter.
    package static func startWriting(_ file: Int32, from offset: Int64, count: Int64) {
        #if !canImport(Darwin)
        _ = pawl_start_writing(file, offset, count)
        #endif
    }
}
