import GRDB
import PawlCore
import PawlJobs

extension Store {
    /// Takes the secrets out of the rows of completed jobs, and of all others as well if none are to be stored.
    ///
    /// - Returns: by number, what those ask for that are not completed, with their secrets; nil if there was nothing to
    ///   forget.
    func forgetSecrets(ofUnfinished: Bool) throws(DownloadError) -> [Int64: JobSpec]? {
        let condition = "holds_secrets = 1\(ofUnfinished ? "" : " AND state = 'completed'")"
        let isNeedless = try read { database in
            try Int.fetchOne(database, sql: "SELECT 1 FROM jobs WHERE \(condition) LIMIT 1") == nil
        }
        if isNeedless { return nil }
        return try write { database in
            var specs: [Int64: JobSpec] = [:]
            let select = try database.cachedStatement(
                sql:
                    "SELECT \(JobTable.selected) FROM jobs WHERE \(condition) AND number > ? ORDER BY number LIMIT \(Self.forgottenAtOnce)"
            )
            var last: Int64 = 0
            while true {
                let rows = try Row.fetchAll(select, arguments: [last])
                for row in rows {
                    last = row[0]
                    var job = job(row)
                    guard !job.isUnreadable else { continue }
                    let spec = job.spec
                    if job.forgetSecrets(), job.state != .completed {
                        (specs[job.number], job.lacksSecrets) = (spec, true)
                    }
                    try JobTable.update(job, database)
                }
                if rows.count < Self.forgottenAtOnce { return specs }
            }
        }
    }

    /// The whole history may hold secrets.
    private static let forgottenAtOnce = 500
}
