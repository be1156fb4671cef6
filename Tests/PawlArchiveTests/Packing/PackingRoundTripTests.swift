import PawlTestKit
import Testing

@testable import PawlArchive

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Pawl's archives, as Debian's tools read them.
struct PackingRoundTripTests {
    static let suffixes = ["zip", "tar", "tar.gz", "tgz", "tar.bz2", "tbz2", "tar.xz", "txz", "tar.zst", "tzst"]

    /// Packs the tree by its absolute path. Members lose the leading slash; their paths begin with the returned prefix.
    private func pack(_ tree: PackedTree, _ suffix: String) async throws -> (archive: String, prefix: String) {
        let archive = tree.directory.file("out.\(suffix)")
        let result = try await Archive.pack([tree.root], to: archive)
        #expect(result.path == archive)
        #expect(result.members == PackedTree.order.count)
        #expect(result.files == PackedTree.contents.count)
        #expect(result.bytes == PackedTree.contents.values.reduce(0) { $0 + Int64($1.count) })
        #expect(result.archiveBytes == (try Files.status(archive).size))
        return (archive, String(tree.directory.path.dropFirst()) + "/")
    }

    @Test(arguments: suffixes)
    func `bsdtar unpacks a packed archive with its times and modes`(_ suffix: String) async throws {
        let tree = try PackedTree()
        let (archive, prefix) = try await pack(tree, suffix)
        let back = try TemporaryDirectory("back")
        let output = try await Subprocess.run(
            "bsdtar", ["-xpf", archive, "-C", back.path], environment: ["LC_ALL": "C.UTF-8"])
        #expect(output.ending == .exited(0), "\(output.standardError)")
        let root = "\(back.path)/\(prefix)tree"
        for (name, bytes) in PackedTree.contents { #expect(try Files.isEqual("\(root)/\(name)", to: bytes), "\(name)") }
        for (name, status) in try Files.listing(root) {
            #expect(status.modifiedSeconds == PackedTree.modified, "\(name)")
            let mode = status.isDirectory || name == "a/run.sh" ? 0o755 : name == "a/link" ? 0o777 : 0o644
            #expect(status.mode & 0o7777 == UInt32(mode), "\(name)")
        }
        #expect(try Files.listing(root).keys.sorted() == Files.listing(tree.root).keys.sorted())
    }

    @Test(arguments: suffixes)
    func `members are packed in byte order of their names`(_ suffix: String) async throws {
        let tree = try PackedTree()
        let (archive, prefix) = try await pack(tree, suffix)
        let output = try await Subprocess.run("bsdtar", ["-tf", archive], environment: ["LC_ALL": "C.UTF-8"])
        #expect(output.standardOutput.split(separator: "\n").map(String.init) == PackedTree.order.map { prefix + $0 })
    }

    @Test(arguments: [("unzip", ["-tqq"]), ("7z", ["t"]), ("python3", ["-m", "zipfile", "-t"])])
    func `other programs find no fault in a packed zip`(_ program: String, _ arguments: [String]) async throws {
        let (tree, tools) = (try PackedTree(), arguments)
        let (archive, _) = try await pack(tree, "zip")
        let output = try await Subprocess.run(program, tools + [archive])
        #expect(output.ending == .exited(0), "\(output.standardOutput)\(output.standardError)")
    }

    /// Reads the header fields of each member with Python's zipfile.
    @Test func `a packed zip marks UTF-8 names and executable files`() async throws {
        let tree = try PackedTree()
        let (archive, prefix) = try await pack(tree, "zip")
        let script = """
            import sys, zipfile
            for member in zipfile.ZipFile(sys.argv[1]).infolist():
                print(member.filename.encode("unicode_escape").decode(), member.flag_bits & 0x800, oct(member.external_attr >> 16), member.compress_type)
            """
        let output = try await Subprocess.run("python3", ["-c", script, archive])
        let lines = output.standardOutput.split(separator: "\n").map { String($0.dropFirst(prefix.count)) }
        #expect(
            lines == [
                "tree/ 0 0o40755 0", "tree/Gr\\xfc\\xdfe/ 2048 0o40755 0",
                "tree/Gr\\xfc\\xdfe/\\xfc\\u2013\\u65e5\\u672c.txt 2048 0o100644 8", "tree/a-b 0 0o100644 8",
                "tree/a/ 0 0o40755 0",
                "tree/a/empty 0 0o100644 8", "tree/a/link 0 0o120777 0", "tree/a/none/ 0 0o40755 0",
                "tree/a/run.sh 0 0o100755 8",
                "tree/a/zeros 0 0o100644 8", "tree/noise 0 0o100644 8",
            ])
    }

    @Test func `a packed tar records no owner`() async throws {
        let tree = try PackedTree()
        let (archive, _) = try await pack(tree, "tar.gz")
        let script = """
            import sys, tarfile
            members = tarfile.open(sys.argv[1]).getmembers()
            print({(m.uid, m.gid, m.uname, m.gname) for m in members}, {m.mtime for m in members}, {k for m in members for k in m.pax_headers})
            """
        let output = try await Subprocess.run("python3", ["-c", script, archive])
        #expect(
            output.standardOutput == "{(0, 0, '', '')} {\(PackedTree.modified)} {'path'}\n", "\(output.standardError)")
    }

    @Test(arguments: suffixes)
    func `packing the same files gives the same bytes, whenever and under whatever archive name`(
        _ suffix: String
    ) async throws {
        let tree = try PackedTree()
        let (archive, _) = try await pack(tree, suffix)
        let second = tree.directory.file("other.\(suffix)")
        // Reading a file changes its access time.
        _ = try Files.read("\(tree.root)/noise")
        try await Archive.pack([tree.root + "/"], to: second)
        #expect(try Files.isEqual(second, to: Files.read(archive)))
        guard suffix.hasSuffix("gz") else { return }
        // RFC 1952 §2.3: no name, and no time.
        #expect(try Array(Files.read(archive)[3...7]) == [0, 0, 0, 0, 0])
    }

    /// A file just below 4 GiB may grow past it when it does not compress, but libarchive's header promises that no
    /// zip64 is needed.
    @Test func `a member that could outgrow 32 bits is stored, and its neighbours are compressed`() async throws {
        #expect(ArchiveWriter.nearLimit == 4_290_772_991...4_294_967_295)
        let directory = try TemporaryDirectory("stored")
        let archive = directory.file("a.zip")
        let file = open(archive, O_RDWR | O_CREAT, 0o644)
        defer { close(file) }
        let writer = try ArchiveWriter(.zip, level: nil, to: file, path: archive, storedSizes: 200...300)
        for size in [199, 200, 300, 301] {
            try writer.begin(Array("\(size)".utf8), .file(size: Int64(size), isExecutable: false), modified: 0)
            try [UInt8](repeating: 7, count: size).withUnsafeBytes { try writer.write($0) }
        }
        try writer.close()
        let script = """
            import sys, zipfile
            archive = zipfile.ZipFile(sys.argv[1])
            print(archive.testzip(), [(m.file_size, m.compress_type) for m in archive.infolist()])
            """
        let output = try await Subprocess.run("python3", ["-c", script, archive])
        #expect(output.standardOutput == "None [(199, 8), (200, 0), (300, 0), (301, 8)]\n", "\(output.standardError)")
        #expect(try await Archive(archive).members().map(\.size) == [199, 200, 300, 301])
    }

    @Test func `more members than 16 bits can count are packed with zip64 records`() async throws {
        let directory = try TemporaryDirectory("many")
        let tree = directory.file("m")
        try Files.makeDirectory(tree)
        // Hard links are created faster than files; ext4 allows 65,000 per file.
        for kind in ["a", "b"] {
            let first = "\(tree)/\(kind)"
            try Files.write([], to: first)
            for number in 0..<32_800 { #expect(link(first, first + "\(number)") == 0) }
        }
        let archive = directory.file("many.zip")
        let result = try await Archive.pack([tree], to: archive)
        #expect(result.members == 65_603)
        let script = "import sys, zipfile; print(len(zipfile.ZipFile(sys.argv[1]).namelist()))"
        #expect(try await Subprocess.run("python3", ["-c", script, archive]).standardOutput == "65603\n")
    }
}
