import CPawl

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Names in directories.
extension SystemCalls {
    /// Makes a directory, and those above it that are missing. The names of new ones are synced.
    ///
    /// - Returns: false, with the reason in `errno`.
    package static func makeDirectories(_ path: String, mode: UInt32 = 0o777) -> Bool {
        if FileKind.isDirectory(path) { return true }
        let above = PathParts(path).directory
        if !above.utf8.elementsEqual(path.utf8), !above.isEmpty, !FileKind.isDirectory(above) {
            guard makeDirectories(above, mode: mode) else { return false }
        }
        if mkdir(path, mode_t(mode)) == 0 {
            let parent = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            if parent >= 0 {
                _ = synchronizeDirectory(parent)
                _ = close(parent)
            }
        } else if errno != EEXIST {
            return false
        }
        if FileKind.isDirectory(path) { return true }
        errno = ENOTDIR
        return false
    }

    /// lstat(2): the seconds since this user's directory was changed; nil for one that others can enter, and for
    /// anything else.
    package static func secondsSinceChange(ofPrivateDirectory path: String) -> Int? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0
        else { return nil }
        #if canImport(Darwin)
        return time(nil) - status.st_mtimespec.tv_sec
        #else
        return Int(time(nil)) - Int(status.st_mtim.tv_sec)
        #endif
    }

    /// Opens without following a link, and nothing outside `directory`. ENOSYS where there is no such call.
    package static func openBeneath(_ directory: Int32, _ path: String, _ flags: Int32) -> Int32 {
        #if canImport(Darwin)
        errno = ENOSYS
        return -1
        #else
        path.withSystemPath { pawl_open_beneath(directory, $0, flags) }
        #endif
    }

    /// Whether a sync makes a file of ``openUnnamed(_:permissions:)`` durable there.
    package static func makesUnnamedFilesDurable(_ directory: Int32) -> Bool {
        #if canImport(Darwin)
        false
        #else
        pawl_makes_unnamed_durable(directory) != 0
        #endif
    }

    /// A file that has no name. ENOTSUP where there are none.
    package static func openUnnamed(_ directory: Int32, permissions: UInt32) -> Int32 {
        #if canImport(Darwin)
        errno = ENOTSUP
        return -1
        #else
        pawl_open_unnamed(directory, permissions)
        #endif
    }

    /// EEXIST when the name is taken.
    package static func linkUnnamed(_ file: Int32, to directory: Int32, _ name: String) -> Int32 {
        #if canImport(Darwin)
        errno = ENOTSUP
        return -1
        #else
        name.withSystemPath { pawl_link_unnamed(file, directory, $0) }
        #endif
    }

    /// EEXIST when the new name is taken. EINVAL or ENOTSUP where the file system cannot.
    package static func renameExclusively(from: Int32, _ name: String, to: Int32, _ newName: String) -> Int32 {
        #if canImport(Darwin)
        name.withSystemPath { name in
            newName.withSystemPath { renameatx_np(from, name, to, $0, UInt32(RENAME_EXCL)) }
        }
        #else
        name.withSystemPath { name in newName.withSystemPath { pawl_rename_exclusive(from, name, to, $0) } }
        #endif
    }

    /// Exchanges two existing names in one step. EINVAL or ENOTSUP where the file system cannot.
    package static func exchange(_ first: Int32, _ name: String, with second: Int32, _ other: String) -> Int32 {
        #if canImport(Darwin)
        name.withSystemPath { name in
            other.withSystemPath { renameatx_np(first, name, second, $0, UInt32(RENAME_SWAP)) }
        }
        #else
        name.withSystemPath { name in other.withSystemPath { pawl_rename_exchange(first, name, second, $0) } }
        #endif
    }

    /// Opens a directory to use its descriptor.
    ///
    /// - Parameter followsLinks: false refuses a symbolic link anywhere in the path.
    package static func openDirectory(_ path: String, followsLinks: Bool) -> Int32 {
        retryingInterrupts {
            followsLinks ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : openDirectoryWithoutLinks(path)
        }
    }

    /// Opens a directory, unless a symbolic link lies anywhere in its path.
    private static func openDirectoryWithoutLinks(_ path: String) -> Int32 {
        #if canImport(Darwin)
        return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW_ANY)
        #else
        var parent = open(path.utf8.first == UInt8(ascii: "/") ? "/" : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { return parent }
        let names = path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: Array($0), as: UTF8.self) }
        func step(to next: Int32) {
            let problem = errno
            _ = close(parent)
            errno = problem
            parent = next
        }
        let whole = openBeneath(
            parent, names.isEmpty ? "." : names.joined(separator: "/"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if whole >= 0 || errno != ENOSYS && errno != EPERM {
            step(to: whole)
            return parent
        }
        // An old kernel, or a sandbox: what lies on the way has to be readable, too.
        for name in names where parent >= 0 {
            step(to: openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
        }
        return parent
        #endif
    }
}
