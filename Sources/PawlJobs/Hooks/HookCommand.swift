import PawlSystem

/// The process group of a program.
package enum HookGroup: Hashable, Sendable {
    /// The session of this process: Ctrl-C at the terminal ends both.
    case inherited
    /// A group of its own: Ctrl-C at the terminal, which ends this process, leaves the program alone.
    case own
}

/// A program to run, and its arguments.
struct HookCommand: Hashable, Sendable {
    /// The path of the program.
    var path: String
    /// The name as typed, and the arguments.
    var words: [String]

    /// The program that a shell would run by this name: one with a slash is a path, another is looked for along `PATH`.
    static func find(_ program: String) -> String? {
        if program.utf8.contains(UInt8(ascii: "/")) { return isRunnable(program) ? program : nil }
        // execvp(3): an empty part of the list is the working directory.
        let places = Environment.value("PATH") ?? "/usr/bin:/bin"
        for place in places.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false) {
            let path = (place.isEmpty ? "." : String(Substring(place))) + "/" + program
            if isRunnable(path) { return path }
        }
        return nil
    }

    private static func isRunnable(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        return access(path, X_OK) == 0
    }
}
