import Pawl
import PawlCore
import PawlTestKit
import Testing

/// The information that a program gets about a file that may be truncated, through each part of the API that reports
/// it.
@Suite("Files that may be truncated", .timeLimit(.minutes(10)))
struct CompletenessTests {
    private static let content = FileBehaviour.pattern(count: 50_000)

    private static func server() throws -> ScriptedServer {
        try ScriptedServer { _, connection in
            try connection.send("HTTP/1.1 200 OK\r\n\r\n")
            try connection.sendBody(content[...])
            connection.close()
        }
    }

    private static func withManager(
        _ directory: TemporaryDirectory, _ body: (DownloadManager) async throws -> Void
    ) async throws {
        var configuration = DownloadManager.Configuration()
        configuration.session = PlainFileSession(directory.file("session"))
        let manager = try DownloadManager(configuration: configuration)
        do {
            try await body(manager)
        } catch {
            await manager.shutdown()
            throw error
        }
        await manager.shutdown()
    }

    @Test func `L24 result, snapshot and events mark a possibly truncated file, also after a restart`() async throws {
        let (server, directory) = (try Self.server(), try TemporaryDirectory("cut"))
        defer { server.stop() }
        try await Self.withManager(directory) { manager in
            let id = try manager.add(DownloadRequest(server.url("/f"), to: directory.file("f")))
            #expect(try await manager.result(of: id).isComplete == false)
        }
        try await Self.withManager(directory) { manager in
            let id = try #require(manager.ids.first)
            #expect(manager.snapshot(id)?.isComplete == false)
            #expect(try await manager.result(of: id).isComplete == false)
            var events = manager.events.makeAsyncIterator()
            while let event = await events.next() {
                guard case .completed(id, let result) = event else { continue }
                #expect(!result.isComplete)
                break
            }
        }
        #expect(try Files.isEqual(directory.file("f"), to: Self.content))
    }

    @Test func `L24 a file that matches a digest is complete, however its transfer ended`() async throws {
        let (server, directory) = (try Self.server(), try TemporaryDirectory("cut"))
        defer { server.stop() }
        try Files.write(Self.content, to: directory.file("whole"))
        let digest = try Digest.compute(.sha256, ofFileAt: directory.file("whole"))
        try await Self.withManager(directory) { manager in
            var request = DownloadRequest(server.url("/f"), to: directory.file("f"))
            request.digest = digest
            let id = try manager.add(request)
            let result = try await manager.result(of: id)
            #expect(result.isComplete && result.isVerified)
            #expect(manager.snapshot(id)?.isComplete == true)
        }
        try await Self.withManager(directory) { manager in
            let id = try #require(manager.ids.first)
            #expect(manager.snapshot(id)?.isComplete == true)
        }
    }

    @Test
    func
        `L24 if a complete file is required, a possibly truncated download fails and keeps no final name, also after a restart`()
        async throws
    {
        let (server, directory) = (try Self.server(), try TemporaryDirectory("cut"))
        defer { server.stop() }
        try await Self.withManager(directory) { manager in
            var request = DownloadRequest(server.url("/f"), to: directory.file("f"))
            request.requiresComplete = true
            let id = try manager.add(request)
            let error = await #expect(throws: DownloadError.self) { try await manager.result(of: id) }
            #expect(error?.code == .incomplete && manager.snapshot(id)?.isComplete == nil)
        }
        try await Self.withManager(directory) { manager in
            let id = try #require(manager.ids.first)
            try manager.resume(id)
            let error = await #expect(throws: DownloadError.self) { try await manager.result(of: id) }
            #expect(error?.code == .incomplete)
        }
        #expect(!Files.exists(directory.file("f")) && Files.exists(directory.file("f.part")))
    }
}
