import Pawl
import PawlCore
package import PawlJobs
import PawlSystem

/// Control files that an aria2 has left beside files that it has not finished.
package struct Aria2Leftovers: Sendable {
    private struct Control: Hashable, Sendable {
        var path: String
        var device: UInt64
        var inode: UInt64
    }

    private var controls: [ExactText: Control] = [:]

    package init() {}

    /// aria2 resumes such a file without being asked to.
    package mutating func look(at spec: inout JobSpec) {
        guard let name = spec.fileName ?? spec.url.flatMap({ try? HTTPURL(parsing: $0) }).map({ FileName.choose(contentDisposition: nil, url: $0) }) else { return }
        let path = FileTarget.path(in: spec.directory, name)
        guard let control = Self.control(path), FileKind(path: path) == .other, spec.options.ranges == nil else { return }
        controls[ExactText(path)] = control
        (spec.options.adoptsPartialFile, spec.options.onlyIfNewer) = (true, false)
        // What cannot be resumed is told, and no other name is taken.
        spec.ifExists = .fail
    }

    /// The file at this path is complete: what was left beside it says something else, and its aria2 would believe it.
    package func removeControlFile(of path: String) {
        guard let control = controls[ExactText(path)], Self.control(path) == control else { return }
        unlink(control.path)
    }

    private static func control(_ path: String) -> Control? {
        var status = stat()
        let path = path + AdoptionRule.aria2Suffix
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Control(path: path, device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }
}
