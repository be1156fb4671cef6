import GRDB
package import PawlCore

extension Store {
    package func page(_ query: JobQuery) throws(DownloadError) -> JobPage {
        try read { database in
            let filter = Condition(query)
            let order = query.key.order
            var condition = Condition(query, ordered: true)
            if let cursor = query.after {
                condition.add(try order.condition(after: cursor, isDescending: query.isDescending))
            }
            let rows = try Row.fetchAll(
                database,
                sql:
                    "SELECT \(JobTable.selected), \(order.columns) FROM jobs\(condition.sql) ORDER BY \(order.clause(isDescending: query.isDescending)) LIMIT ? OFFSET ?",
                arguments: condition.arguments + [query.limit + 1, query.offset])
            let shown = rows.prefix(query.limit)
            return JobPage(
                jobs: shown.map { job($0) },
                total: try Int.fetchOne(
                    database, sql: "SELECT COUNT(*) FROM jobs\(filter.sql)", arguments: filter.arguments) ?? 0,
                counts: try Self.counts(database),
                change: try Int64.fetchOne(database, sql: "SELECT last FROM feed") ?? 0,
                next: rows.count > query.limit ? shown.last.map(order.cursor) : nil)
        }
    }

    /// The jobs of a page by its offset and limit alone: nothing is counted.
    package func jobs(_ query: JobQuery) throws(DownloadError) -> [StoredJob] {
        try read { database in
            let condition = Condition(query, ordered: true)
            let clause = query.key.order.clause(isDescending: query.isDescending)
            let rows = try Row.fetchAll(
                database,
                sql: "SELECT \(JobTable.selected) FROM jobs\(condition.sql) ORDER BY \(clause) LIMIT ? OFFSET ?",
                arguments: condition.arguments + [query.limit, query.offset])
            return rows.map { job($0) }
        }
    }

    /// The numbers of all jobs that a query finds, whatever its page.
    package func numbers(_ query: JobQuery) throws(DownloadError) -> [Int64] {
        try read { database in
            let filter = Condition(query)
            return try Int64.fetchAll(
                database, sql: "SELECT number FROM jobs\(filter.sql) ORDER BY number", arguments: filter.arguments)
        }
    }

    /// Returns the number of unfinished jobs before each of these in the queue.
    package func positions(of jobs: [StoredJob]) throws(DownloadError) -> [Int64: Int] {
        let waiting = jobs.filter { !$0.state.hasEnded }.sorted {
            ($0.listPlace.group, $0.listPlace.key, $0.number) < ($1.listPlace.group, $1.listPlace.key, $1.number)
        }
        guard !waiting.isEmpty else { return [:] }
        return try read { database in
            let groups = try database.cachedStatement(
                sql: "SELECT COUNT(*) FROM jobs WHERE list_group >= ? AND list_group < ?")
            // The bounds of the key alone are what the index can search by.
            let within = try database.cachedStatement(
                sql: """
                    SELECT COUNT(*) FROM jobs WHERE list_group = ? AND list_key >= ? AND list_key <= ?
                    AND (list_key, number) >= (?, ?) AND (list_key, number) < (?, ?)
                    """)
            var positions: [Int64: Int] = [:]
            // From one to the next, so that the index is read once.
            var start: (group: Int64, position: Int) = (.min, 0)
            var last: (key: Int64, number: Int64, position: Int) = (.min, .min, 0)
            for job in waiting {
                let (group, key) = job.listPlace
                if group != start.group || last.number == .min {
                    start = (group, start.position + (try Int.fetchOne(groups, arguments: [start.group, group]) ?? 0))
                    last = (.min, .min, start.position)
                }
                let between =
                    try Int.fetchOne(within, arguments: [group, last.key, key, last.key, last.number, key, job.number])
                    ?? 0
                last = (key, job.number, last.position + between)
                positions[job.number] = last.position
            }
            return positions
        }
    }

    package func counts() throws(DownloadError) -> [StoredJob.State: Int] { try read { try Self.counts($0) } }

    /// The ids of all jobs that a query finds, in its order.
    package func ids(_ query: JobQuery) throws(DownloadError) -> [String] {
        try read { database in
            let filter = Condition(query)
            return try String.fetchAll(
                database,
                sql:
                    "SELECT id FROM jobs\(filter.sql) ORDER BY \(query.key.order.clause(isDescending: query.isDescending))",
                arguments: filter.arguments)
        }
    }

    /// Returns the numbers of the jobs for which a program is to be run.
    func numbersWithHooks() throws(DownloadError) -> [Int64] {
        try read { try Int64.fetchAll($0, sql: "SELECT number FROM jobs WHERE hook_due = 1 ORDER BY number") }
    }

    /// Returns the numbers of completed jobs in which a step runs.
    func workingNumbers() throws(DownloadError) -> [Int64] {
        try read {
            try Int64.fetchAll(
                $0, sql: "SELECT number FROM jobs WHERE state = 'completed' AND step IS NOT NULL AND error_code IS NULL"
            )
        }
    }

    package func unfinishedDirectJobs(of url: String, in directory: String) throws(DownloadError) -> [StoredJob] {
        try read { database in
            try Row.fetchAll(
                database,
                sql:
                    "SELECT \(JobTable.selected) FROM jobs WHERE is_direct = 1 AND state NOT IN ('completed', 'failed') AND url = ? AND directory = ?",
                arguments: [url, directory]
            ).map { job($0) }
        }
    }

    /// The job whose file has this name in this directory, or which has this URL and will be in it.
    package func job(named name: String, of url: String, in directory: String) throws(DownloadError) -> StoredJob? {
        try read { database in
            try Row.fetchOne(
                database,
                sql:
                    "SELECT \(JobTable.selected) FROM jobs WHERE directory = ? AND (name = ? OR name IS NULL AND url = ?) LIMIT 1",
                arguments: [directory, name, url]
            ).map { job($0) }
        }
    }

    package func lastChange() throws(DownloadError) -> Int64 {
        try read { try Int64.fetchOne($0, sql: "SELECT last FROM feed") ?? 0 }
    }

    private static func counts(_ database: Database) throws -> [StoredJob.State: Int] {
        let rows = try Row.fetchAll(database, sql: "SELECT state, COUNT(*) FROM jobs GROUP BY state")
        return Dictionary(rows.compactMap { row in StoredJob.State(rawValue: row[0]).map { ($0, row[1]) } }) {
            first, _ in first
        }
    }
}

/// Conditions that all have to hold.
private struct Condition {
    private var parts: [String] = []
    private(set) var arguments = StatementArguments()

    init() {}

    /// - Parameter ordered: the rows are wanted in the order of the query, and not all of them.
    init(_ query: JobQuery, ordered: Bool = false) {
        if !query.states.isEmpty {
            let states = query.states.map(\.rawValue).sorted()
            // The sign keeps SQLite from collecting and sorting all jobs of these states for one page; of one state
            // there is an index in order.
            let hasIndex = !ordered || states.count == 1 && query.key == .position
            add(
                "\(hasIndex ? "" : "+")state IN (\(states.map { _ in "?" }.joined(separator: ", ")))",
                StatementArguments(states))
        }
        if let tag = query.tag { add("tag = ?", [tag]) }
        if !query.except.isEmpty {
            add(
                "id NOT IN (\(query.except.map { _ in "?" }.joined(separator: ", ")))", StatementArguments(query.except)
            )
        }
        if let text = query.text, !text.isEmpty {
            let pattern = "%" + text.escapedForLike + "%"
            add(
                #"(name LIKE ? ESCAPE '\' OR url LIKE ? ESCAPE '\' OR tag LIKE ? ESCAPE '\')"#,
                [pattern, pattern, pattern])
        }
    }

    var sql: String { parts.isEmpty ? "" : " WHERE " + parts.joined(separator: " AND ") }

    mutating func add(_ part: String, _ values: StatementArguments) {
        parts.append(part)
        arguments += values
    }

    mutating func add(_ other: Condition) {
        parts += other.parts
        arguments += other.arguments
    }
}

extension String {
    /// The text as a part of a LIKE pattern that matches only itself.
    fileprivate var escapedForLike: String {
        String(
            decoding: utf8.flatMap {
                [UInt8(ascii: "%"), UInt8(ascii: "_"), UInt8(ascii: #"\"#)].contains($0)
                    ? [UInt8(ascii: #"\"#), $0] : [$0]
            }, as: UTF8.self)
    }
}

/// The sort order of a list; the number of the job makes it unambiguous.
private struct Order {
    /// The terms of the order. None is ever NULL, so that a page can begin behind any of its values.
    let terms: [String]

    var columns: String { terms.joined(separator: ", ") }

    func clause(isDescending: Bool) -> String {
        terms.map { $0 + (isDescending ? " DESC" : "") }.joined(separator: ", ")
    }

    func condition(after cursor: JobQuery.Cursor, isDescending: Bool) throws -> Condition {
        guard cursor.values.count == terms.count else {
            throw DownloadError(
                .invalidArgument, "The cursor belongs to a list with a different order.", recovery: .giveUp)
        }
        var condition = Condition()
        // An index on an expression is not searched for a row of values, so the first one is compared by itself as
        // well.
        condition.add(
            "\(terms[0]) \(isDescending ? "<=" : ">=") ?", StatementArguments([cursor.values[0].databaseValue]))
        condition.add(
            "(\(columns)) \(isDescending ? "<" : ">") (\(terms.map { _ in "?" }.joined(separator: ", ")))",
            StatementArguments(cursor.values.map(\.databaseValue)))
        return condition
    }

    /// - Parameter row: with ``columns`` at its end.
    func cursor(_ row: Row) -> JobQuery.Cursor {
        JobQuery.Cursor(row.databaseValues.suffix(terms.count).map { JobQuery.Cursor.Value($0) })
    }
}

extension JobQuery.Key {
    fileprivate var order: Order {
        switch self {
        case .position: Order(terms: ["list_group", "list_key", "number"])
        case .added: Order(terms: ["added", "number"])
        case .name: Order(terms: ["COALESCE(name, '') COLLATE NOCASE", "number"])
        case .size: Order(terms: ["COALESCE(total, -1)", "number"])
        case .state: Order(terms: ["(\(JobTable.phase))", "list_group", "list_key", "number"])
        }
    }
}

extension JobQuery.Cursor.Value {
    fileprivate init(_ value: DatabaseValue) {
        switch value.storage {
        case .int64(let number): self = .integer(number)
        case .string(let text): self = .text(text)
        case .null, .double, .blob: self = .none
        }
    }

    fileprivate var databaseValue: (any DatabaseValueConvertible)? {
        switch self {
        case .none: nil
        case .integer(let number): number
        case .text(let text): text
        }
    }
}
