import CPawl

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Calls that make data survive a loss of power.
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

    /// Makes the names in a directory durable. Some file systems, over a network or in user space, refuse the call for
    /// directories (fsync(2): EINVAL); it has not failed then, and there is nothing else to call.
    package static func synchronizeDirectory(_ directory: Int32) -> Int32 {
        synchronize(directory) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : -1
    }

    /// Makes the whole file system durable that `file` is on. ENOSYS where that cannot be asked or would not tell of
    /// errors.
    ///
    /// The file is synced as well, and last: without a journal ext4 writes metadata after syncfs(2) has emptied the
    /// drive's cache, and on a file system that has become read-only after an error syncfs(2) does nothing and
    /// succeeds, where fsync(2) fails.
    package static func synchronizeFileSystem(_ file: Int32) -> Int32 {
        #if canImport(Darwin)
        errno = ENOSYS
        return -1
        #else
        let result = pawl_sync_file_system(file)
        return result == 0 ? synchronizeDirectory(file) : result
        #endif
    }

    /// Whether ``synchronizeFileSystem(_:)`` keeps its word. "In Linux 5.8 and later, syncfs() will report an error if
    /// one or more inodes failed to be written back since the last syncfs() call" (syncfs(2)); since 5.17 also if the
    /// file system's own part of it failed, such as a commit of the journal; and before 6.5 fsync(2) of a file without
    /// changes may leave the drive's cache as it is.
    package static let synchronizesFileSystems: Bool = {
        #if canImport(Darwin)
        return false
        #else
        var names = utsname()
        guard uname(&names) == 0 else { return false }
        let release = withUnsafeBytes(of: &names.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let numbers = release.split { !$0.isASCII || !$0.isNumber }.prefix(2).compactMap { Int($0) }
        return numbers.count == 2 && (numbers[0], numbers[1]) >= (6, 5)
        #endif
    }()

    /// The number of bytes that the whole machine has in memory and not on its disks yet (proc(5)); nil where that is
    /// not told.
    package static var bytesToWriteBack: Int64? {
        #if canImport(Darwin)
        return nil
        #else
        let file = retryingInterrupts { open("/proc/meminfo", O_RDONLY | O_CLOEXEC) }
        guard file >= 0 else { return nil }
        defer { _ = close(file) }
        let text = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(0, retryingInterrupts { read(file, buffer.baseAddress, buffer.count) })
        }
        guard let dirty = kibibytes("Dirty:", in: text), let underWay = kibibytes("Writeback:", in: text) else {
            return nil
        }
        return (dirty + underWay) << 10
        #endif
    }

    /// The number in the line that begins with a name.
    private static func kibibytes(_ name: StaticString, in text: [UInt8]) -> Int64? {
        var line = text[...]
        while line.count > name.utf8CodeUnitCount {
            if line.prefix(name.utf8CodeUnitCount).elementsEqual(
                UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
            {
                let digits = line.dropFirst(name.utf8CodeUnitCount).drop { !isDigit($0) }.prefix(while: isDigit)
                return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
            }
            guard let end = line.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            line = line[(end + 1)...]
        }
        return nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Advice to begin writing back; whether the system takes it does not matter.
    package static func startWriting(_ file: Int32, from offset: Int64, count: Int64) {
        #if !canImport(Darwin)
        _ = pawl_start_writing(file, offset, count)
        #endif
    }
}
