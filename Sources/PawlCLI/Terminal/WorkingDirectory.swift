import PawlCore
import PawlSystem

/// The directory that relative paths of the command line start at.
enum WorkingDirectory {
    /// - Throws: if the directory is gone, or may not be read.
    static func absolute(_ path: String) throws(UsageError) -> String {
        if path.begins(with: "/") { return path }
        guard let directory = SystemCalls.workingDirectory else {
            throw UsageError(
                "“\(path)” is relative, and the working directory cannot be read: \(SystemCalls.text(of: errno)).")
        }
        if path == "." { return directory }
        return directory == "/" ? "/" + path : "\(directory)/\(path)"
    }
}
