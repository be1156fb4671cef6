#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A name in a directory that is held open: whatever becomes of the path meanwhile, calls reach this directory only.
package final class DirectoryEntry: Sendable {
    package let directory: Int32
    package let name: String
    private let followsLinks: Bool

    /// - Parameters:
    ///   - path: trailing slashes have no meaning.
    ///   - followsLinks: false refuses a symbolic link anywhere in the path, the name itself included.
    /// - Returns: nil, with the reason in `errno`.
    package init?(_ path: String, followsLinks: Bool) {
        let parts = PathParts(Self.withoutTrailingSlashes(path))
        let directory = SystemCalls.openDirectory(parts.directory, followsLinks: followsLinks)
        self.followsLinks = followsLinks
        if directory >= 0 {
            (self.directory, name) = (directory, parts.name)
        } else if followsLinks, errno == EACCES {
            // Files can be opened in a directory that may be searched but not read.
            (self.directory, name) = (AT_FDCWD, path)
        } else {
            return nil
        }
    }

    deinit { if directory >= 0 { _ = SystemCalls.close(directory) } }

    /// Returns a path without trailing slashes. Works on bytes, as a combining mark makes one `Character` with the
    /// slash before it.
    private static func withoutTrailingSlashes(_ path: String) -> String {
        var bytes = path.utf8[...]
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes = bytes.dropLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// - Returns: a descriptor for the caller to close; below 0 with the reason in `errno`.
    package func open(_ flags: Int32) -> Int32 {
        SystemCalls.retryingInterrupts {
            openat(directory, name, flags | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW))
        }
    }

    /// The file's facts, through a link where links are followed; nil with the reason in `errno`.
    package func status() -> stat? {
        var status = stat()
        return fstatat(directory, name, &status, followsLinks ? 0 : AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    /// Removes the name of a file or link. False, with the reason in `errno`, if it is still there.
    package func remove() -> Bool { unlinkat(directory, name, 0) == 0 || errno == ENOENT }
}
