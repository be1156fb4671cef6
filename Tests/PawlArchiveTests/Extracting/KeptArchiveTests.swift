import PawlTestKit
import Testing

@testable import PawlArchive

/// Unpacking an archive on disk must not cost the archive itself, files in other directories, or all memory.
struct KeptArchiveTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("kept") }

    private func options(_ ifExists: ExtractionOptions.IfExists) -> ExtractionOptions {
        var options = ExtractionOptions()
        options.ifExists = ifExists
        return options
    }

    @Test(arguments: [
        ("a.zip", "a.zip"), ("a.zip", "./a.zip/"), ("data/a.zip", "data"), ("data/a.zip", "data/"), ("link", "link"),
        ("link", "data"),
        ("data/deep/a.zip", "data"),
    ])
    func `Z10 an archive that its own contents or target directory would replace is kept`(
        _ archive: String, _ target: String
    ) async throws {
        try Files.makeDirectory(directory.file("data"))
        try Files.makeDirectory(directory.file("data/deep"))
        let bytes = ZipBuilder([.init("x", [1])]).bytes()
        let real = archive == "link" ? "data/a.zip" : archive
        try Files.write(bytes, to: directory.file(real))
        if archive == "link" { try Files.makeSymbolicLink(directory.file("link"), to: "data/a.zip") }
        let before = try Files.listing(directory.path)
        let error = await #expect(throws: ArchiveError.self) {
            try await Archive(directory.file(archive)).extract(into: directory.file(target), options: options(.replace))
        }
        #expect(error?.code == .invalidArgument, "\(String(describing: error))")
        #expect(try Files.listing(directory.path) == before)
        #expect(try Files.read(directory.file(real)) == bytes)
    }

    @Test func `Z10 a link to a directory is replaced, but its destination and the archive in there are kept`()
        async throws
    {
        try Files.makeDirectory(directory.file("data"))
        try Files.write(ZipBuilder([.init("x", [1])]).bytes(), to: directory.file("data/a.zip"))
        try Files.makeSymbolicLink(directory.file("out"), to: "data")
        _ = try await Archive(directory.file("data/a.zip")).extract(
            into: directory.file("out"), options: options(.replace))
        #expect(try Files.names(directory.file("out")) == ["x"] && Files.names(directory.file("data")) == ["a.zip"])
    }

    @Test(arguments: [[], ["precious"]])
    func `Z10 a file never replaces a directory`(_ names: [String]) throws {
        let target = directory.file("target")
        try Files.makeDirectory(target)
        for name in names { try Files.write([1], to: target + "/" + name) }
        let error = #expect(throws: ArchiveError.self) {
            try Extraction(ListedMembers([.file("a")]), options: options(.replace)).runFile(to: target)
        }
        #expect(error?.code == .targetExists && error?.message.contains("directory") == true)
        #expect(try Files.names(target) == names && Files.names(directory.path) == ["target"])
    }

    @Test func `Z10 a file never replaces a directory that appears meanwhile`() throws {
        let target = directory.file("target")
        let reader = ListedMembers([.file("a")])
        reader.before = { call in
            if call == 2 { #expect(throws: Never.self) { try Files.makeDirectory(target) } }
        }
        let error = #expect(throws: ArchiveError.self) {
            try Extraction(reader, options: options(.replace)).runFile(to: target)
        }
        #expect(error?.code == .targetExists)
        #expect(try Files.names(directory.path) == ["target"])
    }

    @Test func `Z03 listing an archive with more members than allowed is refused`() async throws {
        let archive = directory.file("a.zip")
        try Files.write(ZipBuilder((0..<3).map { .init("\($0)") }).bytes(), to: archive)
        #expect(try await Archive(archive).members(limit: 3).count == 3)
        let error = await #expect(throws: ArchiveError.self) { _ = try await Archive(archive).members(limit: 2) }
        #expect(error?.code == .tooLarge)
    }

    @Test func `opening stops when cancelled, and listing and unpacking throw CancellationError`() async throws {
        let archive = directory.file("a.zip")
        try Files.write(ZipBuilder((0..<3).map { .init("\($0)") }).bytes(), to: archive)
        let flag = StopFlag()
        flag.stop()
        #expect(throws: ArchiveError.self) { try ArchiveOpening.open(archive, password: nil, until: flag) }
        for work in [
            { _ = try await Archive(archive).members() },
            { _ = try await Archive(archive).extract(into: archive + ".d") },
        ] as [@Sendable () async throws -> Void] {
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await work()
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(try Files.names(directory.path) == ["a.zip"])
    }

    @Test(arguments: ["out", "top"])
    func `an unpacked directory records which members of which archive it has`(_ name: String) async throws {
        let archive = directory.file("a.zip")
        try Files.write(ZipBuilder([.init("top/x", [1]), .init("top/y", [2])]).bytes(), to: archive)
        let target = directory.file(name)
        var options = ExtractionOptions()
        options.patterns = ["top/x"]
        options.mark = UnpackedMark(of: archive, patterns: options.patterns)
        _ = try await Archive(archive).extract(into: target, options: options)
        func isSet(_ patterns: [String]?) -> Bool {
            UnpackedMark(of: archive, patterns: patterns)?.isSet(on: target) == true
        }
        #expect(isSet(["top/x"]) && !isSet(nil) && !isSet(["top/y"]) && !isSet(["top/x", "top/y"]))
        try Files.write(ZipBuilder([.init("top/x", [1])]).bytes(), to: archive)
        #expect(!isSet(["top/x"]))
    }
}
