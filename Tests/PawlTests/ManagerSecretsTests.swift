import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Downloads that a session stored without their secrets, and requests that supply the secrets again.
@Suite(.timeLimit(.minutes(10))) struct ManagerSecretsTests {
    private func withManager<Value>(
        _ world: ManagerWorld, _ body: (DownloadManager) async throws -> Value
    ) async throws -> Value {
        try await world.withManager {
            $0.session = PlainFileSession(world.path("session"))
        } _: {
            try await body($0)
        }
    }

    /// A request that differs from others of this path only in its token.
    private func request(_ world: ManagerWorld, token: String, name: String? = nil) -> DownloadRequest {
        var request = DownloadRequest(world.url("as/a.bin/1?token=\(token)"), in: world.directory.path)
        request.fileName = name
        return request
    }

    private func requests(_ world: ManagerWorld, token: String) -> Int {
        world.server.requests.count { $0.query == "token=\(token)" }
    }

    /// Adds the requests, paused, to a manager that then shuts down.
    private func leave(_ world: ManagerWorld, _ requests: DownloadRequest...) async throws -> [DownloadID] {
        try await withManager(world) { (manager) async throws in
            let ids = try requests.map { try manager.add($0, isPaused: true) }
            #expect(await manager.saveSession())
            return ids
        }
    }

    @Test func `printing a snapshot shows no secret`() async throws {
        let world = try ManagerWorld()
        try await withManager(world) { (manager) async throws in
            let url = world.url("a.bin").replacing("http://", with: "http://ann:sesame@") + "?token=sesame"
            let id = try manager.add(DownloadRequest(url, in: world.directory.path), isPaused: true)
            let snapshot = try #require(manager.snapshot(id))
            var dumped = ""
            dump(snapshot, to: &dumped)
            #expect(!"\(snapshot)\(String(reflecting: snapshot))\(dumped)".contains("sesame"))
        }
    }

    @Test func `requests whose secrets are equal to Swift and differ in their bytes keep their own`() async throws {
        let world = try ManagerWorld()
        try await withManager(world) { (manager) async throws in
            let requests = ["p\u{E4}ss", "pa\u{308}ss"].enumerated().map { number, secret in
                var request = request(world, token: "A", name: "\(number).bin")
                request.headers = [HTTPField("X-Key", secret)]
                return request
            }
            let ids = try requests.map { try manager.add($0, isPaused: true) }
            // Each is known again by its own bytes.
            #expect(try requests.map { try manager.add($0, isPaused: true) } == ids)
        }
    }

    @Test func `M15 a request that resembles a completed one is a new download`() async throws {
        let world = try ManagerWorld()
        let old = try await withManager(world) { (manager) async throws in
            let id = try manager.add(request(world, token: "A"))
            _ = try await manager.result(of: id)
            return id
        }
        try await withManager(world) { (manager) async throws in
            var other = request(world, token: "B")
            other.ifExists = .replace
            let id = try manager.add(other)
            #expect(id != old)
            _ = try await manager.result(of: id)
            #expect(requests(world, token: "B") > 0)
        }
    }

    @Test func `M15 of several downloads that differ in a secret, each receives its own`() async throws {
        let world = try ManagerWorld()
        let ids = try await leave(
            world, request(world, token: "A"), request(world, token: "B"), request(world, token: "C"))
        try await withManager(world) { (manager) async throws in
            #expect(try manager.add(request(world, token: "B"), isPaused: true) == ids[1])
            #expect(try manager.add(request(world, token: "A"), isPaused: true) == ids[0])
            #expect(try !ids.contains(manager.add(request(world, token: "D"), isPaused: true)))
            #expect(try manager.add(request(world, token: "C"), isPaused: true) == ids[2])
        }
        // A third manager still assigns each request to its download.
        try await withManager(world) { (manager) async throws in
            #expect(try manager.add(request(world, token: "A"), isPaused: true) == ids[0])
            #expect(try manager.add(request(world, token: "C"), isPaused: true) == ids[2])
        }
    }

    @Test func `M15 a download that waits for its secrets keeps its file name from a request with other secrets`()
        async throws
    {
        let world = try ManagerWorld()
        let ids = try await leave(world, request(world, token: "A", name: "x"))
        try await withManager(world) { (manager) async throws in
            let error = #expect(throws: DownloadError.self) { try manager.add(request(world, token: "B", name: "x")) }
            #expect(
                error?.code == .locked && error?.message.contains("waiting for its full URL and credentials") == true)
            #expect(error?.message.contains("token=A") == false)
            let renamed = try manager.add(request(world, token: "B", name: "x"), onDuplicate: .rename)
            #expect(renamed != ids[0])
            _ = try await manager.result(of: renamed)
            #expect(try manager.add(request(world, token: "A", name: "x")) == ids[0])
            _ = try await manager.result(of: ids[0])
        }
        #expect(Files.exists(world.path("x")) && Files.exists(world.path("x (1)")))
        #expect(requests(world, token: "A") > 0 && requests(world, token: "B") > 0)
    }

    @Test func `M15 concurrent requests with different secrets share no download`() async throws {
        let world = try ManagerWorld()
        let ids = try await leave(world, request(world, token: "A"), request(world, token: "B"))
        try await withManager(world) { (manager) async throws in
            let found = try await withThrowingTaskGroup(of: (String, DownloadID).self) { group in
                for token in ["A", "B", "C", "A", "B", "C"] {
                    let request = request(world, token: token)
                    group.addTask { (token, try manager.add(request, isPaused: true)) }
                }
                return try await group.reduce(into: [String: Set<DownloadID>]()) { $0[$1.0, default: []].insert($1.1) }
            }
            #expect(found["A"] == [ids[0]] && found["B"] == [ids[1]] && found["C"]?.count == 1)
        }
    }

    @Test func `the request that brings the secrets sets priority and pause`() async throws {
        let world = try ManagerWorld()
        let ids = try await leave(world, request(world, token: "A", name: "x"), request(world, token: "B"))
        try await withManager(world) { (manager) async throws in
            _ = try manager.add(request(world, token: "A", name: "x"), priority: 5, isPaused: true)
            #expect(manager.state(ids[0]) == .paused && manager.snapshot(ids[0])?.priority == 5)
            _ = try manager.add(request(world, token: "B"), priority: -1)
            _ = try await manager.result(of: ids[1])
            #expect(manager.snapshot(ids[1])?.priority == -1 && manager.state(ids[0]) == .paused)
        }
    }

    @Test func `a download whose secrets are lost is removed with its files`() async throws {
        let world = try ManagerWorld(holding: ["1"])
        let id = try await withManager(world) { (manager) async throws in
            let id = try manager.add(request(world, token: "A", name: "x"))
            await manager.waitForHalf(id)
            await manager.shutdown()
            return id
        }
        #expect(Files.exists(world.path("x.part")) && Files.exists(world.path("x.pawl")))
        try await withManager(world) { (manager) async throws in
            #expect(manager.state(id) == .waiting(.credentials))
            try manager.remove(id, deletingFiles: true)
            await manager.shutdown()
        }
        #expect(!Files.exists(world.path("x.part")) && !Files.exists(world.path("x.pawl")))
    }
}
