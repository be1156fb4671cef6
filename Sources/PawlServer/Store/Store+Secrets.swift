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
            let rows = try Row.fetchAll(database, sql: "SELECT \(JobTable.selected) FROM jobs WHERE \(condition)")
            for var job in rows.map({ job($0) }) where !job.isUnreadable {
                let spec = job.spec
                if job.forgetSecrets(), job.state != .completed {
                    (specs[job.number], job.lacksSecrets) = (spec, true)
                }
                try JobTable.update(job, database)
            }
            return specs
        }
    }
}
