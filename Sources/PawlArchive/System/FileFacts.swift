import PawlEngine
import PawlSystem

/// The system's facts about a file.
struct FileFacts {
    enum Kind: Hashable {
        case file
        case directory
        case symbolicLink
        /// Another kind of file, in words, with an article.
        case other(String)
    }

    let identity: FileIdentity
    let kind: Kind
    let size: Int64
    let isExecutable: Bool
    /// Whether it belongs to the user of this process.
    let isOwn: Bool
    let modifiedSeconds: Int64
    let modifiedNanoseconds: Int64

    /// Reads the facts of an open file; nil with the reason in `errno`.
    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the facts of a name, without following a link; nil with the reason in `errno`.
    init?(in directory: Int32, _ name: [CChar]) {
        var status = stat()
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        identity = FileIdentity(
            device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino))
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            case S_IFIFO: .other("a named pipe")
            case S_IFSOCK: .other("a socket")
            case S_IFCHR: .other("a character device")
            case S_IFBLK: .other("a block device")
            default: .other("neither a file, a directory nor a link")
            }
        size = Int64(status.st_size)
        isExecutable = status.st_mode & S_IXUSR != 0
        isOwn = status.st_uid == geteuid()
        #if canImport(Darwin)
        let modified = status.st_mtimespec
        #else
        let modified = status.st_mtim
        #endif
        modifiedSeconds = Int64(modified.tv_sec)
        modifiedNanoseconds = Int64(modified.tv_nsec)
    }

    /// Whether nothing indicates that the bytes have changed.
    func hasContent(of other: FileFacts) -> Bool {
        size == other.size && modifiedSeconds == other.modifiedSeconds
            && modifiedNanoseconds == other.modifiedNanoseconds
    }
}
