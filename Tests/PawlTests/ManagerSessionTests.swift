import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@Suite("Many downloads across restarts of a program", .timeLimit(.minutes(10)))
struct ManagerSessionTests {
    private func withManager<Value>(
        _ world: ManagerWorld, storesSecrets: Bool = false, _ body: (DownloadManager) async throws -> Value
    ) async throws -> Value {
        try await world.withManager {
            $0.session = PlainFileSession(world.path("session"))
            $0.storesSecrets = storesSecrets
            $0.hostMemoryPath = world.path("hosts")
            $0.maximumRunning = 2
        } _: {
            try await body($0)
        }
    }

    @Test func `after a restart running downloads resume, paused ones stay paused, and finished results are available`()
        async throws
    {
        let world = try ManagerWorld(holding: ["a", "b"])
        let ids = try await withManager(world) { manager in
            let done = try manager.add(world.request("done"))
            _ = try await manager.result(of: done)
            var request = world.request("a")
            request.maximumConnections = 2
            let ids = [done, try manager.add(request), try manager.add(world.request("b"), priority: 7)]
            for id in ids[1...] { await manager.waitForHalf(id) }
            try manager.pause(ids[2])
            await manager.wait(ids[2]) { $0.state == .paused }
            let queued = try manager.add(world.request("c"), isPaused: true)
            #expect(await manager.saveSession())
            // The files are still held, so no download completes before the shutdown.
            await manager.shutdown()
            return ids + [queued]
        }
        let begun = world.server.requests.count
        try await withManager(world) { manager in
            #expect(Set(manager.ids) == Set(ids))
            #expect(
                manager.state(ids[0]) == .completed && manager.state(ids[2]) == .paused
                    && manager.state(ids[3]) == .paused)
            #expect(manager.snapshot(ids[2])?.priority == 7 && manager.snapshot(ids[2])?.progress.bytesStored ?? 0 > 0)
            let result = try await manager.result(of: ids[1])
            #expect(result.resumedFrom > 0)
            // The result is still known after the restart.
            #expect(try await manager.result(of: ids[0]).sources == [world.url("done")])
            #expect(manager.state(ids[2]) == .paused)
            manager.resumeAll()
            for id in ids[2...] { _ = try await manager.result(of: id) }
            let again = try manager.add(DownloadRequest(world.url("done"), to: world.path("done2")))
            #expect(again > ids[3])
            _ = try await manager.result(of: again)
        }
        for name in ["done", "a", "b", "c", "done2"] {
            #expect(world.isWhole(name, as: name == "done2" ? "done" : nil))
        }
        // Both downloads resume. They fetch a few stored bytes again to compare them, but nothing from the beginning.
        for request in world.server.requests[begun...] where ["/a", "/b"].contains(request.path) {
            #expect(request.fields.first("range")?.hasPrefix("bytes=0-") == false, "what was held is not fetched again")
        }
    }

    @Test func `two managers cannot share a session`() async throws {
        let world = try ManagerWorld()
        try await withManager(world) { manager in
            try manager.add(world.request("a"))
            #expect(await manager.saveSession())
            var configuration = DownloadManager.Configuration()
            configuration.session = PlainFileSession(world.path("session"))
            let error = #expect(throws: DownloadError.self) { try DownloadManager(configuration: configuration) }
            #expect(error?.code == .locked)
        }
    }

    /// Adds a paused request that needs a secret to a manager that then shuts down.
    private func leaveSecret(_ world: ManagerWorld, storesSecrets: Bool) async throws -> DownloadID {
        try await withManager(world, storesSecrets: storesSecrets) { manager in
            let id = try manager.add(secret(world), isPaused: true)
            #expect(await manager.saveSession())
            return id
        }
    }

    private func secret(_ world: ManagerWorld) -> DownloadRequest {
        var request = world.request("private/x")
        (request.directory, request.fileName) = (world.directory.path, "x")
        request.headers = [HTTPField("X-Token", "s3cret")]
        request.maximumConnections = 3
        return request
    }

    private func holdsSecret(_ world: ManagerWorld) throws -> Bool {
        try String(decoding: Files.read(world.path("session")), as: UTF8.self).contains("s3cret")
    }

    @Test func `a download without its stored secrets waits until they are given again`() async throws {
        let world = try ManagerWorld()
        let id = try await leaveSecret(world, storesSecrets: false)
        #expect(try !holdsSecret(world))
        try await withManager(world) { manager in
            try manager.resume(id)
            await manager.wait(id) { $0.state == .waiting(.credentials) }
            #expect(manager.snapshot(id)?.whyWaiting?.contains("give them again") == true)
            // The download blocks no other and stays listed.
            _ = try await manager.result(of: try manager.add(world.request("other")))
            #expect(manager.state(id) == .waiting(.credentials))
        }
        #expect(world.starts(of: "private/x").isEmpty)
        // After another restart the download still waits.
        try await withManager(world) { manager in
            #expect(manager.state(id) == .waiting(.credentials))
            #expect(try manager.add(secret(world)) == id)
            _ = try await manager.result(of: id)
        }
        #expect(world.isWhole("x", as: "private/x"))
        #expect(try !holdsSecret(world))
    }

    @Test func `a download named by its server is found by its URL after a restart, and keeps its name from others`()
        async throws
    {
        let world = try ManagerWorld(holding: ["a"])
        var request = DownloadRequest(world.url("a"), in: world.directory.path)
        request.headers = [HTTPField("X-Token", "s3cret")]
        let asked = request
        let id = try await withManager(world) { manager in
            let id = try manager.add(asked)
            await manager.waitForHalf(id)
            await manager.shutdown()
            return id
        }
        try await withManager(world) { manager in
            #expect(manager.state(id) == .waiting(.credentials))
            let others = manager.add([DownloadRequest(world.url("b"), to: world.path("a"))])
            guard case .failure(let error)? = others.first else {
                Issue.record("its name was given away")
                return
            }
            #expect(error.code == .locked)
            let found = try manager.add(asked)
            #expect(found == id)
            let result = try await manager.result(of: id)
            #expect(result.resumedFrom > 0)
            #expect(manager.ids == [id])
        }
        #expect(world.isWhole("a"))
    }

    @Test func `a download whose secrets are in the session resumes by itself`() async throws {
        let world = try ManagerWorld()
        let id = try await leaveSecret(world, storesSecrets: true)
        #expect(try holdsSecret(world))
        #expect(try Files.status(world.path("session")).mode & 0o077 == 0)
        try await withManager(world, storesSecrets: true) { manager in
            #expect(manager.state(id) == .paused)
            manager.resumeAll()
            _ = try await manager.result(of: id)
        }
        #expect(world.isWhole("x", as: "private/x"))
    }

    @Test func `a speed limit set on a download applies after a restart`() async throws {
        let world = try ManagerWorld()
        let id = try await withManager(world) { manager in
            let id = try manager.add(world.request("a"), isPaused: true)
            try manager.setMaximumBytesPerSecond(256 << 10, of: id)
            #expect(await manager.saveSession())
            return id
        }
        try await withManager(world) { manager in
            let clock = ContinuousClock()
            let start = clock.now
            manager.resumeAll()
            _ = try await manager.result(of: id)
            // 1 MiB at 256 KiB per second.
            #expect(clock.now - start > .seconds(2))
        }
    }
}
