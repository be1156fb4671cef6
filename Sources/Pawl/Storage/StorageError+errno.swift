import PawlCore
import PawlSystem

extension StorageError {
    /// Creates the error of a call that has just failed with `errno`.
    package init(operation: String, name: String, errno: Int32) {
        self.init(operation: operation, name: name, reason: Reason(errno: errno))
    }
}

extension StorageError.Reason {
    /// Creates the error for a value of `errno`, as the calls that ``POSIXStorage`` makes mean it. A call for which a
    /// value means something else, such as ENXIO from opening a socket, says so where it is made.
    init(errno: Int32) {
        switch errno {
        case ENOSPC: self = .noSpace
        case EDQUOT: self = .quotaExceeded
        case EROFS: self = .readOnly
        // EPERM is also what an immutable or append-only file answers.
        case EACCES, EPERM: self = .permissionDenied
        // A device pulled out while mounted answers any of the three.
        case EIO, ENXIO, ENODEV: self = .inputOutput
        case EFBIG: self = .fileTooLarge
        case EEXIST: self = .exists
        case ENOENT: self = .notFound
        case ENOTDIR: self = .notADirectory
        case EISDIR: self = .isADirectory
        // open(2): "ELOOP: pathname was a symbolic link, and flags specified O_NOFOLLOW".
        case ELOOP: self = .symbolicLink
        case ENAMETOOLONG: self = .nameTooLong
        case EMFILE, ENFILE: self = .tooManyOpenFiles
        // ENOLCK: NFS without its lock service.
        case ENOTSUP, EOPNOTSUPP, ENOSYS, ENOLCK: self = .notSupported
        case EXDEV: self = .crossDevice
        case ESTALE: self = .stale
        case EBUSY, ETXTBSY, EAGAIN: self = .busy
        default: self = .other(errno: errno)
        }
    }
}
