package import PawlEngine
import PawlSystem

extension FileIdentity {
    /// Nil where nothing has this name. A symbolic link is not followed.
    package init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self = FileStatus(status).identity
    }
}
