import PawlTestKit
import Testing

@testable import PawlArchive

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The directory beside the target, once the target has its name.
struct LeftoverTests {
    private var members: ListedMembers { ListedMembers([.file("a/new"), .file("b")]) }

    private func options(_ ifExists: ExtractionOptions.IfExists) -> ExtractionOptions {
        var options = ExtractionOptions()
        options.ifExists = ifExists
        return options
    }

    /// As a run leaves it that was killed between its rename and its rmdir.
    private func leave(_ scene: ExtractionScene, former: Bool = false) throws {
        let left = try FreshDirectory.make(for: Target(scene.target))
        if former {
            try Files.makeDirectory(scene.fresh + "/old")
            try Files.write([1], to: scene.fresh + "/old/x")
        }
        withExtendedLifetime(left) {}
    }

    @Test(arguments: ["stays", ".fuse_hidden0000000100000001", ".nfs000000000001"], ["target", "only"])
    func `Z16 unpacking succeeds whatever keeps its own directory from being removed, and says what is left`(
        _ name: String, _ root: String
    ) throws {
        let scene = try ExtractionScene()
        let reader = ListedMembers([.file("\(root)/x")])
        reader.before = { call in
            if call == 2 { #expect(throws: Never.self) { try Files.write([1], to: scene.fresh + "/" + name) } }
        }
        let result = try scene.extract(reader)
        #expect(try scene.names() == (root == "target" ? ["x"] : ["only", "only/x"]))
        // Of a file that the file system kept, nobody is told: it can be removed by now.
        if name.hasPrefix(".") {
            #expect(result.notices.isEmpty)
            #expect(try scene.neighbours() == ["outside", "target"])
        } else {
            #expect(result.notices.map(\.code) == [.leftover])
            #expect(result.notices.first?.message.contains(scene.fresh) == true)
            // The next run knows it, and removes it once it can.
            Files.remove(scene.fresh + "/" + name)
            #expect(try scene.extract(members, options(.skip)).isSkipped)
            #expect(try scene.neighbours() == ["outside", "target"])
        }
    }

    #if !canImport(Darwin)
    @Test func `Z16 the mark is closed before it is removed, as some file systems keep what is open`() throws {
        let scene = try ExtractionScene()
        let watch = inotify_init1(Int32(IN_NONBLOCK))
        #expect(watch >= 0)
        defer { close(watch) }
        let reader = members
        reader.before = { call in
            if call == 1 { #expect(inotify_add_watch(watch, scene.fresh, UInt32(IN_CLOSE_WRITE | IN_DELETE)) >= 0) }
        }
        _ = try scene.extract(reader)
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = read(watch, &buffer, buffer.count)
        var events: [UInt32] = []
        var offset = 0
        // inotify(7): wd, mask, cookie, the length of the name, the name.
        while offset < count {
            func number(_ place: Int) -> UInt32 {
                buffer[offset + place..<offset + place + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
            }
            let length = Int(number(12))
            let name = buffer[offset + 16..<offset + 16 + length].prefix { $0 != 0 }
            if name.elementsEqual(FreshDirectory.mark.utf8) { events.append(number(4)) }
            offset += 16 + length
        }
        #expect(events == [UInt32(IN_CLOSE_WRITE), UInt32(IN_DELETE)])
    }
    #endif

    @Test(arguments: ExtractionOptions.IfExists.allCases, [false, true])
    func `Z17 what a run left that was killed behind its rename goes with the next run, whatever becomes of that`(
        _ ifExists: ExtractionOptions.IfExists, _ former: Bool
    ) throws {
        let scene = try ExtractionScene()
        _ = try scene.extract(members)
        try leave(scene, former: former)
        #expect(Files.exists(scene.fresh))
        let result = Result { try scene.extract(members, options(ifExists)) }
        switch ifExists {
        case .fail: #expect(throws: ArchiveError.self) { try result.get() }
        case .skip: #expect(try result.get().isSkipped)
        case .rename: #expect(try result.get().directory == "\(scene.target) (1)")
        case .replace: #expect(try result.get().directory == scene.target)
        }
        #expect(!Files.exists(scene.fresh))
        #expect(try scene.names() == ["a", "a/new", "b"])
    }

    @Test(arguments: ExtractionOptions.IfExists.allCases)
    func `Z17 a directory whose mark a killed run had removed goes with the next run, too`(
        _ ifExists: ExtractionOptions.IfExists
    ) throws {
        let scene = try ExtractionScene()
        _ = try scene.extract(members)
        #expect(mkdir(scene.fresh, 0o700) == 0)
        _ = try? scene.extract(members, options(ifExists))
        #expect(!Files.exists(scene.fresh))
        #expect(try scene.names() == ["a", "a/new", "b"])
    }

    @Test func `Z17 a directory of that name that no run left, or that a run holds, stays`() throws {
        let scene = try ExtractionScene()
        _ = try scene.extract(members)
        try Files.makeDirectory(scene.fresh)
        #expect(try scene.extract(members, options(.skip)).isSkipped)
        #expect(Files.exists(scene.fresh))
        try Files.write([1], to: scene.fresh + "/mine")
        #expect(try scene.extract(members, options(.skip)).isSkipped)
        #expect(try Files.names(scene.fresh) == ["mine"])
        Files.remove(scene.fresh)
        let held = try FreshDirectory.make(for: Target(scene.target))
        #expect(try scene.extract(members, options(.skip)).isSkipped)
        #expect(try Files.names(scene.fresh) == [FreshDirectory.mark])
        try held.remove()
    }

    // MARK: Without a next run

    @Test func `Z20 what a killed unpacking left is found and removed, and what it had replaced gets its name back`()
        throws
    {
        let scene = try ExtractionScene()
        try leave(scene, former: true)
        try Files.makeDirectory(scene.fresh + "/new")
        try Files.write([UInt8](repeating: 1, count: 100_000), to: scene.fresh + "/new/x")
        let found = try #require(LeftUnpacking(scene.fresh))
        #expect(!found.isHeld && found.bytes > 0)
        // Not what was listed any more.
        try Files.write([UInt8](repeating: 1, count: 300_000), to: scene.fresh + "/new/y")
        #expect(try !found.remove())
        #expect(Files.exists(scene.fresh + "/new/y"))
        #expect(try #require(LeftUnpacking(scene.fresh)).remove())
        #expect(try scene.neighbours() == ["outside", "target"])
        #expect(try scene.names() == ["x"])
        #expect(LeftUnpacking(scene.fresh) == nil)
    }

    @Test func `Z20 an unpacking that runs is found, and stays`() throws {
        let scene = try ExtractionScene()
        let held = try FreshDirectory.make(for: Target(scene.target))
        let found = try #require(LeftUnpacking(scene.fresh))
        #expect(found.isHeld)
        #expect(try !found.remove())
        #expect(try Files.names(scene.fresh) == [FreshDirectory.mark])
        try held.remove()
    }

    @Test(arguments: ["no mark", "other mark", "empty mark", "pipe", "more", "file", "link", "name"])
    func `Z20 a directory that no unpacking left is not found`(_ kind: String) throws {
        let scene = try ExtractionScene()
        try leave(scene)
        let mark = scene.fresh + "/" + FreshDirectory.mark
        var place = scene.fresh
        switch kind {
        case "no mark": Files.remove(mark)
        case "other mark": try Files.write(Array("mine".utf8), to: mark)
        case "empty mark":
            try Files.write([], to: mark)
            // As a run that was killed early leaves it.
            #expect(LeftUnpacking(scene.fresh) != nil)
            try Files.makeDirectory(scene.fresh + "/new")
        case "pipe":
            Files.remove(mark)
            try Files.makeFIFO(mark)
        case "more": try Files.write([1], to: scene.fresh + "/mine")
        case "file":
            Files.remove(scene.fresh)
            try Files.write([1], to: scene.fresh)
        case "link":
            place = scene.directory.file("way.part")
            try Files.makeSymbolicLink(place, to: scene.fresh)
        default:
            place = scene.directory.file("target.other")
            try Files.rename(scene.fresh, to: place)
        }
        #expect(LeftUnpacking(place) == nil)
        #expect(Files.exists(place))
    }

    @Test func `Z20 what was replaced under a name too long to be told stays with the directory`() throws {
        let directory = try TemporaryDirectory()
        let target = try Target(directory.file(String(repeating: "a", count: 220)))
        let fresh = directory.file(target.freshName)
        do {
            let left = try FreshDirectory.make(for: target)
            try Files.makeDirectory(fresh + "/old")
            withExtendedLifetime(left) {}
        }
        let found = try #require(LeftUnpacking(fresh))
        #expect(!found.isHeld)
        #expect(try !found.remove())
        #expect(Files.exists(fresh + "/old"))
    }
}
