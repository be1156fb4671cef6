import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

@testable import Pawl

@Suite("Many downloads", .timeLimit(.minutes(10)))
struct ManagerTests {
    private static let size = Int64(ManagerWorld.size)

    @Test func `an added download runs, and its result, snapshot and hook report it`() async throws {
        let world = try ManagerWorld()
        let told = Locked<[DownloadResult]>([])
        try await world.withManager {
            $0.onCompleted = { _, result in told.withLock { $0.append(result) } }
        } _: { manager in
            let id = try manager.add(world.request("a"), priority: 3)
            let result = try await manager.result(of: id)
            #expect(
                result.path == world.path("a") && result.byteCount == Self.size && result.isComplete
                    && !result.wasSkipped)
            #expect(result.sources == [world.url("a")])
            #expect(result.entityTag == "\"1\"" && result.finalURL == world.url("a"))
            let snapshot = try #require(manager.snapshot(id))
            #expect(snapshot.state == .completed && snapshot.whyWaiting == nil && snapshot.position == nil)
            #expect(snapshot.progress.bytesStored == Self.size && snapshot.progress.totalBytes == Self.size)
            #expect(snapshot.fileName == "a" && snapshot.directory == world.directory.path && snapshot.priority == 3)
        }
        #expect(world.isWhole("a"))
        // The hook runs on a thread of its own, and the shutdown waits for it.
        #expect(told.withLock { $0.map(\.path) } == [world.path("a")])
    }

    @Test func `the snapshot of a running download has everything that a user interface shows`() async throws {
        let world = try ManagerWorld(holding: ["a"])
        try await world.withManager { manager in
            let id = try manager.add(world.request("a"))
            await manager.waitForHalf(id)
            let snapshot = try #require(manager.snapshot(id))
            #expect(snapshot.state.isRunning && snapshot.position == 0)
            #expect(abs(snapshot.stateSince - LiveRuntime.wallClockSeconds) < 60)
            #expect(snapshot.progress.totalBytes == Self.size && snapshot.progress.bytesStored > 0)
            #expect(!snapshot.progress.connections.isEmpty)
            #expect(
                snapshot.progress.connections.allSatisfy {
                    $0.host == "127.0.0.1" && $0.end.map { $0 <= Self.size } ?? true
                })
            #expect(!snapshot.progress.storedRanges.isEmpty)
            #expect(snapshot.url == world.url("a") && snapshot.host == "127.0.0.1:\(world.server.port)")
            #expect(manager.download(id)?.currentProgress.totalBytes == Self.size)
            world.releaseAll()
            _ = try await manager.result(of: id)
            #expect(manager.download(id) == nil)
        }
    }

    @Test func `a paused download keeps its bytes and resumes from there`() async throws {
        let world = try ManagerWorld(holding: ["a"])
        try await world.withManager { manager in
            let id = try manager.add(world.request("a"))
            await manager.waitForHalf(id)
            try manager.pause(id)
            await manager.wait(id) { $0.state == .paused }
            let stored = try #require(manager.snapshot(id)).progress.bytesStored
            #expect(stored > 0 && manager.snapshot(id)?.whyWaiting == "It was paused.")
            world.releaseAll()
            try manager.resume(id)
            let result = try await manager.result(of: id)
            #expect(result.resumedFrom > 0 && result.resumedFrom <= stored)
        }
        #expect(world.isWhole("a"))
        #expect(world.server.bodyBytesSent < ManagerWorld.size + ManagerWorld.half + (256 << 10))
    }

    @Test(arguments: [true, false], [true, false])
    func `a removed download is gone, and its files only if that was requested`(
        deletingFiles: Bool, isFinished: Bool
    ) async throws {
        let world = try ManagerWorld(holding: isFinished ? [] : ["a"])
        try await world.withManager { manager in
            let id = try manager.add(world.request("a"))
            if isFinished { _ = try await manager.result(of: id) } else { await manager.waitForHalf(id) }
            try manager.remove(id, deletingFiles: deletingFiles)
            await manager.wait { $0.snapshot(id) == nil }
            #expect(manager.snapshots.isEmpty)
            await #expect(throws: CancellationError.self) { try await manager.result(of: id) }
        }
        #expect(Files.exists(world.path("a")) == (isFinished && !deletingFiles))
        #expect(Files.exists(world.path("a.part")) == (!isFinished && !deletingFiles))
        #expect(Files.exists(world.path("a.pawl")) == (!isFinished && !deletingFiles))
    }

    @Test func `as many downloads run as allowed, and the limit can change meanwhile`() async throws {
        let names = (0..<5).map { "f\($0)" }
        let world = try ManagerWorld(holding: Set(names))
        try await world.withManager {
            $0.maximumRunning = 2
        } _: { manager in
            let ids = try names.map { try manager.add(world.request($0)) }
            func running(_ manager: DownloadManager) -> [DownloadID] {
                ids.filter { manager.state($0)?.isRunning == true }
            }
            for id in ids[..<2] { await manager.waitForHalf(id) }
            #expect(running(manager) == Array(ids[..<2]))
            #expect(manager.state(ids[2]) == .queued && manager.snapshot(ids[2])?.whyWaiting == "Waiting for its turn.")
            manager.maximumRunning = 4
            for id in ids[..<4] { await manager.waitForHalf(id) }
            #expect(running(manager).count == 4 && manager.state(ids[4]) == .queued)
            manager.maximumRunning = 1
            await manager.wait { running($0) == [ids[0]] }
            // The paused download resumes in its turn, with the bytes that it had.
            world.releaseAll()
            for id in ids { _ = try await manager.result(of: id) }
        }
        for name in names { #expect(world.isWhole(name)) }
        #expect(world.server.bodyBytesSent < 8 * ManagerWorld.size)
    }

    @Test func `the order follows priority and position, and both can change`() async throws {
        let world = try ManagerWorld(holding: ["first"])
        try await world.withManager {
            $0.maximumRunning = 1
        } _: { manager in
            let first = try manager.add(world.request("first"))
            await manager.waitForHalf(first)
            let ids = manager.add(["a", "b", "c", "d"].map(world.request)).compactMap { try? $0.get() }
            try manager.move(ids[3], to: .before(ids[0]))
            try manager.setPriority(5, of: ids[2])
            try manager.move(ids[0], to: .bottom)
            #expect(manager.ids == [ids[2], first, ids[3], ids[1], ids[0]])
            #expect(manager.snapshot(ids[3])?.position == 2)
            world.releaseAll()
            for id in ids { _ = try await manager.result(of: id) }
        }
        var order: [String] = []
        for request in world.server.requests where !order.contains(request.path) { order.append(request.path) }
        #expect(order == ["/first", "/c", "/d", "/b", "/a"])
    }

    @Test func `all downloads are paused and resumed`() async throws {
        let world = try ManagerWorld(holding: ["a"])
        try await world.withManager {
            $0.maximumRunning = 1
        } _: { manager in
            let ids = try ["a", "b", "c"].map { try manager.add(world.request($0)) }
            await manager.waitForHalf(ids[0])
            manager.pauseAll()
            await manager.wait { manager in ids.allSatisfy { manager.state($0) == .paused } }
            world.releaseAll()
            manager.resumeAll()
            for id in ids { _ = try await manager.result(of: id) }
        }
        for name in ["a", "b", "c"] { #expect(world.isWhole(name)) }
    }

    @Test func `no more connections to a host are open than allowed, and the limit can change meanwhile`() async throws
    {
        let names = (0..<4).map { "f\($0)" }
        let world = try ManagerWorld(holding: Set(names))
        try await world.withManager {
            $0.maximumConnectionsPerHost = 2
        } _: { manager in
            let ids = try names.map { try manager.add(world.request($0)) }
            for id in ids[..<2] { await manager.waitForHalf(id) }
            #expect(world.server.openConnectionCount <= 2)
            let host = "127.0.0.1:\(world.server.port)"
            #expect(manager.state(ids[3]) == .waiting(.hostLimit(host: host)))
            #expect(manager.snapshot(ids[3])?.whyWaiting?.contains(host) == true)
            manager.maximumConnectionsPerHost = 4
            for id in ids { await manager.waitForHalf(id) }
            #expect(world.server.openConnectionCount <= 4)
            world.releaseAll()
            for id in ids { _ = try await manager.result(of: id) }
        }
    }

    @Test func `the same request returns the same download, and another request for its target fails or is renamed`()
        async throws
    {
        let world = try ManagerWorld(holding: ["a"])
        try await world.withManager { manager in
            let id = try manager.add(world.request("a"))
            #expect(try manager.add(world.request("a")) == id)
            // A different path to the same directory.
            #expect(try manager.add(DownloadRequest(world.url("a"), to: world.directory.path + "/./a")) == id)
            var parts = world.request("a")
            parts.ranges = try RangeSelection(parsing: "0-9")
            for other in [DownloadRequest(world.url("b"), to: world.path("a")), parts] {
                let error = #expect(throws: DownloadError.self) { try manager.add(other) }
                #expect(error?.code == .locked)
            }
            let renamed = try manager.add(DownloadRequest(world.url("b"), to: world.path("a")), onDuplicate: .rename)
            world.releaseAll()
            #expect(try await manager.result(of: renamed).path == world.path("a (1)"))
            _ = try await manager.result(of: id)
            // The finished download no longer holds its target: the same request is a new download, which finds the
            // file.
            let again = try manager.add(world.request("a"))
            #expect(again != id)
            let error = await #expect(throws: DownloadError.self) { try await manager.result(of: again) }
            #expect(error?.code == .fileExists)
        }
        #expect(world.isWhole("a") && world.isWhole("a (1)", as: "b"))
    }

    @Test(arguments: [DownloadManager.DuplicatePolicy.fail, .rename])
    func `two downloads whose servers choose one name do not share a file`(
        policy: DownloadManager.DuplicatePolicy
    ) async throws {
        let world = try ManagerWorld(holding: ["1", "2"])
        try await world.withManager { manager in
            let first = try manager.add(
                DownloadRequest(world.url("as/name/1"), in: world.directory.path), onDuplicate: policy)
            await manager.waitForHalf(first)
            let second = try manager.add(
                DownloadRequest(world.url("as/name/2"), in: world.directory.path), onDuplicate: policy)
            if policy == .rename {
                await manager.waitForHalf(second)
                world.releaseAll()
                #expect(try await manager.result(of: second).path == world.path("name (1)"))
            } else {
                let error = await #expect(throws: DownloadError.self) { try await manager.result(of: second) }
                #expect(error?.code == .fileExists)
                world.releaseAll()
            }
            #expect(try await manager.result(of: first).path == world.path("name"))
        }
        #expect(world.isWhole("name", as: "as/name/1"))
        #expect(Files.exists(world.path("name (1)")) == (policy == .rename))
        if policy == .rename { #expect(world.isWhole("name (1)", as: "as/name/2")) }
    }

    @Test func `a slow event reader delays no download`() async throws {
        let world = try ManagerWorld()
        try await world.withManager { manager in
            let events = manager.events
            let ids = manager.add((0..<40).map { world.request("f\($0)") }).compactMap { try? $0.get() }
            for id in ids { _ = try await manager.result(of: id) }
            // The first event is read only now: for each download its end, and its latest state once.
            var completed = 0
            var changed: [DownloadID: Int] = [:]
            for await event in events {
                switch event {
                case .completed: completed += 1
                case .changed(let snapshot):
                    changed[snapshot.id, default: 0] += 1
                    #expect(snapshot.state == .completed)
                default: break
                }
                if completed == ids.count, changed.count == ids.count { break }
            }
            #expect(changed.values.allSatisfy { $0 == 1 })
        }
    }

    @Test func `a host that does not answer stops no other host's download`() async throws {
        let world = try ManagerWorld()
        let failed = Locked<[DownloadID]>([])
        let missing = try await world.withManager {
            $0.maximumRunning = 2
            // However long this takes, none from the dead host has used up its retries.
            $0.maximumRetries = 1000
            $0.onFailed = { id, _ in failed.withLock { $0.append(id) } }
        } _: { manager in
            let bad = try (0..<6).map {
                try manager.add(DownloadRequest("http://127.0.0.1:9/\($0)", to: world.path("bad\($0)")))
            }
            let missing = try manager.add(world.request("missing"))
            let good = try (0..<6).map { try manager.add(world.request("good\($0)")) }
            for id in good { _ = try await manager.result(of: id) }
            await manager.wait(missing) { if case .failed = $0.state { true } else { false } }
            guard case .failed(let error)? = manager.state(missing) else {
                Issue.record("\(String(describing: manager.state(missing)))")
                return missing
            }
            #expect(error.code == .notFound && !error.message.isEmpty)
            // Each from the dead host runs, which two can at a time, or says why it waits.
            let dead = manager.snapshots.filter { bad.contains($0.id) }
            #expect(dead.count == 6 && dead.count { $0.state.isRunning } <= 2)
            #expect(dead.allSatisfy { $0.state.isRunning || $0.whyWaiting != nil })
            return missing
        }
        #expect(failed.withLock { $0 } == [missing])
    }

    @Test func `a file too large for the disk waits before it starts, and the next download runs`() async throws {
        let world = try ManagerWorld()
        try await world.withManager { manager in
            var huge = world.request("huge")
            huge.expectedSize = 1 << 60
            let id = try manager.add(huge)
            let small = try manager.add(world.request("small"))
            _ = try await manager.result(of: small)
            await manager.wait(id) { if case .waiting(.diskFull) = $0.state { true } else { false } }
            let why = try #require(manager.snapshot(id)?.whyWaiting)
            #expect(why.contains("\(Int64(1) << 60)") && why.contains("free"))
        }
        #expect(world.starts(of: "huge").isEmpty)
        #expect(!Files.exists(world.path("huge.part")))
    }

    @Test func `invalid requests and settings are refused before anything changes`() async throws {
        let world = try ManagerWorld(holding: ["a"])
        try await world.withManager { manager in
            #expect(throws: DownloadError.self) { try manager.add(DownloadRequest("ftp://a.example/", to: "x")) }
            let id = try manager.add(world.request("a"))
            #expect(throws: DownloadError.self) { try manager.setMaximumBytesPerSecond(0, of: id) }
            try manager.setMaximumBytesPerSecond(1 << 30, of: id)
            manager.setSpeedLimit(SpeedSchedule(bytesPerSecond: nil))
            #expect(manager.ids == [id])
        }
        #expect(throws: DownloadError.self) {
            var configuration = DownloadManager.Configuration()
            configuration.maximumRunning = 0
            return try DownloadManager(configuration: configuration)
        }
    }

    @Test func `calls to a manager after its shutdown do nothing`() async throws {
        let world = try ManagerWorld(holding: ["a"])
        try await world.withManager {
            $0.session = PlainFileSession(world.path("session"))
        } _: { manager in
            let id = try manager.add(world.request("a"))
            await manager.waitForHalf(id)
            async let other: Void = manager.shutdown()
            await manager.shutdown()
            await other
            manager.pauseAll()
            manager.resumeAll()
            try manager.resume(id)
            try manager.move(id, to: .top)
            manager.maximumRunning = 3
            manager.maximumConnectionsPerHost = 3
            manager.setSpeedLimit(SpeedSchedule(bytesPerSecond: 5))
            try manager.setMaximumBytesPerSecond(7, of: id)
            try manager.remove(id, deletingFiles: true)
            #expect(await manager.saveSession(), "the end has saved all")
            #expect(throws: DownloadError.self) { try manager.add(world.request("b")) }
            await #expect(throws: CancellationError.self) { try await manager.result(of: id) }
            for await _ in manager.events {}
        }
        #expect(Files.exists(world.path("a.part")), "what was received is kept")
    }
}
