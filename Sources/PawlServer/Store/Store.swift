import GRDB
package import PawlCore
import PawlEngine
import PawlSystem
import Synchronization

/// The service's database: one SQLite file that only its owner can read, and that one process at a time uses.
///
/// A write that has returned survives a crash and a power cut (WAL, `synchronous=FULL`); one that threw has changed
/// nothing. Calls block. A database that is damaged or newer is an error and is left as it is.
package final class Store: Sendable {
    let path: String
    private let pool: DatabasePool
    private let lock: StoreLock
    private let observer = Locked(Observer())
    private let health = Locked(Health())
    let unreadable = Locked(Unreadable())

    /// The observer in a structure: a closure that stands in the lock by itself is wrapped anew with each access, which
    /// takes longer each time.
    private struct Observer {
        var call: (@Sendable () -> Void)?
    }

    struct Unreadable {
        var reasons: [UnreadableRow: String] = [:]
        var observer: (@Sendable (UnreadableRow, String) -> Void)?
    }

    private struct Health {
        var state = StoreHealth()
        var observer: (@Sendable (DownloadError?) -> Void)?
    }

    /// Opens the database, or creates it. Its directory must exist.
    ///
    /// - Throws: ``DownloadError/Code/locked`` while another process, or another store of this one, has it open;
    ///   ``DownloadError/Code/journal`` if it is damaged or written by a newer version; what the disk says otherwise.
    package convenience init(_ path: String) throws(DownloadError) { try self.init(path, isDurable: true) }

    /// - Parameter isDurable: false for tests that have to lose something.
    init(_ path: String, isDurable: Bool) throws(DownloadError) {
        self.path = path
        _ = MappedLog.isReserved
        lock = try StoreLock(for: path)
        pool = try Self.translating(path) { try Self.open(path, isDurable: isDurable) }
    }

    private static func open(_ path: String, isDurable: Bool) throws -> DatabasePool {
        try check(path)
        var configuration = Configuration()
        configuration.label = "pawl"
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = 4
        // Only checkpoints of other connections of this process are waited for.
        configuration.busyMode = .timeout(10)
        let pool = try DatabasePool(path: path, configuration: configuration)
        // The pool chooses NORMAL, with which a power cut undoes the latest transactions.
        try pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = \(isDurable ? "FULL" : "OFF")")
            // What is forgotten is overwritten: it may have been a password.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            // What a killed process has left there may be forgotten by now. On a full disk it stays.
            _ = try? database.checkpoint(.truncate)
        }
        try migrate(pool, path)
        return pool
    }

    /// Checks the database through a connection that cannot write: a pool writes as soon as it is opened.
    private static func check(_ path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let (version, fault) = try queue.read { database in
            (
                try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0,
                try String.fetchOne(database, sql: "PRAGMA quick_check(1)") ?? "no answer"
            )
        }
        try queue.close()
        guard version <= Schema.version else {
            throw DownloadError.database(
                path, "was written by a newer Pawl (schema version \(version))", [.useNewerVersion])
        }
        guard fault.utf8.elementsEqual("ok".utf8) else { throw DownloadError.database(path, "is damaged (\(fault))") }
    }

    /// Applies all steps of the migration or none. A database that is not empty is copied first.
    private static func migrate(_ pool: DatabasePool, _ path: String) throws {
        try pool.writeWithoutTransaction { database in
            let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            guard version < Schema.version else { return }
            if version > 0 {
                try database.execute(sql: "VACUUM INTO ?", arguments: [try freeName("\(path).version-\(version)")])
            }
            try database.inTransaction(.immediate) {
                for step in Schema.steps.dropFirst(version) { try database.execute(sql: step) }
                try database.execute(sql: "PRAGMA user_version = \(Schema.version)")
                return .commit
            }
        }
    }

    /// An empty file that only the owner can read: SQLite fills it.
    private static func freeName(_ path: String) throws(DownloadError) -> String {
        for attempt in 0..<1000 {
            let name = attempt == 0 ? path : "\(path)-\(attempt)"
            let file = SystemCalls.retryingInterrupts {
                PawlSystem.open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
            }
            if file >= 0 {
                _ = SystemCalls.close(file)
                return name
            }
            guard errno == EEXIST else { break }
        }
        throw .database(path, "cannot be copied before the upgrade: \(SystemCalls.text(of: errno))", [.freeSpace])
    }

    /// Closes the database. No call may follow.
    package func close() {
        take(.closed)
        // The pool closes its writer first, and so leaves the log where it is.
        _ = try? pool.writeWithoutTransaction { database in
            if database.sqliteConnection != nil { _ = try database.checkpoint(.truncate) }
        }
        try? pool.close()
        lock.release()
    }

    /// Sets the observer that is called after each transaction that may have added to the change feed, on the caller's
    /// thread. It must not block.
    package func observe(_ observer: @escaping @Sendable () -> Void) { self.observer.withLock { $0.call = observer } }

    // MARK: Transactions

    /// Runs the body on a consistent snapshot of the database.
    func read<Value>(_ body: (Database) throws -> Value) throws(DownloadError) -> Value {
        try Self.translating(path) { try pool.read(body) }
    }

    /// Runs one transaction, which is durable on return.
    func write<Value>(_ body: (Database) throws -> Value) throws(DownloadError) -> Value {
        defer { observer.withLock { $0.call }?() }
        return try Self.translating(path) { try pool.writeWithoutTransaction { try commit(body, $0) } }
    }

    /// The same, without blocking a thread of the caller. A caller that is cancelled, as one whose client has gone, is
    /// no reason to leave half of its work undone, nor a fault of the database.
    func asyncWrite<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(DownloadError) -> Value {
        defer { observer.withLock { $0.call }?() }
        do {
            return try await Task { [self] in try await pool.writeWithoutTransaction { try commit(body, $0) } }.value
        } catch {
            throw error as? DownloadError ?? DownloadError(error, ofDatabase: path)
        }
    }

    /// Codes that blame the change, and say nothing about the database or its disk.
    private static let faultsOfChange: [ResultCode] = [
        .SQLITE_CONSTRAINT, .SQLITE_ERROR, .SQLITE_MISMATCH, .SQLITE_MISUSE, .SQLITE_RANGE, .SQLITE_TOOBIG,
    ]

    /// Commits what the body does, and notes the outcome before the next transaction begins.
    private func commit<Value>(_ body: (Database) throws -> Value, _ database: Database) throws -> Value {
        let before = database.pagesWritten
        do {
            var value: Value?
            try database.inTransaction {
                value = try body(database)
                return .commit
            }
            take(.saved(pages: database.pagesWritten - before))
            // Proven: the transaction was committed, so its body has returned.
            return value!
        } catch let error as DatabaseError where !Self.faultsOfChange.contains(error.resultCode) {
            take(.refused(DownloadError(error, ofDatabase: path), pages: database.pagesWritten - before))
            throw error
        }
    }

    /// Empties the log, which may still hold what was overwritten in the database.
    ///
    /// - Returns: false if a reader or the disk was in the way.
    func discardLog() async -> Bool {
        do {
            try await pool.writeWithoutTransaction { database in
                // GRDB hands a closed connection to SQLite, which follows it.
                if database.sqliteConnection != nil { _ = try database.checkpoint(.truncate) }
            }
            return true
        } catch {
            return false
        }
    }

    // MARK: Health

    /// The wait before a trial.
    private static let pause = Duration.seconds(1)

    /// The reason why changes cannot be saved, as of the latest refusal; nil while they can.
    package var problem: DownloadError? { health.withLock { $0.state.problem } }

    /// Sets the observer that is called when changes begin to be refused, and with nil when they can be saved again. It
    /// must not block.
    func observeHealth(_ observer: @escaping @Sendable (DownloadError?) -> Void) {
        health.withLock { $0.observer = observer }
    }

    private func take(_ event: StoreHealth.Event) {
        let (actions, observer) = health.withLock { ($0.state.handle(event), $0.observer) }
        for action in actions {
            switch action {
            case .report(let problem): observer?(problem)
            case .awaitTrial:
                Task { [weak self] in
                    try? await Task.sleep(for: Self.pause)
                    self?.take(.trialDue)
                }
            case .tryWriting(let pages): Task { await tryWriting(pages: pages) }
            }
        }
    }

    /// Finds out whether a change of this size can be saved, without making one.
    func tryWriting(pages: Int) async {
        do {
            try await pool.writeWithoutTransaction { database in
                try database.tryWriting(pages: pages)
                take(.trialSaved(pages: pages))
            }
        } catch {
            take(.trialRefused(DownloadError(error, ofDatabase: path)))
        }
    }

    private static func translating<Value>(_ path: String, _ body: () throws -> Value) throws(DownloadError) -> Value {
        do {
            return try body()
        } catch let error as DownloadError {
            throw error
        } catch {
            throw DownloadError(error, ofDatabase: path)
        }
    }
}

/// Keeps other processes, and other stores of this one, away from a database.
///
/// A file of its own: closing any descriptor of the database would release the locks that SQLite holds on it.
private final class StoreLock: Sendable {
    private let file: Locked<Int32?>

    init(for path: String) throws(DownloadError) {
        let file = try Self.open(path + ".lock")
        guard SystemCalls.lockExclusively(file) == 0 else {
            _ = SystemCalls.close(file)
            throw DownloadError(
                .locked,
                "The database “\(path)” is in use by another process, probably a service that is already running. Stop it first, or give this one its own state directory (XDG_STATE_HOME).",
                remedies: [.waitForOther], recovery: .retryAfter(nil))
        }
        self.file = Locked(file)
        // Only now: closing it releases the locks of another store of this process. SQLite gives its other files the
        // same mode.
        _ = SystemCalls.close(try Self.open(path))
    }

    deinit { release() }

    private static func open(_ path: String) throws(DownloadError) -> Int32 {
        let file = SystemCalls.retryingInterrupts {
            PawlSystem.open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        guard file >= 0 else {
            throw .database(path, "cannot be opened: \(SystemCalls.text(of: errno))", [.makeWritable])
        }
        return file
    }

    func release() {
        let held = file.withLock { file in
            defer { file = nil }
            return file
        }
        guard let held else { return }
        SystemCalls.unlock(held)
        _ = SystemCalls.close(held)
    }
}
