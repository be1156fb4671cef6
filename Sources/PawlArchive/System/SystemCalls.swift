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
/// the reason in `errno`. The same as in `Pawl/Storage`, which this module is to be had without.
enum SystemCalls {
    /// Repeats a call that a signal interrupted. Never for `close`, `fsync` and their kin: what those were told is told once.
    static func retryingInterrupts<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    /// For use where another `close` is nearer.
    @discardableResult
    static func close(_ file: Int32) -> Int32 {
        #if canImport(Darwin)
        Darwin.close(file)
        #elseif canImport(Glibc)
        Glibc.close(file)
        #elseif canImport(Musl)
        Musl.close(file)
        #endif
    }

    /// One write(2), repeated when a signal interrupted it; may write less than all.
    static func writeOnce(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        retryingInterrupts {
            #if canImport(Darwin)
            Darwin.write(file, bytes.baseAddress, bytes.count)
            #elseif canImport(Glibc)
            Glibc.write(file, bytes.baseAddress, bytes.count)
            #elseif canImport(Musl)
            Musl.write(file, bytes.baseAddress, bytes.count)
            #endif
        }
    }

    /// One read(2).
    static func readOnce(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Darwin)
        Darwin.read(file, buffer.baseAddress, buffer.count)
        #elseif canImport(Glibc)
        Glibc.read(file, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
        Musl.read(file, buffer.baseAddress, buffer.count)
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

    /// Some file systems, over a network or in user space, refuse it for directories: it has not failed then, and there is nothing else to
    /// call (fsync(2): EINVAL).
    static func synchronizeDirectory(_ directory: Int32) -> Int32 {
        synchronize(directory) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : -1
    }

    /// A lock on the whole file that ends with the open file, and that two opens in one process do not share. EAGAIN when taken.
    static func lockExclusively(_ file: Int32) -> Int32 {
        #if canImport(Darwin)
        flock(file, LOCK_EX | LOCK_NB)
        #else
        pawl_lock_exclusive(file)
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

    /// What the system says of an error, such as “No space left on device”.
    static func text(of number: Int32) -> String {
        strerror(number).map { String(cString: $0) } ?? "error \(number)"
    }
}
