import GRDB
import PawlCore
import PawlJobs
import Synchronization

/// Rows that cannot be read. Each is told of once and left as it is, and the service goes on with the rest.
extension Store {
    struct UnreadableRow: Hashable, Sendable {
        var table: String
        var number: Int64
    }

    /// Decodes a row with ``JobTable/selected``; an unreadable row becomes a failed job that says so.
    func job(_ row: Row) -> StoredJob {
        do throws(JobSpecError) {
            return try JobTable.job(row)
        } catch {
            note(unreadable: "jobs", row[0], error.message)
            let message =
                "Row \(row[0] as Int64) of the table “jobs” in “\(path)” cannot be read: \(error.message) It is unchanged. Remove this download and add it again; stored bytes are kept."
            return JobTable.unreadable(
                row, StoredJob.Failure(code: DownloadError.Code.journal.rawValue, message: message))
        }
    }

    /// Reports an unreadable row to the owner, once.
    func note(unreadable table: String, _ number: Int64, _ reason: String) {
        let row = UnreadableRow(table: table, number: number)
        let tell = unreadable.withLock { state -> (@Sendable (UnreadableRow, String) -> Void)? in
            guard state.reasons.updateValue(reason, forKey: row) == nil else { return nil }
            return state.observer
        }
        tell?(row, reason)
    }

    /// Sets the observer that is called for each row that cannot be read, including those found before. It must not
    /// block.
    func observeUnreadable(_ observer: @escaping @Sendable (UnreadableRow, String) -> Void) {
        let known = unreadable.withLock { state in
            state.observer = observer
            return state.reasons
        }
        for (row, reason) in known.sorted(by: { $0.key.number < $1.key.number }) { observer(row, reason) }
    }
}
