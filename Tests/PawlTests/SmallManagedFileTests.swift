import PawlTestKit
import Testing

@testable import Pawl

/// Small files of a manager without a session: they are held in memory, and made in groups.
@Suite struct SmallManagedFileTests {
    private let content = FileBehaviour.pattern(count: 5000)

    /// A manager, and requests to a server of one small file.
    private func withManager(
        _ body: (DownloadManager, _ directory: TemporaryDirectory, ScriptedServer) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory("small")
        let server = try ScriptedServer(file: FileBehaviour(content: content))
        defer { server.stop() }
        let manager = try DownloadManager()
        do {
            try await body(manager, directory, server)
        } catch {
            await manager.shutdown()
            throw error
        }
        await manager.shutdown()
    }

    @Test(arguments: [true, false], [true, false])
    func `a small file is removed with its download, if that was requested`(
        isNamed: Bool, deletingFiles: Bool
    ) async throws {
        try await withManager { manager, directory, server in
            let path = directory.file("file.bin")
            let request =
                isNamed
                ? DownloadRequest(server.url("/x"), to: path)
                : DownloadRequest(server.url("/file.bin"), in: directory.path)
            let id = try manager.add(request)
            let result = try await manager.result(of: id)
            #expect(result.path == path && Files.exists(path))
            try manager.remove(id, deletingFiles: deletingFiles)
            while manager.isBeingRemoved(id) { try await Task.sleep(for: .milliseconds(5)) }
            #expect(Files.exists(path) == !deletingFiles)
        }
    }

    @Test func `two downloads of one file have equal results`() async throws {
        try await withManager { manager, directory, server in
            let request = DownloadRequest(server.url("/x"), to: directory.file("file.bin"))
            let first = try await manager.result(of: try manager.add(request))
            // As long as it is there, no other file has its number.
            try Files.rename(first.path, to: directory.file("former"))
            let second = try await manager.result(of: try manager.add(request))
            #expect(first == second && first.hashValue == second.hashValue)
            #expect(first.trace != nil && first.trace != second.trace)
        }
    }

    @Test func `a small file that did not match its digest becomes the file once the right digest is given`()
        async throws
    {
        try await withManager { manager, directory, server in
            try Files.write(content, to: directory.file("whole"))
            let right = try Digest.compute(.sha256, ofFileAt: directory.file("whole"))
            var request = DownloadRequest(server.url("/x"), to: directory.file("file.bin"))
            request.digest = Digest(algorithm: .sha256, bytes: [UInt8](repeating: 0, count: 32))
            let wrong = try manager.add(request)
            await #expect(throws: DownloadError.self) { try await manager.result(of: wrong) }
            #expect(Files.exists(directory.file("file.bin.part.bad")) && !Files.exists(directory.file("file.bin")))
            request.digest = right
            let id = try manager.add(request)
            let result = try await manager.result(of: id)
            #expect(result.isVerified && Files.exists(directory.file("file.bin")))
            #expect(!Files.exists(directory.file("file.bin.part.bad")), "it is the file now")
        }
    }
}
