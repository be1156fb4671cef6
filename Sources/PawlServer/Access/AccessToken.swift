import FoundationEssentials
package import PawlCore
import PawlEngine
import PawlSystem
import Synchronization

/// The secret that shows who may use the service: 256 random bits in a file that only its owner can read.
package final class AccessToken: Sendable {
    /// The file as it was read.
    private struct Known {
        var token: [UInt8]
        var trace: (UInt64, Int64, Int64)
        /// Rises with each other token.
        var generation = 0
    }

    /// The file that holds the token; nil for a token that was given directly.
    private let path: String?
    private let known: Locked<Known>

    /// Makes the file if it is not there, or has nothing in it: a service that was killed may have left it so, and an
    /// empty file has never let anybody in.
    ///
    /// - Throws: what the disk says; also for a file that others can read, which is a token no longer.
    package init(_ path: String) throws(DownloadError) {
        self.path = path
        if FileKind(path: path) == .missing || Self.isEmpty(path) { try Self.make(path) }
        known = Locked(try Self.read(path))
    }

    /// Creates a token that is given directly and not kept in a file.
    package init(text: String) {
        path = nil
        known = Locked(Known(token: Array(text.utf8), trace: (0, 0, 0)))
    }

    /// The token as text; read anew if the file was replaced.
    package var text: String { String(decoding: current, as: UTF8.self) }

    /// Compares a token in constant time.
    package func matches(_ candidate: String) -> Bool {
        let (mine, theirs) = (current, Array(candidate.utf8))
        // Of digests, so that not even the length shows.
        return zip(SHA256.hash(mine), SHA256.hash(theirs)).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// The hash of a session cookie, which is worth nothing once the token has changed.
    package func hash(ofSession cookie: String) -> String {
        Base64URL.encode(SHA256.authenticationCode(of: Array(cookie.utf8), key: current))
    }

    /// The number of the token, which is another once it was renewed.
    var generation: Int { latest.generation }

    private var current: [UInt8] { latest.token }

    private var latest: Known {
        known.withLock { known in
            if let path, let trace = Self.trace(path), trace != known.trace, var fresh = try? Self.read(path) {
                fresh.generation = known.generation + (fresh.token == known.token ? 0 : 1)
                known = fresh
            }
            return known
        }
    }

    package static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    // MARK: The file

    /// Writes a new token file. A reader sees no file, the old one or the complete new one, whenever the service is
    /// killed.
    private static func make(_ path: String) throws(DownloadError) {
        let temporary = "\(path).\(getpid())"
        unlink(temporary)
        let file = SystemCalls.retryingInterrupts {
            open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        guard file >= 0 else { throw failed(path, "made") }
        let text = Array((random() + "\n").utf8)
        let count = text.withUnsafeBytes { bytes in
            SystemCalls.retryingInterrupts { write(file, bytes.baseAddress, bytes.count) }
        }
        let isWritten = count == text.count && fsync(file) == 0
        let error = errno
        _ = SystemCalls.close(file)
        guard isWritten, rename(temporary, path) == 0 else {
            let reason = isWritten ? errno : error
            unlink(temporary)
            errno = reason
            throw failed(path, "written")
        }
        synchronizeDirectory(of: path)
    }

    /// The name is to survive a power cut like the token: else there would be another one after it.
    private static func synchronizeDirectory(of path: String) {
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        let name = end == path.startIndex ? "/" : String(path[..<end])
        let directory = SystemCalls.retryingInterrupts { open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard directory >= 0 else { return }
        _ = SystemCalls.synchronizeDirectory(directory)
        _ = SystemCalls.close(directory)
    }

    /// Whether a file of ours has nothing in it. Nothing else is replaced.
    private static func isEmpty(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size == 0
            && status.st_uid == geteuid()
    }

    private static func read(_ path: String) throws(DownloadError) -> Known {
        let file = SystemCalls.retryingInterrupts { open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
        guard file >= 0 else { throw failed(path, "read") }
        defer { _ = SystemCalls.close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failed(path, "read") }
        guard status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
            throw DownloadError(
                .notWritable,
                "The token file “\(path)” is readable by other users, so the service does not start. Renew it with pawl token --renew.",
                remedies: [], recovery: .giveUp)
        }
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = buffer.withUnsafeMutableBytes { bytes in
            SystemCalls.retryingInterrupts { PawlSystem.read(file, bytes.baseAddress, bytes.count) }
        }
        let token = Array(ASCII.trimmingBlanks(buffer[..<max(0, count)].prefix { $0 != UInt8(ascii: "\n") }))
        guard token.count >= 32, token.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw DownloadError(
                .notWritable,
                "The token file “\(path)” does not contain a token of at least 32 characters. Renew it with pawl token --renew.",
                recovery: .giveUp)
        }
        return Known(token: token, trace: trace(of: status))
    }

    private static func trace(_ path: String) -> (UInt64, Int64, Int64)? {
        var status = stat()
        return lstat(path, &status) == 0 ? trace(of: status) : nil
    }

    private static func trace(of status: stat) -> (UInt64, Int64, Int64) {
        (UInt64(status.st_ino), Int64(status.st_size), status.modifiedNanoseconds)
    }

    private static func failed(_ path: String, _ what: String) -> DownloadError {
        DownloadError(
            .notWritable, "The token file “\(path)” cannot be \(what): \(SystemCalls.text(of: errno))",
            remedies: [.makeWritable], recovery: .giveUp)
    }
}
