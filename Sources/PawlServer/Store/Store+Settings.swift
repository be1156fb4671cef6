import GRDB
package import PawlCore

extension Store {
    /// Returns the settings that the user has changed, by name, and the number of the latest change; zero before the
    /// first.
    package func settings() throws(DownloadError) -> (values: [String: String], change: Int64) {
        try read { database in
            var values: [String: String] = [:]
            var change: Int64 = 0
            for row in try Row.fetchAll(database, sql: "SELECT name, value, change FROM settings") {
                values[row[0]] = row[1] as String
                change = max(change, row[2])
            }
            return (values, change)
        }
    }

    /// Stores settings as one change of the feed.
    package func set(_ values: [String: String]) async throws(DownloadError) {
        guard !values.isEmpty else { return }
        try await asyncWrite { database in
            let change = (try Int64.fetchOne(database, sql: "SELECT last FROM feed") ?? 0) + 1
            for (name, value) in values {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO settings VALUES (?, ?, ?)", arguments: [name, value, change])
            }
            try database.execute(sql: "UPDATE feed SET last = ?", arguments: [change])
        }
    }

    // MARK: Logins

    /// - Parameter hash: of a session cookie.
    package func addLogin(_ hash: String, until: Int64, now: Int64) throws(DownloadError) {
        try write { database in
            try database.execute(sql: "DELETE FROM logins WHERE until < ?", arguments: [now])
            try database.execute(sql: "INSERT OR REPLACE INTO logins VALUES (?, ?)", arguments: [hash, until])
        }
    }

    package func hasLogin(_ hash: String, now: Int64) throws(DownloadError) -> Bool {
        try read {
            try Bool.fetchOne($0, sql: "SELECT until >= ? FROM logins WHERE hash = ?", arguments: [now, hash]) ?? false
        }
    }

    package func removeLogin(_ hash: String) throws(DownloadError) {
        try write { try $0.execute(sql: "DELETE FROM logins WHERE hash = ?", arguments: [hash]) }
    }
}
