import CPawl

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Blocks of files, and the room that is left for them.
extension SystemCalls {
    /// Gives memory that was freed back to the system, where the allocator keeps it (malloc_trim(3)).
    package static func returnFreedMemory() {
        #if !canImport(Darwin)
        pawl_return_freed_memory()
        #endif
    }

    /// Has the allocator reserve little where the address space of the process is limited (RLIMIT_AS, `ulimit -v`). To
    /// be called before a second thread begins.
    package static func spareAddressSpace() {
        #if !canImport(Darwin)
        pawl_spare_address_space()
        #endif
    }

    /// Reserves space for the first `size` bytes, `size` being positive, and makes the file at least that long.
    package static func reserve(_ file: Int32, size: Int64) -> Int32 {
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
        // Not posix_fallocate: where the file system cannot reserve, that writes zeros over the whole length (FAULTS
        // D02).
        pawl_fallocate(file, size)
        #endif
    }

    /// Copies within the system, by sharing blocks where the file system can; may copy less than it was asked to.
    package static func copyRange(from source: Int32, to target: Int32, at offset: Int64, count: Int) -> Int {
        #if canImport(Darwin)
        errno = ENOSYS
        return -1
        #else
        pawl_copy_range(source, target, offset, count)
        #endif
    }

    /// The first written byte at or after `offset`. ENXIO when there is none, EINVAL where the system does not tell.
    package static func nextData(_ file: Int32, from offset: Int64) -> Int64 {
        #if canImport(Darwin)
        lseek(file, offset, SEEK_DATA)
        #else
        pawl_next_data(file, offset)
        #endif
    }

    /// The first hole at or after `offset`; the end of the file counts as one.
    package static func nextHole(_ file: Int32, from offset: Int64) -> Int64 {
        #if canImport(Darwin)
        lseek(file, offset, SEEK_HOLE)
        #else
        pawl_next_hole(file, offset)
        #endif
    }

    /// Returns the number of bytes that an unprivileged user may still write to the file system that `directory` is on;
    /// negative for failure. A file system that keeps no count, as some over a network do, is taken to have room.
    package static func availableBytes(_ directory: Int32) -> Int64 {
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
