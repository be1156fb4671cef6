package import PawlEngine
package import PawlSystem

extension FileIdentity {
    /// The file or directory at a path, or the symbolic link itself; nil where nothing has this name.
    package init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    package init(_ status: stat) { self = FileStatus(status).identity }
}
