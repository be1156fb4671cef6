/// The kind of item that a path names, for messages only: it decides nothing that opening the file does not decide
/// again.
package enum FileKind {
    case missing
    case directory
    case other

    package init(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            self = errno == ENOENT || errno == ENOTDIR ? .missing : .other
            return
        }
        self = status.st_mode & S_IFMT == S_IFDIR ? .directory : .other
    }

    /// Pipes and devices, whose opening may wait for somebody.
    package static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }

    package static func isDirectory(_ path: String) -> Bool { FileKind(path: path) == .directory }
}
