import PawlCore
import PawlSystem
import PawlTestKit
import Testing

struct DirectoryEntryTests {
    private let directory: TemporaryDirectory

    /// `real/file`, `way` → `real`, and `link` → `real/file`.
    init() throws {
        directory = try TemporaryDirectory("entry")
        try Files.makeDirectory(directory.file("real"))
        try Files.write([1, 2], to: directory.file("real/file"))
        try Files.makeSymbolicLink(directory.file("way"), to: "real")
        try Files.makeSymbolicLink(directory.file("link"), to: "real/file")
    }

    private func kind(_ entry: DirectoryEntry) -> mode_t? { entry.status().map { $0.st_mode & S_IFMT } }

    private func canOpen(_ entry: DirectoryEntry) -> Bool {
        let file = entry.open(O_RDONLY)
        return file >= 0 && SystemCalls.close(file) == 0
    }

    @Test func `Z13 an entry behind a link is there only where links are followed`() throws {
        for path in ["way/file", "way/none", "way//file/"].map(directory.file) {
            #expect(DirectoryEntry(path, followsLinks: false) == nil)
            #expect([ELOOP, ENOTDIR].contains(errno), "\(path): \(errno)")
        }
        let followed = try #require(DirectoryEntry(directory.file("way/file"), followsLinks: true))
        #expect(kind(followed) == S_IFREG && canOpen(followed))
        let plain = try #require(DirectoryEntry(directory.file("real/file"), followsLinks: false))
        #expect(kind(plain) == S_IFREG && canOpen(plain))
    }

    @Test(arguments: [true, false])
    func `Z13 a link is opened only where links are followed, and only the link is removed`(_ follows: Bool) throws {
        for path in [directory.file("link"), directory.file("link") + "//"] {
            let entry = try #require(DirectoryEntry(path, followsLinks: follows))
            #expect(entry.name == "link")
            #expect(canOpen(entry) == follows)
            #expect(kind(entry) == (follows ? S_IFREG : S_IFLNK))
        }
        #expect(try #require(DirectoryEntry(directory.file("link"), followsLinks: follows)).remove())
        #expect(try Files.names(directory.path).sorted() == ["real", "way"])
        #expect(try Files.read(directory.file("real/file")) == [1, 2])
    }

    @Test func `Z13 an entry stays that of its directory when a link takes the place of that`() throws {
        let entry = try #require(DirectoryEntry(directory.file("real/file"), followsLinks: false))
        try Files.makeDirectory(directory.file("outside"))
        try Files.write([9], to: directory.file("outside/file"))
        try Files.rename(directory.file("real"), to: directory.file("moved"))
        try Files.makeSymbolicLink(directory.file("real"), to: "outside")
        #expect(entry.status()?.st_size == 2)
        #expect(entry.remove())
        #expect(try Files.names(directory.file("moved")).isEmpty)
        #expect(try Files.read(directory.file("outside/file")) == [9])
    }

    @Test func `M19 an entry has a name of any bytes`() throws {
        let name = String(systemBytes: Array("caf".utf8) + [0xE9])
        try Files.write([7], to: directory.file("real/\(name)"))
        let entry = try #require(DirectoryEntry(directory.file("real/\(name)/"), followsLinks: false))
        #expect(entry.name.isExactly(name) && kind(entry) == S_IFREG && canOpen(entry))
        #expect(entry.remove())
        #expect(try Files.names(directory.file("real")) == ["file"])
    }
}
