import Foundation
import GRDB
import PawlCore
import PawlJobs
import PawlTestKit
import Testing

@testable import PawlServer

@Suite("Whether the database can save changes", .timeLimit(.minutes(2)))
struct StoreHealthTests {
    private static let full = DownloadError(.diskFull, "The disk is full.", recovery: .retryAfter(nil))
    private static let broken = DownloadError(.diskError, "The disk cannot be read.", recovery: .retryAfter(nil))

    /// A database that has just refused a change of ten pages.
    private static func ill() -> StoreHealth {
        var health = StoreHealth()
        _ = health.handle(.refused(full, pages: 10))
        return health
    }

    @Test func `a refusal is reported once, and a trial is awaited`() {
        var health = StoreHealth()
        #expect(health.handle(.saved(pages: 1)) == [])
        #expect(health.handle(.refused(Self.full, pages: 10)) == [.report(Self.full), .awaitTrial])
        #expect(health.handle(.refused(Self.broken, pages: 2)) == [])
        #expect(health.problem == Self.broken)
    }

    @Test func `a smaller change proves nothing, and one as large does`() {
        var health = Self.ill()
        #expect(health.handle(.saved(pages: 9)) == [])
        #expect(health.problem == Self.full)
        #expect(health.handle(.saved(pages: 10)) == [.report(nil)])
        #expect(health.problem == nil)
        // The former size no longer counts.
        #expect(health.handle(.refused(Self.full, pages: 2)) == [.report(Self.full)])
        #expect(health.handle(.saved(pages: 2)) == [.report(nil)])
    }

    @Test func `a trial is as large as the largest refused change`() {
        var health = Self.ill()
        _ = health.handle(.refused(Self.full, pages: 30))
        _ = health.handle(.refused(Self.full, pages: 20))
        #expect(health.handle(.trialDue) == [.tryWriting(pages: 30)])
        #expect(health.handle(.trialSaved(pages: 30)) == [.report(nil)])
        #expect(health.problem == nil)
    }

    @Test func `a refused trial is followed by one of the same size, and tells the latest cause`() {
        var health = Self.ill()
        for _ in 1...3 {
            #expect(health.handle(.trialDue) == [.tryWriting(pages: 10)])
            #expect(health.handle(.trialRefused(Self.broken)) == [.awaitTrial])
            #expect(health.problem == Self.broken)
        }
    }

    @Test func `a trial does not outweigh a larger change that was refused meanwhile`() {
        var health = Self.ill()
        _ = health.handle(.trialDue)
        #expect(health.handle(.refused(Self.full, pages: 11)) == [])
        #expect(health.handle(.trialSaved(pages: 10)) == [.awaitTrial])
        #expect(health.problem == Self.full)
        #expect(health.handle(.trialDue) == [.tryWriting(pages: 11)])
    }

    @Test func `a trial that comes too late changes nothing`() {
        var health = Self.ill()
        _ = health.handle(.trialDue)
        _ = health.handle(.saved(pages: 10))
        #expect(health.handle(.trialRefused(Self.full)) == [])
        #expect(health.problem == nil)
        // The next illness has trials again.
        #expect(health.handle(.refused(Self.full, pages: 1)) == [.report(Self.full), .awaitTrial])
    }

    @Test func `where nothing could be written, any page is proof, and a transaction that wrote none is not`() {
        var health = StoreHealth()
        _ = health.handle(.refused(Self.broken, pages: 0))
        #expect(health.handle(.saved(pages: 0)) == [])
        #expect(health.problem == Self.broken)
        #expect(health.handle(.trialDue) == [.tryWriting(pages: 1)])
        #expect(health.handle(.saved(pages: 1)) == [.report(nil)])
    }

    @Test func `no trial follows once the database is well or closed`() {
        var health = Self.ill()
        _ = health.handle(.saved(pages: 10))
        #expect(health.handle(.trialDue) == [])
        health = Self.ill()
        _ = health.handle(.closed)
        #expect(health.handle(.trialDue) == [])
        #expect(health.handle(.refused(Self.full, pages: 20)) == [])
    }

    // MARK: The database

    @Test func `a trial takes its space from the disk, and leaves nothing in the database`() async throws {
        let directory = try TemporaryDirectory("health")
        let store = try Store(directory.file("jobs.sqlite"))
        defer { store.close() }
        _ = try await store.apply(StoreTests.adding(1))
        func space() throws -> Int64 { try Files.status(directory.file("jobs.sqlite-wal")).size }
        func databasePages() throws -> Int? { try store.read { try Int.fetchOne($0, sql: "PRAGMA page_count") } }
        let (before, pages) = (try space(), try databasePages())
        for _ in 1...3 { await store.tryWriting(pages: 200) }
        let taken = try (space() - before) / 4096
        // Without a flush, no page reaches the disk before the rollback; committed, each trial would take as much
        // again.
        #expect((200...220).contains(taken))
        #expect(try databasePages() == pages)
        #expect(try SessionTable(store).load().isEmpty)
        #expect(try store.page(JobQuery()).total == 1)
        #expect(store.problem == nil)
    }

    @Test(
        .disabled(
            if: ProcessInfo.processInfo.environment["PAWL_WITHOUT_ROOT"] != nil,
            "PAWL_WITHOUT_ROOT is set, and this needs root"))
    func `on a full disk only a change as large as the refused one makes the database well`() async throws {
        try await Self.withDisk(of: 8 << 20) { directory in
            let store = try Store(directory + "/jobs.sqlite")
            defer { store.close() }
            let (reports, reporter) = AsyncStream.makeStream(of: DownloadError?.self)
            store.observeHealth { reporter.yield($0) }
            var report = reports.makeAsyncIterator()
            var job = try await store.apply(StoreTests.adding(1)).added[0]
            let large = StoreTests.adding(2000, from: 2)
            // Room for the small changes below, and for a fraction of the large one.
            let ballast = try Self.fill(directory, leaving: 256 << 10)

            for number in 1...3 {
                await #expect(throws: DownloadError.self) { try await store.apply(large) }
                #expect(store.problem?.code == .diskFull)
                job.tag = "small \(number)"
                job = try await store.apply(StoreTests.changing([job])).changed[0]
                #expect(store.problem?.code == .diskFull)
                await store.tryWriting(pages: 1)
                #expect(store.problem?.code == .diskFull)
                await store.tryWriting(pages: 100)
                #expect(store.problem?.code == .diskFull)
            }
            #expect(try store.page(JobQuery()).total == 1)
            Files.remove(ballast)
            let first = await report.next()
            #expect(first??.code == .diskFull)
            // The store's own trial finds the room.
            let second = await report.next()
            #expect(second == .some(nil))
            #expect(store.problem == nil)
            #expect(try await store.apply(large).added.count == 2000)
            #expect(try store.job("job-1")?.tag == "small 3")
            reporter.finish()
            let third = await report.next()
            #expect(third == nil, "the state flapped")
        }
    }

    @Test func `a change that contradicts the database says nothing about the disk`() async throws {
        let directory = try TemporaryDirectory("health")
        let store = try Store(directory.file("jobs.sqlite"))
        defer { store.close() }
        _ = try await store.apply(StoreTests.adding(1))
        await #expect(throws: DownloadError.self) { try await store.apply(StoreTests.adding(1)) }
        #expect(store.problem == nil)
    }

    @Test func `the service is not well while it holds a change back`() async throws {
        let directory = try TemporaryDirectory("health")
        let service = try JobService(JobService.Configuration(path: directory.file("jobs.sqlite")))
        var spec = JobSpec("http://127.0.0.1:9/file")
        (spec.id, spec.directory) = ("held", directory.path)
        var new = JobService.NewJob(spec)
        new.isPaused = true
        let job = try await service.add([new])[0].get().job
        // The change cannot be made, and all others can.
        try service.store.write {
            try $0.execute(
                sql: "CREATE TRIGGER held BEFORE UPDATE ON jobs BEGIN SELECT RAISE(ABORT, 'held back'); END")
        }
        service.ledger.edit(job.number) { $0.tag = "held back" }
        await #expect(throws: DownloadError.self) { try await service.ledger.settle() }
        try await service.store.set(["name": "value"])
        #expect(service.store.problem == nil)
        #expect(service.problem?.code == .journal)
        try service.store.write { try $0.execute(sql: "DROP TRIGGER held") }
        try await service.ledger.settle()
        #expect(service.problem == nil)
        #expect(try service.job("held").tag == "held back")
        await service.shutdown()
    }

    // MARK: Helpers

    /// Mounts a disk in memory. Not a ``MountedDisk``: SQLite resolves the link to it in `/proc`, and so misses the
    /// mount.
    private static func withDisk(of bytes: Int, _ body: (String) async throws -> Void) async throws {
        let directory = try TemporaryDirectory("health")
        let mounting = try await Subprocess.run(
            "mount", ["-t", "tmpfs", "-o", "size=\(bytes),mode=0700", "pawl-test", directory.path])
        try #require(mounting.ending == .exited(0), "no disk could be mounted: \(mounting.standardError)")
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(directory.path)) } catch { outcome = .failure(error) }
        _ = try await Subprocess.run("umount", ["-l", directory.path])
        try outcome.get()
    }

    /// Takes all of the disk but `rest` bytes. The database never finds it fuller than that.
    private static func fill(_ directory: String, leaving rest: Int) throws -> String {
        var room = statvfs()
        let code = statvfs(directory, &room)
        try #require(code == 0)
        let ballast = directory + "/ballast"
        try Files.write([UInt8](repeating: 1, count: Int(room.f_bavail) * Int(room.f_frsize) - rest), to: ballast)
        return ballast
    }
}
