import PawlTestKit
import Testing

@testable import PawlArchive

/// Members that lead elsewhere, exceed a limit or collide. Nothing of their archives is unpacked.
struct HostileMemberTests {
    static let badPaths = [
        "../x", "a/../../x", "a/..", "..", "/abs", "//abs", "/./abs", #"a\..\b"#, #"..\x"#, #"\x"#, #"a/..\x"#, "C:",
        "C:/x",
        #"c:\x"#, "", "\0",
        "a\0b", "a\nb", "a\u{1B}[31m", "a\u{7F}", "a\u{9B}31m", ".\u{200B}.", "\u{202E}", "a/.\u{202E}.", "\u{202E}\\x",
        "\u{200B}/x", "\u{2060}C:", "./C:", "./C:/x", "./\\x", "a\\.\u{200B}.\\x", "a/.\u{2066}./b",
        String(repeating: "n", count: 256),
        String(repeating: "d/", count: 257) + "x",
        String(repeating: String(repeating: "d", count: 250) + "/", count: 17),
    ]

    @Test(arguments: badPaths)
    func `Z01 M01 M03 a member path that leads outside, or is not a valid path, is refused`(_ path: String) throws {
        let scene = try ExtractionScene()
        scene.expectRefusal(.unsafeName, of: ListedMembers([.file("good"), .file(path)]))
        scene.expectRefusal(.unsafeName, of: ListedMembers([.directory(path)]))
    }

    @Test func `Z01 a file member in place of the target directory itself is refused`() throws {
        for path in [".", "./", "./.", "/", "//", "/."] {
            try ExtractionScene().expectRefusal(.unsafeName, of: ListedMembers([.file(path)]))
        }
    }

    @Test func `Z01 empty and dot components are removed from a path, and unusual names are kept`() throws {
        let scene = try ExtractionScene()
        let names = [
            "a...b", "...", "-x", ".hidden", "con", "a:b", "C:x", "12:30", "Foo::Bar.3pm", "B::Deparse.3pm",
            "unit\\x2d.slice", "👨‍👩‍👧", "Grüße",
            "a b ", "%41",
        ]
        _ = try scene.extract(
            ListedMembers(
                [.directory("./"), .directory("/"), .file("./x//y/./z"), .directory("d/")] + names.map { .file($0) }))
        #expect(try scene.names() == (names + ["d", "x", "x/y", "x/y/z"]).sorted())
    }

    @Test(arguments: ["C:x", "./c:x", "a:b"])
    func `Z01 a letter and a colon name a drive in the names of Windows`(_ path: String) throws {
        var member = ArchiveMember.file(path)
        member.namesDrives = true
        try ExtractionScene().expectRefusal(.unsafeName, of: ListedMembers([.file("good"), member]))
    }

    @Test(arguments: [String(repeating: "n", count: 256), String(repeating: "directory/", count: 500) + "x"])
    func `Z01 a name that is too long is refused for its length, and the archive is not called untrustworthy`(
        _ path: String
    ) throws {
        let error = #expect(throws: ArchiveError.self) { try MemberPath(path) }
        #expect(error?.code == .unsafeName && error?.remedies == [.chooseMembers])
        #expect(error?.message.contains("too long") == true)
    }

    @Test func `M03 Z08 characters that change the text direction are removed from names`() throws {
        let scene = try ExtractionScene()
        _ = try scene.extract(ListedMembers([.file("photo\u{202E}gpj.exe"), .file("zero\u{200B}width")]))
        #expect(try scene.names() == ["photogpj.exe", "zerowidth"])
    }

    @Test(arguments: Tree.Walk.allCases)
    func `Z01 Z02 a directory below the target is never reached through a link, whichever way directories are opened`(
        _ walk: Tree.Walk
    ) throws {
        let scene = try ExtractionScene()
        let fresh = try FreshDirectory.make(for: Target(scene.target))
        let tree = try fresh.makeTree(walk: walk)
        // Simulate another process that creates the links meanwhile.
        try Files.makeSymbolicLink("\(scene.fresh)/new/a", to: scene.directory.file("outside"))
        try Files.makeSymbolicLink("\(scene.fresh)/new/file", to: scene.directory.file("outside/file"))
        #expect(throws: ArchiveError.self) { try tree.createFile(MemberPath("a/x"), isExecutable: false) }
        #expect(throws: ArchiveError.self) { try tree.createFile(MemberPath("a/b/c/x"), isExecutable: false) }
        #expect(throws: ArchiveError.self) { try tree.createFile(MemberPath("file"), isExecutable: false) }
        #expect(throws: ArchiveError.self) { try tree.openFile(MemberPath("file")) }
        #expect(throws: ArchiveError.self) { try tree.makeDirectory(MemberPath("a")) }
        try tree.makeDirectory(MemberPath("b/c/d"))
        #expect(Files.exists("\(scene.fresh)/new/b/c/d"))
        #expect(tree.walk == walk)
        try fresh.remove()
        scene.expectNothing()
    }

    static let badTargets = [
        "/etc/passwd", "../outside/file", "..", "a/../../outside", "../target/x", "", "\\\\server", "a\\..\\..", "x\0y",
        "nowhere/..", "other/../..", "link",
    ]

    @Test(arguments: badTargets.dropLast())
    func `Z02 a symbolic link that leads outside is refused`(_ target: String) throws {
        let scene = try ExtractionScene()
        let members: [ArchiveMember] = [
            .directory("a/b"), .link("other", to: "a/b"), .link("link", to: target), .file("last"),
        ]
        scene.expectRefusal(.unsafeLink, of: ListedMembers(members), naming: "link")
    }

    @Test func `Z02 symbolic links that lead outside only in combination are refused`() throws {
        // Read as text, `down/..` is this directory; through the link `down` it is the one above `a`.
        let scene = try ExtractionScene()
        scene.expectRefusal(
            .unsafeLink,
            of: ListedMembers([.directory("a/b"), .link("a/down", to: "b"), .link("x", to: "a/down/../../..")]))
        scene.expectRefusal(
            .unsafeLink, of: ListedMembers([.link("up", to: "a"), .directory("a"), .link("x", to: "up/../..")]))
    }

    static let throughLinks: [[ArchiveMember]] = [
        [.link("l", to: "../outside"), .file("l/file")], [.link("l", to: "a"), .directory("a"), .file("l/x")],
        [.file("l/x"), .link("l", to: "a")],
        [.link("l", to: "a"), .directory("l/")], [.link("l", to: "a"), .file("l")],
        [.link("l", to: "a"), .link("l", to: "b")],
        [.link("l", to: "a"), .file("L/x")], [.link("l", to: "a"), .hardLink("l/x", to: "f")],
    ]

    @Test(arguments: throughLinks)
    func `Z02 a member beneath, or in place of, a symbolic link is refused`(_ members: [ArchiveMember]) throws {
        let scene = try ExtractionScene()
        scene.expectRefusal(.unsafeLink, of: ListedMembers([.file("f")] + members))
    }

    @Test func `Z02 links that stay inside are created, after all other members`() throws {
        let scene = try ExtractionScene()
        let members: [ArchiveMember] = [
            .link("a/up", to: "../b/./file"), .link("current", to: "a/"), .link("later", to: "nothing/here"),
            .directory("a"), .file("b/file"),
            .link("a/around", to: "../a/../b"), .link("a/unit", to: "../unit\\x2d.service"),
            .hardLink("a/same", to: "b/file"), .hardLink("a/up2", to: "a/up"),
        ]
        let result = try scene.extract(ListedMembers(members))
        #expect(result.members == members.count)
        #expect(
            try scene.names() == [
                "a", "a/around", "a/same", "a/unit", "a/up", "a/up2", "b", "b/file", "current", "later",
            ])
        #expect(try Files.text("\(scene.target)/a/up") == "bytes\n")
        #expect(try Files.text("\(scene.target)/current/up2") == "bytes\n")
        #expect(try Files.text("\(scene.target)/a/around/file") == "bytes\n")
        #expect(try Files.status("\(scene.target)/a/same").inode == Files.status("\(scene.target)/b/file").inode)
    }

    @Test func `Z02 a symbolic link is refused where links are not allowed`() throws {
        var options = ExtractionOptions()
        options.allowsLinks = false
        try ExtractionScene().expectRefusal(
            .unsafeLink, of: ListedMembers([.file("a"), .link("l", to: "a")]), options, naming: "l")
    }

    @Test(arguments: ["/etc/passwd", "../outside/file", "later", "directory", "missing", ""])
    func `Z02 a hard link to anything but an earlier file is refused`(_ target: String) throws {
        let members: [ArchiveMember] = [.directory("directory"), .hardLink("l", to: target), .file("later")]
        try ExtractionScene().expectRefusal(.unsafeLink, of: ListedMembers(members), naming: "l")
    }

    static let twins: [[ArchiveMember]] = [
        [.file("a"), .file("a")], [.file("a"), .file("./a")], [.file("a"), .file("A")],
        [.file("straße"), .file("STRASSE")],
        [.file("é"), .file("e\u{301}")], [.file("a"), .directory("a")], [.file("a"), .file("a/b")],
        [.file("a/b"), .file("a")],
        [.file("D/x"), .file("d/y")], [.directory("d"), .file("D")], [.file("a"), .hardLink("a", to: "a")],
        [.file("a\u{200B}"), .file("a")],
    ]

    @Test(arguments: twins)
    func `Z04 M08 two members that would become one file are refused`(_ members: [ArchiveMember]) throws {
        try ExtractionScene().expectRefusal(.duplicateName, of: ListedMembers([.file("f")] + members))
    }

    @Test
    func `Z04 M08 where twins are allowed, names that differ in case or Unicode form are unpacked as separate files`()
        throws
    {
        var options = ExtractionOptions()
        options.allowsTwins = true
        let scene = try ExtractionScene()
        let paths = ["a", "A", "d\u{E9}/x", "de\u{301}/y", "%61"]
        _ = try scene.extract(ListedMembers(paths.map { .file($0) }), options)
        #expect(try Files.names(scene.target).map { Array($0.utf8) }.count == 5)
        for path in paths { #expect(try Files.text("\(scene.target)/\(path)") == "bytes\n", "\(path)") }
        #expect(try Files.names("\(scene.target)/d\u{E9}") == ["x"])
        #expect(try Files.names("\(scene.target)/de\u{301}") == ["y"])
        try ExtractionScene().expectRefusal(.duplicateName, of: ListedMembers([.file("a"), .file("a")]), options)
    }

    @Test func `Z11 devices, pipes and sockets are refused`() throws {
        for what in ["a character device", "a block device", "a named pipe", "a socket"] {
            let member = ArchiveMember(path: "dev", kind: .other(what))
            try ExtractionScene().expectRefusal(.unsafeKind, of: ListedMembers([.file("a"), member]), naming: what)
        }
    }

    @Test func `Z11 modes are those of any new file, and implausible times are ignored`() throws {
        let scene = try ExtractionScene()
        func file(_ path: String, modified: Int64?, isExecutable: Bool = false) -> ArchiveMember {
            ArchiveMember(path: path, kind: .file, modified: modified, isExecutable: isExecutable)
        }
        let future: Int64 = 1 << 40
        let directory = ArchiveMember(path: "d", kind: .directory, modified: 1_234_567_890)
        _ = try scene.extract(
            ListedMembers([
                directory, file("d/run", modified: 1_234_567_890, isExecutable: true), file("zero", modified: 0),
                file("past", modified: .min),
                file("future", modified: future), file("never", modified: .max), file("none", modified: nil),
            ]))
        let listing = try Files.listing(scene.target)
        #expect(listing["d"]?.modifiedSeconds == 1_234_567_890)
        #expect(listing["d/run"]?.modifiedSeconds == 1_234_567_890)
        #expect(try #require(listing["d"]).mode & 0o7777 == 0o755)
        #expect(try #require(listing["d/run"]).mode & 0o7777 == 0o755)
        for name in ["zero", "past", "future", "never", "none"] {
            let status = try #require(listing[name])
            #expect(status.mode & 0o7777 == 0o644)
            #expect((1_600_000_000..<future).contains(status.modifiedSeconds), "\(name)")
        }
    }
}
