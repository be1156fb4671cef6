internal import PawlCore
import PawlSystem

/// `NAME.part`, beside the target, in which everything is created before it gets its name (FAULTS Z10).
///
/// Nobody else may enter it. Inside, `new` will be renamed, and a file `pawl`, locked during the run, marks the
/// directory as ours: a marked directory that no run holds was left by a crash and is removed.
final class FreshDirectory {
    /// The name of the new content, which will get the target's name.
    static let content = "new"
    /// The name of the former target, for the moment between two renames where the file system cannot exchange names.
    static let former = "old"
    static let mark = "pawl"
    private static let markText =
        "pawl unpacks here. When no pawl runs, this directory was left by a crash and may be removed.\n"

    let target: Target
    /// The directory itself, for renames out of it.
    let file: Int32
    /// The descriptor of the mark; below 0 once it is closed.
    private var markFile: Int32
    /// Whether the former target could not be put back and stays in this directory.
    var keepsFormer = false

    private init(target: Target, file: Int32, markFile: Int32) {
        self.target = target
        self.file = file
        self.markFile = markFile
    }

    deinit {
        _ = SystemCalls.close(file)
        releaseMark()
    }

    private func releaseMark() {
        guard markFile >= 0 else { return }
        // A program that another thread is starting holds a copy of the descriptor until its execve(2), and with it a
        // lock that is not given back.
        SystemCalls.unlock(markFile)
        _ = SystemCalls.close(markFile)
        markFile = -1
    }

    /// - Throws: ``ArchiveError/Code/locked`` while another run has the same target; ``ArchiveError/Code/targetExists``
    ///   when something is in the way that no run left.
    static func make(for target: Target) throws(ArchiveError) -> FreshDirectory {
        // Another run may remove what this one has just created and not yet marked, repeatedly.
        for _ in 0..<16 {
            if mkdirat(target.parent, target.freshName, 0o700) == 0 {
                if let made = try claim(target) { return made }
            } else {
                guard errno == EEXIST else { throw .writing(target.path, "mkdirat", errno: errno) }
                try removeLeftover(target)
            }
        }
        throw isHeld(target)
    }

    /// Marks and locks what was just made. Nil when it is gone, or another run's.
    private static func claim(_ target: Target) throws(ArchiveError) -> FreshDirectory? {
        let file = openat(target.parent, target.freshName, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else {
            guard errno == ENOENT else { throw .writing(target.path, "openat", errno: errno) }
            return nil
        }
        let markFile = openat(file, mark, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard markFile >= 0 else {
            let reason = errno
            _ = SystemCalls.close(file)
            if reason == EEXIST || reason == ENOENT { return nil }
            unlinkat(target.parent, target.freshName, AT_REMOVEDIR)
            throw .writing(target.path, "openat", errno: reason)
        }
        let made = FreshDirectory(target: target, file: file, markFile: markFile)
        guard lock(markFile) != .held, made.isStillThere else { return nil }
        writeText(to: markFile)
        return made
    }

    /// Writes a text for people; an empty mark says as much to the next run.
    private static func writeText(to markFile: Int32) {
        _ = Array(markText.utf8).withUnsafeBytes { write(markFile, $0.baseAddress, $0.count) }
    }

    private static func removeLeftover(_ target: Target) throws(ArchiveError) {
        // The moment between a directory and its mark: rmdir(2) removes only what is empty.
        if unlinkat(target.parent, target.freshName, AT_REMOVEDIR) == 0 || errno == ENOENT { return }
        try removeMarked(target)
    }

    /// Removes the directory of a run that was killed, if it is marked as ours and no run holds it. What the run had
    /// replaced for a moment is put back first.
    ///
    /// - Throws: ``ArchiveError`` where something has to stay.
    static func removeMarked(_ target: Target) throws(ArchiveError) {
        let file = openat(target.parent, target.freshName, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return }
            throw isForeign(target)
        }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_uid == geteuid() else {
            _ = SystemCalls.close(file)
            throw isForeign(target)
        }
        let markFile = openat(file, mark, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard markFile >= 0 else {
            let isUnmarked = errno == ENOENT
            _ = SystemCalls.close(file)
            // The moment between the removal of the mark and that of the directory, which has the mode that it was made
            // with. rmdir(2) removes only what is empty.
            if isUnmarked, status.st_mode & 0o7777 == 0o700,
                unlinkat(target.parent, target.freshName, AT_REMOVEDIR) == 0 || errno == ENOENT
            {
                return
            }
            throw isForeign(target)
        }
        let left = FreshDirectory(target: target, file: file, markFile: markFile)
        guard marking(of: markFile) != .foreign else { throw isForeign(target) }
        // Without locks a crash cannot be told from a run, and to remove what another run writes would be worse.
        guard lock(markFile) == .ours else { throw isHeld(target) }
        guard left.isStillThere else { return }
        try left.restoreFormer()
        try left.remove()
    }

    private enum Lock {
        case ours, held, unsupported
    }

    private static func lock(_ file: Int32) -> Lock {
        if SystemCalls.lockExclusively(file) == 0 { return .ours }
        return [EAGAIN, EACCES, EWOULDBLOCK].contains(errno) ? .held : .unsupported
    }

    /// Whether the name still means this directory: another run may have removed it between its making and its lock.
    private var isStillThere: Bool {
        var mine = stat()
        var named = stat()
        return fstat(file, &mine) == 0 && fstatat(target.parent, target.freshName, &named, AT_SYMLINK_NOFOLLOW) == 0
            && mine.st_dev == named.st_dev && mine.st_ino == named.st_ino
    }

    enum Marking { case whole, begun, foreign }

    /// Returns how much of our mark a file has: any file may have its name.
    static func marking(of markFile: Int32) -> Marking {
        var status = stat()
        guard fstat(markFile, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return .foreign }
        let text = Array(markText.utf8)
        var found = [UInt8](repeating: 0, count: text.count + 1)
        let count = found.withUnsafeMutableBytes { pread(markFile, $0.baseAddress, $0.count, 0) }
        guard count >= 0, text.starts(with: found.prefix(count)) else { return .foreign }
        return count == text.count ? .whole : .begun
    }

    /// Restores the former target after a crash between the two renames of ``Publication``: it may be the only copy.
    private func restoreFormer() throws(ArchiveError) {
        var status = stat()
        guard fstatat(file, Self.former, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            guard errno == ENOENT else { throw .writing(target.path, "fstatat", errno: errno) }
            return
        }
        switch try target.state {
        case .absent, .emptyDirectory:
            guard renameat(file, Self.former, target.parent, target.name) == 0 else { throw formerStays }
            _ = SystemCalls.synchronize(target.parent)
        case .directory, .other:
            // By what replaced it, unless that is here as well: then somebody else has the name.
            guard fstatat(file, Self.content, &status, AT_SYMLINK_NOFOLLOW) != 0, errno == ENOENT else {
                throw formerStays
            }
        }
    }

    var formerStays: ArchiveError {
        ArchiveError(
            .notWritable,
            "\(quoted(target.path)) could not be replaced, and its former contents could not be restored: they are in “\(Self.former)” in \(shown).",
            remedies: [.restoreFormer])
    }

    /// The mark goes last, so that a crash on the way leaves what the next run knows for its own.
    func remove() throws(ArchiveError) {
        for name in [Self.content, Self.former] where name != Self.former || !keepsFormer {
            try remove(name)
        }
        // Without its mark, and locked until then, so that no run takes what is kept for a leftover.
        if keepsFormer { return try remove(Self.mark) }
        // Closed first: where a deleted file stays as long as it is open (FUSE: `.fuse_hidden…`, NFS: `.nfs…`), the
        // directory would not become empty. Whoever gets the lock now removes the same.
        releaseMark()
        try remove(Self.mark)
        for name in Removal.names(in: file) where Self.isDeleted(name) { _ = Removal.remove(name, in: file) }
        guard unlinkat(target.parent, target.freshName, AT_REMOVEDIR) == 0 || errno == ENOENT else {
            let reason = errno
            markAgain()
            throw couldNotRemove(reason)
        }
    }

    private func remove(_ name: String) throws(ArchiveError) {
        let reason = Removal.remove(name, in: file)
        guard reason == 0 else { throw couldNotRemove(reason) }
    }

    /// A file that was deleted while it was open, as FUSE and NFS keep it.
    static func isDeleted(_ name: [CChar]) -> Bool {
        [".fuse_hidden", ".nfs"].contains { name.starts(with: $0.systemText.dropLast()) }
    }

    /// Marks the directory again when something is left in it, so that the next run recognizes it as its own.
    private func markAgain() {
        let mark = openat(file, Self.mark, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard mark >= 0 else { return }
        Self.writeText(to: mark)
        _ = SystemCalls.close(mark)
    }

    /// The tree that is unpacked into.
    func makeTree(walk: Tree.Walk = .inOneCall) throws(ArchiveError) -> Tree {
        guard mkdirat(file, Self.content, 0o755) == 0 else { throw .writing(target.path, "mkdirat", errno: errno) }
        let root = openat(file, Self.content, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard root >= 0 else { throw .writing(target.path, "openat", errno: errno) }
        return Tree(root: root, walk: walk)
    }

    /// The file that is unpacked to, where it is one only; the caller closes it.
    func makeFile(isExecutable: Bool) throws(ArchiveError) -> Int32 {
        let new = openat(
            file, Self.content, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, isExecutable ? 0o755 : 0o644)
        guard new >= 0 else { throw .writing(target.path, "openat", errno: errno) }
        return new
    }

    private var shown: String { quoted(target.path(of: target.freshName)) }

    private func couldNotRemove(_ reason: Int32) -> ArchiveError {
        ArchiveError(
            .notWritable, "\(shown) is no longer needed, but could not be removed: \(SystemCalls.text(of: reason)).",
            remedies: [.removeLeftover], underlying: "unlinkat: \(SystemCalls.text(of: reason))")
    }

    private static func isHeld(_ target: Target) -> ArchiveError {
        ArchiveError(
            .locked,
            "Another run is unpacking to \(quoted(target.path)): \(quoted(target.path(of: target.freshName))) is in use.",
            remedies: [.waitForOther, .removeIfUnused])
    }

    private static func isForeign(_ target: Target) -> ArchiveError {
        ArchiveError(
            .targetExists,
            "\(quoted(target.path(of: target.freshName))) exists and was not left by an earlier run; unpacking needs that name.",
            remedies: [.moveExisting])
    }
}
