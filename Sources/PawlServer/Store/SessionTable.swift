import FoundationEssentials
import GRDB
import PawlCore
import PawlEngine

/// The session of a `DownloadManager` in the service's database.
///
/// Its records are the manager's: only the manager reads them, and what lists need of a job is in the table of jobs.
struct SessionTable: SessionStore {
    private let store: Store

    init(_ store: Store) { self.store = store }

    func load() throws(DownloadError) -> [SessionRecord] {
        try store.read { database in
            let rows = try Row.fetchCursor(database, sql: "SELECT id, record FROM downloads")
            var records: [SessionRecord] = []
            while let row = try rows.next() {
                records.append(
                    SessionRecord(id: DownloadID(UInt64(bitPattern: row[0] as Int64)), bytes: Array(row[1] as Data)))
            }
            return records
        }
    }

    /// Leaves out an unreadable record; its job gets another download.
    func leaveOut(_ id: DownloadID, _ error: DownloadError) {
        store.note(unreadable: "downloads", Int64(bitPattern: id.number), error.message)
    }

    func save(_ changes: [SessionChange]) throws(DownloadError) {
        guard !changes.isEmpty else { return }
        try store.write { database in
            let put = try database.cachedStatement(sql: "INSERT OR REPLACE INTO downloads (id, record) VALUES (?, ?)")
            let remove = try database.cachedStatement(sql: "DELETE FROM downloads WHERE id = ?")
            for change in changes {
                switch change {
                case .put(let record):
                    try put.execute(arguments: [Int64(bitPattern: record.id.number), Data(record.bytes)])
                case .remove(let id): try remove.execute(arguments: [Int64(bitPattern: id.number)])
                }
            }
        }
    }

    /// The database is the store's to close.
    func close() {}
}
