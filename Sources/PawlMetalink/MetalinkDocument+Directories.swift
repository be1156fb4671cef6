public import PawlCore
import PawlSystem

extension MetalinkDocument.File {
    /// Makes the directories of the file's path that are not there. None of them may be a symbolic link: a document
    /// must not be able to name a place that somebody else has laid a link to.
    ///
    /// - Parameter directory: an existing one, that they go beneath.
    /// - Throws: `DownloadError` with code `notWritable`.
    public func makeDirectories(in directory: String = ".") throws(DownloadError) {
        try makeDirectories(in: directory, followsLinks: true)
    }

    /// - Parameter followsLinks: false refuses a symbolic link anywhere in the path of the directory, too.
    package func makeDirectories(in directory: String, followsLinks: Bool) throws(DownloadError) {
        guard path.count > 1 else { return }
        var place = directory.isEmpty ? "." : directory
        var parent = SystemCalls.openDirectory(place, followsLinks: followsLinks)
        guard parent >= 0 else { throw Self.failure(place) }
        defer { close(parent) }
        for name in path.dropLast() {
            place += "/" + name
            // What is there already is looked at next.
            guard mkdirat(parent, name, 0o777) == 0 || errno == EEXIST else { throw Self.failure(place) }
            let next = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard next >= 0 else { throw Self.failure(place) }
            close(parent)
            parent = next
        }
    }

    private static func failure(_ place: String) -> DownloadError {
        let cause = SystemCalls.text(of: errno)
        return DownloadError(
            .notWritable, "The directory “\(place)” that the Metalink names cannot be used: \(cause).",
            remedies: [.chooseDirectory], recovery: .giveUp, underlying: cause)
    }
}
