import PawlCore
import PawlJobs
import PawlSystem

/// The file with the service's token: `token` in the state directory, for its owner alone.
struct TokenFile {
    struct Problem: Error, Hashable {
        let message: String
    }

    let path: String

    /// Opens the token file in the state directory, which is created if it is missing.
    init() throws(Problem) {
        guard let path = StateDirectory.file("token") else {
            throw Problem(
                message:
                    "There is no directory for the token: neither XDG_STATE_HOME nor HOME names a usable one.")
        }
        self.path = path
    }

    init(path: String) { self.path = path }

    /// - Throws: also for a file that others can read, as the token in it is no secret.
    func read() throws(Problem) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            if errno == ENOENT {
                throw Problem(
                    message: "There is no token yet. 'pawl serve' or 'pawl token --renew' creates one.")
            }
            throw problem("cannot be read", errno)
        }
        defer { _ = SystemCalls.close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw problem("cannot be read", errno) }
        guard status.st_uid == geteuid() else {
            throw Problem(message: "“\(path)” belongs to another user; it is not used.")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw Problem(
                message:
                    "“\(path)” is readable by other users, so its token is not secret. Replace it: pawl token --renew"
            )
        }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = bytes.withUnsafeMutableBytes { SystemCalls.readOnce(file, $0) }
        guard count >= 0 else { throw problem("cannot be read", errno) }
        let token = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard !token.isEmpty, token.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem(message: "“\(path)” contains no token.")
        }
        return String(decoding: token, as: UTF8.self)
    }

    /// Writes another token: durable, and readable by nobody else at any moment. Whoever reads sees the old one or the
    /// new one.
    func renew() throws(Problem) -> String {
        let token = Self.newToken()
        let temporary = "\(path).\(getpid())"
        _ = unlink(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw problem("cannot be written", errno) }
        let failure = Self.fill(file, with: token + "\n")
        guard failure == 0, rename(temporary, path) == 0 else {
            let code = failure == 0 ? errno : failure
            _ = unlink(temporary)
            throw problem("cannot be written", code)
        }
        let directory = open(PathParts(path).directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw problem("cannot be made durable", errno) }
        defer { _ = SystemCalls.close(directory) }
        guard SystemCalls.synchronizeDirectory(directory) == 0 else { throw problem("cannot be made durable", errno) }
        return token
    }

    /// - Returns: 0, or an error number.
    private static func fill(_ file: Int32, with text: String) -> Int32 {
        var text = text
        let written = text.withUTF8 { SystemCalls.writeOnce(file, UnsafeRawBufferPointer($0)) == $0.count }
        var code: Int32 = written && SystemCalls.synchronize(file) == 0 ? 0 : errno == 0 ? EIO : errno
        if SystemCalls.close(file) != 0, code == 0 { code = errno }
        return code
    }

    private func problem(_ what: String, _ code: Int32) -> Problem {
        Problem(message: "“\(path)” \(what): \(SystemCalls.text(of: code)).")
    }

    /// Returns 256 random bits in base64url (RFC 4648 §5), without padding.
    static func newToken() -> String {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return Self.base64URL(bytes)
    }

    static func base64URL(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
            for index in 0...group.count { text.append(alphabet[Int(bits >> (18 - 6 * UInt32(index)) & 63)]) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
