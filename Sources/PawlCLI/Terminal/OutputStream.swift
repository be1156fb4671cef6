import PawlSystem
import Synchronization

/// A file descriptor for unbuffered text output.
struct OutputStream: Sendable {
    static let standardOutput = OutputStream(descriptor: 1)
    static let standardError = OutputStream(descriptor: 2)

    let descriptor: Int32

    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// - Returns: false when not all could be written, because the reader is gone or the disk under it is full.
    @discardableResult
    func write(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    /// The greatest width of a line, in columns.
    var columns: Int { isTerminal ? Terminal.size(of: descriptor).columns : .max }

    /// Writes a line, on a terminal broken between words.
    func say(_ line: String) { write((isTerminal ? line.wrapped(to: columns) : line) + "\n") }

    /// The same of bytes.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { write($0) } }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = SystemCalls.writeOnce(descriptor, UnsafeRawBufferPointer(rebasing: rest))
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                // Somebody who shares the descriptor made it non-blocking.
                var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&poller, 1, -1)
            } else {
                let code = errno
                if ![EPIPE, EBADF].contains(code), descriptor == Self.standardOutput.descriptor {
                    Self.failure.withLock { $0 = $0 ?? code }
                }
                return false
            }
        }
        return true
    }

    // MARK: Failures

    private static let failure = Mutex<Int32?>(nil)

    /// The error number of the failure to write to stdout; nil if there was none, or if only the reader was gone.
    static var outputFailure: Int32? { failure.withLock { $0 } }
}
