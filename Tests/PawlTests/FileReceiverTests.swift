import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

@testable import Pawl

/// Files of a manager that go elsewhere than into a directory.
@Suite struct FileReceiverTests {
    private final class Receiver: FileReceiver {
        let files = Locked<[(bytes: [UInt8], facts: FinishedFacts)]>([])
        let refuses: Bool

        init(refuses: Bool = false) { self.refuses = refuses }

        func receive(_ bytes: [UInt8], _ facts: FinishedFacts) throws(StorageError) {
            guard !refuses else { throw StorageError(operation: "write", name: facts.fileName, reason: .noSpace) }
            files.withLock { $0.append((bytes, facts)) }
        }
    }

    private func withManager(
        of content: [UInt8], _ receiver: Receiver,
        _ body: (DownloadManager, _ directory: TemporaryDirectory, ScriptedServer) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory("received")
        let server = try ScriptedServer(file: FileBehaviour(content: content))
        defer { server.stop() }
        var configuration = DownloadManager.Configuration()
        configuration.receiver = receiver
        let manager = try DownloadManager(configuration: configuration)
        do {
            try await body(manager, directory, server)
        } catch {
            await manager.shutdown()
            throw error
        }
        await manager.shutdown()
    }

    @Test func `a small file goes to the receiver, with what is known of it, and nowhere else`() async throws {
        let (content, receiver) = (FileBehaviour.pattern(count: 5000), Receiver())
        try await withManager(of: content, receiver) { manager, directory, server in
            var request = DownloadRequest(server.url("/x"), to: directory.file("one"))
            request.digest = Digest(
                algorithm: .sha256, bytes: try #require(SystemDigests().digest(.sha256, of: content)))
            let result = try await manager.result(of: try manager.add(request))
            let file = try #require(receiver.files.withLock { $0.first })
            #expect(file.bytes == content && file.facts.fileName == "one")
            #expect(file.facts.digest == request.digest && file.facts.isVerified)
            #expect((file.facts.response?.status, file.facts.entityTag) == (result.status, result.entityTag))
            #expect(file.facts.finalURL == result.finalURL && file.facts.byteCount == 5000)
            #expect(try Files.names(directory.path).isEmpty)
        }
        #expect(receiver.files.withLock { $0.count } == 1)
    }

    @Test func `a file that is too large for memory is completed in its directory`() async throws {
        let (content, receiver) = (FileBehaviour.pattern(count: 3 << 20), Receiver())
        try await withManager(of: content, receiver) { manager, directory, server in
            let request = DownloadRequest(server.url("/x"), to: directory.file("one"))
            _ = try await manager.result(of: try manager.add(request))
            #expect(try Files.read(directory.file("one")) == content)
        }
        #expect(receiver.files.withLock { $0.isEmpty })
    }

    @Test func `a file that does not match its digest does not go to the receiver`() async throws {
        let receiver = Receiver()
        try await withManager(of: FileBehaviour.pattern(count: 5000), receiver) { manager, directory, server in
            var request = DownloadRequest(server.url("/x"), to: directory.file("one"))
            request.digest = Digest(algorithm: .sha256, bytes: [UInt8](repeating: 0, count: 32))
            let id = try manager.add(request)
            let error = await #expect(throws: DownloadError.self) { try await manager.result(of: id) }
            #expect(error?.code == .digestMismatch)
        }
        #expect(receiver.files.withLock { $0.isEmpty })
    }

    @Test func `a receiver that refuses fails the download`() async throws {
        let receiver = Receiver(refuses: true)
        try await withManager(of: FileBehaviour.pattern(count: 5000), receiver) { manager, directory, server in
            let id = try manager.add(DownloadRequest(server.url("/x"), to: directory.file("one")))
            while true {
                switch try #require(manager.state(of: id)) {
                case .failed(let error): return #expect(error.code == .diskFull)
                case .waiting(.diskFull(let error)): return #expect(error.code == .diskFull)
                case .completed: return #expect(Bool(false), "it is nowhere")
                default: try await Task.sleep(for: .milliseconds(5))
                }
            }
        }
    }
}
