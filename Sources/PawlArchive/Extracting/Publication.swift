import PawlSystem

/// Gives the content of a fresh directory its name in one step, so that every observer sees either the old state or the
/// new one.
struct Publication {
    let fresh: FreshDirectory
    let isDirectory: Bool

    private var target: Target { fresh.target }

    /// - Parameters:
    ///   - source: the directory that `name` is in: the fresh directory itself, or its content.
    /// - Returns: the name it got, which is in the directory of the target and durable.
    func publish(
        from source: Int32, _ name: String, ifExists: ExtractionOptions.IfExists
    ) throws(ArchiveError) -> String {
        let chosen: String
        switch ifExists {
        case .fail, .skip:
            try giveFree(source, name)
            chosen = target.name
        case .rename:
            chosen = try giveNext(source, name)
        case .replace:
            try replace(source, name)
            chosen = target.name
        }
        guard SystemCalls.synchronizeDirectory(target.parent) == 0 else {
            let reason = errno
            takeBack(chosen, to: source, name)
            throw .writing(target.path, "fsync", errno: reason)
        }
        return chosen
    }

    /// An error leaves the old state, as far as a failing disk allows.
    private func takeBack(_ chosen: String, to source: Int32, _ name: String) {
        // Only where it was exchanged is there something to exchange it with again.
        if SystemCalls.exchange(target.parent, chosen, with: source, name) == 0 { return }
        guard renameat(target.parent, chosen, source, name) == 0 else { return }
        putBack()
    }

    /// Puts the former target back. It may be the only copy: if it cannot have its name again, it stays where it is.
    private func putBack() {
        let reason = give(fresh.file, FreshDirectory.former, as: target.name)
        if reason != 0, reason != ENOENT { fresh.keepsFormer = true }
    }

    /// Gives the content the requested name, unless it was taken meanwhile.
    private func giveFree(_ source: Int32, _ name: String) throws(ArchiveError) {
        let reason = give(source, name, as: target.name)
        if reason == 0 { return }
        guard reason == EEXIST else { throw .writing(target.path, "renameat2", errno: reason) }
        // rename(2): a directory takes the place of an empty one, and of nothing else.
        if isDirectory, renameat(source, name, target.parent, target.name) == 0 { return }
        throw target.isTakenError
    }

    private func giveNext(_ source: Int32, _ name: String) throws(ArchiveError) -> String {
        if isDirectory, (try? target.state) == .emptyDirectory, renameat(source, name, target.parent, target.name) == 0
        {
            return target.name
        }
        for attempt in 0..<10_000 {
            let candidate = attempt == 0 ? target.name : target.renamed(attempt)
            let reason = give(source, name, as: candidate)
            if reason == 0 { return candidate }
            guard reason == EEXIST else { throw .writing(target.path(of: candidate), "renameat2", errno: reason) }
        }
        throw target.isTakenError
    }

    private func replace(_ source: Int32, _ name: String) throws(ArchiveError) {
        takeMode(for: name, in: source)
        // What has the name may come and go between two calls.
        for _ in 0..<16 {
            let reason = give(source, name, as: target.name)
            if reason == 0 { return }
            guard reason == EEXIST else { throw .writing(target.path, "renameat2", errno: reason) }
            _ = try target.isLeft(.replace, isDirectory: isDirectory)
            if SystemCalls.exchange(source, name, with: target.parent, target.name) == 0 { return }
            if errno == ENOENT { continue }
            guard [EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(errno) else {
                throw .writing(target.path, "renameat2", errno: errno)
            }
            if try replaceInTwoSteps(source, name) { return }
        }
        throw target.isTakenError
    }

    /// Gives the new content the mode of what it replaces: a file that others may not read is replaced by one that they
    /// may not read either (FAULTS D18).
    private func takeMode(for name: String, in source: Int32) {
        var status = stat()
        guard fstatat(target.parent, target.name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_mode & S_IFMT == (isDirectory ? S_IFDIR : S_IFREG)
        else { return }
        fchmodat(source, name, status.st_mode & 0o777, 0)
    }

    /// Replaces the target with two renames, where names cannot be exchanged. After a crash between the two, the next
    /// run puts the former target back.
    private func replaceInTwoSteps(_ source: Int32, _ name: String) throws(ArchiveError) -> Bool {
        guard renameat(target.parent, target.name, fresh.file, FreshDirectory.former) == 0 else {
            guard errno == ENOENT else { throw .writing(target.path, "renameat", errno: errno) }
            return false
        }
        let reason = give(source, name, as: target.name)
        if reason == 0 { return true }
        putBack()
        if fresh.keepsFormer { throw fresh.formerStays }
        throw .writing(target.path, "renameat", errno: reason)
    }

    /// - Returns: 0, or the reason: EEXIST when the name is taken.
    private func give(_ source: Int32, _ name: String, as newName: String) -> Int32 {
        if SystemCalls.renameExclusively(from: source, name, to: target.parent, newName) == 0 { return 0 }
        guard [EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(errno) else { return errno }
        // The file system cannot rename without replacing. A second name that a file gets replaces nothing.
        if !isDirectory {
            if linkat(source, name, target.parent, newName, 0) == 0 {
                return unlinkat(source, name, 0) == 0 ? 0 : errno
            }
            guard [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(errno) else { return errno }
        }
        // What is left is to look first. A directory replaces nothing but an empty one even if something comes in
        // between.
        if faccessat(target.parent, newName, F_OK, AT_SYMLINK_NOFOLLOW) == 0 { return EEXIST }
        guard renameat(source, name, target.parent, newName) == 0 else {
            return errno == ENOTEMPTY || errno == ENOTDIR ? EEXIST : errno
        }
        return 0
    }
}
