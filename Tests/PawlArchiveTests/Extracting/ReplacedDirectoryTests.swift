import PawlTestKit
import Testing

@testable import PawlArchive

/// Directories that become symbolic links after somebody looked at them, where links are not followed.
struct ReplacedDirectoryTests {
    private let directory: TemporaryDirectory
    private var options: ExtractionOptions

    init() throws {
        directory = try TemporaryDirectory("replaced")
        options = ExtractionOptions()
        options.followsDirectoryLinks = false
        for name in ["real", "real/deep", "outside", "outside/deep"] { try Files.makeDirectory(directory.file(name)) }
        try Files.write(ZipBuilder([.init("x", [1])]).bytes(), to: directory.file("real/deep/a.zip"))
        try Files.makeSymbolicLink(directory.file("link"), to: "real")
        try Files.makeSymbolicLink(directory.file("real/deep/link.zip"), to: "a.zip")
    }

    @Test(arguments: [
        ("link/deep/a.zip", "real/out"), ("real/deep/link.zip", "real/out"), ("real/deep/a.zip", "link/out"),
        ("real/deep/a.zip", "link/deep/out"), ("real/deep/a.zip", "link/deep/../out"),
    ])
    func `Z13 neither an archive nor a target is reached through a symbolic link where links are refused`(
        _ archive: String, _ target: String
    ) async throws {
        let before = try Files.listing(directory.path)
        let archive = Archive(directory.file(archive))
        let error = await #expect(throws: ArchiveError.self) {
            try await archive.extract(into: directory.file(target), options: options)
        }
        #expect(
            error.map { [.unreadable, .notWritable].contains($0.code) } == true, "\(String(describing: error))")
        #expect(try Files.listing(directory.path) == before)
        _ = try await archive.extract(into: directory.file(target))
        #expect(try Files.read(directory.file(target) + "/x") == [1])
    }

    @Test(arguments: ["real", "real/deep"])
    func `Z13 members stay in the directory that was opened when a link takes its name meanwhile`(
        _ replaced: String
    ) throws {
        let outside = try Files.listing(directory.file("outside"))
        let reader = ListedMembers([.directory("d"), .file("d/a"), .file("b")])
        reader.before = { call in
            guard call == 2 else { return }
            #expect(throws: Never.self) {
                try Files.rename(directory.file(replaced), to: directory.file("moved"))
                try Files.makeSymbolicLink(directory.file(replaced), to: directory.file("outside"))
            }
        }
        _ = try Extraction(reader, options: options).run(into: directory.file("real/deep/out"))
        let moved = replaced == "real" ? "moved/deep" : "moved"
        #expect(try Files.listing(directory.file(moved + "/out")).keys.sorted() == ["b", "d", "d/a"])
        #expect(try Files.names(directory.file(moved)).sorted() == ["a.zip", "link.zip", "out"])
        #expect(try Files.listing(directory.file("outside")) == outside)
    }

    @Test func `Z13 the mark of an archive and of its directory is not read through a link`() throws {
        let (archive, through) = (directory.file("real/deep/a.zip"), directory.file("link/deep/a.zip"))
        #expect(UnpackedMark(of: archive, patterns: nil, followsLinks: false) != nil)
        #expect(UnpackedMark(of: through, patterns: nil, followsLinks: false) == nil)
        #expect(UnpackedMark(of: directory.file("real/deep/link.zip"), patterns: nil, followsLinks: false) == nil)
        #expect(UnpackedMark(of: through, patterns: nil) == UnpackedMark(of: archive, patterns: nil))
    }

    @Test func `an archive in a directory that may be searched but not read is unpacked`() async throws {
        try Files.setMode(directory.file("real/deep"), 0o311)
        defer { try? Files.setMode(directory.file("real/deep"), 0o755) }
        _ = try await Archive(directory.file("real/deep/a.zip")).extract(into: directory.file("out"))
        #expect(try Files.read(directory.file("out/x")) == [1])
    }
}
