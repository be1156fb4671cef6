import PawlTestKit
import Testing

@testable import PawlArchive

/// Zip archives as old programs write them, against the format: unpacked as `unzip` and `bsdtar` do.
struct OldWriterTests {
    private func member(
        _ name: String, _ bytes: [UInt8] = [], system: UInt16 = 0, attributes: UInt32 = 0
    )
        -> ZipBuilder.Member
    {
        var member = ZipBuilder.Member(name, bytes)
        (member.madeBy, member.attributes) = (system << 8 | 20, attributes)
        return member
    }

    private func extract(_ members: [ZipBuilder.Member], _ scene: ExtractionScene) throws -> ExtractionResult {
        try scene.extract(ZipReader.open(BytesSource(ZipBuilder(members).bytes()), password: nil))
    }

    @Test func `Z14 a zip with backslashes becomes the tree that its maker packed, with a notice`() throws {
        let scene = try ExtractionScene()
        let result = try extract(
            [
                member("readme.txt", [1]), member("src\\main.c", [2]), member("src\\empty\\"),
                member("doc", attributes: 0x10), member("doc\\a.txt", [3]),
            ], scene)
        #expect(try scene.names() == ["doc", "doc/a.txt", "readme.txt", "src", "src/empty", "src/main.c"])
        #expect(try Files.read(scene.target + "/src/main.c") == [2])
        #expect(result.notices.map(\.code) == [.backslashes])
        #expect(result.notices.first?.message.contains("src/main.c") == true)
    }

    @Test func `Z14 a backslash in a name made on Unix stays part of the name, without a notice`() throws {
        let scene = try ExtractionScene()
        let result = try extract([member("unit\\x2d.service", [1], system: 3, attributes: 0o100644 << 16)], scene)
        #expect(try scene.names() == ["unit\\x2d.service"])
        #expect(result.notices.isEmpty)
    }

    @Test(arguments: ["..\\x", "a\\..\\..\\x", "\\x", "C:\\x", "C:"])
    func `Z14 Z01 a path with backslashes that leads outside is refused`(_ name: String) throws {
        let scene = try ExtractionScene()
        let reader = try ZipReader.open(
            BytesSource(ZipBuilder([member("good", [1]), member(name, [2])]).bytes()), password: nil)
        scene.expectRefusal(.unsafeName, of: reader)
    }

    @Test func `Z14 Z04 names that are one only once their separators are read are refused`() throws {
        let scene = try ExtractionScene()
        let reader = try ZipReader.open(
            BytesSource(ZipBuilder([member("a\\b", [1]), member("a/b", [2])]).bytes()), password: nil)
        scene.expectRefusal(.duplicateName, of: reader)
    }

    @Test(arguments: [(0, 0x10), (0, 0), (3, 0o40755 << 16 | 0x10), (3, 0o100644 << 16)] as [(UInt16, UInt32)])
    func `Z14 bytes of a directory are ignored, with a notice`(_ system: UInt16, _ attributes: UInt32) throws {
        let scene = try ExtractionScene()
        let result = try extract(
            [
                member("d/", [1, 2, 3, 4, 5], system: system, attributes: attributes),
                member("d/x", [7], system: system),
            ], scene)
        #expect(try scene.names() == ["d", "d/x"])
        #expect(result.bytes == 1 && result.notices.map(\.code) == [.directoryBytes])
        #expect(result.notices.first?.message.contains("5 bytes") == true)
    }

    @Test func `Z14 a directory whose header states the size of its inode is a directory`() throws {
        let scene = try ExtractionScene()
        var directory = member("d/", attributes: 0x10)
        directory.size = 4096
        let result = try extract([directory, member("d/x", [7])], scene)
        #expect(try scene.names() == ["d", "d/x"])
        #expect(result.bytes == 1)
    }

    @Test(arguments: ["/", "//", "./", "\\"])
    func `Z14 an entry for the root of the archive is the directory that is unpacked into`(_ name: String) throws {
        let scene = try ExtractionScene()
        _ = try extract([member(name, attributes: 0x10), member("x", [7])], scene)
        #expect(try scene.names() == ["x"])
    }
}
