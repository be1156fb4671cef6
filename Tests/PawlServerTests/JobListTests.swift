import PawlCore
import PawlJobs
import PawlTestKit
import Testing

@testable import PawlServer

@Suite("Lists of jobs")
struct JobListTests {
    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory("lists")
        store = try Store(directory.file("pawl.sqlite"))
    }

    /// In the order of the queue: e, b, a, c; ended: d, f.
    private func fill() throws {
        func job(
            _ name: String, _ state: StoredJob.State, priority: Int32 = 0, rank: Int64 = 0, total: Int64? = nil,
            ended: Int64? = nil
        ) -> StoredJob {
            var job = StoredJob(
                id: name, spec: JobSpec("https://example.org/\(name)"), added: Int64(name.utf8.first ?? 0))
            (job.name, job.state, job.priority, job.rank, job.total, job.ended) = (
                name.uppercased() + ".iso", state, priority, rank, total, ended
            )
            job.tag = state.hasEnded ? "old 100%" : nil
            return job
        }
        var changes = JobChanges()
        changes.added = [
            job("a", .queued, rank: 5, total: 10), job("b", .running, rank: -3),
            job("c", .queued, priority: -1, rank: -9, total: 7),
            job("d", .completed, total: 10, ended: 90), job("e", .paused, priority: 4, rank: 100, total: 1),
            job("f", .failed, ended: 80),
        ]
        changes.added[1].name = nil
        _ = try store.apply(changes)
    }

    private func ids(_ change: (inout JobQuery) -> Void = { _ in }) throws -> String {
        var query = JobQuery()
        change(&query)
        return try store.page(query).jobs.map(\.id).joined()
    }

    @Test func `the list has the order of the queue, and then what has ended, the newest first`() throws {
        try fill()
        #expect(try ids() == "ebacdf")
        #expect(try ids { $0.isDescending = true } == "fdcabe")
    }

    /// States in the order running, waiting, queued, paused, failed, completed.
    @Test(arguments: [(JobQuery.Key.added, "abcdef"), (.name, "bacdef"), (.size, "bfecad"), (.state, "bacefd")])
    func `lists are sorted by each key`(_ key: JobQuery.Key, _ order: String) throws {
        try fill()
        #expect(try ids { $0.key = key } == order)
        #expect(try ids { ($0.key, $0.isDescending) = (key, true) } == String(order.reversed()))
    }

    @Test(arguments: JobQuery.Key.allCases, [true, false])
    func `pages of every size join to the whole list`(_ key: JobQuery.Key, _ isDescending: Bool) throws {
        try fill()
        let whole = try ids { ($0.key, $0.isDescending) = (key, isDescending) }
        #expect(whole.utf8.count == 6)
        for limit in 1...7 {
            var query = JobQuery()
            (query.key, query.isDescending, query.limit) = (key, isDescending, limit)
            var joined = ""
            var pages = 0
            repeat {
                let page = try store.page(query)
                #expect(page.total == 6 && page.jobs.count <= limit)
                joined += page.jobs.map(\.id).joined()
                query.after = page.next
                pages += 1
            } while query.after != nil
            #expect(joined == whole && pages == (6 + limit - 1) / limit, "\(limit) a page")
        }
    }

    @Test func `a cursor of another order is refused`() throws {
        try fill()
        var query = JobQuery()
        query.limit = 1
        query.after = try store.page(query).next
        query.key = .name
        let error = #expect(throws: DownloadError.self) { try store.page(query) }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `a list is filtered by state, tag and text, and counts all`() throws {
        try fill()
        #expect(try ids { $0.states = [.queued, .failed] } == "acf")
        #expect(try ids { $0.tag = "old 100%" } == "df")
        #expect(try ids { $0.text = "d.ISO" } == "d")
        #expect(try ids { $0.text = "example.org/B" } == "b")
        #expect(try ids { $0.text = "100%" } == "df")
        // Signs of a pattern stand for themselves.
        #expect(try ids { $0.text = "%" } == "df")
        #expect(try ids { $0.text = "_" }.isEmpty)
        #expect(try ids { $0.text = "\\" }.isEmpty)
        #expect(try ids { ($0.text, $0.states) = ("iso", [.completed]) } == "d")
        var query = JobQuery()
        query.states = [.queued]
        let page = try store.page(query)
        #expect(page.total == 2 && page.change == 6)
        #expect(page.counts == [.queued: 2, .running: 1, .completed: 1, .paused: 1, .failed: 1])
    }

    @Test func `a change moves a job within the list`() throws {
        try fill()
        var job = try #require(try store.job("c"))
        job.priority = 9
        _ = try store.apply(StoreTests.changing([job]))
        #expect(try ids() == "cebadf")
        (job.state, job.ended) = (.completed, 85)
        _ = try store.apply(StoreTests.changing([job]))
        #expect(try ids() == "ebadcf")
    }
}
