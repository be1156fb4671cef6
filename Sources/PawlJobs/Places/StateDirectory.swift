import PawlCore
import PawlSystem

/// The directory for the state of the command and the service, by the XDG base directory specification 0.8.
package enum StateDirectory {
    /// `$XDG_STATE_HOME/pawl`, or `~/.local/state/pawl`; nil where neither can be told.
    package static func path(environment: (String) -> String?) -> String? {
        // Relative paths are invalid and to be ignored.
        if let home = environment("XDG_STATE_HOME"), home.begins(with: "/") { return home + "/pawl" }
        guard let home = environment("HOME"), home.begins(with: "/") else { return nil }
        return home + "/.local/state/pawl"
    }

    /// The path of a file in the directory, which is made if it is not there; nil where it cannot be, for nothing
    /// depends on it.
    package static func file(_ name: String) -> String? {
        guard let directory = path(environment: Environment.value), SystemCalls.makeDirectories(directory, mode: 0o700)
        else { return nil }
        return directory + "/" + name
    }
}

/// The directory of what Pawl can do without.
package enum CacheDirectory {
    /// `$XDG_CACHE_HOME/pawl`, or `~/.cache/pawl`; nil where neither can be told.
    package static func path(environment: (String) -> String?) -> String? {
        // Relative paths are invalid and to be ignored.
        if let home = environment("XDG_CACHE_HOME"), home.begins(with: "/") { return home + "/pawl" }
        guard let home = environment("HOME"), home.begins(with: "/") else { return nil }
        return home + "/.cache/pawl"
    }
}
