#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Tells of a directory which archive it was unpacked from, so that the same work is not done twice: an extended attribute with the
/// archive's length and time of modification. Where the file system keeps none, nothing is known of a directory that is there.
package enum UnpackedMark {
    private static let name = "user.pawl.unpacked"

    /// What cannot be set is left.
    package static func set(on directory: String, from archive: String) {
        guard let value = value(of: archive), let file = openDirectory(directory) else { return }
        defer { SystemCalls.close(file) }
        _ = Array(value.utf8).withUnsafeBytes { SystemCalls.setAttribute(file, name, to: $0) }
    }

    package static func isSet(on directory: String, from archive: String) -> Bool {
        guard let value = value(of: archive), let file = openDirectory(directory) else { return false }
        defer { SystemCalls.close(file) }
        var found = [UInt8](repeating: 0, count: 64)
        let count = found.withUnsafeMutableBytes { SystemCalls.getAttribute(file, name, into: $0) }
        return count > 0 && found.prefix(count).elementsEqual(value.utf8)
    }

    private static func openDirectory(_ path: String) -> Int32? {
        let file = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        return file >= 0 ? file : nil
    }

    private static func value(of archive: String) -> String? {
        var status = stat()
        guard stat(archive, &status) == 0 else { return nil }
        #if canImport(Darwin)
        let modified = status.st_mtimespec
        #else
        let modified = status.st_mtim
        #endif
        return "\(status.st_size) \(modified.tv_sec).\(modified.tv_nsec)"
    }
}
