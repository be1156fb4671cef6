import PawlSystem

/// A directory of its own, removed with its contents when the last reference goes.
package final class TemporaryDirectory: Sendable {
    package let path: String

    /// Where a sync takes no time, so that a busy disk does not delay tests that are not about the disk; nil if there
    /// is no such place. Data written by a killed process survives there as it does elsewhere.
    package static let memory: String? = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nil

    /// - Parameter parent: The directory to make it in; by default the system's temporary directory.
    package init(_ purpose: String = "test", in parent: String? = nil) throws {
        let parent = parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/pawl-\(purpose)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemCallError("mkdtemp", parent) }
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    deinit { Files.remove(path) }

    package func file(_ name: String) -> String { "\(path)/\(name)" }
}
