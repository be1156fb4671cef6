#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The system calls whose name or shape differs between platforms, and those that types with a method of the same name
/// cannot reach. Each answers like a system call: a negative result means failure, with the reason in `errno`.
package enum SystemCalls {
    /// Repeats a call that a signal interrupted. Never for `close`, `fsync` and their kin: an error of theirs is
    /// reported once.
    @inlinable
    package static func retryingInterrupts<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    /// close(2). A caller that ignores the error says so: for a file that was written, it is the last that the system
    /// reports.
    package static func close(_ file: Int32) -> Int32 {
        #if canImport(Darwin)
        Darwin.close(file)
        #elseif canImport(Glibc)
        Glibc.close(file)
        #elseif canImport(Musl)
        Musl.close(file)
        #endif
    }

    /// getentropy(3): as many random numbers as one call brings; none where the system has none to give.
    package static func randomNumbers() -> [UInt64] {
        [UInt64](unsafeUninitializedCapacity: 32) { buffer, count in
            count = buffer.baseAddress.map { getentropy($0, 256) } == 0 ? 32 : 0
        }
    }

    /// socket(2): of streams, or of datagrams.
    package static func socket(_ family: Int32, datagrams: Bool = false) -> Int32 {
        #if canImport(Darwin)
        Darwin.socket(family, datagrams ? SOCK_DGRAM : SOCK_STREAM, 0)
        #elseif canImport(Glibc)
        Glibc.socket(family, Int32((datagrams ? SOCK_DGRAM : SOCK_STREAM).rawValue), 0)
        #elseif canImport(Musl)
        Musl.socket(family, datagrams ? SOCK_DGRAM : SOCK_STREAM, 0)
        #endif
    }

    /// One read(2), repeated only if a signal interrupted it; may read fewer bytes than fit.
    package static func readOnce(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        retryingInterrupts { read(file, buffer.baseAddress, buffer.count) }
    }

    /// One write(2), repeated only if a signal interrupted it; may write fewer bytes than it was given.
    package static func writeOnce(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        retryingInterrupts { write(file, bytes.baseAddress, bytes.count) }
    }

    /// The system's description of an error number, such as “No space left on device”.
    package static func text(of number: Int32) -> String {
        strerror(number).map { String(cString: $0) } ?? "error \(number)"
    }
}
