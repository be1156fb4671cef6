import GRDB
import PawlCore
import PawlJobs

/// Converts jobs to rows and back.
enum JobTable {
    /// The order of lists by state: what goes on first.
    static let phase =
        "CASE state WHEN 'running' THEN 0 WHEN 'waiting' THEN 1 WHEN 'queued' THEN 2 WHEN 'paused' THEN 3 WHEN 'failed' THEN 4 ELSE 5 END"

    private static let columns = [
        "id", "spec", "lacks_secrets", "tag", "url", "directory", "priority", "rank", "download", "state", "step",
        "name",
        "stored", "total", "is_complete", "is_verified", "is_skipped", "unpacked", "error_code", "error_message",
        "error_recovery", "error_remedies", "added", "started", "ended", "list_group", "list_key", "change",
        "is_direct", "record", "hook_due", "holds_secrets",
    ]
    /// The columns in the order in which ``job(_:)`` reads them.
    static let selected = "number, " + columns.joined(separator: ", ")
    private static let insertion =
        "INSERT INTO jobs (\(columns.joined(separator: ", "))) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
    private static let update =
        "UPDATE jobs SET \(columns.map { "\($0) = ?" }.joined(separator: ", ")) WHERE number = ?"

    /// - Returns: The number it was given.
    static func insert(_ job: StoredJob, _ database: Database) throws -> Int64 {
        try database.cachedStatement(sql: insertion).execute(arguments: StatementArguments(values(of: job)))
        return database.lastInsertedRowID
    }

    static func update(_ job: StoredJob, _ database: Database) throws {
        try database.cachedStatement(sql: update).execute(arguments: StatementArguments(values(of: job) + [job.number]))
    }

    private static func values(of job: StoredJob) -> [(any DatabaseValueConvertible)?] {
        let place = job.listPlace
        return [
            job.id, job.spec.json, job.lacksSecrets, job.tag, job.url, job.spec.directory, job.priority, job.rank,
            job.download.map { Int64(bitPattern: $0.number) }, job.state.rawValue, job.step?.name, job.name, job.stored,
            job.total,
            job.isComplete, job.isVerified, job.isSkipped, job.unpacked, job.failure?.code, job.failure?.message,
            job.failure?.recovery,
            job.failure?.remedies.joined(separator: " "), job.added, job.started, job.ended, place.group, place.key,
            job.change, job.isDirect, job.record, job.isHookDue, job.spec.holdsSecrets,
        ]
    }

    /// Decodes a row with the columns ``selected``.
    ///
    /// - Throws: why the row cannot be read.
    static func job(_ row: Row) throws(JobSpecError) -> StoredJob {
        var job = StoredJob(id: row[1], spec: try JobSpec(json: row[2]), added: row[23])
        guard let state = StoredJob.State(rawValue: row[10]) else {
            throw JobSpecError(.newerVersion, [], "“\(row[10] as String)” is not a known state.")
        }
        job.number = row[0]
        job.lacksSecrets = row[3]
        job.tag = row[4]
        job.priority = Int32(clamping: row[7] as Int64)
        job.rank = row[8]
        job.download = (row[9] as Int64?).map { DownloadID(UInt64(bitPattern: $0)) }
        job.state = state
        job.step = (row[11] as String?).flatMap { JobStep(name: $0) }
        job.name = row[12]
        job.stored = row[13]
        job.total = row[14]
        job.isComplete = row[15]
        job.isVerified = row[16]
        job.isSkipped = row[17]
        job.unpacked = row[18]
        if let code = row[19] as String? {
            let remedies = (row[22] as String? ?? "").utf8.split(separator: UInt8(ascii: " ")).map { String($0) ?? "" }
            job.failure = StoredJob.Failure(
                code: code, message: row[20] ?? "", recovery: row[21] ?? "giveUp", remedies: remedies)
        }
        job.started = row[24]
        job.ended = row[25]
        job.change = row[28]
        job.record = row[30]
        job.isHookDue = row[31]
        return job
    }

    /// Returns the job that lists show in place of an unreadable row: a failed job that can be removed, and nothing
    /// else.
    static func unreadable(_ row: Row, _ failure: StoredJob.Failure) -> StoredJob {
        var spec = JobSpec(row[5] as String)
        spec.directory = row[6]
        var job = StoredJob(id: row[1], spec: spec, added: row[23])
        (job.number, job.tag, job.name, job.change) = (row[0], row[4], row[12], row[28])
        job.download = (row[9] as Int64?).map { DownloadID(UInt64(bitPattern: $0)) }
        (job.state, job.step, job.failure, job.ended) = (.failed, .resolve, failure, row[25] ?? row[23])
        job.isUnreadable = true
        return job
    }
}
