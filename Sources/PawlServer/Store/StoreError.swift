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
        case .SQLITE_FULL: self = .storage(.noSpace, "“\(path)”", cause: cause)
        case .SQLITE_READONLY: self = .storage(.readOnly, "“\(path)”", cause: cause)
        case .SQLITE_PERM, .SQLITE_CANTOPEN: self = .storage(.permissionDenied, "“\(path)”", cause: cause)
        case .SQLITE_IOERR:
            // See ``MappedLog``.
            let isFull = [.SQLITE_IOERR_SHMMAP, .SQLITE_IOERR_SHMSIZE].contains(error.extendedResultCode)
            self = .storage(isFull ? .noSpace : .inputOutput, "“\(path)”", cause: cause)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self = DownloadError(
                .locked, "The database “\(path)” is locked by another program (\(cause)).", remedies: [.waitForOther],
                recovery: .retryAfter(nil))
        default: self = .database(path, "cannot be used (\(cause))")
        }
    }
}
