import GRDB
import PawlCore

/// A change of one job, made to what the database holds of it at that moment.
struct JobEdit: Sendable {
    let number: Int64
    let change: @Sendable (inout StoredJob) -> Void
}

/// The facts about an unfinished job that are held in memory while the service runs: few, for there may be a hundred
/// thousand jobs.
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
    /// Makes the edits in their order and adds to the logs, in one transaction. Those of a job that is gone or cannot
    /// be read, and those that change nothing, leave no trace.
    ///
    /// - Returns: The jobs that have changed, with the numbers of their changes. A change of what is not told has none.
    func edit(
        _ edits: [JobEdit], logging entries: [(job: Int64, entry: LogEntry)] = []
    ) async throws(DownloadError) -> [StoredJob] {
        try await asyncWrite { [self] database in
            let select = try database.cachedStatement(sql: "SELECT \(JobTable.selected) FROM jobs WHERE number = ?")
            var order: [Int64] = []
            var jobs: [Int64: (before: StoredJob, now: StoredJob)] = [:]
            for edit in edits {
                if jobs[edit.number] == nil, let row = try Row.fetchOne(select, arguments: [edit.number]) {
                    let job = job(row)
                    guard !job.isUnreadable else { continue }
                    jobs[edit.number] = (job, job)
                    order.append(edit.number)
                }
                if var job = jobs[edit.number] {
                    edit.change(&job.now)
                    jobs[edit.number] = job
                }
            }
            var changes = JobChanges()
            for job in order.compactMap({ jobs[$0] }) where job.now != job.before {
                if job.now.shown == job.before.shown {
                    try JobTable.update(job.now, database)
                } else {
                    changes.changed.append(job.now)
                }
            }
            try Self.log(entries, database)
            return try Self.apply(changes, database).changed
        }
    }

    /// Returns the sketches of all jobs that have not ended. An unreadable row is left out and reported.
    func sketches() throws(DownloadError) -> [JobSketch] {
        try read { database in
            let rows = try Row.fetchCursor(
                database,
                sql:
                    "SELECT number, download, state, name, total, priority, rank, is_direct FROM jobs WHERE state NOT IN (?, ?)",
                arguments: [StoredJob.State.completed.rawValue, StoredJob.State.failed.rawValue])
            var sketches: [JobSketch] = []
            while let row = try rows.next() {
                let download = (row[1] as Int64?).map { DownloadID(UInt64(bitPattern: $0)) }
                guard let state = StoredJob.State(rawValue: row[2]) else {
                    note(unreadable: "jobs", row[0], "“\(row[2] as String)” is not a known state.")
                    continue
                }
                sketches.append(
                    JobSketch(
                        number: row[0], download: download, state: state, name: row[3], total: row[4],
                        priority: Int32(clamping: row[5] as Int64), rank: row[6], isDirect: row[7]))
            }
            return sketches
        }
    }

    /// The downloads that jobs wait for. A job of which nobody can tell whether it has ended waits for none.
    func wantedDownloads() throws(DownloadError) -> Set<DownloadID> {
        try read { database in
            let numbers = try Int64.fetchCursor(
                database,
                sql:
                    "SELECT download FROM jobs WHERE download IS NOT NULL AND state IN ('queued', 'running', 'waiting', 'paused')"
            )
            var wanted: Set<DownloadID> = []
            while let number = try numbers.next() { wanted.insert(DownloadID(UInt64(bitPattern: number))) }
            return wanted
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
