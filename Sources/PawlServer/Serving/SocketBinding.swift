import Hummingbird
import PawlCore
import PawlSystem

/// The Unix socket of the service, from the name that it is bound to until it has its own.
///
/// NIO binds paths in UTF-8 of up to 103 bytes only. Where the path is another one, the socket is bound to a short name
/// of ASCII in the same directory, reached through the descriptor of that directory, and renamed: whoever connects
/// finds the file, not the name it had.
final class SocketBinding: Sendable {
    /// The length of the longest path that NIO binds.
    private static let longestBound = 103

    let address: BindAddress

    private let path: String
    private let boundPath: String
    /// The directory of a socket that has to be renamed.
    private let directory: Int32?

    /// - Throws: if another service listens there, or something else has the name.
    init(_ path: String) throws(DownloadError) {
        try Self.checkIsFree(path)
        self.path = path
        if path.holdsSystemBytes || path.utf8.count > Self.longestBound {
            let opened = open(PathParts(path).directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard opened >= 0 else { throw Self.failure(path, errno) }
            (directory, boundPath) = (opened, "/proc/self/fd/\(opened)/.pawld-\(getpid())")
        } else {
            (directory, boundPath) = (nil, path)
        }
        address = .unixDomainSocket(path: boundPath)
        if let directory, !FileKind.isDirectory("/proc/self/fd/\(directory)") {
            throw DownloadError(
                .notWritable,
                "The path of the Unix socket, “\(path)”, is not UTF-8 or has more than \(Self.longestBound) bytes, which needs /proc. Mount it, or choose another path with “socket”.",
                recovery: .giveUp)
        }
    }

    deinit { if let directory { _ = SystemCalls.close(directory) } }

    /// Takes the bound socket from all others, and gives it its name.
    func finish() throws(DownloadError) {
        chmod(boundPath, 0o600)
        guard let directory, renameat(AT_FDCWD, boundPath, directory, PathParts(path).name) != 0 else { return }
        let code = errno
        unlink(boundPath)
        throw Self.failure(path, code)
    }

    /// Checks that no service listens at the path. NIO, or the renaming, replaces the socket of a killed service.
    private static func checkIsFree(_ path: String) throws(DownloadError) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw DownloadError(
                .notWritable, "“\(path)” exists and is not a socket. Choose another path with “socket”.",
                recovery: .giveUp)
        }
        guard !UnixSocket.answers(path) else {
            throw DownloadError(
                .locked, "Another service is listening on “\(path)”. Stop it first.", remedies: [.waitForOther],
                recovery: .giveUp)
        }
    }

    private static func failure(_ path: String, _ code: Int32) -> DownloadError {
        DownloadError(
            .notWritable, "The service cannot listen on “\(path)”: \(SystemCalls.text(of: code)).", recovery: .giveUp)
    }
}
