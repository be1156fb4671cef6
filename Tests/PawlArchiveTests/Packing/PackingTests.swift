import PawlTestKit
import Synchronization
import Testing

@testable import PawlArchive

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

struct PackingTests {
    let directory: TemporaryDirectory
    var archive: String { directory.file("out.zip") }

    init() throws {
        directory = try TemporaryDirectory("packing")
        try Files.makeDirectory(directory.file("d"))
        try Files.write("one".utf8, to: directory.file("d/one"))
    }

    private func names(_ archive: String) async throws -> [String] {
        try await Subprocess.run("bsdtar", ["-tf", archive], environment: ["LC_ALL": "C.UTF-8"]).standardOutput
            .split(separator: "\n").map(String.init)
    }

    private func error(
        _ files: [String], _ archive: String? = nil, _ options: PackingOptions = .init()
    ) async throws -> ArchiveError {
        try #require(
            await #expect(throws: ArchiveError.self) {
                try await Archive.pack(files, to: archive ?? self.archive, options: options)
            })
    }

    /// Expects that no archive and no other new file exists.
    private func expectNothingMade(besides names: [String] = [], _ location: SourceLocation = #_sourceLocation) throws {
        #expect(try Files.names(directory.path) == (["d"] + names).sorted(), sourceLocation: location)
    }

    // MARK: Names

    @Test(arguments: ["out", "out.7z", "out.rar", "zip", "out.zip.bak", "-"])
    func `packing to a name without an archive suffix is refused`(_ name: String) async throws {
        let error = try await error([directory.file("d")], directory.file(name))
        #expect(error.code == .invalidArgument)
        #expect(error.message.contains(".zip, .tar, .tar.gz, .tgz, .tar.bz2, .tbz2, .tar.xz, .txz, .tar.zst, .tzst"))
        try expectNothingMade()
    }

    @Test func `the case of an archive suffix does not matter`() async throws {
        #expect(try PackingFormat(path: "A.ZIP") == .zip)
        #expect(try PackingFormat(path: "a.Tar.Gz") == .tarGzip)
    }

    @Test(arguments: ["//", "/./", "/.//./"])
    func `a path is packed as given, without its empty and dot components`(_ between: String) async throws {
        try await Archive.pack([directory.path + between + "d"], to: archive)
        let prefix = directory.path.dropFirst()
        #expect(try await names(archive) == ["\(prefix)/d/", "\(prefix)/d/one"])
    }

    @Test(arguments: ["/.", "/./", "/"])
    func `for a directory named by a dot alone, the contents are packed`(_ end: String) async throws {
        let argument = try PackingArgument("." + end)
        #expect(argument.path.isEmpty && argument.followsLink)
        let child = PackingArgument(Array("x".utf8), in: argument)
        #expect(child.path == Array("x".utf8))
        #expect(child.place == Array(".\(end)/x".utf8CString))
    }

    @Test(arguments: ["../d", "d/..", "d/../d", ".."])
    func `a path with a component of two dots is refused`(_ path: String) async throws {
        let error = try await error([directory.path + "/" + path])
        #expect(error.code == .invalidArgument)
        #expect(error.message.contains("“..”"))
        try expectNothingMade()
    }

    @Test(arguments: [
        (["d", "d"], "twice"), (["d", "./d/"], "twice"), (["d/one", "d"], "packed as well"),
        (["d", "d//one"], "packed as well"),
    ])
    func `two paths that would become one member are an error`(_ names: [String], _ words: String) async throws {
        let error = try await error(names.map(directory.file))
        #expect(error.code == .duplicateName)
        #expect(error.message.contains(words))
        try expectNothingMade()
    }

    @Test func `paths that only share a prefix are packed as two members`() async throws {
        try Files.write("x".utf8, to: directory.file("d-1"))
        try await Archive.pack([directory.file("d"), directory.file("d-1")], to: archive)
        let prefix = directory.path.dropFirst()
        #expect(try await names(archive) == ["\(prefix)/d-1", "\(prefix)/d/", "\(prefix)/d/one"])
    }

    @Test func `a link is packed as a link, and with a trailing slash as the directory it leads to`() async throws {
        try Files.makeSymbolicLink(directory.file("l"), to: "d")
        let prefix = directory.path.dropFirst()
        try await Archive.pack([directory.file("l")], to: archive)
        #expect(try await names(archive) == ["\(prefix)/l"])
        try await Archive.pack([directory.file("l/")], to: directory.file("two.tar"))
        #expect(try await names(directory.file("two.tar")) == ["\(prefix)/l/", "\(prefix)/l/one"])
    }

    @Test func `a name that is not UTF-8 is packed unchanged into a tar, and refused for a zip`() async throws {
        let bytes: [CChar] = Array(directory.file("d/").utf8CString.dropLast()) + [CChar(bitPattern: 0xE9), 0]
        close(open(bytes, O_CREAT | O_WRONLY, 0o644))
        #expect(try await error([directory.file("d")]).code == .unsafeName)
        try await Archive.pack([directory.file("d")], to: directory.file("out.tar"))
        let script =
            "import sys, tarfile; print(tarfile.open(sys.argv[1]).getnames()[-1].encode('utf-8', 'surrogateescape')[-3:])"
        let output = try await Subprocess.run("python3", ["-c", script, directory.file("out.tar")])
        #expect(output.standardOutput == "b'd/\\xe9'\n", "\(output.standardError)")
        try expectNothingMade(besides: ["out.tar"])
    }

    @Test func `packing nothing, or a missing path, is an error`() async throws {
        #expect(try await error([]).code == .invalidArgument)
        #expect(try await error([""]).code == .invalidArgument)
        let missing = try await error([directory.file("d"), directory.file("e")])
        #expect(missing.code == .unreadable)
        #expect(missing.message.contains("“\(directory.file("e"))”"))
        try expectNothingMade()
    }

    @Test func `packing a named pipe is refused, and the error names it`() async throws {
        try Files.makeFIFO(directory.file("d/pipe"))
        let error = try await error([directory.file("d")])
        #expect(error.code == .unsafeKind)
        #expect(error.member?.hasSuffix("d/pipe") == true)
        #expect(error.message.contains("a named pipe"))
        try expectNothingMade()
    }

    // MARK: The archive among its own files

    @Test(arguments: ["d/out.zip", "d/deep/out.zip"])
    func `an archive that would be inside the packed directory is refused before anything is written`(
        _ place: String
    ) async throws {
        try Files.makeDirectory(directory.file("d/deep"))
        // A symbolic link gives the same place a second path.
        try Files.makeSymbolicLink(directory.file("way"), to: "d")
        let before = try Files.listing(directory.path)
        for path in [place, "way" + place.dropFirst(1)] {
            let error = try await error([directory.file("d")], directory.file(path))
            #expect(error.code == .invalidArgument)
            #expect(error.message.contains("packed into itself"))
        }
        #expect(try Files.listing(directory.path) == before)
    }

    @Test func `packing an archive into itself is refused, whatever name it is given by`() async throws {
        try Files.write("old".utf8, to: archive)
        #expect(link(archive, directory.file("alias")) == 0)
        var options = PackingOptions()
        options.ifExists = .replace
        for name in ["out.zip", "alias"] {
            #expect(try await error([directory.file(name)], nil, options).code == .invalidArgument)
        }
        #expect(try Files.text(archive) == "old")
    }

    // MARK: Existing archives

    @Test func `an existing archive is an error, is replaced, or is kept beside a renamed new one`() async throws {
        try Files.write("old".utf8, to: archive)
        let error = try await error([directory.file("d")])
        #expect(error.code == .targetExists)
        #expect(try Files.text(archive) == "old")
        var options = PackingOptions()
        options.ifExists = .rename
        for number in 1...2 {
            #expect(
                try await Archive.pack([directory.file("d")], to: archive, options: options).path
                    == directory.file("out (\(number)).zip"))
        }
        options.ifExists = .replace
        #expect(try await Archive.pack([directory.file("d")], to: archive, options: options).path == archive)
        #expect(try Files.isEqual(archive, to: Files.read(directory.file("out (1).zip"))))
        try expectNothingMade(besides: ["out (1).zip", "out (2).zip", "out.zip"])
    }

    @Test func `a directory with the archive's name is left alone`() async throws {
        try Files.makeDirectory(archive)
        var options = PackingOptions()
        options.ifExists = .replace
        #expect(try await error([directory.file("d")], nil, options).code == .targetExists)
        options.ifExists = .rename
        #expect(
            try await Archive.pack([directory.file("d")], to: archive, options: options).path
                == directory.file("out (1).zip"))
    }

    @Test func `the leftover of a crashed packing is taken over, and a foreign file of that name is not`() async throws
    {
        let place = try PackingPlace(archive, .zip, ifExists: .fail)
        let left = try place.begin()
        #expect(write(left, "half", 4) == 4)
        // Another process is still packing.
        #expect(try await error([directory.file("d")]).code == .locked)
        try expectNothingMade(besides: ["out.zip.part"])
        // The state after a crash: the name remains, the lock is gone.
        #expect(link(archive + ".part", archive + ".kept") == 0)
        place.abandon()
        try Files.rename(archive + ".kept", to: archive + ".part")
        try await Archive.pack([directory.file("d")], to: archive)
        #expect(try await names(archive).count == 2)
        try expectNothingMade(besides: ["out.zip"])
        try Files.write("mine".utf8, to: archive + ".part")
        var options = PackingOptions()
        options.ifExists = .replace
        let error = try await error([directory.file("d")], nil, options)
        #expect(error.code == .targetExists)
        #expect(error.message.contains("out.zip.part"))
        #expect(try Files.text(archive + ".part") == "mine")
    }

    @Test func `an unmarked, empty leftover of a crashed packing is taken over`() async throws {
        try Files.write([], to: archive + ".part")
        try await Archive.pack([directory.file("d")], to: archive)
        #expect(Files.exists(archive) && !Files.exists(archive + ".part"))
    }

    @Test func `packing into a directory that does not exist is an error`() async throws {
        #expect(try await error([directory.file("d")], directory.file("no/out.zip")).code == .notWritable)
        try expectNothingMade()
    }

    // MARK: While it is packed

    @Test(arguments: [true, false])
    func `a file that changes while being packed is an error`(_ grows: Bool) async throws {
        let file = directory.file("d/two")
        try Files.write(Files.randomBytes(3 << 20), to: file)
        let isDone = Atomic(false)
        let error = try await #require(
            #expect(throws: ArchiveError.self) {
                try await Archive.pack([directory.file("d")], to: archive) { progress in
                    guard progress.member.hasSuffix("two"), progress.bytes > 1 << 20,
                        !isDone.exchange(true, ordering: .relaxed)
                    else { return }
                    truncate(file, grows ? 4 << 20 : 1 << 20)
                }
            })
        #expect(error.code == .changed)
        #expect(error.member?.hasSuffix("d/two") == true)
        try expectNothingMade()
    }

    @Test(arguments: [true, false])
    func `a file that disappears, or is replaced by a link, while being packed is an error`(
        _ isReplaced: Bool
    ) async throws {
        let file = directory.file("d/two")
        try Files.write("two".utf8, to: file)
        let target = directory.file("d/one")
        let error = try await #require(
            #expect(throws: ArchiveError.self) {
                try await Archive.pack([directory.file("d")], to: archive) { progress in
                    guard progress.member.hasSuffix("/one") else { return }
                    unlink(file)
                    if isReplaced { symlink(target, file) }
                }
            })
        #expect(error.code == .changed)
        #expect(error.member?.hasSuffix("d/two") == true)
        try expectNothingMade()
    }

    @Test func `cancelled packing leaves nothing`() async throws {
        try Files.write(Files.randomBytes(4 << 20), to: directory.file("d/two"))
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let stopped = Atomic(false)
        let files = [directory.file("d")]
        let task = Task {
            try await Archive.pack(files, to: archive) { progress in
                guard progress.bytes > 1 << 20 else { return }
                starting.yield()
                // Packing stays at this point until the task is cancelled.
                while !stopped.load(ordering: .acquiring) { usleep(200) }
            }
        }
        for await _ in started { break }
        #expect(Files.exists(archive + ".part"))
        task.cancel()
        stopped.store(true, ordering: .releasing)
        await #expect(throws: CancellationError.self) { try await task.value }
        try expectNothingMade()
    }

    @Test func `packing progress never goes back and ends complete`() async throws {
        try Files.write(Files.randomBytes(1 << 20), to: directory.file("d/two"))
        let seen = Mutex<[ArchiveProgress]>([])
        let result = try await Archive.pack([directory.file("d")], to: archive) { progress in
            seen.withLock { $0.append(progress) }
        }
        let all = seen.withLock { $0 }
        #expect(all.allSatisfy { $0.totalMembers == 3 && $0.totalBytes == (1 << 20) + 3 })
        #expect(
            zip(all, all.dropFirst()).allSatisfy {
                $0.bytes <= $1.bytes && $0.members <= $1.members && $0.archiveBytes <= $1.archiveBytes
            })
        let last = try #require(all.last)
        #expect(
            last.isSyncing && last.members == 3 && last.bytes == result.bytes
                && last.archiveBytes == result.archiveBytes)
    }

    // MARK: Levels

    @Test(arguments: [
        ("tar", 1), ("zip", 10), ("zip", -1), ("tar.gz", 0), ("tar.bz2", 10), ("tar.xz", 10), ("tar.zst", 20),
    ])
    func `a compression level that the format lacks is an error`(_ suffix: String, _ level: Int) async throws {
        var options = PackingOptions()
        options.level = level
        #expect(
            try await error([directory.file("d")], directory.file("out.\(suffix)"), options).code == .invalidArgument)
        try expectNothingMade()
    }

    @Test(arguments: [("zip", 0, 9), ("tar.gz", 1, 9), ("tar.xz", 0, 9), ("tar.zst", 1, 19)])
    func `a higher compression level makes a smaller archive`(_ suffix: String, _ low: Int, _ high: Int) async throws {
        let words = ["pack", "my", "box", "with", "five", "dozen", "liquor", "jugs"]
        var state: UInt64 = 1
        let text = (0..<60_000).map { _ -> String in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return words[Int(state >> 61)]
        }.joined(separator: " ")
        try Files.write(text.utf8, to: directory.file("d/text"))
        var sizes: [Int64] = []
        for level in [low, high] {
            var options = PackingOptions()
            options.level = level
            sizes.append(
                try await Archive.pack(
                    [directory.file("d")], to: directory.file("\(level).\(suffix)"), options: options
                ).archiveBytes)
        }
        #expect(sizes[1] < sizes[0])
    }
}
