#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

enum Process {
    /// Ends the process at once.
    ///
    /// Every command has closed its files and written its output by now, and what a paused or failed download keeps is on the disk.
    /// Taking down event loops and thread pools in order would make a small download several times slower and change nothing, and
    /// handlers run by `exit` would meet threads that still work.
    static func exit(_ code: ExitCode) -> Never {
        _exit(code.rawValue)
    }
}
