import PawlCore
import PawlSystem

/// The addresses of unix sockets.
enum UnixSocket {
    /// Whether somebody listens there.
    static func answers(_ path: String) -> Bool {
        guard let file = socket() else { return false }
        defer { _ = SystemCalls.close(file) }
        return withAddress(path) { connect(file, $0, $1) == 0 } ?? false
    }

    /// One datagram; a path that begins with `@` is in the abstract namespace of Linux.
    static func send(_ text: String, to path: String) {
        guard let file = socket(datagrams: true) else { return }
        defer { _ = SystemCalls.close(file) }
        let bytes = Array(text.utf8)
        _ = withAddress(path) { address, length in sendto(file, bytes, bytes.count, 0, address, length) }
    }

    private static func socket(datagrams: Bool = false) -> Int32? {
        let file = SystemCalls.socket(AF_UNIX, datagrams: datagrams)
        return file < 0 ? nil : file
    }

    /// In bytes; the last one of the address ends the path (unix(7)).
    static let maximumPathLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    static func check(path: String) throws(DownloadError) {
        let count = path.utf8.count
        guard count > maximumPathLength else { return }
        throw DownloadError(
            .invalidArgument,
            "The path of the Unix socket, “\(path)”, has \(count) bytes, and the system allows \(maximumPathLength). Choose a shorter one with “socket”.",
            recovery: .giveUp)
    }

    /// Nil for a path that does not fit.
    static func withAddress<Value>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count <= maximumPathLength else { return nil }
        let isAbstract = bytes.first == UInt8(ascii: "@")
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: isAbstract ? [0] + bytes.dropFirst() : bytes)
        }
        let length =
            isAbstract
            ? MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path) + bytes.count
            : MemoryLayout<sockaddr_un>.size
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}
