import PawlCore
import PawlTestKit
import Testing

@testable import Pawl

/// Mistakes of callers: each is reported and has no effect.
@Suite(.timeLimit(.minutes(5))) struct MisuseTests {
    private static let unknown = DownloadID(4711)

    @Test func `pausing a completed download says that it is complete`() async throws {
        let world = try ManagerWorld()
        let downloader = try Downloader()
        let download = try downloader.start(world.request("a"))
        let result = try await download.result()
        let error = await #expect(throws: DownloadError.self) { try await download.pause() }
        #expect(error?.code == .alreadyCompleted && error?.recovery == .giveUp)
        #expect(error?.message.contains("already complete") == true)
        download.cancel()
        #expect(try await download.result() == result, "nor is it cancelled any more")
        #expect(world.isWhole("a"))
        await downloader.shutdown()
    }

    @Test func `pausing twice gives the same resume data`() async throws {
        let world = try ManagerWorld(holding: ["a"])
        let downloader = try Downloader()
        let download = try downloader.start(world.request("a"))
        for await progress in download.progress where progress.bytesStored > 0 { break }
        let first = try await download.pause()
        #expect(try await download.pause() == first)
        world.releaseAll()
        await downloader.shutdown()
    }

    @Test func `pausing a cancelled or failed download says how it ended`() async throws {
        let world = try ManagerWorld(holding: ["a"])
        let downloader = try Downloader()
        let cancelled = try downloader.start(world.request("a"))
        cancelled.cancel()
        await cancelled.finished()
        await #expect(throws: CancellationError.self) { try await cancelled.pause() }
        let failed = try downloader.start(DownloadRequest(world.url("missing"), to: world.path("missing")))
        await failed.finished()
        let error = await #expect(throws: DownloadError.self) { try await failed.pause() }
        #expect(error?.code == .notFound)
        world.releaseAll()
        await downloader.shutdown()
    }

    private static let calls: [(String, @Sendable (DownloadManager, DownloadID) throws -> Void)] = [
        ("pause", { try $0.pause($1) }), ("resume", { try $0.resume($1) }), ("remove", { try $0.remove($1) }),
        ("remove with files", { try $0.remove($1, deletingFiles: true) }), ("move", { try $0.move($1, to: .top) }),
        ("priority", { try $0.setPriority(5, of: $1) }), ("limit", { try $0.setMaximumBytesPerSecond(5, of: $1) }),
    ]

    @Test(arguments: calls.indices) func `an unknown id is an error and changes nothing`(_ index: Int) async throws {
        let world = try ManagerWorld()
        try await world.withManager { (manager) async throws in
            let known = try manager.add(world.request("a"), isPaused: true)
            let before = manager.snapshots
            let error = #expect(throws: DownloadError.self) { try Self.calls[index].1(manager, Self.unknown) }
            #expect(error?.code == .unknownDownload && error?.message.contains("4711") == true)
            #expect(manager.ids == [known] && manager.snapshots.map(\.state) == before.map(\.state))
        }
    }

    @Test func `waiting for an unknown id is an error`() async throws {
        let world = try ManagerWorld()
        try await world.withManager { manager in
            let error = await #expect(throws: DownloadError.self) { try await manager.result(of: Self.unknown) }
            #expect(error?.code == .unknownDownload)
            #expect(manager.snapshot(Self.unknown) == nil && manager.download(Self.unknown) == nil)
        }
    }

    @Test func `a queue position beside an unknown id is an error`() async throws {
        let world = try ManagerWorld()
        try await world.withManager { (manager) async throws in
            let ids = try ["a", "b"].map { try manager.add(world.request($0), isPaused: true) }
            for place in [QueuePosition.before(Self.unknown), .after(Self.unknown)] {
                let error = #expect(throws: DownloadError.self) { try manager.move(ids[0], to: place) }
                #expect(error?.code == .unknownDownload)
            }
            #expect(manager.ids == ids)
        }
    }

    @Test func `a removed download is unknown to calls, and cancelled for waiters`() async throws {
        let world = try ManagerWorld()
        try await world.withManager { (manager) async throws in
            let id = try manager.add(world.request("a"), isPaused: true)
            try manager.remove(id)
            await manager.wait { $0.snapshot(id) == nil }
            #expect(throws: DownloadError.self) { try manager.remove(id) }
            await #expect(throws: CancellationError.self) { try await manager.result(of: id) }
        }
    }

    @Test func `pausing or resuming a manager's completed download says that it is complete`() async throws {
        let world = try ManagerWorld()
        try await world.withManager { manager in
            let id = try manager.add(world.request("a"))
            let result = try await manager.result(of: id)
            for call in [{ try manager.pause(id) }, { try manager.resume(id) }] {
                let error = #expect(throws: DownloadError.self) { try call() }
                #expect(error?.code == .alreadyCompleted)
            }
            #expect(try await manager.result(of: id) == result)
        }
    }

    @Test func `a cancelled wait leaves the shared download to the other waiters, whichever is cancelled`() async throws
    {
        for cancelled in 0..<3 {
            let world = try ManagerWorld(holding: ["a"])
            let downloader = try Downloader()
            let download = try downloader.start(world.request("a"))
            let tasks = (0..<3).map { _ in Task { try await download.result() } }
            while download.waiterCount < 3 { await Task.yield() }
            tasks[cancelled].cancel()
            await #expect(throws: CancellationError.self) { try await tasks[cancelled].value }
            #expect(!download.hasEnded)
            world.releaseAll()
            for other in tasks.indices where other != cancelled { #expect(try await tasks[other].value.isComplete) }
            await downloader.shutdown()
        }
    }
}
