import PawlSystem

/// Removes the content of a directory, without following links.
enum Removal {
    /// Removes a file, a link, or a directory and all in it.
    ///
    /// - Returns: 0, or the reason why something is still there.
    static func remove(_ name: String, in directory: Int32) -> Int32 {
        remove(name.systemText, in: directory)
    }

    /// A name is bytes here: those of another program need not be text.
    static func remove(_ name: [CChar], in directory: Int32) -> Int32 {
        if unlinkat(directory, name, 0) == 0 || errno == ENOENT { return 0 }
        let first = errno
        // unlink(2): POSIX says EPERM for a directory, Linux EISDIR.
        guard [EISDIR, EPERM, EACCES].contains(first) else { return first }
        if unlinkat(directory, name, AT_REMOVEDIR) == 0 { return 0 }
        guard [ENOTEMPTY, EEXIST, EACCES].contains(errno) else { return errno == ENOTDIR ? first : errno }
        let file = openDirectory(name, in: directory)
        guard file >= 0 else { return errno == ENOTDIR ? first : errno }
        let failure = removeAll(in: file)
        if failure != 0 { return failure }
        return unlinkat(directory, name, AT_REMOVEDIR) == 0 ? 0 : errno
    }

    /// Closes `directory`.
    private static func removeAll(in directory: Int32) -> Int32 {
        guard let stream = fdopendir(directory) else {
            let reason = errno
            _ = SystemCalls.close(directory)
            return reason
        }
        defer { closedir(stream) }
        var failure: Int32 = 0
        // Names first: whether readdir sees the rest of a directory that changes meanwhile is not said (readdir(3)).
        for name in names(in: stream) {
            var reason = remove(name, in: dirfd(stream))
            // A directory that its owner may not write to.
            if reason == EACCES, fchmod(dirfd(stream), 0o700) == 0 { reason = remove(name, in: dirfd(stream)) }
            if failure == 0 { failure = reason }
        }
        return failure
    }

    private static func openDirectory(_ name: [CChar], in directory: Int32) -> Int32 {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let file = openat(directory, name, flags)
        if file >= 0 || errno != EACCES { return file }
        // A directory that its owner may not read. Not followed if it is a link by now: then it has no business here.
        guard fchmodat(directory, name, 0o700, 0) == 0 else { return -1 }
        return openat(directory, name, flags)
    }

    /// The size on the disk of all in a directory; a directory that cannot be read counts as empty.
    ///
    /// - Parameter directory: not closed.
    static func occupied(in directory: Int32) -> Int64 {
        names(in: directory).reduce(0) { sum, name in
            var status = stat()
            guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return sum }
            let own = sum &+ Int64(status.st_blocks) &* 512
            guard status.st_mode & S_IFMT == S_IFDIR else { return own }
            let beneath = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard beneath >= 0 else { return own }
            defer { _ = SystemCalls.close(beneath) }
            return own &+ occupied(in: beneath)
        }
    }

    /// - Parameter directory: not closed.
    /// - Returns: nil when it cannot be read.
    static func isEmpty(_ directory: Int32) -> Bool? {
        names(in: directory, atMost: 1)?.isEmpty
    }

    /// The names in a directory, none where it cannot be read.
    ///
    /// - Parameter directory: not closed.
    static func names(in directory: Int32) -> [[CChar]] { names(in: directory, atMost: .max) ?? [] }

    private static func names(in directory: Int32, atMost limit: Int) -> [[CChar]]? {
        let copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { return nil }
        guard let stream = fdopendir(copy) else {
            _ = SystemCalls.close(copy)
            return nil
        }
        defer { closedir(stream) }
        return names(in: stream, atMost: limit)
    }

    #if canImport(Darwin)
    private typealias Stream = UnsafeMutablePointer<DIR>
    #else
    private typealias Stream = OpaquePointer
    #endif

    private static func names(in stream: Stream, atMost limit: Int = .max) -> [[CChar]] {
        var names: [[CChar]] = []
        while names.count < limit, let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                let start = UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self)
                return Array(UnsafeBufferPointer(start: start, count: strlen(start) + 1))
            }
            if name != [46, 0], name != [46, 46, 0] { names.append(name) }
        }
        return names
    }
}
