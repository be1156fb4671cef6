import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@testable import Pawl

@Suite("Tasks that wait for one download", .timeLimit(.minutes(10)))
struct WaiterTests {
    // MARK: The rule

    @Test func `a cancelled wait cancels the download only when no other task waits`() {
        var waiters = ResultWaiters()
        let (first, second) = (waiters.enter(), waiters.enter())
        let endsWithFirst = waiters.cancelsDownload(first)
        #expect(!endsWithFirst)
        let isLast = waiters.cancelsDownload(second)
        #expect(isLast)
    }

    @Test func `each holder of the handle has to cancel a wait before the download is cancelled`() {
        var waiters = ResultWaiters()
        waiters.handles = 2
        let first = waiters.enter()
        let endsWithFirst = waiters.cancelsDownload(first)
        #expect(!endsWithFirst)
        let second = waiters.enter()
        let isLast = waiters.cancelsDownload(second)
        #expect(isLast)
    }

    @Test func `waiting never cancels a download that a manager or a stream holds`() {
        var waiters = ResultWaiters()
        waiters.isHeld = true
        let only = waiters.enter()
        let isLast = waiters.cancelsDownload(only)
        #expect(!isLast)
    }

    // MARK: The library

    @Test func `of two waiting tasks, the cancelled one ends at once and the other gets the file`() async throws {
        try await withDownload { world, download in
            let (cancelled, patient) = (Task { try await download.result() }, Task { try await download.result() })
            await download.wait(forWaiters: 2)
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            #expect(!download.hasEnded)
            world.releaseAll()
            let result = try await patient.value
            #expect(result.isComplete)
            #expect(world.isWhole("a"))
        }
    }

    @Test func `when both tasks are cancelled, the download is cancelled and keeps its bytes`() async throws {
        try await withDownload { world, download in
            for await progress in download.progress where progress.bytesStored > 0 { break }
            let tasks = [Task { try await download.result() }, Task { try await download.result() }]
            await download.wait(forWaiters: 2)
            for task in tasks { task.cancel() }
            for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
            await download.finished()
            #expect(download.currentProgress.state == .cancelled)
            #expect(Files.exists(world.path("a.part")) && !Files.exists(world.path("a")))
        }
    }

    @Test func `a handle that start returned twice outlives the cancellation of one holder`() async throws {
        try await withDownload(starts: 2) { world, download in
            let cancelled = Task { try await download.result() }
            await download.wait(forWaiters: 1)
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            world.releaseAll()
            let result = try await download.result()
            #expect(result.isComplete)
        }
    }

    @Test func `a task cancelled before it waits leaves the download to the waiting task`() async throws {
        try await withDownload { world, download in
            let patient = Task { try await download.result() }
            await download.wait(forWaiters: 1)
            let cancelled = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await download.result()
            }
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            world.releaseAll()
            let result = try await patient.value
            #expect(result.isComplete)
        }
    }

    @Test func `cancelling a task that waits for a manager's download leaves the download to the manager`() async throws
    {
        let world = try ManagerWorld(holding: ["a"])
        try await world.withManager { manager in
            let id = try manager.add(world.request("a"))
            await manager.waitForHalf(id)
            let download = try #require(manager.download(id))
            let tasks = [Task { try await download.result() }, Task { try await manager.result(of: id) }]
            let patient = Task { try await manager.result(of: id) }
            await download.wait(forWaiters: 1)
            for task in tasks { task.cancel() }
            for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
            world.releaseAll()
            let result = try await patient.value
            #expect(result.isComplete)
        }
    }

    @Test func `cancelling a task that waits for a stream's download leaves the download to the reader`() async throws {
        let world = try ManagerWorld(holding: ["a"])
        let downloader = try Downloader()
        let stream = try downloader.stream(world.request("a"))
        let watching = Task { try await stream.download.result() }
        await stream.download.wait(forWaiters: 1)
        watching.cancel()
        await #expect(throws: CancellationError.self) { try await watching.value }
        world.releaseAll()
        var bytes: [UInt8] = []
        for try await part in stream { bytes += part }
        #expect(bytes == ManagerWorld.content("/a"))
        await downloader.shutdown()
    }

    private func withDownload(starts: Int = 1, _ body: (ManagerWorld, Download) async throws -> Void) async throws {
        let world = try ManagerWorld(holding: ["a"])
        let downloader = try Downloader()
        let download = try downloader.start(world.request("a"))
        do {
            for _ in 1..<starts { #expect(try downloader.start(world.request("a")) === download) }
            try await body(world, download)
        } catch {
            world.releaseAll()
            await downloader.shutdown()
            throw error
        }
        world.releaseAll()
        await downloader.shutdown()
    }
}

extension ResultWaiters {
    fileprivate mutating func cancelsDownload(_ id: Int) -> Bool {
        if case .download = cancel(id) { true } else { false }
    }
}

extension Download {
    fileprivate func wait(forWaiters count: Int) async {
        while waiterCount < count { await Task.yield() }
    }
}
