import PawlCore
import PawlSystem

/// Unix sockets by their paths.
enum UnixSocket {
    /// Whether somebody listens there.
    static func answers(_ path: String) -> Bool {
        guard let file = socket() else { return false }
        defer { _ = SystemCalls.close(file) }
        return withAddress(path) { connect(file, $0, $1) == 0 } ?? false
    }

    /// Sends one datagram; a path that begins with `@` is in the abstract namespace of Linux.
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

    static func check(path: String) throws(DownloadError) {
        let (count, limit) = (path.systemByteCount, sockaddr_un.maximumPathLength)
        guard count > limit else { return }
        throw DownloadError(
            .invalidArgument,
            "The path of the Unix socket, “\(path)”, has \(count) bytes, and the system allows \(limit). Choose a shorter one with “socket”.",
            recovery: .giveUp)
    }

    /// Calls the body with the address of a path; returns nil if the path does not fit.
    private static func withAddress<Value>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
    ) -> Value? {
        guard var address = sockaddr_un(path: path) else { return nil }
        var length = MemoryLayout<sockaddr_un>.size
        if path.utf8.first == UInt8(ascii: "@") {
            // Such a name begins with a NUL, and ends with the address (unix(7)).
            length += path.systemByteCount - MemoryLayout.size(ofValue: address.sun_path)
            withUnsafeMutableBytes(of: &address.sun_path) { $0[0] = 0 }
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}
