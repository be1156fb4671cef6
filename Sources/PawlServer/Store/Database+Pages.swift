import GRDB
import GRDBSQLite

/// Pages that SQLite writes.
extension Database {
    /// Pages that this connection has written, or has failed to write, since it was opened.
    var pagesWritten: Int {
        guard let sqliteConnection else { return 0 }
        var count: CInt = 0
        var highest: CInt = 0
        sqlite3_db_status(sqliteConnection, SQLITE_DBSTATUS_CACHE_WRITE, &count, &highest, 0)
        return Int(count)
    }

    /// Writes at least this many pages to the log and rolls back, then commits one page with the content that it
    /// already has.
    ///
    /// The pages are flushed first, because a rollback drops those that have not outgrown the cache. The log keeps the
    /// space, and the next changes overwrite the pages that were rolled back. The commit shows that the disk can sync.
    func tryWriting(pages: Int) throws {
        let pageSize = try Int.fetchOne(self, sql: "PRAGMA page_size") ?? 4096
        try inTransaction(.immediate) {
            // No download has this id. The bound keeps a trial short, for other writers wait for it.
            let length = min(pages, 4096) * pageSize
            try execute(
                sql: "INSERT OR REPLACE INTO downloads (id, record) VALUES (?, zeroblob(?))",
                arguments: [Int64.min, length])
            let code = sqlite3_db_cacheflush(sqliteConnection)
            guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
            return .rollback
        }
        // This pragma writes the first page even if the value stays the same. An UPDATE that changes nothing writes
        // nothing.
        try execute(sql: "PRAGMA user_version = \(Schema.version)")
    }
}
