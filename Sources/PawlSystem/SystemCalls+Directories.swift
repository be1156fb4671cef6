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
    /// Opens without following a link, and nothing outside `directory`. ENOSYS where there is no such call.
    package static func openBeneath(_ directory: Int32, _ path: String, _ flags: Int32) -> Int32 {
        #if canImport(Darwin)
        errno = ENOSYS
        return -1
        #else
        pawl_open_beneath(directory, path, flags)
        #endif
    }

    /// EEXIST when the new name is taken. EINVAL or ENOTSUP where the file system cannot.
    package static func renameExclusively(from: Int32, _ name: String, to: Int32, _ newName: String) -> Int32 {
        #if canImport(Darwin)
        renameatx_np(from, name, to, newName, UInt32(RENAME_EXCL))
        #else
        pawl_rename_exclusive(from, name, to, newName)
        #endif
    }

    /// Exchanges two existing names in one step. EINVAL or ENOTSUP where the file system cannot.
    package static func exchange(_ first: Int32, _ name: String, with second: Int32, _ other: String) -> Int32 {
        #if canImport(Darwin)
        renameatx_np(first, name, second, other, UInt32(RENAME_SWAP))
        #else
        pawl_rename_exchange(first, name, second, other)
        #endif
    }
}
