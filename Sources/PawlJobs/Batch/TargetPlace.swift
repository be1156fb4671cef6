import PawlSystem

/// The place of a file, from a directory and a name that may begin with directories.
package struct TargetPlace: Hashable, Sendable {
    package enum Problem: Error, Hashable, Sendable {
        case emptyDirectory
        case emptyName
        /// The name is an absolute path, and a directory was given beside it.
        case twoDirectories(String)
        /// The name is that of a directory.
        case isDirectory(String)
    }

    package var directory: String
    /// The name of the file; nil if the server or the URL names it.
    package var fileName: String?

    package init(output: String?, directory: String?, isDirectory: (String) -> Bool) throws(Problem) {
        if let directory, directory.isEmpty { throw .emptyDirectory }
        guard let output else {
            self.directory = directory ?? "."
            return
        }
        guard !output.isEmpty else { throw .emptyName }
        if directory != nil, output.utf8.first == UInt8(ascii: "/") { throw .twoDirectories(output) }
        let path = Self.path(output, in: directory)
        // By bytes, as the system reads: to Swift, a slash and a mark after it are one character.
        guard output.utf8.last != UInt8(ascii: "/"), !isDirectory(path) else { throw .isDirectory(output) }
        let parts = PathParts(path)
        (self.directory, fileName) = (parts.directory, parts.name)
    }

    private static func path(_ output: String, in directory: String?) -> String {
        guard let directory else { return output }
        return directory.utf8.last == UInt8(ascii: "/") ? directory + output : directory + "/" + output
    }
}
