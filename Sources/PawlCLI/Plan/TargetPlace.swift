import PawlSystem

/// Where `-o` and `-d` together put a file.
struct TargetPlace: Hashable {
    var directory: String
    /// Nil: the server or the URL names it.
    var fileName: String?

    init(output: String?, directory: String?, isDirectory: (String) -> Bool) throws(UsageError) {
        if let directory, directory.isEmpty { throw UsageError("-d takes the name of a directory.") }
        guard let output else {
            self.directory = directory ?? "."
            return
        }
        guard !output.isEmpty else { throw UsageError("-o takes the name of a file.") }
        if directory != nil, output.utf8.first == UInt8(ascii: "/") {
            throw UsageError("-o “\(output)” says the directory already; leave out -d, or give -o a relative path.")
        }
        let path = Self.path(output, in: directory)
        // By bytes, as the system reads: to Swift, a slash and a mark after it are one character.
        guard output.utf8.last != UInt8(ascii: "/"), !isDirectory(path) else {
            throw UsageError("-o “\(output)” is a directory. Name the directory with -d, and the file with -o.")
        }
        let parts = PathParts(path)
        (self.directory, fileName) = (parts.directory, parts.name)
    }

    private static func path(_ output: String, in directory: String?) -> String {
        guard let directory else { return output }
        return directory.utf8.last == UInt8(ascii: "/") ? directory + output : directory + "/" + output
    }
}
