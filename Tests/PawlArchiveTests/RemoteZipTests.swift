import Pawl
import PawlCore
import PawlTestKit
import Testing

@testable import PawlArchive

/// Fetching members of a zip archive on a server.
@Suite struct RemoteZipTests {
    /// The most bytes that may be fetched beyond the members and the directory.
    private static let maximumOverhead = 128 << 10

    private static func member(_ name: String, _ count: Int, seed: UInt64 = 1) -> ZipBuilder.Member {
        .init(name, FileBehaviour.pattern(count: count, seed: seed))
    }

    /// 3 MiB, of which the tables are 200 KiB.
    private static let archive = ZipBuilder([
        member("readme.txt", 900, seed: 2), member("large.bin", 1 << 20, seed: 3),
        member("tables/one.csv", 120_000, seed: 4),
        member("tables/two.csv", 80_000, seed: 5), member("tables/notes.txt", 500, seed: 6),
        member("rest.bin", 2 << 20, seed: 7),
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

        func zip() async throws -> RemoteZip {
            try await downloader.remoteZip(DownloadRequest(server.url("/data.zip")))
        }
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

    // MARK: The directory

    @Test func `listing a remote zip fetches the end of the archive and nothing else`() async throws {
        try await Self.withWorld(World()) { world in
            let zip = try await world.zip()
            #expect(zip.members.map(\.path) == Self.archive.members.map { String(decoding: $0.name, as: UTF8.self) })
            #expect(
                zip.members[2].size == 120_000 && zip.members[2].crc32 == ZipBuilder.crc32(Self.archive.members[2].data)
            )
            #expect(zip.length == Int64(Self.archive.bytes().count) && zip.name == "data.zip")
            #expect(zip.fetchedBytes == ZipEnd.usualTailLength)
            #expect(world.server.requests.map { $0.fields.first("Range") } == ["bytes=-\(ZipEnd.usualTailLength)"])
            #expect(Int64(world.server.bodyBytesSent) == zip.fetchedBytes)
        }
    }

    @Test func `a directory longer than the fetched end is completed under the end's validator`() async throws {
        let many = ZipBuilder(
            (0..<3000).map { .init("directory/with-a-long-name/member-\($0).txt", [UInt8(truncatingIfNeeded: $0)]) })
        try await Self.withWorld(World(many.bytes())) { world in
            let zip = try await world.zip()
            #expect(zip.members.count == 3000)
            let requests = world.server.requests
            #expect(requests.count == 2)
            #expect(requests.last?.fields.first("If-Range") == "\"v1\"")
            // No byte was fetched twice.
            let last = try #require(zip.entries.last)
            #expect(Int64(world.server.bodyBytesSent) == zip.length - last.dataBound)
        }
    }

    @Test func `a remote zip shorter than the requested end, and an empty one, are listed`() async throws {
        for archive in [ZipBuilder([Self.member("a", 10)]), ZipBuilder()] {
            try await Self.withWorld(World(archive.bytes())) { world in
                let zip = try await world.zip()
                #expect(zip.members.count == archive.members.count)
            }
        }
    }

    @Test func `zip64 records of a remote zip are followed`() async throws {
        var archive = Self.archive
        archive.zip64 = .init()
        try await Self.withWorld(World(archive.bytes())) { world in
            let zip = try await world.zip()
            #expect(zip.members.count == 6)
        }
    }

    @Test func `a remote file that is not a zip archive is reported so, whatever its length`() async throws {
        for count in [1, 100, 200_000] {
            try await Self.withWorld(World(FileBehaviour.pattern(count: count))) { world in
                let error = await #expect(throws: ArchiveError.self) { _ = try await world.zip() }
                #expect(
                    error?.code == .notAnArchive && error?.remedies == [.fetchWhole], "\(String(describing: error))")
            }
        }
    }

    @Test func `a server that ignores ranges is reported as such`() async throws {
        try await Self.withWorld(World { $0.honoursRanges = false }) { world in
            do {
                _ = try await world.zip()
                Issue.record("it was listed")
            } catch let error as DownloadError {
                #expect(error.code == .rangesNotSupported)
                #expect(error.remedies == [.fetchWholeArchive])
            }
        }
    }

    @Test func `a server that does not support suffix ranges is asked for the length first`() async throws {
        let bytes = Self.archive.bytes()
        let script = FileScript(FileBehaviour(content: bytes))
        let server = try ScriptedServer { request, connection in
            guard request.fields.first("Range")?.contains("=-") == true else {
                return try script.answer(request, connection)
            }
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\nETag: \"v1\"\r\n\r\n")
        }
        let downloader = try Downloader()
        let zip = try await downloader.remoteZip(DownloadRequest(server.url("/data.zip")))
        #expect(zip.members.count == 6)
        #expect(
            server.requests.compactMap { $0.fields.first("Range") }.dropFirst() == [
                "bytes=0-0", "bytes=\(Int64(bytes.count) - ZipEnd.usualTailLength)-\(bytes.count - 1)",
            ])
        await downloader.shutdown()
        server.stop()
    }

    @Test func `a remote zip replaced while its list is read is read again`() async throws {
        let many = ZipBuilder((0..<3000).map { .init("directory/with-a-long-name/member-\($0).txt") }).bytes()
        let other = ZipBuilder((0..<2000).map { .init("another/directory/with-a-long-name/\($0).txt") }).bytes()
        try await Self.withWorld(
            World(many) { $0.replacement = .init(afterRequests: 1, content: other, etag: "\"v2\"") }
        ) { world in
            let zip = try await world.zip()
            #expect(zip.members.count == 2000)
        }
    }

    // MARK: Members

    @Test func `only the named members are fetched, each to its own path`() async throws {
        try await Self.withWorld(World()) { world in
            let zip = try await world.zip()
            let target = world.directory.file("out")
            let result = try await world.downloader.fetch(["tables/*.csv"], of: zip, to: .directory(target))
            #expect(result.members == 2 && result.bytes == 200_000)
            #expect(try Files.read(target + "/tables/one.csv") == Self.archive.members[2].data)
            #expect(try Files.read(target + "/tables/two.csv") == Self.archive.members[3].data)
            #expect(try Files.names(target + "/tables").sorted() == ["one.csv", "two.csv"])
            // No intermediate files are left.
            #expect(try Files.names(world.directory.path) == ["out"])
            let directory = zip.length - (try #require(zip.entries.last)).dataBound
            #expect(
                world.server.bodyBytesSent <= 200_000 + Int(directory) + Self.maximumOverhead,
                "\(world.server.bodyBytesSent)")
            #expect(world.server.requests.dropFirst().allSatisfy { $0.fields.first("If-Range") == "\"v1\"" })
        }
    }

    @Test(arguments: ["readme.txt", "tables/notes.txt", "rest.bin"])
    func `a single member is saved to the named file`(name: String) async throws {
        try await Self.withWorld(World()) { world in
            let path = world.directory.file("renamed")
            let result = try await world.downloader.fetch([name], of: world.zip(), to: .file(path))
            let member = try #require(Self.archive.members.first { $0.name == Array(name.utf8) })
            #expect(try Files.read(path) == member.data)
            #expect(result.members == 1 && result.bytes == Int64(member.data.count))
            #expect(try Files.names(world.directory.path) == ["renamed"])
        }
    }

    @Test func `members that lie apart are fetched from one archive, also with zip64`() async throws {
        var archive = Self.archive
        archive.zip64 = .init()
        for index in archive.members.indices {
            let size = UInt64(archive.members[index].data.count)
            archive.members[index].extra = ZipBuilder.zip64Extra(size, size)
            archive.members[index].localExtra = ZipBuilder.zip64Extra(size, size)
            (archive.members[index].size, archive.members[index].compressedSize) = (.max, .max)
        }
        try await Self.withWorld(World(archive.bytes())) { world in
            let target = world.directory.file("out")
            try await world.downloader.fetch(["readme.txt", "tables/two.csv"], of: world.zip(), to: .directory(target))
            #expect(try Files.read(target + "/readme.txt") == archive.members[0].data)
            #expect(try Files.read(target + "/tables/two.csv") == archive.members[3].data)
        }
    }

    @Test func `a pattern that matches no member is an error before any member is fetched`() async throws {
        try await Self.withWorld(World()) { world in
            let zip = try await world.zip()
            let error = await #expect(throws: ArchiveError.self) {
                try await world.downloader.fetch(
                    ["tables/*.csv", "tables/*.xml"], of: zip, to: .directory(world.directory.file("out")))
            }
            #expect(error?.code == .noSuchMember && error?.message.contains("tables/*.xml") == true)
            let several = await #expect(throws: ArchiveError.self) {
                try await world.downloader.fetch(["tables"], of: zip, to: .file(world.directory.file("out")))
            }
            #expect(several?.code == .invalidArgument)
            #expect(world.server.requests.count == 1)
            #expect(try Files.names(world.directory.path).isEmpty)
        }
    }

    @Test func `an archive that has changed since its list was read yields no member`() async throws {
        var other = Self.archive
        other.members[2].data.reverse()
        other.members[2].crc32 = ZipBuilder.crc32(other.members[2].data)
        let content = other.bytes()
        try await Self.withWorld(World { $0.replacement = .init(afterRequests: 1, content: content, etag: "\"v2\"") }) {
            world in
            let zip = try await world.zip()
            let code = await Self.code {
                try await world.downloader.fetch(
                    ["tables/one.csv"], of: zip, to: .file(world.directory.file("one.csv")))
            }
            #expect(code == .changed)
            #expect(try Files.names(world.directory.path).isEmpty)
        }
    }

    @Test func `without a validator the checksum decides, and a wrong member is removed`() async throws {
        var wrong = Self.archive
        wrong.members[2].data[77] ^= 1
        for (archive, isRight) in [(Self.archive, true), (wrong, false)] {
            try await Self.withWorld(World(archive.bytes()) { ($0.etag, $0.lastModified) = (nil, nil) }) { world in
                let zip = try await world.zip()
                let path = world.directory.file("one.csv")
                if isRight {
                    try await world.downloader.fetch(["tables/one.csv"], of: zip, to: .file(path))
                    #expect(try Files.read(path) == archive.members[2].data)
                } else {
                    let error = await #expect(throws: ArchiveError.self) {
                        try await world.downloader.fetch(["tables/one.csv"], of: zip, to: .file(path))
                    }
                    #expect(
                        error?.code == .damaged && error?.member == "tables/one.csv", "\(String(describing: error))")
                    #expect(try Files.names(world.directory.path).isEmpty)
                }
            }
        }
    }

    @Test func `a member whose local header contradicts the directory is refused`() async throws {
        var archive = Self.archive
        archive.members[2].localName = Array("tables/two.csv".utf8)
        try await Self.withWorld(World(archive.bytes())) { world in
            let zip = try await world.zip()
            let error = await #expect(throws: ArchiveError.self) {
                try await world.downloader.fetch(
                    ["tables/one.csv"], of: zip, to: .file(world.directory.file("one.csv")))
            }
            #expect(error?.code == .damaged && error?.member == "tables/one.csv")
        }
    }

    @Test func `an interrupted member download resumes and fetches no more than the rest`() async throws {
        // The second request, which fetches the member, stalls in the middle.
        try await Self.withWorld(World { $0.stall = .init(afterBytes: 1 << 20, requests: 2...2) }) { world in
            let zip = try await world.zip()
            let path = world.directory.file("rest.bin")
            let first = try world.downloader.start(["rest.bin"], of: zip, to: .file(path))
            for await progress in first.download.progress where progress.bytesStored >= 1 << 20 - 65_536 { break }
            try await first.download.pause()
            first.download.cancel()
            await #expect(throws: CancellationError.self) { _ = try await first.result() }
            #expect(try Files.names(world.directory.path).contains { $0.hasSuffix(".part") })
            let before = world.server.bodyBytesSent
            let result = try await world.downloader.fetch(["rest.bin"], of: zip, to: .file(path))
            #expect(result.bytes == 2 << 20)
            #expect(try Files.read(path) == Self.archive.members[5].data)
            #expect(world.server.bodyBytesSent - before < 1 << 20 + 200_000, "\(world.server.bodyBytesSent - before)")
            #expect(try Files.names(world.directory.path) == ["rest.bin"])
        }
    }

    @Test func `a member whose path has empty or dot components is found by its plain path as well`() async throws {
        let archive = ZipBuilder([.init("./d/a.txt", [1]), .init("d//b.txt", [2])])
        try await Self.withWorld(World(archive.bytes())) { world in
            let zip = try await world.zip()
            for (index, name) in ["d/a.txt", "./d/a.txt", "d/b.txt"].enumerated() {
                _ = try await world.downloader.fetch([name], of: zip, to: .file(world.directory.file("\(index)")))
            }
            #expect(try (0...2).map { try Files.read(world.directory.file("\($0)")) } == [[1], [1], [2]])
        }
    }

    @Test func `an obstacle that the list reveals is reported before any member is fetched`() async throws {
        var strange = Self.member("strange", 1000)
        strange.method = 9
        var link = Self.member("link", 4)
        link.attributes = 0o120777 << 16
        let archive = ZipBuilder([
            strange, Self.member("../up", 1000), Self.member("good", 1000), link, Self.member("twins/a", 10),
            Self.member("twins/A", 10),
        ])
        try await Self.withWorld(World(archive.bytes())) { world in
            let zip = try await world.zip()
            func code(_ name: String, _ options: ExtractionOptions = .init()) async -> ArchiveError.Code? {
                await #expect(throws: ArchiveError.self) {
                    try await world.downloader.fetch(
                        [name], of: zip, to: .directory(world.directory.file("out")), options: options)
                }?.code
            }
            #expect(await code("strange") == .unsupported)
            #expect(await code("../up") == .unsafeName)
            #expect(await code("twins") == .duplicateName)
            var linkless = ExtractionOptions()
            linkless.allowsLinks = false
            #expect(await code("link", linkless) == .unsafeLink)
            #expect(throws: ArchiveError.self) {
                try world.downloader.start(["link"], of: zip, to: .file(world.directory.file("out")))
            }
            var small = ExtractionOptions()
            small.limits.maximumBytes = 999
            #expect(await code("good", small) == .tooLarge)
            var replacing = ExtractionOptions()
            replacing.ifExists = .replace
            try Files.makeDirectory(world.directory.file("there"))
            let error = await #expect(throws: ArchiveError.self) {
                try await world.downloader.fetch(
                    ["good"], of: zip, to: .file(world.directory.file("there")), options: replacing)
            }
            #expect(error?.code == .targetExists)
            #expect(world.server.requests.count == 1)
            #expect(try Files.names(world.directory.path) == ["there"])
        }
    }

    @Test(arguments: [200, 238, 239, 255])
    func `a file name of the maximum length leaves room for the partial file's name`(length: Int) async throws {
        try await Self.withWorld(World()) { world in
            let path = world.directory.file(String(repeating: "n", count: length))
            _ = try await world.downloader.fetch(["readme.txt"], of: world.zip(), to: .file(path))
            #expect(try Files.read(path) == Self.archive.members[0].data)
            #expect(try Files.names(world.directory.path).count == 1)
        }
    }

    @Test func `an existing target is an error before any member is fetched`() async throws {
        try await Self.withWorld(World()) { world in
            let zip = try await world.zip()
            try Files.write([1], to: world.directory.file("taken"))
            for target in [
                MemberDownload.Target.file(world.directory.file("taken")), .directory(world.directory.file("taken")),
            ] {
                let error = await #expect(throws: ArchiveError.self) {
                    try await world.downloader.fetch(["readme.txt"], of: zip, to: target)
                }
                #expect(error?.code == .targetExists)
            }
            #expect(world.server.requests.count == 1)
            #expect(try Files.read(world.directory.file("taken")) == [1])
        }
    }

    // MARK: Choosing ranges

    @Test func `adjacent members share one range, and too many ranges are merged by the smallest gaps`() throws {
        let bytes = ZipBuilder((0..<50).map { Self.member("\($0)", 100 + ($0 % 7) * 70_000) }).bytes()
        guard case .end(let end) = try ZipEnd.find(in: bytes, ofFileOfLength: Int64(bytes.count)) else {
            Issue.record("no end")
            return
        }
        let entries = try ZipDirectory(parsing: Array(bytes[Int(end.directoryStart)..<Int(end.directoryEnd)]), end: end)
            .entries
        #expect(MemberPlan(entries).ranges == [ByteRange(0..<end.directoryStart)])
        let odd = entries.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        for most in [1, 2, 10, 25, 1000] {
            let plan = MemberPlan(odd, maximumRanges: most)
            #expect(plan.ranges.count == min(25, most))
            #expect(zip(plan.ranges, plan.ranges.dropFirst()).allSatisfy { $0.end < $1.start })
            for entry in odd {
                let offset = try #require(plan.offset(of: entry.headerOffset))
                let range = try #require(
                    plan.ranges.first { $0.start <= entry.headerOffset && entry.dataBound <= $0.end })
                let before = plan.ranges.filter { $0.end <= range.start }.reduce(0) { $0 + $1.count }
                #expect(offset == before + entry.headerOffset - range.start)
            }
        }
        // 25 members have 24 gaps, of which the widest remains.
        let two = MemberPlan(odd, maximumRanges: 2).ranges
        let gap = two[1].start - two[0].end
        #expect(zip(odd, odd.dropFirst()).allSatisfy { $1.headerOffset - $0.dataBound <= gap })
        #expect(MemberPlan(odd).offset(of: entries[0].headerOffset) == nil)
    }
}
