import Pawl
import PawlArchive
import PawlTestKit
import Testing

/// The README's Swift examples about archives, run against a server. `ExampleTests.swift` of the library's tests runs
/// the others.
@Suite("Examples of the README: archives", .timeLimit(.minutes(10)))
struct DownloadExampleTests {
    private static let archive = ZipBuilder([
        .init("readme.txt", Array("hello".utf8)), .init("tables/a.csv", FileBehaviour.pattern(count: 90_000)),
        .init("tables/b.csv", FileBehaviour.pattern(count: 300_000, seed: 2)), .init("tables/notes.txt", [1]),
    ])

    private func show(_ progress: ArchiveProgress) {}

    @Test func `a downloaded archive is unpacked`() async throws {
        let server = try ScriptedServer(file: FileBehaviour(content: Self.archive.bytes()))
        defer { server.stop() }
        let directory = try TemporaryDirectory("example")
        let (url, path) = (server.url("/photos.zip"), directory.file("photos.zip"))
        let downloader = try Downloader()
        // README:begin unpack
        let file = try await downloader.download(url, to: path)
        let unpacked = try await file.extract { progress in
            show(progress)  // .bytes, .totalBytes, .members, .member
        }
        print(unpacked.directory, unpacked.members, unpacked.bytes)
        // README:end
        await downloader.shutdown()

        #expect(unpacked.directory == directory.file("photos") && unpacked.bytes == 390_006)
        #expect(try Files.names(directory.path) == ["photos", "photos.zip"])
        #expect(try Files.read(directory.file("photos/tables/b.csv")) == Self.archive.members[2].data)
    }

    @Test func `members are downloaded without the rest of the archive`() async throws {
        let server = try ScriptedServer(file: FileBehaviour(content: Self.archive.bytes()))
        defer { server.stop() }
        let directory = try TemporaryDirectory("example")
        let (url, tables) = (server.url("/data.zip"), directory.file("tables"))
        let downloader = try Downloader()
        // README:begin members
        let zip = try await downloader.remoteZip(DownloadRequest(url))
        for member in zip.members { print(member.path, member.size ?? 0) }
        try await downloader.fetch(["tables/*.csv"], of: zip, to: .directory(tables))
        // README:end
        await downloader.shutdown()

        #expect(zip.members.map(\.path) == ["readme.txt", "tables/a.csv", "tables/b.csv", "tables/notes.txt"])
        #expect(try Files.names(directory.path) == ["tables"])
        // The archive's only directory has the target's name and is not nested a second time.
        #expect(try Files.names(tables) == ["a.csv", "b.csv"])
    }
}
