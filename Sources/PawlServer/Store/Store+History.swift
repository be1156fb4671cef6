import GRDB
import PawlCore

extension Store {
    /// Removes ended jobs that ended before a time or are more than so many, the newest counted first, in one
    /// transaction: what is retried meanwhile has ended no more, or is refused as unknown. Those whose program has not
    /// run yet stay.
    ///
    /// - Parameters:
    ///   - now: noted as a time at which the clock was trusted.
    ///   - mayGo: of the number of a job.
    /// - Returns: the removed ones.
    func removeEnded(
        beyond count: Int?, before time: Int64?, trusting now: Int64?,
        _ mayGo: @escaping @Sendable (Int64) -> Bool
    ) async throws(DownloadError) -> [StoredJob] {
        guard try !endedNumbers(beyond: count, before: time).isEmpty || now != nil else { return [] }
        return try await asyncWrite { [self] database in
            if let now { try database.execute(sql: "UPDATE feed SET trusted = ?", arguments: [now]) }
            let select = try database.cachedStatement(sql: "SELECT \(JobTable.selected) FROM jobs WHERE number = ?")
            var changes = JobChanges()
            for number in try Self.endedNumbers(beyond: count, before: time, database) where mayGo(number) {
                guard let job = try Row.fetchOne(select, arguments: [number]).map({ job($0) }), !job.isUnreadable else {
                    continue
                }
                changes.removed.append(job)
            }
            return try Self.apply(changes, database).removed
        }
    }

    private func endedNumbers(beyond count: Int?, before time: Int64?) throws(DownloadError) -> [Int64] {
        try read { try Self.endedNumbers(beyond: count, before: time, $0) }
    }

    private static func endedNumbers(beyond count: Int?, before time: Int64?, _ database: Database) throws -> [Int64] {
        var numbers: Set<Int64> = []
        if let count {
            numbers.formUnion(
                try Int64.fetchAll(
                    database,
                    sql: """
                        SELECT number FROM (
                            SELECT number, hook_due FROM jobs WHERE list_group = ? ORDER BY list_key, number LIMIT -1 OFFSET ?
                        ) WHERE hook_due = 0
                        """, arguments: [Int64.max, count]))
        }
        if let time {
            numbers.formUnion(
                try Int64.fetchAll(
                    database, sql: "SELECT number FROM jobs WHERE list_group = ? AND list_key > ? AND hook_due = 0",
                    arguments: [Int64.max, -time]))
        }
        return numbers.sorted()
    }

    /// The latest time at which the clock was trusted; in a database of an earlier version, the latest that it has of
    /// any job. Nil: none is known.
    func trustedTime() throws(DownloadError) -> Int64? {
        try read { database in
            let trusted = try Int64.fetchOne(database, sql: "SELECT trusted FROM feed") ?? 0
            if trusted > 0 { return trusted }
            return try Int64.fetchOne(database, sql: "SELECT MAX(MAX(added), MAX(COALESCE(ended, 0))) FROM jobs")
        }
    }
}
