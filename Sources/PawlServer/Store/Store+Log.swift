import GRDB
package import PawlCore

extension Store {
    /// An event of a job.
    package struct LogEntry: Hashable, Sendable {
        /// Seconds since 1970.
        package var time: Int64
        /// The name of an event of `pawl get --json`, or of an action.
        package var code: String
        package var message: String

        package init(time: Int64, code: String, message: String) {
            self.time = time
            self.code = code
            self.message = message
        }
    }

    /// The number of entries that the log of a job holds.
    package static let rememberedEntries = 100

    /// Adds entries to the logs of jobs. Those of a job that is gone leave no trace.
    static func log(_ entries: [(job: Int64, entry: LogEntry)], _ database: Database) throws {
        guard !entries.isEmpty else { return }
        let insert = try database.cachedStatement(
            sql: "INSERT INTO log SELECT number, ?, ?, ? FROM jobs WHERE number = ?")
        for (job, entry) in entries { try insert.execute(arguments: [entry.time, entry.code, entry.message, job]) }
        for job in Set(entries.map(\.job)) {
            try database.execute(
                sql:
                    "DELETE FROM log WHERE job = ? AND rowid <= (SELECT rowid FROM log WHERE job = ? ORDER BY rowid DESC LIMIT 1 OFFSET ?)",
                arguments: [job, job, Self.rememberedEntries])
        }
    }

    /// Returns the log of a job, oldest entry first.
    package func log(of job: Int64) throws(DownloadError) -> [LogEntry] {
        try read { database in
            try Row.fetchAll(
                database, sql: "SELECT time, code, message FROM log WHERE job = ? ORDER BY rowid", arguments: [job]
            )
            .map { LogEntry(time: $0[0], code: $0[1], message: $0[2]) }
        }
    }
}
