import GRDB
package import PawlCore
import PawlJobs

/// Changes to the list of jobs in one transaction. Each gets the next number of the change feed, in this order.
package struct JobChanges: Sendable {
    package var added: [StoredJob] = []
    package var changed: [StoredJob] = []
    package var removed: [StoredJob] = []
    package var keys: [(key: RequestKey, job: Holder)] = []

    /// The job that a key is for.
    package enum Holder: Sendable {
        /// The index in ``added``.
        case added(Int)
        case number(Int64)
    }

    package init() {}

    package var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty && keys.isEmpty }
}

extension Store {
    /// The number of removals that the feed remembers; a client that was away for longer reads the list anew.
    static let rememberedRemovals = 10_000

    /// Applies all of them or none.
    ///
    /// - Returns: The same, with the numbers that jobs and changes were given. A changed or removed job that is not
    ///   there (any more) is left out, and a removed one is as it was to the end.
    package func apply(_ changes: JobChanges) throws(DownloadError) -> JobChanges {
        try write { try Self.apply(changes, $0) }
    }

    /// The same, without blocking a thread of the caller.
    package func apply(_ changes: JobChanges) async throws(DownloadError) -> JobChanges {
        try await asyncWrite { try Self.apply(changes, $0) }
    }

    static func apply(_ changes: JobChanges, _ database: Database) throws -> JobChanges {
        guard !changes.isEmpty else { return changes }
        var done = JobChanges()
        var change = try Int64.fetchOne(database, sql: "SELECT last FROM feed") ?? 0
        for var job in changes.added {
            change += 1
            job.change = change
            job.number = try JobTable.insert(job, database)
            done.added.append(job)
        }
        for (key, holder) in changes.keys {
            let number =
                switch holder {
                case .added(let index): done.added[index].number
                case .number(let number): number
                }
            // It may have been removed meanwhile.
            try database.execute(
                sql: "INSERT INTO request_keys (key, fingerprint, job) SELECT ?, ?, number FROM jobs WHERE number = ?",
                arguments: [key.text, key.fingerprint, number])
        }
        for var job in changes.changed {
            job.change = change + 1
            try JobTable.update(job, database)
            guard database.changesCount > 0 else { continue }
            change += 1
            done.changed.append(job)
        }
        for known in changes.removed {
            let row = try Row.fetchOne(
                database, sql: "SELECT \(JobTable.selected) FROM jobs WHERE number = ?", arguments: [known.number])
            guard let row else { continue }
            try database.execute(sql: "DELETE FROM jobs WHERE number = ?", arguments: [known.number])
            change += 1
            var job = (try? JobTable.job(row)) ?? known
            job.change = change
            try database.execute(sql: "INSERT INTO removals VALUES (?, ?)", arguments: [change, job.id])
            done.removed.append(job)
        }
        try database.execute(sql: "UPDATE feed SET last = ?", arguments: [change])
        if !done.removed.isEmpty { try forgetRemovals(database) }
        return done
    }

    private static func forgetRemovals(_ database: Database) throws {
        let oldest = try Int64.fetchOne(
            database, sql: "SELECT change FROM removals ORDER BY change DESC LIMIT 1 OFFSET ?",
            arguments: [rememberedRemovals])
        guard let oldest else { return }
        try database.execute(sql: "DELETE FROM removals WHERE change <= ?", arguments: [oldest])
        try database.execute(sql: "UPDATE feed SET forgotten = ?", arguments: [oldest])
    }

    // MARK: One job

    package func job(_ id: String) throws(DownloadError) -> StoredJob? { try firstJob("id = ?", id) }

    /// The one that answered a request with this key, and the fingerprint of that request.
    package func job(requestKey: String) throws(DownloadError) -> (job: StoredJob, fingerprint: String)? {
        try read { database in
            let sql =
                "SELECT \(JobTable.selected), fingerprint FROM request_keys JOIN jobs ON number = job WHERE key = ?"
            return try Row.fetchOne(database, sql: sql, arguments: [requestKey]).map {
                (job($0), $0["fingerprint"])
            }
        }
    }

    package func job(number: Int64) throws(DownloadError) -> StoredJob? { try firstJob("number = ?", number) }

    /// Returns jobs by their ids; missing ones are left out.
    func jobs(_ ids: [String]) throws(DownloadError) -> [ExactText: StoredJob] {
        try read { database in
            var jobs: [ExactText: StoredJob] = [:]
            for start in stride(from: 0, to: ids.count, by: Self.rowsAtOnce) {
                let some = ids[start..<min(start + Self.rowsAtOnce, ids.count)]
                let rows = try Row.fetchCursor(
                    database, sql: "SELECT \(JobTable.selected) FROM jobs WHERE id IN (\(Self.places(some.count)))",
                    arguments: StatementArguments(Array(some)))
                while let row = try rows.next() { jobs[ExactText(row[1] as String)] = job(row) }
            }
            return jobs
        }
    }

    /// Returns the numbers of the jobs that still exist.
    func numbers(of jobs: [StoredJob]) throws(DownloadError) -> [Int64] {
        try read { database in
            try stride(from: 0, to: jobs.count, by: Self.rowsAtOnce).flatMap { start in
                let some = jobs[start..<min(start + Self.rowsAtOnce, jobs.count)].map(\.number)
                return try Int64.fetchAll(
                    database, sql: "SELECT number FROM jobs WHERE number IN (\(Self.places(some.count)))",
                    arguments: StatementArguments(some))
            }
        }
    }

    /// A statement takes so many values and some more.
    private static let rowsAtOnce = 500

    private static func places(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }

    /// Returns the jobs whose id begins with these hexadecimal digits and hyphens.
    package func jobs(withIDPrefix prefix: String, limit: Int) throws(DownloadError) -> [StoredJob] {
        try read { database in
            // No id has a letter behind f.
            try Row.fetchAll(
                database, sql: "SELECT \(JobTable.selected) FROM jobs WHERE id >= ? AND id < ? LIMIT ?",
                arguments: [prefix, prefix + "g", limit]
            ).map { job($0) }
        }
    }

    private func firstJob(
        _ condition: String, _ value: any DatabaseValueConvertible
    ) throws(DownloadError) -> StoredJob? {
        try read { database in
            try Row.fetchOne(
                database, sql: "SELECT \(JobTable.selected) FROM jobs WHERE \(condition)", arguments: [value]
            )
            .map { job($0) }
        }
    }

    // MARK: The change feed

    /// The changes since a given change, in order: each job once, as it is now.
    package struct Feed: Sendable {
        package enum Change: Hashable, Sendable {
            case put(StoredJob)
            case removed(id: String)
            case settings
        }

        package var changes: [(number: Int64, change: Change)]
        /// The newest of all.
        package var last: Int64
    }

    /// Removals up to this change are no longer known.
    package func forgottenChange() throws(DownloadError) -> Int64 {
        try read { try Int64.fetchOne($0, sql: "SELECT forgotten FROM feed") ?? 0 }
    }

    /// - Parameter limit: at most so many, the oldest.
    /// - Returns: nil where some of it is not known any more, or was never there: the list has to be read anew.
    package func feed(since change: Int64, limit: Int) throws(DownloadError) -> Feed? {
        try read { database in
            guard let ends = try Row.fetchOne(database, sql: "SELECT last, forgotten FROM feed") else { return nil }
            let (last, forgotten): (Int64, Int64) = (ends[0], ends[1])
            guard (forgotten...last).contains(change) else { return nil }
            let rows = try Row.fetchAll(
                database, sql: "SELECT \(JobTable.selected) FROM jobs WHERE change > ? ORDER BY change LIMIT ?",
                arguments: [change, limit])
            let removals = try Row.fetchAll(
                database, sql: "SELECT change, id FROM removals WHERE change > ? ORDER BY change LIMIT ?",
                arguments: [change, limit])
            let settings = try Int64.fetchAll(
                database, sql: "SELECT DISTINCT change FROM settings WHERE change > ?", arguments: [change])
            let changes: [(number: Int64, change: Feed.Change)] =
                rows.map { row in
                    let job = job(row)
                    return (job.change, .put(job))
                } + removals.map { ($0[0], .removed(id: $0[1])) } + settings.map { ($0, .settings) }
            return Feed(changes: Array(changes.sorted { $0.number < $1.number }.prefix(limit)), last: last)
        }
    }
}
