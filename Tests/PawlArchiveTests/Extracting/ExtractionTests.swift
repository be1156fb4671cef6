import PawlTestKit
import Synchronization
import Testing

@testable import PawlArchive

struct ExtractionTests {
    private func sized(
        _ path: String, _ blocks: [ListedMembers.Block], size: Int64? = nil, compressed: Int64? = nil
    ) -> (ArchiveMember, [ListedMembers.Block]) {
        (ArchiveMember(path: path, kind: .file, size: size, compressedSize: compressed), blocks)
    }

    private func limits(_ set: (inout ExtractionLimits) -> Void) -> ExtractionOptions {
        var options = ExtractionOptions()
        set(&options.limits)
        return options
    }

    private static let kibibyte = [UInt8](repeating: 7, count: 1024)

    @Test func `Z03 unpacking stops once the bytes exceed the limit`() throws {
        let blocks = (0..<4).map { ListedMembers.Block(offset: $0 * 1024, bytes: Self.kibibyte) }
        let options = limits { $0.maximumBytes = 4095 }
        try ExtractionScene().expectRefusal(.tooLarge, of: ListedMembers([sized("a", blocks)]), options, naming: "4095")
        try ExtractionScene().expectRefusal(
            .tooLarge, of: ListedMembers([sized("a", Array(blocks.prefix(3))), sized("b", Array(blocks.prefix(1)))]),
            options)
        _ = try ExtractionScene().extract(ListedMembers([sized("a", blocks)]), limits { $0.maximumBytes = 4096 })
    }

    @Test func `Z03 a declared size beyond the limit is refused before the member's first byte`() throws {
        let reader = ListedMembers([sized("a", [.init(offset: 0, bytes: Self.kibibyte)], size: 4096)])
        try ExtractionScene().expectRefusal(.tooLarge, of: reader, limits { $0.maximumBytes = 4095 })
        #expect(reader.calls == 1)
    }

    @Test
    func
        `Z03 an archive whose announced size, member count or ratio exceeds a limit is refused before anything is read`()
        throws
    {
        for (members, bytes, options) in [
            (1, 4096, limits { $0.maximumBytes = 4095 }), (3, 1, limits { $0.maximumMembers = 2 }),
            (1, 257 << 20, limits { $0.maximumRatio = 100 }),
        ] as [(Int, Int64, ExtractionOptions)] {
            let reader = ListedMembers([(ArchiveMember.file("a"), [])], length: 1 << 20)
            reader.announced = (members, bytes)
            try ExtractionScene().expectRefusal(.tooLarge, of: reader, options)
            #expect(reader.calls == 0)
        }
    }

    @Test func `Z03 an archive that does not fit on the disk is refused before anything is read`() throws {
        let reader = ListedMembers([.file("a")])
        reader.announced = (1, 1 << 60)
        let options = limits {
            $0.maximumBytes = .max
            $0.maximumRatio = nil
        }
        try ExtractionScene().expectRefusal(.diskFull, of: reader, options)
        #expect(reader.calls == 0)
    }

    @Test func `Z03 holes count toward the limits as the bytes they stand for`() throws {
        let sparse = sized("a", [.init(offset: 1 << 40, bytes: [1])], size: 1 << 41)
        try ExtractionScene().expectRefusal(.tooLarge, of: ListedMembers([sparse], length: 1 << 36))
        let silent = sized("a", [.init(offset: 1 << 40, bytes: [1])])
        try ExtractionScene().expectRefusal(.tooLarge, of: ListedMembers([silent], length: 1 << 36))
        let last = sized("a", [.init(offset: .max, bytes: [1])])
        try ExtractionScene().expectRefusal(.damaged, of: ListedMembers([last]))
    }

    @Test func `Z03 a member whose compression ratio is too high is refused, unless it stays small`() throws {
        // A hole counts like zeros here, and is faster.
        let grown: Int64 = 257 << 20
        let bomb = sized("bomb", [.init(offset: grown - 1, bytes: [1])], compressed: 1 << 20)
        try ExtractionScene().expectRefusal(.tooLarge, of: ListedMembers([bomb]), naming: "bomb")
        let small = sized("small", [.init(offset: 255 << 20, bytes: [1])], compressed: 1000)
        _ = try ExtractionScene().extract(ListedMembers([small]))
        _ = try ExtractionScene().extract(ListedMembers([bomb]), limits { $0.maximumRatio = nil })
        // The same ratio, for all members together against the size of the archive.
        try ExtractionScene().expectRefusal(.tooLarge, of: ListedMembers([sized("a", bomb.1)], length: 1 << 20))
    }

    @Test func `Z03 an archive with more members than the limit is refused`() throws {
        let members = (0..<11).map { ArchiveMember.directory("d\($0)") }
        try ExtractionScene().expectRefusal(
            .tooLarge, of: ListedMembers(members), limits { $0.maximumMembers = 10 }, naming: "10")
        // Members that no pattern selects count as well.
        var options = limits { $0.maximumMembers = 10 }
        options.patterns = ["d0"]
        try ExtractionScene().expectRefusal(.tooLarge, of: ListedMembers(members), options)
    }

    @Test func `a limit that allows nothing is refused`() throws {
        for options in [
            limits { $0.maximumBytes = 0 }, limits { $0.maximumRatio = -1 }, limits { $0.maximumMembers = 0 },
        ] {
            try ExtractionScene().expectRefusal(.invalidArgument, of: ListedMembers([.file("a")]), options)
        }
    }

    @Test func `the holes of a sparse member are zeros, at its end too`() throws {
        let scene = try ExtractionScene()
        let blocks = [ListedMembers.Block(offset: 4096, bytes: [1, 2]), .init(offset: 10_000, bytes: [3])]
        let result = try scene.extract(ListedMembers([sized("a", blocks, size: 20_000), sized("empty", [], size: 0)]))
        var expected = [UInt8](repeating: 0, count: 20_000)
        (expected[4096], expected[4097], expected[10_000]) = (1, 2, 3)
        #expect(try Files.isEqual("\(scene.target)/a", to: expected))
        #expect(try Files.status("\(scene.target)/empty").size == 0)
        #expect(result.bytes == 20_000)
    }

    @Test func `Z10 unpacking stopped at any call leaves the old directory, and the next run succeeds`() throws {
        let members: [ArchiveMember] = [
            .directory("a"), .file("a/b"), .link("l", to: "a"), .hardLink("c", to: "a/b"), .file("d/e/f"),
        ]
        for ifExists in [ExtractionOptions.IfExists.fail, .replace] {
            let scene = try ExtractionScene()
            var options = ExtractionOptions()
            options.ifExists = ifExists
            if ifExists == .replace {
                try Files.makeDirectory(scene.target)
                try Files.write(Array("old".utf8), to: "\(scene.target)/old")
            }
            let before = try Files.listing(scene.directory.path)
            var call = 0
            while true {
                call += 1
                let reader = ListedMembers(members)
                reader.failure = (call, ArchiveError(.damaged, "cut", member: "x"))
                do {
                    _ = try scene.extract(reader, options)
                    break
                } catch let error as ArchiveError {
                    #expect(error.message == "cut")
                }
                #expect(try Files.listing(scene.directory.path) == before, "\(call)")
            }
            #expect(call > 10)
            #expect(try scene.names() == ["a", "a/b", "c", "d", "d/e", "d/e/f", "l"])
        }
    }

    @Test func `unpacking cancelled at any call leaves nothing and throws CancellationError`() throws {
        let members: [ArchiveMember] = [.file("a"), .file("b"), .directory("c")]
        var call = 0
        while true {
            call += 1
            let scene = try ExtractionScene()
            let flag = StopFlag()
            let reader = ListedMembers(members)
            let last = call
            reader.before = { if $0 == last { flag.stop() } }
            do {
                _ = try scene.extract(reader, flag: flag)
                break
            } catch {
                #expect(error is CancellationError)
            }
            #expect(reader.calls <= call + 1)
            scene.expectNothing()
        }
        #expect(call > 6)
    }

    @Test func `unpacking progress reports the sync and ends complete`() throws {
        let seen = Mutex<[ArchiveProgress]>([])
        let scene = try ExtractionScene()
        _ = try scene.extract(ListedMembers([.file("a"), .directory("b")])) { progress in
            seen.withLock { $0.append(progress) }
        }
        let all = seen.withLock { $0 }
        #expect(all.contains { $0.isSyncing && $0.bytes == 6 })
        let last = try #require(all.last)
        #expect(
            last.members == 2 && last.totalMembers == 2 && last.bytes == 6 && last.totalBytes == 6 && !last.isSyncing)
        #expect(last.archiveBytes == last.totalArchiveBytes)
    }

    @Test func `a top directory with the target's own name is not nested twice`() throws {
        let scene = try ExtractionScene()
        _ = try scene.extract(
            ListedMembers([.directory("target"), .file("target/a"), .link("target/l", to: "../target/a")]))
        // The link leads above its directory, so that directory must stay.
        #expect(try scene.names() == ["target", "target/a", "target/l"])
        let plain = try ExtractionScene()
        _ = try plain.extract(ListedMembers([.file("target/a"), .file("target/b/c"), .link("target/b/l", to: "../a")]))
        #expect(try plain.names() == ["a", "b", "b/c", "b/l"])
        #expect(try Files.text("\(plain.target)/b/l") == "bytes\n")
        #expect(try plain.neighbours() == ["outside", "target"])
        for members in [[.file("target")], [.file("target/a"), .file("b")], [.file("Target/a")]] as [[ArchiveMember]] {
            let kept = try ExtractionScene()
            _ = try kept.extract(ListedMembers(members))
            #expect(try kept.names().contains(members[0].path))
        }
    }

    @Test func `an empty archive becomes an empty directory`() throws {
        let scene = try ExtractionScene()
        #expect(
            try scene.extract(ListedMembers([ArchiveMember]()))
                == ExtractionResult(directory: scene.target, members: 0, bytes: 0))
        #expect(try scene.names() == [])
    }

    static let selections: [(String, [String])] = [
        ("a", ["a/b.csv", "a/c/d.csv", "a/c/e.txt"]), ("./a/", ["a/b.csv", "a/c/d.csv", "a/c/e.txt"]),
        ("a/*.csv", ["a/b.csv"]),
        ("*.csv", ["top.csv"]), ("**.csv", ["a/b.csv", "a/c/d.csv", "top.csv"]),
        ("**/*.csv", ["a/b.csv", "a/c/d.csv", "top.csv"]),
        ("a/**/d.csv", ["a/c/d.csv"]), ("a/**/b.csv", ["a/b.csv"]), ("a/?.csv", ["a/b.csv"]), ("a?b.csv", []),
        ("t*p.*v", ["top.csv"]),
        ("**", ["a/b.csv", "a/c/d.csv", "a/c/e.txt", "top.csv"]), ("*", ["top.csv"]),
        ("*/*/*", ["a/c/d.csv", "a/c/e.txt"]), ("top", []), ("A", []),
    ]

    @Test(arguments: selections)
    func `patterns choose members`(_ pattern: String, _ expected: [String]) throws {
        let paths = ["a/b.csv", "a/c/d.csv", "a/c/e.txt", "top.csv"]
        var selection = try MemberSelection([pattern])
        #expect(paths.filter { selection.takes($0) } == expected)
        #expect(selection.unmatched == (expected.isEmpty ? [pattern] : []))
        let scene = try ExtractionScene()
        var options = ExtractionOptions()
        options.patterns = [pattern, "top.csv"]
        if expected.isEmpty {
            scene.expectRefusal(.noSuchMember, of: ListedMembers(paths.map { .file($0) }), options, naming: pattern)
        } else {
            #expect(
                try scene.extract(ListedMembers(paths.map { .file($0) }), options).members
                    == Set(expected + ["top.csv"]).count)
        }
    }

    @Test(arguments: [
        ("a/photos.zip", "a/photos"), ("x.tar.gz", "x"), ("x.TAR.ZST", "x"), ("x.tgz", "x"), ("/a/b.7z", "/a/b"),
        ("plain", "plain.unpacked"),
        (".zip", ".zip.unpacked"), ("a.tar.gz/b.tar.xz", "a.tar.gz/b"), ("v1.2.tar", "v1.2"),
        ("d.zip/x", "d.zip/x.unpacked"),
    ])
    func `the default directory is named after the archive`(_ path: String, _ expected: String) {
        #expect(Archive(path).defaultDirectory == expected)
    }
}
