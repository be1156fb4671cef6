import PawlAria2
import PawlCore
import PawlSystem

/// A directory for what a service keeps that leaves nothing behind: gone when it ends, and if it was killed, when the
/// next one starts.
struct TemporaryStateDirectory {
    let path: String
    /// The file locked while the service runs, which shows other processes that it does.
    private let lock: Int32

    private static let prefix = "pawl-aria2-"
    private static let lockName = "running"
    /// The age, in seconds, below which a directory is kept: a younger one may be about to be locked.
    private static let grace = 60

    init() throws(Aria2Failure) {
        let base = Self.base
        Self.removeAbandoned(in: base)
        var template = "\(base)/\(Self.prefix)XXXXXX".systemText
        // Only its owner can enter it (mkdtemp(3)).
        guard mkdtemp(&template) != nil else {
            throw Aria2Failure("No directory can be created in “\(base)”: \(SystemCalls.text(of: errno)).")
        }
        path = String(system: template)
        lock = Self.lock(path) ?? -1
    }

    func remove() { Self.remove(path, lock) }

    private static var base: String {
        for variable in ["XDG_RUNTIME_DIR", "TMPDIR"] {
            if let path = Environment.value(variable), path.begins(with: "/"), FileKind.isDirectory(path),
                // SQLite takes UTF-8 only.
                !path.holdsSystemBytes,
                access(path, W_OK | X_OK) == 0
            {
                return path
            }
        }
        return "/tmp"
    }

    /// - Returns: nil if another process has it.
    private static func lock(_ directory: String) -> Int32? {
        let file = open(directory + "/" + lockName, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return nil }
        if flock(file, LOCK_EX | LOCK_NB) == 0 { return file }
        _ = SystemCalls.close(file)
        return nil
    }

    private static func removeAbandoned(in base: String) {
        for name in SystemCalls.names(in: base) where name.begins(with: prefix) {
            let path = base + "/" + name
            guard let age = SystemCalls.secondsSinceChange(ofPrivateDirectory: path), age > grace, let file = lock(path)
            else { continue }
            remove(path, file)
        }
    }

    /// Files, and no directories: there are none in it.
    ///
    /// - Parameter lock: closed before its file is removed. Where a deleted file stays as long as it is open (FUSE:
    ///   `.fuse_hidden…`, NFS: `.nfs…`), the directory would not become empty. Whoever locks it now removes the same.
    private static func remove(_ path: String, _ lock: Int32) {
        for name in SystemCalls.names(in: path) where !name.isExactly(lockName) { unlink(path + "/" + name) }
        if lock >= 0 { _ = SystemCalls.close(lock) }
        for name in SystemCalls.names(in: path) { unlink(path + "/" + name) }
        rmdir(path)
    }
}
