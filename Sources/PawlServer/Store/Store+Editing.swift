import GRDB
import PawlCore

/// A change of one job, made to what the database holds of it at that moment.
struct JobEdit: Sendable {
    let number: Int64
    let change: @Sendable (inout StoredJob) -> Void
}

/// What is known of each unfinished job while the service runs: small, for there may be a hundred thousand.
struct JobSketch: Hashable, Sendable {
    var number: Int64
    var download: DownloadID?
    var state: StoredJob.State
    var name: String?
    var total: Int64?
    var priority: Int32
    var rank: Int64
    var isDirect: Bool
}

extension JobSketch {
    var isPaused: Bool { state == .paused }

    init(_ job: StoredJob) {
        self.init(
            number: job.number, download: job.download, state: job.state, name: job.name, total: job.total,
            priority: job.priority, rank: job.rank, isDirect: job.isDirect)
    }
}

extension Store {
    /// Makes the edits in their order and adds to the logs, in one transaction. Those of a job that is gone, and those
    /// that change nothing, leave no trace.
    ///
    /// - Returns: The jobs that have changed, with the numbers of their changes.
    func edit(
        _ edits: [JobEdit], logging entries: [(job: Int64, entry: LogEntry)] = []
    ) async throws(DownloadError) -> [StoredJob] {
        let path = path
        return try await asyncWrite { database in
            let select = try database.cachedStatement(sql: "SELECT \(JobTable.selected) FROM jobs WHERE number = ?")
            var order: [Int64] = []
            var jobs: [Int64: (before: StoredJob, now: StoredJob)] = [:]
            for edit in edits {
                if jobs[edit.number] == nil, let row = try Row.fetchOne(select, arguments: [edit.number]) {
                    let job = try JobTable.job(row, path)
                    jobs[edit.number] = (job, job)
                    order.append(edit.number)
                }
                if var job = jobs[edit.number] {
                    edit.change(&job.now)
                    jobs[edit.number] = job
                }
            }
            var changes = JobChanges()
            changes.changed = order.compactMap { number in jobs[number].flatMap { $0.now == $0.before ? nil : $0.now } }
            try Self.log(entries, database)
            return try Self.apply(changes, database).changed
        }
    }

    /// All that have not ended.
    func sketches() throws(DownloadError) -> [JobSketch] {
        let path = path
        return try read { database in
            let rows = try Row.fetchCursor(
                database,
                sql:
                    "SELECT number, download, state, name, total, priority, rank, is_direct FROM jobs WHERE state NOT IN (?, ?)",
                arguments: [StoredJob.State.completed.rawValue, StoredJob.State.failed.rawValue])
            var sketches: [JobSketch] = []
            while let row = try rows.next() {
                guard let state = StoredJob.State(rawValue: row[2]) else {
                    throw DownloadError.database(path, "holds a job in an unknown state")
                }
                sketches.append(
                    JobSketch(
                        number: row[0], download: (row[1] as Int64?).map { DownloadID(UInt64(bitPattern: $0)) },
                        state: state,
                        name: row[3], total: row[4], priority: Int32(clamping: row[5] as Int64), rank: row[6],
                        isDirect: row[7]))
            }
            return sketches
        }
    }

    /// The downloads of all jobs, whatever their state.
    func downloads() throws(DownloadError) -> [DownloadID: Int64] {
        try read { database in
            let rows = try Row.fetchCursor(
                database, sql: "SELECT download, number FROM jobs WHERE download IS NOT NULL")
            var downloads: [DownloadID: Int64] = [:]
            while let row = try rows.next() { downloads[DownloadID(UInt64(bitPattern: row[0] as Int64))] = row[1] }
            return downloads
        }
    }
}
