import PawlCore
import PawlEngine
import PawlJobs
import PawlTestKit
import Synchronization
import Testing

@testable import PawlServer

/// How the history is trimmed, and what many changes at once cost.
@Suite struct HistoryTests {
    private static let hour: Int64 = 3_600_000
    private static let day = 24 * hour
    private static let now: Int64 = 1_800_000_000_000

    // MARK: The clock

    /// Returns whether the clock is trusted at each of these looks, by the wall clock from ``now`` and the steady one.
    private static func trust(known: Int64?, _ looks: (wall: Int64, steady: Int64)...) -> [Bool] {
        var clock = ClockTrust()
        return looks.map { clock.trusts(wall: now + $0.wall, steady: $0.steady, known: known) }
    }

    @Test func `P10 a clock near a time at which it was trusted is trusted at once`() {
        let trusted = Self.trust(known: Self.now - Self.hour, (0, 0), (90 * Self.day, 90 * Self.day))
        #expect(trusted == [true, true])
    }

    @Test(arguments: [Int64?.none, now - 400 * day, now + hour])
    func `P10 a clock that starts far from all that is known is trusted after an hour`(_ known: Int64?) {
        let trusted = Self.trust(known: known, (0, 0), (Self.hour - 1, Self.hour - 1), (Self.hour, Self.hour))
        #expect(trusted == [false, false, true])
    }

    @Test func `P10 a clock that jumps is not trusted until it has gone on for an hour`() {
        let ahead = 400 * Self.day
        let trusted = Self.trust(
            known: Self.now, (0, 0), (ahead, 1000),
            // Set right again.
            (3000, 3000), (Self.hour, Self.hour), (Self.hour + 3000, Self.hour + 3000))
        #expect(trusted == [true, false, false, false, true])
    }

    // MARK: What is removed

    private static func store(_ directory: TemporaryDirectory, _ change: (inout StoredJob, Int) -> Void) throws -> Store
    {
        let store = try Store(directory.file("pawl.sqlite"))
        var changes = JobChanges()
        changes.added = (1...5).map { number in
            var job = StoreTests.job(number)
            (job.state, job.ended) = (.completed, Int64(number))
            change(&job, number)
            return job
        }
        _ = try store.apply(changes)
        return store
    }

    @Test func `P10 what is retried and what waits for its program stays, whatever its age`() async throws {
        let directory = try TemporaryDirectory("history")
        let store = try Self.store(directory) { job, number in
            if number == 1 { job.isHookDue = true }
            if number == 2 { (job.state, job.ended) = (.queued, nil) }
        }
        defer { store.close() }
        let removed = try await store.removeEnded(beyond: 0, before: .max, trusting: nil) { $0 != 3 }
        #expect(removed.map(\.number) == [4, 5])
        #expect(try store.page(JobQuery()).jobs.map(\.number).sorted() == [1, 2, 3])
    }

    @Test func `P10 the oldest go, by their number and by their age, and the time is remembered`() async throws {
        let directory = try TemporaryDirectory("history")
        let store = try Self.store(directory) { _, _ in }
        defer { store.close() }
        let old = try await store.removeEnded(beyond: nil, before: 2, trusting: Self.now) { _ in true }
        #expect(old.map(\.number) == [1])
        #expect(try store.trustedTime() == Self.now)
        let many = try await store.removeEnded(beyond: 3, before: nil, trusting: nil) { _ in true }
        #expect(many.map(\.number) == [2])
    }

    // MARK: Many at once

    @Test func `P14 what is done to many downloads is written in few commits`() async throws {
        let directory = try TemporaryDirectory("history")
        let ids = (0..<300).map { "job-\($0)" }
        try await Self.inService(directory, ids) { service in
            let commits = Locked(0)
            service.store.observe { commits.withLock { $0 += 1 } }
            #expect(await service.pause(ids).allSatisfy { $0 == nil })
            #expect(await service.remove(ids + ["no-such-job"], deletesFiles: false).count { $0 == .unknown } == 1)
            // Those of the queue's session included.
            #expect(commits.withLock { $0 } < 20)
            let total = try service.store.page(JobQuery()).total
            #expect(total == 0)
        }
    }

    private static func inService(
        _ directory: TemporaryDirectory, _ ids: [String], _ body: (JobService) async throws -> Void
    ) async throws {
        let service = try JobService(JobService.Configuration(path: directory.file("pawl.sqlite")))
        let jobs = ids.map { id in
            var spec = JobSpec("http://127.0.0.1:9/\(id)")
            (spec.directory, spec.id) = (directory.path, id)
            var job = JobService.NewJob(spec)
            job.isPaused = true
            return job
        }
        let outcomes = await service.add(jobs)
        do {
            for outcome in outcomes { _ = try outcome.get() }
            try await body(service)
        } catch {
            await service.shutdown()
            throw error
        }
        await service.shutdown()
    }
}
