import PawlSystem

/// The target directory, and everything created beneath it. No call follows a symbolic link or leaves the directory,
/// whatever it contains (FAULTS Z01, Z02).
final class Tree {
    /// The way a directory further down is opened.
    enum Walk: Hashable, Sendable, CaseIterable {
        /// One call of openat2(2) for the whole path.
        case inOneCall
        /// An `openat` for each part that refuses links: for systems, and sandboxes, without openat2.
        case partByPart
    }

    private static let directoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC

    private let root: Int32
    private(set) var walk: Walk
    /// The directory last used: the members of one usually follow each other.
    private var last: (path: MemberPath, file: Int32)?

    /// - Parameter root: an open directory, which the tree closes in the end.
    init(root: Int32, walk: Walk = .inOneCall) {
        self.root = root
        self.walk = walk
    }

    deinit {
        if let last { _ = SystemCalls.close(last.file) }
        _ = SystemCalls.close(root)
    }

    /// The descriptor of the root, for calls on the whole tree.
    var file: Int32 { root }

    /// Makes the directory, and those above it, unless they are there.
    func makeDirectory(_ path: MemberPath) throws(ArchiveError) {
        _ = try directory(path)
    }

    /// - Returns: a new file, open for writing, which the caller closes.
    func createFile(_ path: MemberPath, isExecutable: Bool) throws(ArchiveError) -> Int32 {
        let (directory, name) = try place(of: path)
        // Through the umask. Set-user-id bits and the like are not taken over (Z11).
        let mode: mode_t = isExecutable ? 0o755 : 0o644
        let file = SystemCalls.retryingInterrupts {
            openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        }
        guard file >= 0 else { throw failure("openat", path) }
        return file
    }

    func makeSymbolicLink(_ path: MemberPath, to target: String) throws(ArchiveError) {
        let (directory, name) = try place(of: path)
        if symlinkat(target, directory, name) == 0 { return }
        // symlink(2): "EPERM: The filesystem containing linkpath does not support the creation of symbolic links".
        guard [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(errno) else { throw failure("symlinkat", path) }
        throw ArchiveError(
            .notWritable, "\(quoted(path.text)) is a symbolic link, which this file system does not support.",
            remedies: [.useOtherDisk],
            member: path.text, underlying: "symlinkat: \(SystemCalls.text(of: errno))")
    }

    /// - Returns: false where the file system has no hard links.
    func makeHardLink(_ path: MemberPath, to existing: MemberPath) throws(ArchiveError) -> Bool {
        let (source, sourceName) = try place(of: existing)
        // The one kept open may be closed for the other.
        let kept = fcntl(source, F_DUPFD_CLOEXEC, 0)
        guard kept >= 0 else { throw failure("fcntl", path) }
        defer { _ = SystemCalls.close(kept) }
        let (directory, name) = try place(of: path)
        // Without AT_SYMLINK_FOLLOW a link is not followed either.
        if linkat(kept, sourceName, directory, name, 0) == 0 { return true }
        // EMLINK: it has as many names as a file can have.
        if [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) { return false }
        throw failure("linkat", path)
    }

    /// - Returns: a file of the tree, open for reading, which the caller closes.
    func openFile(_ path: MemberPath) throws(ArchiveError) -> Int32 {
        let (directory, name) = try place(of: path)
        let file = SystemCalls.retryingInterrupts { openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        guard file >= 0 else { throw failure("openat", path) }
        return file
    }

    /// Sets the time of modification if it can: a file system without times keeps its own.
    func setModified(_ path: MemberPath, to secondsSinceEpoch: Int64) throws(ArchiveError) {
        _ = SystemCalls.setModified(try directory(path), to: secondsSinceEpoch)
    }

    func synchronizeDirectory(_ path: MemberPath) throws(ArchiveError) {
        guard SystemCalls.synchronizeDirectory(try directory(path)) == 0 else { throw failure("fsync", path) }
    }

    private func place(of path: MemberPath) throws(ArchiveError) -> (directory: Int32, name: String) {
        guard let parent = path.parent, let name = path.parts.last else {
            throw ArchiveError(
                .unsafeName, "A member of the archive would replace the directory itself.", member: path.text)
        }
        return (try directory(parent), name)
    }

    /// Opens a directory, creating it if it is missing; the descriptor stays open until the next call.
    private func directory(_ path: MemberPath) throws(ArchiveError) -> Int32 {
        guard let parent = path.parent, let name = path.parts.last else { return root }
        if let last, last.path == path { return last.file }
        var file = open(path)
        if file < 0, errno == ENOENT {
            let above = try directory(parent)
            guard mkdirat(above, name, 0o755) == 0 || errno == EEXIST else { throw failure("mkdirat", path) }
            file = SystemCalls.retryingInterrupts { openat(above, name, Self.directoryFlags) }
        }
        guard file >= 0 else { throw failure("openat", path) }
        if let last { _ = SystemCalls.close(last.file) }
        last = (path, file)
        return file
    }

    private func open(_ path: MemberPath) -> Int32 {
        if walk == .inOneCall {
            let file = SystemCalls.retryingInterrupts { SystemCalls.openBeneath(root, path.text, Self.directoryFlags) }
            // openat2(2): EAGAIN when something was renamed meanwhile, which this tree sees only from outside.
            if file >= 0 || ![ENOSYS, EPERM, EAGAIN, E2BIG].contains(errno) { return file }
            walk = .partByPart
        }
        var current = root
        for part in path.parts {
            let next = SystemCalls.retryingInterrupts { openat(current, part, Self.directoryFlags) }
            let reason = errno
            if current != root { _ = SystemCalls.close(current) }
            errno = reason
            guard next >= 0 else { return -1 }
            current = next
        }
        return current
    }

    private func failure(_ operation: String, _ path: MemberPath) -> ArchiveError {
        let number = errno
        switch number {
        // The table of names has seen no such thing, so it is the file system that holds two names for one.
        case EEXIST, ENOTDIR, ELOOP, EISDIR:
            return ArchiveError(
                .duplicateName, "\(quoted(path.text)) and an earlier member have the same name on this file system.",
                member: path.text,
                underlying: "\(operation): \(SystemCalls.text(of: number))")
        default:
            return .writing(path.text, operation, errno: number, member: path.text)
        }
    }
}
