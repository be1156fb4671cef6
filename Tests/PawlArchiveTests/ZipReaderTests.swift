import PawlTestKit
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@testable import PawlArchive

@Suite struct ZipReaderTests {
    typealias Member = ZipBuilder.Member

    private func files() async throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try Files.write(Array("hello\n".utf8), to: directory.file("a.txt"))
        try Files.write(Self.large, to: directory.file("large"))
        try Files.write([], to: directory.file("empty"))
        try await shell("mkdir d && echo x > d/naïve.txt && ln -s a.txt link", in: directory)
        return directory
    }

    /// Long and irregular bytes that compress a little.
    private static let large = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7 ^ $0 >> 11) }

    private static let everything = [
        Read("a.txt", "hello\n"), Read("large", large), Read("empty"), Read("d/", kind: .directory),
        Read("d/naïve.txt", "x\n"),
        Read("link", kind: .symbolicLink("a.txt")),
    ]

    @Test(arguments: [
        "zip -qry x.zip", "zip -qry0 x.zip", "zip -qry -Z bzip2 x.zip", "zip -qry -fz x.zip", "zip -qry -fd x.zip",
        "zip -qry9 x.zip -z </dev/null",
        "zip -qry - >x.zip", "bsdtar -cf x.zip --format zip", "bsdtar -c --format zip >x.zip",
        "bsdtar -cf x.zip --format zip --options zip:compression=store",
        "7z a -bd -tzip -snl -mx=1 x.zip", "7z a -bd -tzip -snl -mm=bzip2 x.zip", "7z a -bd -tzip -snl -mm=lzma x.zip",
        "7z a -bd -tzip -snl -mm=ppmd x.zip",
        "7z a -bd -tzip -snl -mm=xz x.zip",
    ])
    func `zips packed by other programs are read`(command: String) async throws {
        let directory = try await files()
        let parts = command.split(separator: ">")
        // Some builds of Info-ZIP 3.0 refuse to write a link followed by a data descriptor.
        let describesAll = command.contains("-fd")
        if describesAll { try await shell("zip -qy x.zip link", in: directory) }
        try await shell(
            "\(parts[0]) a.txt large empty d \(describesAll ? "" : "link") \(parts.count > 1 ? ">\(parts[1])" : "") \(command.contains("7z") ? ">log" : "")",
            in: directory)
        let read = try readAll(directory.file("x.zip"))
        #expect(read.sorted { $0.path < $1.path } == Self.everything.sorted { $0.path < $1.path })
    }

    @Test func `a member compressed with Zstandard is read`() async throws {
        let directory = try await files()
        try await shell("bsdtar -cf packed --format raw --zstd large", in: directory)
        var member = Member("large", try Files.read(directory.file("packed")))
        (member.method, member.size, member.crc32) = (93, UInt32(Self.large.count), ZipBuilder.crc32(Self.large))
        let read = try readAll(ZipReader.open(.bytes(ZipBuilder([member]).bytes()), password: nil))
        #expect(read == [Read("large", Self.large)])
    }

    @Test func `Z03 an LZMA member that needs gigabytes of memory is refused`() throws {
        // A version, the length of the properties, then the properties: literal bits and a dictionary of 4 GiB.
        var member = Member("a", [9, 4, 5, 0, 0x5D, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0])
        (member.method, member.size) = (14, 5)
        expect(.unsupported, "more than 512 MiB") {
            _ = try readAll(ZipReader.open(.bytes(ZipBuilder([member]).bytes()), password: nil))
        }
    }

    @Test func `zips that Python packs to a file and to a pipe are read`() async throws {
        let directory = try await files()
        let script = """
            import zipfile, sys
            for out, method in (('0.zip', 0), ('8.zip', 8), ('12.zip', 12), ('14.zip', 14)):
                with zipfile.ZipFile(out, 'w', method) as z:
                    z.write('a.txt'); z.write('large'); z.writestr('d/', ''); z.writestr('d/naïve.txt', 'x\\n')
            class Pipe:
                def __init__(self, f): self.f = f
                def write(self, b): return self.f.write(b)
                def flush(self): self.f.flush()
            with open('pipe.zip', 'wb') as f, zipfile.ZipFile(Pipe(f), 'w', 8) as z:
                with z.open('a.txt', 'w', force_zip64=True) as m: m.write(b'hello\\n')
                z.write('large'); z.writestr('d/', ''); z.writestr('d/naïve.txt', 'x\\n')
            """
        try Files.write(Array(script.utf8), to: directory.file("pack.py"))
        try await shell(
            "python3 pack.py && (printf '#!/bin/sh\\nexit\\n'; cat 8.zip) > behind && python3 -m zipapp -o app -m a:b d",
            in: directory)
        for name in ["0.zip", "8.zip", "12.zip", "14.zip", "pipe.zip", "behind"] {
            let read = try readAll(directory.file(name))
            #expect(read == Self.everything.filter { $0.path != "empty" && $0.path != "link" }, "\(name)")
        }
        #expect(try readAll(directory.file("app")).contains(Read("naïve.txt", "x\n")))
    }

    @Test(arguments: [
        "zip -qry -P secret x.zip", "zip -qry0 -P secret x.zip", "7z a -bd -tzip -snl -psecret x.zip",
        "7z a -bd -tzip -snl -psecret -mem=AES256 x.zip",
        "7z a -bd -tzip -snl -psecret -mem=AES128 -mx=0 x.zip",
    ])
    func `Z07 an encrypted member requires its password`(command: String) async throws {
        let directory = try await files()
        try await shell("\(command) a.txt large empty d link >log", in: directory)
        let path = directory.file("x.zip")
        #expect(
            try readAll(path, password: "secret").sorted { $0.path < $1.path }
                == Self.everything.sorted { $0.path < $1.path })
        for none in [nil, ""] {
            expect(.passwordNeeded, "“a.txt” in the zip archive is encrypted") { _ = try readAll(path, password: none) }
            // The same error for callers that have not checked for encryption first.
            expect(.passwordNeeded) { _ = try readAll(ArchiveOpening.open(path, password: none)) }
        }
        for wrong in ["secres", "Secret", "passwort"] {
            expect(.wrongPassword) { _ = try readAll(path, password: wrong) }
        }
        // Listing needs no password.
        let reader = try ArchiveOpening.open(path, password: nil)
        var names: [String] = []
        while let member = try reader.next() { names.append(member.path) }
        #expect(names.sorted() == Self.everything.map(\.path).sorted())
    }

    @Test func `Z07 an unknown compression method is an error that names it, and the other members are read`()
        async throws
    {
        let directory = try await files()
        try await shell("7z a -bd -tzip -mm=deflate64 x.zip large a.txt >log", in: directory)
        expect(.unsupported, "“large” in the zip archive cannot be read: it is compressed by method 9, deflate64") {
            _ = try readAll(directory.file("x.zip"))
        }
        let reader = try ArchiveOpening.open(directory.file("x.zip"), password: nil)
        try reader.checkReadable { $0.path == "a.txt" }
        var seen: [String] = []
        while let member = try reader.next() {
            seen.append(member.path)
            if member.path == "large" {
                #expect(member.method == "deflate64")
                continue
            }
            let bytes = try block(reader)
            #expect(bytes == Array("hello\n".utf8))
        }
        #expect(seen.sorted() == ["a.txt", "large"])
    }

    @Test func `members may be skipped or left half read`() throws {
        let zip = ZipBuilder([Member("a", Self.large), Member("b", Self.large), Member("c", [1]), Member("d", [2])])
        let reader = try ZipReader.open(.bytes(zip.bytes()), password: nil)
        #expect(reader.announced?.members == 4 && reader.announced?.bytes == 600_002)
        _ = try reader.next()
        _ = try reader.next()
        let first = try block(reader)
        #expect(first?.first == Self.large[0])
        _ = try reader.next()
        #expect(try reader.next()?.path == "d")
        let (two, none) = (try block(reader), try block(reader))
        #expect(two == [2] && none == nil)
        #expect(try reader.next() == nil)
    }

    @Test func `a DOS time is read in the local time zone`() throws {
        var member = Member("a", [1])
        // 2025-01-01 12:00.
        (member.date, member.time) = (0x5A21, 0x6000)
        let read = try ZipReader.open(.bytes(ZipBuilder([member]).bytes()), password: nil).next()
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday, fields.tm_hour, fields.tm_isdst) = (125, 0, 1, 12, -1)
        #expect(read?.modified == Int64(mktime(&fields)))
    }

    @Test func `Z07 an archive that cannot be read creates no files`() async throws {
        let directory = try await files()
        try await shell(
            "zip -q x.zip empty && zip -q -P secret x.zip a.txt && 7z a -bd -tzip -mm=deflate64 y.zip large >log",
            in: directory)
        let before = try Files.names(directory.path)
        for (name, code) in [("x.zip", ArchiveError.Code.passwordNeeded), ("y.zip", .unsupported)] {
            expect(code) {
                _ = try Extraction(ArchiveOpening.open(directory.file(name), password: nil)).run(
                    into: directory.file("out"))
            }
            #expect(try Files.names(directory.path) == before)
        }
        var options = ExtractionOptions()
        options.patterns = ["empty"]
        _ = try Extraction(ArchiveOpening.open(directory.file("x.zip"), password: nil), options: options).run(
            into: directory.file("out"))
        #expect(try Files.names(directory.file("out")) == ["empty"])
    }

    @Test func `Z05 a record hidden between members is refused`() throws {
        let hidden = ZipBuilder.local(Member("hidden", [1]))
        var between = ZipBuilder([Member("a", [1]), Member("b", [2])])
        between.members[0].after = hidden
        expect(.damaged, "does not mention") { _ = try ZipReader.open(.bytes(between.bytes()), password: nil) }
        var last = ZipBuilder([Member("a", [1])])
        last.beforeDirectory = Array(repeating: 7, count: 300_000) + hidden
        expect(.damaged, "does not mention") { _ = try ZipReader.open(.bytes(last.bytes()), password: nil) }
        // The hidden bytes cross the border between two blocks of the search.
        for shift in [0, 1, 15, 29, 30, 31] {
            last.beforeDirectory =
                Array(repeating: 7, count: 262_144 - shift) + hidden + [UInt8](repeating: 7, count: 100)
            expect(.damaged, "does not mention") { _ = try ZipReader.open(.bytes(last.bytes()), password: nil) }
        }
        var unlisted = ZipBuilder([Member("a", [1]), Member("b", [2])])
        unlisted.members[0].isListed = false
        expect(.damaged, "does not mention") { _ = try ZipReader.open(.bytes(unlisted.bytes()), password: nil) }
        // A second archive in front of the first.
        var stacked = ZipBuilder([Member("a", [1])])
        stacked.prefix = ZipBuilder([Member("b", [2])]).bytes()
        expect(.damaged, "does not mention") { _ = try ZipReader.open(.bytes(stacked.bytes()), password: nil) }
        // A hidden header whose remainder is the beginning of the next member.
        var half = ZipBuilder([Member("a", [1]), Member("b", [2])])
        half.members[0].after = Array(hidden.prefix(10))
        expect(.damaged, "does not mention") { _ = try ZipReader.open(.bytes(half.bytes()), password: nil) }
        // Gaps without a header are harmless.
        var holes = ZipBuilder([Member("a", [1]), Member("b", [2])])
        holes.members[0].after = Array(repeating: 0x50, count: 300)
        #expect(try readAll(ZipReader.open(.bytes(holes.bytes()), password: nil)) == [Read("a", [1]), Read("b", [2])])
    }

    @Test func `a wrong checksum is detected, even for an empty member`() throws {
        for data in [[], [1, 2, 3]] as [[UInt8]] {
            var member = Member("a", data)
            member.crc32 ^= 1
            expect(.damaged, "“a”") {
                _ = try readAll(ZipReader.open(.bytes(ZipBuilder([member]).bytes()), password: nil))
            }
        }
    }

    @Test func `a link's text is read, and an invalid one is refused`() throws {
        func link(_ text: [UInt8]) throws -> [Read] {
            var member = Member("link", text)
            member.attributes = 0o120777 << 16
            return try readAll(ZipReader.open(.bytes(ZipBuilder([member]).bytes()), password: nil))
        }
        #expect(try link(Array("d/ж".utf8)) == [Read("link", kind: .symbolicLink("d/ж"))])
        #expect(try link(Array(repeating: 0x61, count: 4095)).count == 1)
        expect(.unsafeLink, "longer than any path") { _ = try link(Array(repeating: 0x61, count: 4096)) }
        expect(.unsafeLink, "not UTF-8") { _ = try link([0xFF]) }
    }

    @Test func `Z09 every prefix of a zip is refused as truncated`() async throws {
        let bytes = try await small()
        for count in 0..<bytes.count {
            do {
                _ = try readAll(ZipReader.open(.bytes(Array(bytes.prefix(count))), password: nil))
                Issue.record("\(count) bytes of \(bytes.count) were taken for all")
            } catch let error as ArchiveError {
                #expect(error.code == .truncated, "\(error)")
            }
        }
    }

    @Test func `Z05 a zip with any byte changed reads the same or is refused`() async throws {
        let bytes = try await small()
        let original = try contents(of: bytes)
        var refused = 0
        for index in bytes.indices {
            for change: UInt8 in [1 << (index % 8), 0xFF] {
                var changed = bytes
                changed[index] ^= change
                do {
                    #expect(try contents(of: changed) == original, "byte \(index) changed by \(change)")
                } catch is ArchiveError {
                    refused += 1
                }
            }
        }
        // The other bytes are times, attributes and versions, which are not stored a second time.
        #expect(refused > bytes.count)
    }

    /// The bytes of files and the targets of links. The kind of a member is not compared, because it is not stored a
    /// second time either.
    private func contents(of bytes: [UInt8]) throws -> [[UInt8]] {
        try readAll(ZipReader.open(.bytes(bytes), password: nil)).map { read in
            if case .symbolicLink(let text) = read.kind { Array(text.utf8) } else { read.bytes }
        }
    }

    private func small() async throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        try Files.write(Array("hello hello hello hello\n".utf8), to: directory.file("a"))
        try Files.write(Array("b".utf8), to: directory.file("b"))
        try await shell("zip -q -X x.zip a b && bsdtar -cf y.zip --format zip a", in: directory)
        return try Files.read(directory.file("x.zip"))
    }
}
