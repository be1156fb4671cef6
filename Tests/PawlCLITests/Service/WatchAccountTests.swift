import PawlClient
import PawlCore
import PawlJobs
import Testing

@testable import PawlCLI

@Suite struct WatchAccountTests {
    private func download(_ id: String, _ state: String, _ more: String = "") throws -> ServiceDownload {
        try .of(id, state, more)
    }

    private static let error =
        #""error":{"code":"notFound","message":"It does not exist (404).","hint":"Look.","remedies":["checkURL"],"recovery":"reconnect","step":"fetch"},"#

    @Test func `watched ids are over when each has ended or is gone`() throws {
        var account = WatchAccount(ids: ["a", "b", "c"])
        #expect(account.handle(try download("a", "running"), at: .zero) == nil)
        #expect(account.handle(try download("b", "queued"), at: .zero) == nil)
        #expect(account.handle(try download("other", "running"), at: .zero) == nil)
        #expect(account.run.total == 2 && account.run.running.count == 1 && !account.isOver)
        account.missing("c")
        #expect(account.handle(try download("a", "completed"), at: .zero) != nil)
        #expect(account.handle(try download("a", "completed"), at: .zero) == nil)
        #expect(!account.isOver)
        account.removed("b")
        #expect(
            account.isOver && account.exitCode == .failure && account.run.completed == 1 && account.run.stopped == 1)
    }

    @Test func `the exit code is that of the first failure in the order given`() throws {
        var account = WatchAccount(ids: ["a", "b"])
        #expect(
            account.handle(
                try download(
                    "b", "failed",
                    #""error":{"code":"diskFull","message":"Full.","remedies":[],"recovery":"retryNow","step":"fetch"},"#
                ),
                at: .zero) != nil)
        #expect(
            account.handle(try download("a", "failed", Self.error), at: .zero)?.failure
                == "It does not exist (404). Look. (pawl change a --url URL)")
        #expect(account.isOver && account.exitCode == .refused)
        var unpacking = WatchAccount(ids: ["a"])
        _ = unpacking.handle(
            try download(
                "a", "completed",
                #""error":{"code":"damaged","message":"Damaged.","remedies":[],"recovery":"giveUp","step":"unpack"},"#),
            at: .zero)
        #expect(unpacking.isOver && unpacking.exitCode == .notUnpacked)
    }

    @Test func `without ids, what is active is watched until it has ended`() throws {
        var account = WatchAccount(ids: nil)
        #expect(account.handle(try download("old", "completed"), at: .zero) == nil)
        #expect(account.run.total == 0)
        _ = account.handle(try download("a", "running", #""bytes":10,"total":100,"#), at: .zero)
        _ = account.handle(try download("a", "paused"), at: .zero)
        #expect(account.run.running.isEmpty && account.run.total == 1)
        _ = account.handle(try download("a", "running"), at: .zero)
        #expect(account.run.running.count == 1)
        #expect(account.handle(try download("a", "completed"), at: .zero) != nil)
        #expect(!account.isOver && account.run.ended == 1)
    }
}
