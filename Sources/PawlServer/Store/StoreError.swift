import GRDB
import PawlCore

extension DownloadError {
    /// The database itself cannot be used.
    static func database(_ path: String, _ what: String, _ remedies: [Remedy] = []) -> DownloadError {
        DownloadError(
            .journal,
            "The database “\(path)” \(what). It is unchanged. Restore a good copy, or move it away to start with an empty list. Downloaded files, finished and partial, are not affected.",
            remedies: remedies, recovery: .giveUp)
    }

    init(_ error: any Error, ofDatabase path: String) {
        guard let error = error as? DatabaseError else {
            self = .database(path, "cannot be used (\(error))")
            return
        }
        let cause = "SQLite \(error.extendedResultCode.rawValue): \(error.message ?? "no message")"
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            self = .database(path, "is damaged or is not a database of Pawl (\(cause))")
        case .SQLITE_FULL: self = Self.storage(path, .noSpace, cause)
        case .SQLITE_READONLY: self = Self.storage(path, .readOnly, cause)
        case .SQLITE_PERM, .SQLITE_CANTOPEN: self = Self.storage(path, .permissionDenied, cause)
        case .SQLITE_IOERR:
            // See ``MappedLog``.
            let isFull = [.SQLITE_IOERR_SHMMAP, .SQLITE_IOERR_SHMSIZE].contains(error.extendedResultCode)
            self = Self.storage(path, isFull ? .noSpace : .inputOutput, cause)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self = DownloadError(
                .locked, "The database “\(path)” is locked by another program (\(cause)).", remedies: [.waitForOther],
                recovery: .retryAfter(nil))
        default: self = .database(path, "cannot be used (\(cause))")
        }
    }

    private static func storage(_ path: String, _ reason: StorageError.Reason, _ cause: String) -> DownloadError {
        .storage(StorageError(operation: cause, name: path, reason: reason))
    }
}
