import PawlTestKit
import Testing

@testable import PawlArchive

/// Existing targets, and targets that appear meanwhile: the target is unchanged or complete (FAULTS Z10).
struct ExistingTargetTests {
    enum Existing: String, CaseIterable {
        case file, fullDirectory, link, brokenLink

        func make(in scene: ExtractionScene) throws {
            switch self {
            case .file: try Files.write(Array("old".utf8), to: scene.target)
            case .fullDirectory:
                try Files.makeDirectory(scene.target)
                try Files.makeDirectory("\(scene.target)/sub")
                try Files.write(Array("old".utf8), to: "\(scene.target)/sub/old")
                try Files.makeSymbolicLink("\(scene.target)/away", to: "../outside")
                try Files.setMode("\(scene.target)/sub", 0o555)
            case .link: try Files.makeSymbolicLink(scene.target, to: "outside")
            case .brokenLink: try Files.makeSymbolicLink(scene.target, to: "nowhere")
            }
        }
    }

    private func options(_ ifExists: ExtractionOptions.IfExists) -> ExtractionOptions {
        var options = ExtractionOptions()
        options.ifExists = ifExists
        return options
    }

    private var members: ListedMembers { ListedMembers([.file("a/new"), .file("b")]) }

    private func expectOutsideUntouched(_ scene: ExtractionScene) throws {
        #expect(try Files.text(scene.directory.file("outside/file")) == "mine\n")
        #expect(try Files.names(scene.directory.file("outside")) == ["file"])
    }

    @Test(arguments: Existing.allCases)
    func `Z10 D14 an existing target is left alone, and the archive is not read`(_ existing: Existing) throws {
        let scene = try ExtractionScene()
        try existing.make(in: scene)
        let before = try Files.listing(scene.directory.path)
        let reader = members
        let error = #expect(throws: ArchiveError.self) { try scene.extract(reader) }
        #expect(error?.code == .targetExists)
        #expect(error?.message.contains(scene.target) == true)
        #expect(reader.calls == 0)
        let skipped = try scene.extract(members, options(.skip))
        #expect(skipped.isSkipped && skipped.directory == scene.target && skipped.members == 0)
        #expect(try Files.listing(scene.directory.path) == before)
    }

    @Test(arguments: Existing.allCases)
    func `Z10 with rename, the next free name is used`(_ existing: Existing) throws {
        let scene = try ExtractionScene()
        try existing.make(in: scene)
        try Files.makeSymbolicLink("\(scene.target) (1)", to: "nowhere")
        let result = try scene.extract(members, options(.rename))
        #expect(result.directory == "\(scene.target) (2)")
        #expect(try Files.listing(result.directory).keys.sorted() == ["a", "a/new", "b"])
        #expect(try scene.neighbours() == ["outside", "target", "target (1)", "target (2)"])
        try expectOutsideUntouched(scene)
    }

    @Test(arguments: Existing.allCases)
    func `Z10 a replaced target is gone once the new directory is in place, and links are not followed`(
        _ existing: Existing
    ) throws {
        let scene = try ExtractionScene()
        try existing.make(in: scene)
        let result = try scene.extract(members, options(.replace))
        #expect(result == ExtractionResult(directory: scene.target, members: 2, bytes: 12))
        #expect(try scene.names() == ["a", "a/new", "b"])
        #expect(try scene.neighbours() == ["outside", "target"])
        try expectOutsideUntouched(scene)
    }

    @Test(arguments: ExtractionOptions.IfExists.allCases)
    func `Z10 an empty directory counts as a free target`(_ ifExists: ExtractionOptions.IfExists) throws {
        let scene = try ExtractionScene()
        try Files.makeDirectory(scene.target)
        let result = try scene.extract(members, options(ifExists))
        #expect(result.directory == scene.target && !result.isSkipped)
        #expect(try scene.names() == ["a", "a/new", "b"])
        #expect(try scene.neighbours() == ["outside", "target"])
    }

    @Test(arguments: Existing.allCases, ExtractionOptions.IfExists.allCases)
    func `Z10 a target that appears during unpacking is treated like an existing target, and only replaced if asked`(
        _ existing: Existing, _ ifExists: ExtractionOptions.IfExists
    ) throws {
        let scene = try ExtractionScene()
        let reader = members
        reader.before = { call in
            if call == 3 { #expect(throws: Never.self) { try existing.make(in: scene) } }
        }
        switch ifExists {
        case .fail, .skip:
            let error = #expect(throws: ArchiveError.self) { try scene.extract(reader, options(ifExists)) }
            #expect(error?.code == .targetExists)
            #expect(!Files.exists("\(scene.target)/b"))
        case .rename: #expect(try scene.extract(reader, options(ifExists)).directory == "\(scene.target) (1)")
        case .replace: #expect(try scene.extract(reader, options(ifExists)).directory == scene.target)
        }
        #expect(!Files.exists(scene.fresh))
        try expectOutsideUntouched(scene)
    }

    @Test func `Z10 a crash's leftovers are removed, and the next run succeeds`() throws {
        let scene = try ExtractionScene()
        // The state after a crash: a directory created, marked and filled, with its lock released.
        var left: FreshDirectory? = try FreshDirectory.make(for: Target(scene.target))
        _ = try left?.makeTree().createFile(MemberPath("a/half"), isExecutable: false)
        try Files.makeSymbolicLink("\(scene.fresh)/new/away", to: "../../outside")
        left = nil
        #expect(Files.exists("\(scene.fresh)/new/a/half"))
        _ = try scene.extract(members)
        #expect(try scene.names() == ["a", "a/new", "b"])
        #expect(try scene.neighbours() == ["outside", "target"])
        try expectOutsideUntouched(scene)
    }

    @Test func `Z10 a crash before the mark leaves an empty directory, which the next run reuses`() throws {
        let scene = try ExtractionScene()
        try Files.makeDirectory(scene.fresh)
        _ = try scene.extract(members)
        #expect(try scene.neighbours() == ["outside", "target"])
    }

    @Test func `Z10 after a crash between two renames, the next run restores the former directory`() throws {
        let scene = try ExtractionScene()
        var left: FreshDirectory? = try FreshDirectory.make(for: Target(scene.target))
        _ = try left?.makeTree()
        try Files.makeDirectory("\(scene.fresh)/old")
        try Files.write(Array("old".utf8), to: "\(scene.fresh)/old/file")
        left = nil
        let error = #expect(throws: ArchiveError.self) {
            try scene.extract(ListedMembers([.file("../x")]), options(.replace))
        }
        #expect(error?.code == .unsafeName)
        #expect(try Files.text("\(scene.target)/file") == "old")
        #expect(try scene.neighbours() == ["outside", "target"])
    }

    /// The kept directory is the only copy. It may replace an empty directory, and nothing else.
    @Test(arguments: [true, false])
    func `Z10 a directory kept by a crash is not removed when its name is taken by now`(isEmpty: Bool) throws {
        let scene = try ExtractionScene()
        var left: FreshDirectory? = try FreshDirectory.make(for: Target(scene.target))
        _ = try left?.makeTree()
        try Files.makeDirectory("\(scene.fresh)/old")
        try Files.write(Array("old".utf8), to: "\(scene.fresh)/old/file")
        left = nil
        try Files.makeDirectory(scene.target)
        if !isEmpty { try Files.write(Array("mine".utf8), to: "\(scene.target)/mine") }
        let error = #expect(throws: ArchiveError.self) {
            try scene.extract(ListedMembers([.file("../x")]), options(.replace))
        }
        if isEmpty {
            #expect(error?.code == .unsafeName)
            #expect(try Files.text("\(scene.target)/file") == "old")
        } else {
            #expect(error?.code == .notWritable && error?.message.contains("old") == true)
            #expect(try Files.text("\(scene.fresh)/old/file") == "old")
            #expect(try Files.text("\(scene.target)/mine") == "mine")
        }
    }

    @Test func `Z10 the replacement of a private directory is equally private`() throws {
        let scene = try ExtractionScene()
        try Files.makeDirectory(scene.target)
        try Files.write([1], to: "\(scene.target)/x")
        try Files.setMode(scene.target, 0o700)
        _ = try scene.extract(members, options(.replace))
        #expect(try scene.names() == ["a", "a/new", "b"])
        #expect(try Files.status(scene.target).mode & 0o777 == 0o700)
    }

    @Test func `Z10 a foreign file or directory under the temporary name is left alone`() throws {
        for make in [
            { try Files.write(Array("old".utf8), to: $0) }, { try Files.makeSymbolicLink($0, to: "outside") },
            { path in
                try Files.makeDirectory(path)
                try Files.write([], to: "\(path)/file")
            },
            { path in
                // A file with the name of the mark and a different text.
                try Files.makeDirectory(path)
                try Files.write(Array("program".utf8), to: "\(path)/pawl")
                try Files.write(Array("mine".utf8), to: "\(path)/new")
            },
        ] as [(String) throws -> Void] {
            let scene = try ExtractionScene()
            try make(scene.fresh)
            let before = try Files.listing(scene.directory.path)
            let error = #expect(throws: ArchiveError.self) { try scene.extract(members) }
            #expect(error?.code == .targetExists)
            #expect(error?.message.contains(scene.fresh) == true)
            #expect(try Files.listing(scene.directory.path) == before)
        }
    }

    @Test func `Z10 of two runs with one target, the second is refused`() throws {
        let scene = try ExtractionScene()
        let held = try FreshDirectory.make(for: Target(scene.target))
        let error = #expect(throws: ArchiveError.self) { try scene.extract(members) }
        #expect(error?.code == .locked)
        #expect(Files.exists(scene.fresh))
        try held.remove()
        scene.expectNothing()
    }

    @Test(arguments: ["", ".", "..", "/", "a/.", "./.."])
    func `a target path that names no new directory is refused`(_ path: String) throws {
        let error = #expect(throws: ArchiveError.self) { try Extraction(members).run(into: path) }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `Z10 a single file is unpacked under the same rules`() throws {
        let scene = try ExtractionScene()
        let result = try Extraction(ListedMembers([.directory("a"), .file("a/x")])).runFile(to: scene.target)
        #expect(result == ExtractionResult(directory: scene.target, members: 1, bytes: 6))
        #expect(try Files.text(scene.target) == "bytes\n")
        #expect(throws: ArchiveError.self) { try Extraction(members).runFile(to: scene.target) }
        let renamed = try Extraction(members, options: options(.rename)).runFile(to: scene.target)
        #expect(renamed.directory == "\(scene.target) (1)")
        _ = try Extraction(ListedMembers([.file("y")], text: "other"), options: options(.replace)).runFile(
            to: scene.target)
        #expect(try Files.text(scene.target) == "other")
        #expect(try Extraction(members, options: options(.skip)).runFile(to: scene.target).isSkipped)
        #expect(try scene.neighbours() == ["outside", "target", "target (1)"])
    }
}
