import PawlConfiguration
import PawlCore
import PawlSystem

/// The directories in which the service keeps its files (XDG Base Directory Specification).
enum Places {
    static var home: String {
        get throws(ConfigurationError) {
            guard let home = Environment.value("HOME"), !home.isEmpty else {
                throw ConfigurationError("HOME is not set.")
            }
            return home
        }
    }

    static var configuration: String {
        get throws(ConfigurationError) {
            guard let directory = ConfigurationFile.directory(environment: Environment.value) else {
                throw ConfigurationError("HOME is not set.")
            }
            return directory
        }
    }

    static var state: String {
        get throws(ConfigurationError) {
            let path = try absolute("XDG_STATE_HOME", else: "/.local/state") + "/pawl"
            guard !path.holdsSystemBytes else {
                throw ConfigurationError(
                    "The database cannot be in “\(path)”, whose name is not UTF-8. Set XDG_STATE_HOME to another directory."
                )
            }
            return path
        }
    }

    static var runtime: String? { absolute("XDG_RUNTIME_DIR").map { $0 + "/pawl" } }

    private static func absolute(_ variable: String, else inHome: String) throws(ConfigurationError) -> String {
        if let path = absolute(variable) { return path }
        return try home + inHome
    }

    private static func absolute(_ variable: String) -> String? {
        guard let value = Environment.value(variable), value.utf8.first == UInt8(ascii: "/") else { return nil }
        return value
    }

    /// Creates a directory if it is missing; only its owner may enter it.
    static func makePrivate(_ path: String) throws(ConfigurationError) {
        try make(path, mode: 0o700)
        guard chmod(path, 0o700) == 0 else {
            throw ConfigurationError("“\(path)” cannot be made private: \(SystemCalls.text(of: errno))")
        }
    }

    /// Creates a directory and those above it.
    static func make(_ path: String, mode: UInt32) throws(ConfigurationError) {
        guard SystemCalls.makeDirectories(path, mode: mode) else {
            throw ConfigurationError("“\(path)” cannot be created: \(SystemCalls.text(of: errno))")
        }
    }
}
