import Pawl
import PawlCore
import PawlTestKit
import Testing

@testable import PawlArchive

/// Members out of a zip archive on a server.
@Suite struct RemoteZipTests {
    /// What is fetched is at most the members, the directory, and this.
    private static let mostBesides = 128 << 10

    private static func member(_ name: String, _ count: Int, seed: UInt64 = 1) -> ZipBuilder.Member {
        .init(name, FileBehaviour.pattern(count: count, seed: seed))
    }

    /// 3 MiB, of which the tables are 200 KiB.
    private static let archive = ZipBuilder([
        member("readme.txt", 900, seed: 2), member("large.bin", 1 << 20, seed: 3), member("tables/one.csv", 120_000, seed: 4),
        member("tables/two.csv", 80_000, seed: 5), member("tables/notes.txt", 500, seed: 6), member("rest.bin", 2 << 20, seed: 7),
    ])

    private struct World {
        let server: ScriptedServer
        let downloader: Downloader
        let directory: TemporaryDirectory

        init(_ bytes: [UInt8] = archive.bytes(), _ change: (inout FileBehaviour) -> Void = { _ in }) throws {
            var behaviour = FileBehaviour(content: bytes)
            behaviour.contentType = "application/zip"
            change(&behaviour)
            server = try ScriptedServer(file: behaviour)
            downloader = try Downloader()
            directory = try TemporaryDirectory("remote-zip")
        }

        func close() async {
            await downloader.shutdown()
            server.stop()
        }

        func zip() async throws -> RemoteZip { try await downloader.remoteZip(DownloadRequest(server.url("/data.zip"))) }
    }

    private static func withWorld(_ world: World, _ body: (World) async throws -> Void) async throws {
        do { try await body(world) } catch {
            await world.close()
            throw error
        }
        await world.close()
    }

    private static func code(_ body: () async throws -> Void) async -> DownloadError.Code? {
        do { try await body() } catch let error as DownloadError { return error.code } catch { return nil }
        return nil
    }

    // MARK: The list

    @Test func `the list takes the end of the archive and nothing else`() async throws {
        try await Self.withWorld(World()) { world in
            let zip = try await world.zip()
            #expect(zip.members.map(\.path) == Self.archive.members.map { String(decoding: $0.name, as: UTF8.self) })
            #expect(zip.members[2].size == 120_000 && zip.members[2].crc32 == ZipBuilder.crc32(Self.archive.members[2].data))
            #expect(zip.length == Int64(Self.archive.bytes().count) && zip.name == "data.zip")
            #expect(zip.fetchedBytes == ZipEnd.usualTailLength)
            #expect(world.server.requests.map { $0.fields.first("Range") } == ["bytes=-\(ZipEnd.usualTailLength)"])
            #expect(Int64(world.server.bodyBytesSent) == zip.fetchedBytes)
        }
    }

    @Test func `a directory longer than the end is fetched with the validator of the end`() async throws {
        let many = ZipBuilder((0..<3000).map { .init("directory/with-a-long-name/member-\($0).txt", [UInt8(truncatingIfNeeded: $0)]) })
        try await Self.withWorld(World(many.bytes())) { world in
            let zip = try await world.zip()
            #expect(zip.members.count == 3000)
            let requests = world.server.requests
            #expect(requests.count == 2)
            #expect(requests.last?.fields.first("If-Range") == "\"v1\"")
            // Not a byte twice.
            let last = try #require(zip.entries.last)
            #expect(Int64(world.server.bodyBytesSent) == zip.length - last.dataBound)
        }
    }

    @Test func `an archive shorter than what is asked for, and an empty one, are listed`() async throws {
        for archive in [ZipBuilder([Self.member("a", 10)]), ZipBuilder()] {
            try await Self.withWorld(World(archive.bytes())) { world in
                let zip = try await world.zip()
                #expect(zip.members.count == archive.members.count)
            }
        }
    }

    @Test func `zip64 records are followed`() async throws {
        var archive = Self.archive
        archive.zip64 = .init()
        try await Self.withWorld(World(archive.bytes())) { world in
            let zip = try await world.zip()
            #expect(zip.members.count == 6)
        }
    }

    @Test func `what is no zip archive is told so, whatever its length`() async throws {
        for count in [1, 100, 200_000] {
            try await Self.withWorld(World(FileBehaviour.pattern(count: count))) { world in
                let error = await #expect(throws: ArchiveError.self) { _ = try await world.zip() }
                #expect(error?.code == .truncated || error?.code == .notAnArchive, "\(String(describing: error))")
            }
        }
    }

    @Test func `a server that sends only whole files is told apart before it has sent much`() async throws {
        try await Self.withWorld(World { $0.honoursRanges = false }) { world in
            do {
                _ = try await world.zip()
                Issue.record("it was listed")
            } catch let error as DownloadError {
                #expect(error.code == .rangesNotSupported)
                #expect(error.message.contains("--extract"), "\(error.message)")
            }
        }
    }

    @Test func `a server that does not know the last bytes is asked for the length first`() async throws {
        let bytes = Self.archive.bytes()
        let script = FileScript(FileBehaviour(content: bytes))
        let server = try ScriptedServer { request, connection in
            guard request.fields.first("Range")?.contains("=-") == true else { return try script.answer(request, connection) }
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\nETag: \"v1\"\r\n\r\n")
        }
        let downloader = try Downloader()
        let zip = try await downloader.remoteZip(DownloadRequest(server.url("/data.zip")))
        #expect(zip.members.count == 6)
        #expect(server.requests.compactMap { $0.fields.first("Range") }.dropFirst() == ["bytes=0-0", "bytes=\(Int64(bytes.count) - ZipEnd.usualTailLength)-\(bytes.count - 1)"])
        await downloader.shutdown()
        server.stop()
    }

    @Test func `an archive that is replaced while its list is read is read anew`() async throws {
        let many = ZipBuilder((0..<3000).map { .init("directory/with-a-long-name/member-\($0).txt") }).bytes()
        let other = ZipBuilder((0..<2000).map { .init("another/directory/with-a-long-name/\($0).txt") }).bytes()
        try await Self.withWorld(World(many) { $0.replacement = .init(afterRequests: 1, content: other, etag: "\"v2\"") }) { world in
            let zip = try await world.zip()
            #expect(zip.members.count == 2000)
        }
    }
}
