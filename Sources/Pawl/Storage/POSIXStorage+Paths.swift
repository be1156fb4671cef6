import PawlCore
import PawlEngine
internal import PawlSystem
import Synchronization

extension POSIXStorage {
    /// The canonical path that a directory has, or will have once it is created: its nearest ancestor that exists,
    /// without links and dots, and the rest as it is written.
    ///
    /// A directory that exists is looked up once, which takes a system call for each component of its path, and
    /// remembered for as long as the path leads to it, which is looked at once a second: a list of small files asks a
    /// thousand times.
    ///
    /// - Parameter trust: how long a look is trusted.
    package static func settledPath(_ path: String, trust: Duration = .seconds(1)) -> String {
        let now = ContinuousClock.now
        let remembered = knownDirectories.withLock { $0[ExactText(path)] }
        if let remembered, now - remembered.seen < trust { return remembered.path }
        guard let identity = identity(of: path) else { return lookedUp(path) }
        var found = remembered?.path
        // The same directory may have got another path since, or another directory its number.
        if let known = remembered,
            known.identity != identity || !known.path.isExactly(path) && self.identity(of: known.path) != identity
        {
            found = nil
        }
        let settled = found ?? lookedUp(path)
        knownDirectories.withLock { known in
            if known.count >= maximumKnownDirectories { known = [:] }
            known[ExactText(path)] = KnownDirectory(identity: identity, path: settled, seen: now)
        }
        return settled
    }

    private struct KnownDirectory {
        let identity: FileIdentity
        let path: String
        let seen: ContinuousClock.Instant
    }

    private static let knownDirectories = Locked<[ExactText: KnownDirectory]>([:])
    private static let maximumKnownDirectories = 1000

    /// Returns the identity of the item at a path, after links; nil if there is none.
    private static func identity(of path: String) -> FileIdentity? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return FileStatus(status).identity
    }

    private static func lookedUp(_ path: String) -> String {
        let parts = components(path)
        let start = path.utf8.first == UInt8(ascii: "/") ? "/" : "./"
        for count in stride(from: parts.count, through: 0, by: -1) {
            guard let ancestor = SystemCalls.realPath(start + parts[..<count].joined(separator: "/")) else { continue }
            return appending(parts[count...], to: ancestor)
        }
        return path
    }

    /// Appends missing components to a path. They do not exist, so no link can change what their dots mean.
    private static func appending(_ missing: ArraySlice<String>, to ancestor: String) -> String {
        if missing.isEmpty { return ancestor }
        var parts = components(ancestor)
        for part in missing where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    private static func components(_ path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    }
}
