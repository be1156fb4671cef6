import GRDBSQLite
import PawlSystem

/// The index of the database's log, which SQLite maps into memory.
enum MappedLog {
    private typealias Map =
        @convention(c) (UnsafeMutableRawPointer?, Int, CInt, CInt, CInt, off_t) -> UnsafeMutableRawPointer?

    /// Has SQLite reserve the room of the index before it is mapped, once for the process. SQLite writes the last byte
    /// of each 4 KiB only; on a disk of smaller blocks the rest are holes, and to write to one while the disk is full
    /// ends the process (SIGBUS). So it is an error like others: `SQLITE_IOERR_SHMMAP`.
    static let isReserved: Bool = {
        guard let vfs = sqlite3_vfs_find(nil), let replace = vfs.pointee.xSetSystemCall else { return false }
        let map: Map = { address, length, protection, flags, file, offset in
            if protection & PROT_WRITE != 0, file >= 0,
                SystemCalls.reserve(file, size: Int64(offset) + Int64(length)) != 0,
                [ENOSPC, EDQUOT].contains(errno)
            {
                return MAP_FAILED
            }
            return mmap(address, length, protection, flags, file, offset)
        }
        // Proven: both are pointers to C functions, and SQLite casts this one back.
        return replace(vfs, "mmap", unsafeBitCast(map, to: sqlite3_syscall_ptr.self)) == SQLITE_OK
    }()
}
