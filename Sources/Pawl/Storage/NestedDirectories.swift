package import PawlCore
import PawlSystem

/// Directories that others have named: by a document, or by the path of a URL.
package enum NestedDirectories {
    /// Makes the directories that are missing, one in the other. None of them may be a symbolic link: nobody must be
    /// able to name a place that somebody else has laid a link to.
    ///
    /// - Parameters:
    ///   - directory: an existing one, that they go beneath.
    ///   - followsLinks: false refuses a symbolic link anywhere in the path of that directory, too.
    /// - Throws: `DownloadError` with code `notWritable`.
    package static func make(
        _ names: some Sequence<String>, in directory: String, followsLinks: Bool
    ) throws(DownloadError) {
        var place = directory.isEmpty ? "." : directory
        var parent = SystemCalls.openDirectory(place, followsLinks: followsLinks)
        guard parent >= 0 else { throw failure(place) }
        defer { close(parent) }
        for name in names {
            place += "/" + name
            // An existing entry is examined next.
            guard mkdirat(parent, name, 0o777) == 0 || errno == EEXIST else { throw failure(place) }
            let next = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard next >= 0 else { throw failure(place) }
            close(parent)
            parent = next
        }
    }

    /// Looks for what would keep ``make(_:in:followsLinks:)`` from making them, and makes none.
    package static func check(
        _ names: some Sequence<String>, in directory: String, followsLinks: Bool
    ) throws(DownloadError) {
        var place = directory.isEmpty ? "." : directory
        var parent = SystemCalls.openDirectory(place, followsLinks: followsLinks)
        guard parent >= 0 else { throw failure(place) }
        defer { close(parent) }
        for name in names {
            place += "/" + name
            let next = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if next < 0, errno == ENOENT {
                guard faccessat(parent, ".", W_OK | X_OK, 0) == 0 else { throw failure(place) }
                return
            }
            guard next >= 0 else { throw failure(place) }
            close(parent)
            parent = next
        }
    }

    private static func failure(_ place: String) -> DownloadError {
        let cause = SystemCalls.text(of: errno)
        return DownloadError(
            .notWritable, "The directory “\(place)” cannot be used: \(cause).", remedies: [.chooseDirectory],
            recovery: .giveUp, underlying: cause)
    }
}

/// Directories that files are to go into, before there is a file.
package enum TargetDirectory {
    /// Checks whether the directories of a path that are missing could be made.
    package static func checkMissing(_ path: String) throws(DownloadError) {
        var above = path
        while FileKind(path: above) == .missing {
            let next = PathParts(above).directory
            guard !next.isExactly(above) else { break }
            above = next
        }
        guard FileKind.isDirectory(above) else { throw cannotCreate(path, errno: ENOTDIR) }
        guard access(above, W_OK | X_OK) == 0 else { throw cannotCreate(path, errno: errno) }
    }

    /// Checks whether a file could be created in a directory that exists.
    package static func check(_ directory: String, for name: String) throws(DownloadError) {
        guard access(directory, W_OK | X_OK) != 0 else { return }
        let error = StorageError(
            operation: StorageError.creating, name: FileName.partialName(for: name), errno: errno)
        throw .storage(error, directory: directory)
    }

    package static func cannotCreate(_ path: String, errno: Int32) -> DownloadError {
        let cause = SystemCalls.text(of: errno)
        return DownloadError(
            .notWritable, "The directory “\(path)” cannot be created: \(cause).", remedies: [.chooseDirectory],
            recovery: .giveUp, underlying: cause)
    }
}
