import Pawl
import PawlCore
import PawlTestKit
import Testing

@Suite("Small documents, read into memory", .timeLimit(.minutes(2)))
struct DocumentTests {
    private static let content = FileBehaviour.pattern(count: 50_000)

    private static func fetch(
        maximumBytes: Int, _ change: (inout DownloadRequest) -> Void = { _ in }
    ) async throws -> [UInt8] {
        let server = try ScriptedServer(file: FileBehaviour(content: content))
        defer { server.stop() }
        let downloader = try Downloader()
        var request = DownloadRequest(server.url("/list"), in: "/nowhere")
        change(&request)
        let result = await Result { try await downloader.document(request, maximumBytes: maximumBytes).bytes }
        await downloader.shutdown()
        return try result.get()
    }

    @Test(arguments: [50_000, 1 << 20, Int.max])
    func `a document within its limit arrives whole, whatever limit the caller gives`(_ limit: Int) async throws {
        #expect(try await Self.fetch(maximumBytes: limit) == Self.content)
    }

    @Test(arguments: [0, 49_999])
    func `a document beyond its limit is an error`(_ limit: Int) async throws {
        let error = await #expect(throws: DownloadError.self) { try await Self.fetch(maximumBytes: limit) }
        #expect(error?.code == .tooLarge)
    }

    @Test(arguments: ["", "a/b", "x.pawl"])
    func `directory and file name of the request do not matter`(_ name: String) async throws {
        #expect(try await Self.fetch(maximumBytes: 1 << 20) { $0.fileName = name } == Self.content)
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
