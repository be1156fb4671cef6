import PawlEngine
import PawlSystem

/// The place of a new archive, and the temporary file beside it that holds it until it is complete.
///
/// Used from one thread. Nothing of its own making is left when it goes away before ``finish()``.
final class PackingPlace {
    /// Marks the file as one of ours, so that what a crash left is taken over and nothing else is.
    private static let mark = "user.pawl.packing"
    /// The number of tries to lock the temporary file, which may each time be finished or removed by another process
    /// between opening and locking it.
    private static let triesToLock = 16
    private static let maximumNumbers = 10_000

    /// The path as it was requested.
    let path: String
    /// The directory it is in.
    let directory: FileIdentity
    /// The files that its name and its temporary name stand for, if there are some.
    let taken: Set<FileIdentity>

    private let name: String
    private let format: PackingFormat
    private let ifExists: PackingOptions.IfExists
    private let directoryDescriptor: Int32
    private var descriptor: Int32 = -1

    private var temporaryName: String { name + ".part" }

    /// - Throws: ``ArchiveError``, also where something has the name and may not be replaced. Nothing is written yet.
    init(_ path: String, _ format: PackingFormat, ifExists: PackingOptions.IfExists) throws(ArchiveError) {
        self.path = path
        self.format = format
        self.ifExists = ifExists
        let parts = PathParts(path)
        name = parts.name
        guard !path.utf8.contains(0) else {
            throw ArchiveError(.invalidArgument, "The name of the archive contains a zero byte.")
        }
        let opened = SystemCalls.retryingInterrupts { open(parts.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard opened >= 0 else { throw ArchiveError.writing(path, "open", errno: errno) }
        guard let facts = FileFacts(of: opened) else {
            let reason = errno
            _ = SystemCalls.close(opened)
            throw ArchiveError.writing(path, "fstat", errno: reason)
        }
        directoryDescriptor = opened
        directory = facts.identity
        let existing = FileFacts(in: opened, Self.cString(name))
        let leftover = FileFacts(in: opened, Self.cString(name + ".part"))
        taken = Set([existing, leftover].compactMap { $0?.identity })
        guard let existing else { return }
        if ifExists == .fail || existing.kind == .directory && ifExists != .rename {
            throw Self.exists(path, isDirectory: existing.kind == .directory)
        }
    }

    deinit {
        abandon()
        _ = SystemCalls.close(directoryDescriptor)
    }

    // MARK: Writing

    /// Makes the temporary file, or takes over one that a crash left, and locks it.
    ///
    /// - Returns: its descriptor, which this keeps.
    func begin() throws(ArchiveError) -> Int32 {
        for _ in 0..<Self.triesToLock {
            let opened = try openTemporary()
            let reason = SystemCalls.lockExclusively(opened.descriptor) == 0 ? 0 : errno
            // Where there are no locks, a leftover cannot be told from what another run is writing.
            let isUnsupported = [ENOLCK, ENOTSUP, EOPNOTSUPP, EINVAL, ENOSYS].contains(reason)
            guard reason == 0 || (isUnsupported && opened.isNew) else {
                _ = SystemCalls.close(opened.descriptor)
                if isUnsupported { throw inTheWay() }
                throw ArchiveError(
                    .locked, "Another process is packing to \(quoted(path)).", remedies: [.waitForOther, .chooseTarget])
            }
            // Whoever held the lock may have renamed or removed the file.
            guard
                FileFacts(in: directoryDescriptor, Self.cString(temporaryName))?.identity
                    == FileFacts(of: opened.descriptor)?.identity
            else {
                _ = SystemCalls.close(opened.descriptor)
                continue
            }
            if !opened.isNew { try takeOver(opened.descriptor) }
            descriptor = opened.descriptor
            // Without it the file cannot be told for ours after a crash, and then has to be removed by hand.
            _ = "1".systemText.withUnsafeBytes { SystemCalls.setAttribute(opened.descriptor, Self.mark, to: $0) }
            return opened.descriptor
        }
        throw ArchiveError(.locked, "Other processes are packing to \(quoted(path)).", remedies: [.chooseTarget])
    }

    /// The mode of the archive that is to be replaced: a file that others may not read is replaced by one that they may
    /// not read either (FAULTS D18).
    private var replacedMode: mode_t? {
        var status = stat()
        guard ifExists == .replace, fstatat(directoryDescriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        return status.st_mode & 0o777
    }

    private func openTemporary() throws(ArchiveError) -> (descriptor: Int32, isNew: Bool) {
        let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        for _ in 0..<Self.triesToLock {
            let made = SystemCalls.retryingInterrupts {
                openat(directoryDescriptor, temporaryName, flags | O_CREAT | O_EXCL, replacedMode ?? 0o666)
            }
            if made >= 0 { return (made, true) }
            guard errno == EEXIST else { throw ArchiveError.writing(path, "openat", errno: errno) }
            let there = SystemCalls.retryingInterrupts { openat(directoryDescriptor, temporaryName, flags) }
            if there >= 0 { return (there, false) }
            // Removed meanwhile: once more from the beginning.
            guard errno == ENOENT else { throw inTheWay() }
        }
        throw inTheWay()
    }

    /// The lock is held, so nobody is writing to it. What is empty may have been made a moment ago by who is now told
    /// that it is locked, or been left by a crash before it was marked; nothing is lost with it.
    private func takeOver(_ file: Int32) throws(ArchiveError) {
        var nothing = [UInt8](repeating: 0, count: 8)
        let isOurs = nothing.withUnsafeMutableBytes { SystemCalls.getAttribute(file, Self.mark, into: $0) } >= 0
        guard let facts = FileFacts(of: file), facts.kind == .file, isOurs || facts.size == 0 else {
            _ = SystemCalls.close(file)
            throw inTheWay()
        }
        guard ftruncate(file, 0) == 0 else {
            let reason = errno
            _ = SystemCalls.close(file)
            throw ArchiveError.writing(path, "ftruncate", errno: reason)
        }
    }

    private func inTheWay() -> ArchiveError {
        ArchiveError(
            .targetExists,
            "\(quoted(path + ".part")) exists and was not created by Pawl.",
            remedies: [.moveExisting, .chooseTarget])
    }

    // MARK: Ending

    /// Makes the archive durable and gives it its name.
    ///
    /// - Returns: its path.
    func finish() throws(ArchiveError) -> String {
        // Advice: a file system without modes has its own.
        if let replacedMode { fchmod(descriptor, replacedMode) }
        guard SystemCalls.synchronize(descriptor) == 0 else { throw ArchiveError.writing(path, "fsync", errno: errno) }
        let finalName = try rename()
        _ = SystemCalls.removeAttribute(descriptor, Self.mark)
        close()
        guard SystemCalls.synchronizeDirectory(directoryDescriptor) == 0 else {
            throw ArchiveError.writing(path, "fsync", errno: errno)
        }
        return String(path.utf8.dropLast(name.utf8.count)).map { $0 + finalName } ?? finalName
    }

    private func rename() throws(ArchiveError) -> String {
        if ifExists == .replace {
            guard renameat(directoryDescriptor, temporaryName, directoryDescriptor, name) == 0 else {
                if errno == EISDIR { throw Self.exists(path, isDirectory: true) }
                throw ArchiveError.writing(path, "renameat", errno: errno)
            }
            return name
        }
        let suffix = format.suffix(of: name)
        let stem = Substring(name.utf8.dropLast(suffix.utf8.count))
        for number in 0..<(ifExists == .rename ? Self.maximumNumbers : 1) {
            let candidate = number == 0 ? name : "\(stem) (\(number))\(suffix)"
            if try renameExclusively(to: candidate) { return candidate }
        }
        throw Self.exists(path, isDirectory: false)
    }

    /// - Returns: false: the name is taken.
    private func renameExclusively(to newName: String) throws(ArchiveError) -> Bool {
        if SystemCalls.renameExclusively(from: directoryDescriptor, temporaryName, to: directoryDescriptor, newName)
            == 0
        {
            return true
        }
        if errno == EEXIST { return false }
        guard errno == EINVAL || errno == ENOSYS || errno == ENOTSUP else {
            throw ArchiveError.writing(path, "renameat2", errno: errno)
        }
        // The file system cannot rename on condition; link(2) fails on a taken name too.
        if linkat(directoryDescriptor, temporaryName, directoryDescriptor, newName, 0) == 0 {
            guard unlinkat(directoryDescriptor, temporaryName, 0) == 0 else {
                throw ArchiveError.writing(path, "unlinkat", errno: errno)
            }
            return true
        }
        if errno == EEXIST { return false }
        // Nor has it hard links, as FAT: nothing atomic is left to try.
        guard FileFacts(in: directoryDescriptor, Self.cString(newName)) == nil else { return false }
        guard renameat(directoryDescriptor, temporaryName, directoryDescriptor, newName) == 0 else {
            throw ArchiveError.writing(path, "renameat", errno: errno)
        }
        return true
    }

    /// A program that another thread is starting holds a copy of the descriptor until its execve(2), and with it the
    /// lock, unless that is given back before.
    private func close() {
        SystemCalls.unlock(descriptor)
        _ = SystemCalls.close(descriptor)
        descriptor = -1
    }

    /// Removes what was written. The lock is held until the name is gone.
    func abandon() {
        guard descriptor >= 0 else { return }
        unlinkat(directoryDescriptor, temporaryName, 0)
        close()
    }

    private static func exists(_ path: String, isDirectory: Bool) -> ArchiveError {
        ArchiveError(
            .targetExists,
            isDirectory
                ? "\(quoted(path)) is a directory."
                : "\(quoted(path)) already exists.",
            remedies: isDirectory ? [.chooseTarget] : [.chooseTarget, .decideIfExists])
    }

    private static func cString(_ text: String) -> [CChar] { text.systemText }
}
