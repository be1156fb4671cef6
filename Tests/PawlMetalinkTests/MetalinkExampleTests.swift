import Pawl
import PawlMetalink
import PawlTestKit
import Testing

/// The Swift examples of the documentation about Metalinks, run against a server.
@Suite("Examples of the documentation: Metalinks", .timeLimit(.minutes(10)))
struct MetalinkExampleTests {
    private static let content = FileBehaviour.pattern(count: 100_000)
    private static let document = """
        <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="file.bin"><size>100000</size><url>file.bin</url></file></metalink>
        """

    /// A server with a file, and with the Metalink that it names for the file.
    private func withServer(_ body: (ScriptedServer, TemporaryDirectory, Downloader) async throws -> Void) async throws
    {
        var behaviour = FileBehaviour(content: Self.content)
        behaviour.extraFieldLines = ["Link: <file.bin.meta4>; rel=describedby; type=\"application/metalink4+xml\""]
        let file = FileScript(behaviour)
        let server = try ScriptedServer { request, connection in
            guard request.path.hasSuffix(".meta4") else { return try file.answer(request, connection) }
            try connection.send(
                "HTTP/1.1 200 OK\r\nContent-Length: \(Self.document.utf8.count)\r\n\r\n\(Self.document)")
        }
        defer { server.stop() }
        let downloader = try Downloader()
        do {
            try await body(server, try TemporaryDirectory("example"), downloader)
        } catch {
            await downloader.shutdown()
            throw error
        }
        await downloader.shutdown()
    }

    @Test func `the files of a document are downloaded`() async throws {
        try await withServer { server, temporary, downloader in
            let (url, directory, bytes) = (server.url("/file.bin.meta4"), temporary.path, Array(Self.document.utf8))
            // README:begin metalink
            let document = try MetalinkDocument(parsing: bytes, from: url)
            for request in document.files.compactMap({ $0.request(in: directory) }) {
                let file = try await downloader.start(request).result()
                print(file.path, file.byteCount, file.isVerified)
            }
            // README:end
            #expect(document.files.map(\.name) == ["file.bin"])
            #expect(try FileRepair.Findings.size(ofFileAt: temporary.file("file.bin")) == 100_000)
        }
    }

    @Test func `the document that a server names completes a request`() async throws {
        try await withServer { server, temporary, downloader in
            let (url, path) = (server.url("/file.bin"), temporary.file("file.bin"))
            // README:begin described
            let described = try await downloader.described(DownloadRequest(url, to: path))
            let file = try await downloader.start(described.request).result()
            // README:end
            #expect(described.isDescribed && described.notices.isEmpty, "\(described.notices)")
            #expect(described.request.expectedSize == 100_000)
            #expect(file.byteCount == 100_000)
        }
    }
}
