import PawlTestKit
import Testing

@testable import PawlArchive

struct TarTests {
    static let scripts: [(String, String)] = [
        ("gnu.tar", "tar --format=gnu -cf $OUT tree"), ("pax.tar", "tar --format=pax -cf $OUT tree"),
        ("dot.tar", "tar -cf $OUT -C tree ."),
        ("bsd.tar", "bsdtar --format=pax -cf $OUT tree"), ("bsd-gnu.tar", "bsdtar --format=gnutar -cf $OUT tree"),
        ("gnu.tar.gz", "tar -czf $OUT tree"), ("gnu.tar.bz2", "tar -cjf $OUT tree"),
        ("gnu.tar.xz", "tar -cJf $OUT tree"),
        ("gnu.tar.zst", "tar --zstd -cf $OUT tree"), ("bsd.tgz", "bsdtar -czf $OUT tree"),
        ("bsd.tbz2", "bsdtar -cjf $OUT tree"),
        ("bsd.txz", "bsdtar -cJf $OUT tree"), ("bsd.tzst", "bsdtar --zstd -cf $OUT tree"),
        ("bsd.7z", "bsdtar --format=7zip -cf $OUT tree"),
    ]

    @Test(arguments: scripts)
    func `archives packed by Debian's tools are unpacked`(_ name: String, _ script: String) async throws {
        let tree = try TarTree()
        let path = try await tree.archive(name, script)
        let members = try await Archive(path).members()
        let result = try await Archive(path).extract(into: tree.directory.file("out/tree".replacing("/", with: "-")))
        let root = name == "dot.tar" ? result.directory : "\(result.directory)/tree"
        try tree.expectCopy(root)
        #expect(result.members == members.count - (name == "dot.tar" ? 1 : 0))
        #expect(members.contains { $0.kind == .symbolicLink("../noise") })
    }

    @Test func `7z archives with each compression method are unpacked`() async throws {
        for options in ["", "-m0=LZMA", "-m0=LZMA2", "-m0=PPMd", "-m0=BZip2", "-m0=Deflate", "-m0=Copy", "-ms=off"] {
            let tree = try TarTree()
            let path = try await tree.archive("a.7z", "7z a -snl \(options) $OUT tree >&2")
            let result = try await Archive(path).extract(into: tree.directory.file("out"))
            try tree.expectCopy("\(result.directory)/tree")
        }
    }

    @Test(arguments: ["gnu", "pax", "ustar"])
    func `hard links, sparse files and unusual names are unpacked from a tar`(_ format: String) async throws {
        let tree = try TarTree()
        let script = """
            ln tree/noise tree/a/same; truncate -s 3M tree/hole; printf end >> tree/hole; truncate -s 5M tree/hole
            printf x > 'tree/ -dash'; printf x > 'tree/back\\slash'; rm -r tree/long*
            tar --format=\(format) \(format == "ustar" ? "" : "--sparse") -cf $OUT tree
            """
        let path = try await tree.archive("a.tar", script)
        let out = try await Archive(path).extract(into: tree.directory.file("out")).directory
        #expect(try Files.status("\(out)/tree/a/same").inode == Files.status("\(out)/tree/noise").inode)
        #expect(try Files.isEqual("\(out)/tree/hole", to: Files.read("\(tree.root)/hole")))
        #expect(Files.exists("\(out)/tree/ -dash") && Files.exists("\(out)/tree/back\\slash"))
        if format != "ustar" { try tree.expectCopy("\(out)/tree") }
    }

    @Test(arguments: ["", " | gzip", " | bzip2", " | xz", " | zstd -q"])
    func `Z09 a tar truncated anywhere is refused, and no unpacked files remain`(_ filter: String) async throws {
        let tree = try TarTree()
        // A small archive, so that every position can be tried. Long names in GNU and pax format add extra headers.
        let script =
            "rm tree/noise tree/a/link; tar --format=\(filter.isEmpty ? "gnu" : "pax") -b 1 -cf - tree\(filter) > $OUT"
        let whole = try Files.read(try await tree.archive("whole", script))
        let path = tree.directory.file("cut")
        let places =
            filter.isEmpty
            ? Array(stride(from: 0, to: whole.count - 512, by: 256))
            : Array(stride(from: 0, to: whole.count, by: max(1, whole.count / 40)))
        for place in places {
            try Files.write(whole[..<place], to: path)
            let error = await #expect(throws: ArchiveError.self, "cut at \(place) of \(whole.count)") {
                try await Archive(path).extract(into: tree.directory.file("out"))
            }
            // An archive shorter than its magic number is not recognised.
            let allowed: Set<ArchiveError.Code> = place < 512 ? [.truncated, .notAnArchive, .damaged] : [.truncated]
            #expect(
                error.map { allowed.contains($0.code) } == true,
                "cut at \(place) of \(whole.count): \(error.map { "\($0.code) \($0.underlying ?? "")" } ?? "")")
            #expect(try Files.names(tree.directory.path).sorted() == ["cut", "tree", "whole"])
            Files.remove(path)
        }
        try Files.write(whole, to: path)
        _ = try await Archive(path).extract(into: tree.directory.file("out"))
    }

    @Test func `Z09 a tar may end with one block of zeros, or with any bytes after two`() async throws {
        let tree = try TarTree()
        let whole = try Files.read(try await tree.archive("whole", "tar -b 1 -cf $OUT tree"))
        for (number, bytes) in [
            whole.dropLast(512), whole + [UInt8](repeating: 0, count: 100_000),
            whole + [UInt8](repeating: 7, count: 5000),
        ].enumerated() {
            let path = tree.directory.file("a.tar")
            Files.remove(path)
            try Files.write(bytes, to: path)
            let result = try await Archive(path).extract(into: tree.directory.file("out\(number)"))
            try tree.expectCopy("\(result.directory)/tree")
        }
    }

    @Test(arguments: ["", "gzip", "xz"])
    func `Z05 an archive appended to another is refused instead of ignored`(_ filter: String) async throws {
        let tree = try TarTree()
        let pipe = filter.isEmpty ? "" : " | \(filter)"
        let path = try await tree.archive("two", "(tar -cf - tree/a; tar -cf - tree)\(pipe) > $OUT")
        let error = await #expect(throws: ArchiveError.self) {
            try await Archive(path).extract(into: tree.directory.file("out"))
        }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("after its end") == true)
    }

    @Test func `Z05 an archive appended to an empty one is refused instead of ignored`() async throws {
        let tree = try TarTree()
        let path = try await tree.archive("two", "(tar -cf - -T /dev/null; tar -cf - tree/a) > $OUT")
        let error = await #expect(throws: ArchiveError.self) { try await Archive(path).members() }
        #expect(error?.code == .damaged && error?.message.contains("after its end") == true)
    }

    @Test(
        arguments: [
            // A whole first archive ends within the record that the second one begins in, or with it.
            "(tar -cf - tree/a/run; tar -cf - tree/a)", "(tar -b1 -cf - tree/a/run; tar -b1 -cf - tree/a/empty)",
            "(tar -b1 -H pax -cf - tree/a/run; tar -b1 -H pax -cf - tree/a/empty)",
            "(tar -b1 -H ustar -cf - tree/noise; tar -b1 -H ustar -cf - tree/a/empty)",
        ], ["cat", "gzip", "zstd -q"])
    func `Z19 a small archive appended within the last record is refused instead of ignored`(
        _ command: String, _ filter: String
    ) async throws {
        let tree = try TarTree()
        let path = try await tree.archive("two", "\(command) | \(filter) > $OUT")
        let error = await #expect(throws: ArchiveError.self) {
            try await Archive(path).extract(into: tree.directory.file("out"))
        }
        #expect(error?.code == .damaged && error?.message.contains("after its end") == true)
    }

    @Test func `Z19 a last record that is filled up with other bytes is accepted, as is a tar in a tar`() async throws {
        let tree = try TarTree()
        let script =
            "tar -cf inner.tar tree/a; tar -b1 -cf - inner.tar tree/noise > part; (cat part; head -c 3000 tree/noise) > $OUT"
        let path = try await tree.archive("filled.tar", script)
        _ = try await Archive(path).extract(into: tree.directory.file("out"))
        #expect(try Files.names(tree.directory.file("out")).sorted() == ["inner.tar", "tree"])
    }

    @Test func `Z03 a flood of zeros after the end of a tar is refused`() async throws {
        let tree = try TarTree()
        let path = try await tree.archive("bomb", "(tar -cf - tree/a; head -c 90000000 /dev/zero) | zstd -q > $OUT")
        let error = await #expect(throws: ArchiveError.self) { try await Archive(path).members() }
        #expect(error?.code == .damaged)
        let zeros = try await tree.archive("zeros", "head -c 90000000 /dev/zero | zstd -q > $OUT")
        await #expect(throws: ArchiveError.self) { try await Archive(zeros).extract(into: tree.directory.file("out")) }
    }

    @Test func `cancelling stops while a large member is being skipped`() async throws {
        let tree = try TarTree()
        let path = try await tree.archive(
            "big.tzst", "truncate -s 200M hole; tar -cf - hole tree/a | zstd -q > $OUT; rm hole")
        let flag = StopFlag()
        var options = ExtractionOptions()
        options.patterns = ["tree/**"]
        let reader = try LibArchiveReader(path: path)
        _ = try reader.next()
        flag.stop()
        reader.stop(when: flag)
        #expect(throws: ArchiveError.self) { try reader.next() }
        #expect(throws: CancellationError.self) {
            try Extraction(LibArchiveReader(path: path), options: options, flag: flag).run(
                into: tree.directory.file("out"))
        }
        #expect(!Files.exists(tree.directory.file("out.part")))
    }

    @Test(arguments: [" | gzip", " | bzip2", " | xz", " | zstd -q --check", ""])
    func `Z09 a changed byte within an archive is detected`(_ filter: String) async throws {
        let tree = try TarTree()
        var bytes = try Files.read(try await tree.archive("whole", "tar -cf - tree\(filter) > $OUT"))
        // In a plain tar only headers have checksums.
        bytes[filter.isEmpty ? 20 : bytes.count / 2] ^= 0x10
        let path = tree.directory.file("damaged")
        try Files.write(bytes, to: path)
        let error = await #expect(throws: ArchiveError.self) {
            try await Archive(path).extract(into: tree.directory.file("out"))
        }
        #expect(
            error.map { [.damaged, .notAnArchive].contains($0.code) } == true, "\(error.map { "\($0.code)" } ?? "")")
        #expect(!Files.exists(tree.directory.file("out")) && !Files.exists(tree.directory.file("out.part")))
    }

    @Test func `Z08 names that are not UTF-8 are read as ISO 8859-1, and control characters are escaped`() async throws
    {
        let tree = try TarTree()
        let script = "mkdir d; cd d; touch \"$(printf 'caf\\351')\" \"$(printf 'x\\233y')\" é; tar -cf $OUT ."
        let path = try await tree.archive("a.tar", script)
        let out = try await Archive(path).extract(into: tree.directory.file("out")).directory
        #expect(try Files.names(out).sorted() == ["café", "x%9By", "é"].sorted())
        #expect(MemberName.text(of: [0xC3, 0xA9]) == "é")
        #expect(MemberName.text(of: [0xC3]) == "Ã")
    }

    @Test func `Z07 an encrypted 7z is refused, and the error says what to do`() async throws {
        for options in ["-psecret", "-psecret -mhe=on"] {
            let tree = try TarTree()
            let path = try await tree.archive("a.7z", "7z a \(options) $OUT tree/noise >&2")
            let error = await #expect(throws: ArchiveError.self) {
                try await Archive(path).extract(into: tree.directory.file("out"))
            }
            #expect(error?.code == .unsupported)
            #expect(
                error?.message.contains("encrypted") == true && error?.message.contains("7z") == true,
                "\(error?.message ?? "")")
            #expect(!Files.exists(tree.directory.file("out.part")))
        }
    }

    @Test func `Z09 a truncated 7z is refused`() async throws {
        let tree = try TarTree()
        let whole = try Files.read(try await tree.archive("whole", "7z a $OUT.7z tree >&2; mv $OUT.7z $OUT"))
        for place in [10, 32, 100, whole.count / 2, whole.count - 1] {
            let path = tree.directory.file("cut")
            Files.remove(path)
            try Files.write(whole[..<place], to: path)
            let error = await #expect(throws: ArchiveError.self) { try await Archive(path).members() }
            #expect(error?.code == .truncated, "\(place)")
        }
    }

    @Test func `content that is not an archive, a path that is not a file, and an unreadable file are refused`()
        async throws
    {
        let tree = try TarTree()
        try Files.write([], to: tree.directory.file("nothing"))
        try Files.write(Array("<!DOCTYPE html>\n<title>Not found</title>".utf8), to: tree.directory.file("page"))
        try Files.makeFIFO(tree.directory.file("pipe"))
        for filter in ["gzip", "bzip2", "xz", "zstd -q"] {
            _ = try await tree.archive(String(filter.prefix { $0 != " " }), "echo no tar | \(filter) > $OUT")
        }
        // Formats that libarchive supports and Pawl excludes.
        _ = try await tree.archive("cpio", "bsdtar --format=newc -cf $OUT tree")
        _ = try await tree.archive("mtree", "bsdtar --format=mtree -cf $OUT tree")
        _ = try await tree.archive("shar", "bsdtar --format=shar -cf $OUT tree")
        // Images of disks begin with zeros, as an empty tar does, and may hold a tar.
        _ = try await tree.archive("iso", "tar -cf inner.tar tree/a; bsdtar --format=iso9660 -cf $OUT inner.tar tree")
        let sector = [UInt8](repeating: 0, count: 446) + Array("disk".utf8)
        try Files.write([UInt8](repeating: 0, count: 20_480) + sector, to: tree.directory.file("disk"))
        for name in ["nothing", "page", "gzip", "bzip2", "xz", "zstd", "cpio", "mtree", "shar", "iso", "disk"] {
            let error = await #expect(throws: ArchiveError.self, "\(name)") {
                try await Archive(tree.directory.file(name)).members()
            }
            #expect(error?.code == .notAnArchive, "\(name): \(error?.message ?? "")")
        }
        for name in ["pipe", "tree", "missing"] {
            let error = await #expect(throws: ArchiveError.self) {
                try await Archive(tree.directory.file(name)).members()
            }
            #expect(error?.code == .unreadable, "\(name)")
        }
    }
}
