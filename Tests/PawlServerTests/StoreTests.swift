import GRDB
import PawlCore
import PawlEngine
import PawlJobs
import PawlTestKit
import Synchronization
import Testing

@testable import PawlServer

@Suite("The service's database")
struct StoreTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("pawl.sqlite") }

    init() throws { directory = try TemporaryDirectory("store") }

    // MARK: The session of the manager

    @Test(arguments: SessionConformance.Check.allCases)
    func `the manager's session in the database keeps its promises`(_ check: SessionConformance.Check) throws {
        try SessionConformance { StandaloneSession(path) }.run(check)
    }

    // MARK: The file

    @Test func `a commit waits for the disk, on the connection that writes`() throws {
        let store = try Store(path)
        defer { store.close() }
        // 2 is FULL.
        #expect(try store.write { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 2)
        #expect(try store.write { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
    }

    @Test func `a change is made although its caller is cancelled, and the database is well`() async throws {
        let store = try Store(path)
        defer { store.close() }
        let changing = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.apply(Self.adding(1))
        }
        #expect(try await changing.value.added.count == 1)
        #expect(store.problem == nil)
    }

    @Test func `only the owner can read the database and its log`() throws {
        let store = try Store(path)
        defer { store.close() }
        _ = try store.apply(Self.adding(1))
        for name in ["pawl.sqlite", "pawl.sqlite-wal", "pawl.sqlite-shm", "pawl.sqlite.lock"] {
            #expect(try Files.status(directory.file(name)).mode & 0o777 == 0o600, "\(name)")
        }
    }

    @Test func `a database of a newer version is refused and left as it is`() throws {
        try edit { try $0.execute(sql: "PRAGMA user_version = 99") }
        let before = try Files.read(path)
        let error = #expect(throws: DownloadError.self) { try Store(path) }
        #expect(error?.code == .journal && error?.remedies == [.useNewerVersion], "\(String(describing: error))")
        #expect(error?.message.contains("schema version 99") == true)
        #expect(try Files.read(path) == before)
    }

    @Test func `a database of version 1 keeps its keys, and is copied before`() throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: Schema.steps[0])
            let columns =
                "id, request_key, spec, lacks_secrets, url, directory, priority, rank, state, stored, is_skipped, added, list_group, list_key, change"
            try database.execute(
                sql:
                    "INSERT INTO jobs (\(columns)) VALUES ('job-1', 'key', ?, 0, '', '', 0, 0, 'queued', 0, 0, 0, 0, 0, 1); PRAGMA user_version = 1",
                arguments: [Self.job(1).spec.json])
        }
        try queue.close()
        let store = try Store(path)
        defer { store.close() }
        let known = try store.job(requestKey: "key")
        #expect(known?.job.id == "job-1" && known?.fingerprint.isEmpty == true)
        let copy = try DatabaseQueue(path: path + ".version-1")
        defer { try? copy.close() }
        #expect(try copy.read { try String.fetchOne($0, sql: "SELECT request_key FROM jobs") } == "key")
    }

    @Test func `a damaged database is refused and left as it is`() throws {
        let store = try Store(path)
        _ = try store.apply(Self.adding(500))
        store.close()
        var bytes = try Files.read(path)
        for index in bytes.indices where index > 8192 && index % 4096 < 64 { bytes[index] ^= 0x5A }
        try Files.write(bytes, to: path)
        let error = #expect(throws: DownloadError.self) { try Store(path) }
        #expect(error?.code == .journal, "\(String(describing: error))")
        #expect(error?.message.contains("damaged") == true, "\(String(describing: error))")
        #expect(try Files.read(path) == bytes)
    }

    @Test func `a file that is no database is refused and left as it is`() throws {
        let bytes =
            Array("These are notes about downloads, and no database.\n".utf8) + [UInt8](repeating: 0x41, count: 9000)
        try Files.write(bytes, to: path)
        let error = #expect(throws: DownloadError.self) { try Store(path) }
        #expect(error?.code == .journal)
        #expect(try Files.read(path) == bytes)
    }

    @Test func `a directory that is not there is an error that names the database`() {
        let error = #expect(throws: DownloadError.self) { try Store(directory.file("no/such/place.sqlite")) }
        #expect(error?.message.contains("no/such/place.sqlite") == true)
    }

    // MARK: Jobs

    @Test func `a job is kept with everything that is known of it`() throws {
        var job = Self.job(1, "https://user:secret@example.org/disk.iso?token=1")
        job.spec.options.maximumConnections = 3
        job.lacksSecrets = true
        job.tag = "isos"
        job.priority = -7
        job.rank = -1 << 40
        job.download = DownloadID(.max)
        job.state = .failed
        job.step = .unpack
        job.name = "disk.iso"
        job.stored = 1 << 40
        job.total = 1 << 41
        job.isComplete = true
        job.isVerified = false
        job.failure = StoredJob.Failure(code: "damaged", message: "“disk.iso” is damaged.")
        job.started = 5
        job.ended = 6
        let kept = try kept(job)
        job.number = 1
        job.change = 1
        #expect(kept == job)
        #expect(kept?.url == "https://example.org/disk.iso")
    }

    @Test func `an id or a request key is given once`() throws {
        let store = try Store(path)
        defer { store.close() }
        var first = JobChanges()
        first.added = [Self.job(1)]
        let key = RequestKey("key", of: first.added[0].spec)
        first.keys = [(key, .added(0))]
        _ = try store.apply(first)
        #expect(throws: DownloadError.self) { try store.apply(first) }
        first.added[0] = Self.job(2)
        #expect(throws: DownloadError.self) { try store.apply(first) }
        let known = try store.job(requestKey: "key")
        #expect(known?.job.id == "job-1" && known?.fingerprint == key.fingerprint)
        #expect(try store.page(JobQuery()).total == 1)
    }

    @Test func `of changes that cannot all be made, none is made`() throws {
        let store = try Store(path)
        defer { store.close() }
        let (kept, _) = try Self.two(in: store)
        var changes = JobChanges()
        changes.removed = [kept]
        changes.added = [Self.job(3), Self.job(3)]
        #expect(throws: DownloadError.self) { try store.apply(changes) }
        #expect(try store.page(JobQuery()).jobs.map(\.id) == ["job-1", "job-2"])
        #expect(try store.feed(since: 2, limit: 10)?.last == 2)
    }

    @Test func `H19 a removed job is told as it was to the end, whatever the caller knew of it`() throws {
        let store = try Store(path)
        defer { store.close() }
        let (known, _) = try Self.two(in: store)
        var ended = known
        (ended.state, ended.ended, ended.isHookDue) = (.failed, 7, true)
        _ = try store.apply(Self.changing([ended]))
        var changes = JobChanges()
        changes.removed = [known]
        let removed = try #require(try store.apply(changes).removed.first)
        #expect(removed.isHookDue && removed.ended == 7)
        changes.removed = [known]
        #expect(try store.apply(changes).removed.isEmpty)
    }

    // MARK: The change feed

    @Test func `each change has the next number, and the feed tells each job once, as it is now`() throws {
        let store = try Store(path)
        defer { store.close() }
        var (first, second) = try Self.two(in: store)
        first.state = .running
        _ = try store.apply(Self.changing([first]))
        second.state = .failed
        first.state = .paused
        let last = try store.apply(Self.changing([second, first]))
        #expect(last.changed.map(\.change) == [4, 5])
        let feed = try #require(try store.feed(since: 0, limit: 100))
        #expect(feed.last == 5)
        #expect(feed.changes.map(\.number) == [4, 5])
        #expect(feed.changes.map(\.change) == [.put(last.changed[0]), .put(last.changed[1])])
        #expect(try store.feed(since: 5, limit: 100)?.changes.isEmpty == true)
    }

    @Test func `the feed tells removals in their place`() throws {
        let store = try Store(path)
        defer { store.close() }
        var (first, second) = try Self.two(in: store)
        var changes = JobChanges()
        changes.removed = [first]
        _ = try store.apply(changes)
        second.state = .running
        second = try store.apply(Self.changing([second, first])).changed[0]
        first.change = 3
        let feed = try #require(try store.feed(since: 1, limit: 100))
        #expect(feed.changes.map(\.number) == [3, 4])
        #expect(feed.changes.map(\.change) == [.removed(id: "job-1"), .put(second)])
    }

    @Test func `a reader that knows a change of another database, or a forgotten one, reads the list anew`() throws {
        let store = try Store(path)
        defer { store.close() }
        _ = try Self.two(in: store)
        #expect(try store.feed(since: 3, limit: 10) == nil)
        #expect(try store.feed(since: -1, limit: 10) == nil)
        var gone = JobChanges()
        gone.removed = try store.apply(Self.adding(Store.rememberedRemovals + 5, from: 10)).added
        _ = try store.apply(gone)
        #expect(try store.feed(since: 2, limit: 10) == nil)
        let total = Int64(2 + 2 * (Store.rememberedRemovals + 5))
        #expect(try store.feed(since: total - 3, limit: 10)?.changes.count == 3)
    }

    @Test func `a long feed comes in parts`() throws {
        let store = try Store(path)
        defer { store.close() }
        _ = try store.apply(Self.adding(10))
        var seen: [Int64] = []
        while let part = try store.feed(since: seen.last ?? 0, limit: 4), !part.changes.isEmpty {
            seen += part.changes.map(\.number)
        }
        #expect(seen == Array(1...10))
    }

    // MARK: Settings

    @Test func `settings are kept`() async throws {
        let store = try Store(path)
        try await store.set(["a": "1", "b": "2"])
        try await store.set(["b": "3"])
        store.close()
        let again = try Store(path)
        defer { again.close() }
        let settings = try again.settings()
        #expect(settings.values == ["a": "1", "b": "3"])
    }

    // MARK: Secrets

    @Test(arguments: [true, false])
    func `P26 secrets are forgotten in a history of any length, and in it only`(_ ofUnfinished: Bool) throws {
        let store = try Store(path)
        defer { store.close() }
        var changes = JobChanges()
        changes.added = (1...1203).map { number in
            var job = Self.job(number, "https://example.org/\(number)?token=secret-\(number)")
            if number % 3 != 0 { (job.state, job.ended) = (.completed, 1) }
            return job
        }
        _ = try store.apply(changes)
        let forgotten = try #require(try store.forgetSecrets(ofUnfinished: ofUnfinished))
        #expect(forgotten.count == (ofUnfinished ? 401 : 0))
        #expect(forgotten.allSatisfy { $0.value.holdsSecrets && $0.key % 3 == 0 })
        for number in [1, 2, 3, 499, 500, 501, 999, 1000, 1001, 1202, 1203] {
            let job = try #require(try store.job("job-\(number)"))
            #expect(job.spec.holdsSecrets == (number % 3 == 0 && !ofUnfinished), "\(number)")
            #expect(job.lacksSecrets == (number % 3 == 0 && ofUnfinished), "\(number)")
        }
        #expect(try store.forgetSecrets(ofUnfinished: ofUnfinished) == nil)
    }

    // MARK: Helpers

    static func job(_ number: Int, _ url: String? = nil) -> StoredJob {
        StoredJob(id: "job-\(number)", spec: JobSpec(url ?? "https://example.org/\(number)"), added: Int64(number))
    }

    static func adding(_ count: Int, from first: Int = 1) -> JobChanges {
        var changes = JobChanges()
        changes.added = (first..<first + count).map { job($0) }
        return changes
    }

    static func changing(_ jobs: [StoredJob]) -> JobChanges {
        var changes = JobChanges()
        changes.changed = jobs
        return changes
    }

    private static func two(in store: Store) throws -> (StoredJob, StoredJob) {
        let jobs = try store.apply(adding(2)).added
        return (jobs[0], jobs[1])
    }

    /// Once the database was closed and opened again.
    private func kept(_ job: StoredJob) throws -> StoredJob? {
        let store = try Store(path)
        var changes = JobChanges()
        changes.added = [job]
        _ = try store.apply(changes)
        store.close()
        let again = try Store(path)
        defer { again.close() }
        return try again.job(job.id)
    }

    private func edit(_ change: (Database) throws -> Void) throws {
        let store = try Store(path)
        try store.write(change)
        store.close()
    }
}

/// A session that opens its database by itself.
private final class StandaloneSession: SessionStore {
    private let path: String
    private let store = Locked<Store?>(nil)

    init(_ path: String) { self.path = path }

    func load() throws(DownloadError) -> [SessionRecord] {
        let store = try Store(path)
        self.store.withLock { $0 = store }
        return try SessionTable(store).load()
    }

    func save(_ changes: [SessionChange]) throws(DownloadError) {
        guard let store = store.withLock({ $0 }) else {
            throw DownloadError(.invalidArgument, "It was not loaded.", recovery: .giveUp)
        }
        try SessionTable(store).save(changes)
    }

    func close() { store.withLock { $0 }?.close() }
}
