import PawlSystem

/// A directory of its own, removed with everything in it when the last reference goes.
package final class TemporaryDirectory: Sendable {
    package let path: String

    /// Where a sync takes no time, so that a busy disk holds up no test that is not about the disk; nil where there is no such place. What
    /// a killed process wrote is kept there as it is elsewhere.
    package static let memory: String? = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nil

    /// - Parameter parent: where to make it; by default where the system wants such things.
    package init(_ purpose: String = "test", in parent: String? = nil) throws {
        let parent = parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/pawl-\(purpose)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemCallError("mkdtemp", parent) }
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    deinit { Files.remove(path) }

    package func file(_ name: String) -> String { "\(path)/\(name)" }
}
