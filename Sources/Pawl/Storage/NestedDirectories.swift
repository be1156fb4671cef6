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

    private static func failure(_ place: String) -> DownloadError {
        let cause = SystemCalls.text(of: errno)
        return DownloadError(
            .notWritable, "The directory “\(place)” cannot be used: \(cause).", remedies: [.chooseDirectory],
            recovery: .giveUp, underlying: cause)
    }
}
