import Pawl
import PawlCore
import PawlJobs
import Testing

@testable import PawlCLI

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Which downloads of a run count as duplicates.
@Suite struct DuplicateTests {
    /// URLs that differ only in something easily overlooked: spelling, signature, user, port, fragment.
    static let urls = [
        "https://h/caf\u{E9}", "https://h/cafe\u{301}", "https://h/caf%C3%A9", "https://h/cafe%CC%81",
        "https://h/caf%c3%a9",
        "https://h/dl?token=A", "https://h/dl?token=B", "https://h/dl", "https://h/dl?", "https://h/dl/",
        "https://h/dl#x",
        "https://alice:x@h/dl", "https://bob:y@h/dl", "https://alice@h/dl", "https://alice:x@h/dl?token=A",
        "https://h/?st=2&e=1", "https://h/?st=2&e=2", "https://h/?e=1&st=2", "http://h/dl", "HTTPS://h/dl",
        "https://H/dl",
        "https://h:443/dl", "https://h:444/dl", "https://h/x/../dl", "https://h/%64l",
        "https://h/dl?X-Amz-Signature=1&X-Amz-Date=2",
        "https://h/dl?X-Amz-Signature=2&X-Amz-Date=2", "https://h/a\u{327}\u{301}", "https://h/a\u{301}\u{327}",
    ]

    /// Two URLs that differ in a byte become two downloads, or one download and a remark if both would send the same
    /// request.
    @Test func `M15 of two URLs that differ, both are fetched or a remark says why only one is`() throws {
        // Parse the command line only once, which takes longer than all the rest.
        let command = try #require(try PawlCommand.subcommand(from: ["get", "-i", "l"]) as? GetCommand)
        for first in Self.urls {
            for second in Self.urls where !first.utf8.elementsEqual(second.utf8) {
                guard let one = try? HTTPURL(parsing: first), let other = try? HTTPURL(parsing: second) else {
                    continue
                }
                let entries = try DownloadList(parsing: Array("\(first)\n\(second)\n".utf8)).entries
                let get = try ResolvedGet.of(command) { (_) throws(DownloadList.Problem) in ListReader(entries) }
                let planned = get.downloads.map { Array($0.request.url.utf8) }
                if Self.withoutPassword(one) == Self.withoutPassword(other) {
                    #expect(planned == [Array(first.utf8)] && get.remarks.count == 1, "\(first) \(second)")
                } else {
                    #expect(
                        planned == [Array(first.utf8), Array(second.utf8)] && get.remarks.isEmpty, "\(first) \(second)")
                }
            }
        }
    }

    /// A password authenticates the user but does not identify one.
    private static func withoutPassword(_ url: HTTPURL) -> HTTPURL {
        var url = url
        url.userinfo = url.userinfo.flatMap { $0.split(separator: ":").first.map(String.init) }
        return url
    }

    /// Options in which two entries of a list differ.
    @Test(arguments: [
        ("http-user=alice", "http-user=bob"), ("header=X-Who: alice", "header=X-Who: bob"),
        ("header=X-Who: alice", "header=X-Role: alice"),
        ("header=Cookie: u=alice", "header=Cookie: u=bob"),
        ("header=Authorization: Bearer a", "header=Authorization: Bearer b"),
        ("user-agent=phone", "user-agent=desktop"), ("referer=https://h/a", "referer=https://h/b"),
    ])
    func `M15 one URL requested in two ways is downloaded twice, and refused if both would get one name`(
        first: String, second: String
    ) throws {
        func list(_ first: String, _ second: String) -> String {
            "https://h/export\n \(first)\nhttps://h/export\n \(second)\n"
        }
        let get = try ResolvedGet.of(["-i", "l"], lists: ["l": list(first, second)])
        #expect(get.downloads.count == 2 && get.remarks.isEmpty)
        let error = #expect(throws: UsageError.self) {
            try ResolvedGet.of(["-i", "l"], lists: ["l": list("out=x\n \(first)", "out=x\n \(second)")])
        }
        #expect(error?.message.contains("“x”") == true)
        let same = try ResolvedGet.of(["-i", "l"], lists: ["l": list(first, first)])
        #expect(same.downloads.count == 1 && same.remarks == ["One URL was given twice and is downloaded once."])
    }

    @Test func `the same request with another size limit is not a duplicate`() throws {
        let list = "https://h/a\n max-filesize=1K\nhttps://h/a\n max-filesize=2K\n"
        #expect(try ResolvedGet.of(["-i", "l"], lists: ["l": list]).downloads.count == 2)
    }

    @Test func `M16 file names and directories are told apart by bytes`() throws {
        let list = """
            https://h/1
             out=caf\u{E9}
            https://h/2
             out=cafe\u{301}
            https://h/3
             out=x
             dir=\u{E9}
            https://h/4
             out=x
             dir=e\u{301}
            """
        let get = try ResolvedGet.of(["-i", "l"], lists: ["l": list])
        #expect(get.downloads.count == 4 && get.remarks.isEmpty)
    }

    @Test func `M15 two parts of one URL are two downloads`() throws {
        let list =
            "https://h/a\n range=0-9\nhttps://h/a\n range=10-19\nhttps://h/a\n range=0-9\n sparse=true\nhttps://h/a\n range=0-9\n"
        let get = try ResolvedGet.of(["-i", "l"], lists: ["l": list])
        #expect(get.downloads.count == 3)
        #expect(get.remarks == ["One URL was given twice and is downloaded once."])
    }

    // MARK: Spellings of one directory

    /// Makes a directory that contains `d` and a symbolic link `link` to `d`.
    private func withDirectory(_ body: (String) async throws -> Void) async throws {
        var template = Array("/tmp/pawl-places-XXXXXX".utf8CString)
        let path = try #require(mkdtemp(&template).map { String(cString: $0) })
        try #require(mkdir(path + "/d", 0o700) == 0 && symlink("d", path + "/link") == 0)
        defer {
            unlink(path + "/link")
            rmdir(path + "/d")
            rmdir(path)
        }
        try await body(path)
    }

    private static let spellings = [
        "d", "./d", "d/", "d//", "d/.", ".//d", "link", "link/.", "d/../d", "link/../d", "nowhere/../d",
    ]
    private static let missing = [
        "new/er", "./new/er", "new//er/", "new/./er", "new/x/../er", "new/er/.", "d/../new/er", "link/../new/er",
    ]

    @Test func `M15 a directory is one place, however its path is spelled and whether or not it exists yet`()
        async throws
    {
        try await withDirectory { path in
            for group in [Self.spellings, Self.missing] {
                let places = Set(group.map { FileTarget(in: "\(path)/\($0)", "x") })
                #expect(places.count == 1, "\(group)")
                #expect(Set(group.map { FileTarget(path: "\(path)/\($0)/x") }) == places)
            }
            let names = Set(
                ["d", "e", "link", "d/e", "cafe\u{301}", "caf\u{E9}"].map { FileTarget(path: "\(path)/\($0)") })
            #expect(names.count == 6)
            #expect(
                FileTarget(path: path + "/d/.") == FileTarget(path: path + "/d/") && FileTarget(path: "/").name == nil)
            #expect(
                FileTarget(path: "x") == FileTarget(in: ".", "x") && FileTarget(path: "/x") == FileTarget(in: "/", "x"))
        }
    }

    @Test func `M15 two URLs for one name are refused even if the directory is spelled in two ways`() async throws {
        try await withDirectory { path in
            for spelling in Self.spellings.dropFirst() {
                let list = "https://h/1\n out=x\n dir=\(path)/d\nhttps://h/2\n out=x\n dir=\(path)/\(spelling)\n"
                #expect(throws: UsageError.self, "\(spelling)") { try ResolvedGet.of(["-i", "l"], lists: ["l": list]) }
                let twice = "https://h/1\n dir=\(path)/d\nhttps://h/1\n dir=\(path)/\(spelling)\n"
                let get = try ResolvedGet.of(["-i", "l"], lists: ["l": twice])
                #expect(get.remarks == ["One URL was given twice and is downloaded once."], "\(spelling)")
            }
        }
    }

    @Test(arguments: [false, true])
    func
        `M15 of two downloads that end at one path, only one counts as completed, even if the path is spelled in two ways`(
            wasSkipped: Bool
        ) async throws
    {
        try await withDirectory { path in
            for spelling in Self.spellings {
                let summary = try await summary([("\(path)/d/x", false), ("\(path)/\(spelling)/x", wasSkipped)])
                #expect(summary.summary.completed == 1 && summary.exitCode == .fileExists, "\(spelling)")
            }
        }
    }

    // MARK: Counting completed downloads

    /// The ending of a run whose downloads end at these paths, each new or skipped because it existed.
    private func summary(_ paths: [(String, wasSkipped: Bool)]) async throws -> RunEnding {
        let get = try ResolvedGet.of(paths.indices.map { "https://h/\($0)" } + ["-q"])
        let silence = OutputStream(descriptor: open("/dev/null", O_WRONLY | O_CLOEXEC))
        defer { close(silence.descriptor) }
        let display = GetDisplay(get, Session(output: silence, errors: silence))
        var machine = JobMachine([JobSpec("https://h/")])
        let files = get.downloads.map { download in
            PreparedFile(
                download.file, identity: Array(download.file.url.utf8), target: FileTarget(directory: "/d", name: nil))
        }
        var actions = machine.handle(.start) + machine.handle(.resolved(index: 0, files))
        for (planned, (path, wasSkipped)) in zip(get.downloads, paths) {
            var result = DownloadResult.existing(path, byteCount: 1, finalURL: planned.file.shownURL)
            if !wasSkipped { result = result.becoming(path, byteCount: 1) }
            actions += machine.handle(.fetched(planned.id, FetchedFile(target: FileTarget(path: path), result: result)))
        }
        for case .publish(let event) in actions { await display.handle(event) }
        _ = try await display.finish()
        return await display.ending
    }

    @Test(arguments: [false, true])
    func
        `M15 of two downloads that end at one path, only one counts as completed, whether the second was skipped or not`(
            wasSkipped: Bool
        ) async throws
    {
        let summary = try await summary([("x", false), ("y", false), ("x", wasSkipped)])
        #expect(summary.summary.completed == 2 && summary.summary.failures.map(\.id) == [JobFileID(3)])
        #expect(summary.exitCode == .fileExists)
    }

    @Test func `M15 a file from before the run is not reported as made by it, and may be replaced`() async throws {
        let skipped = try await summary([("x", true), ("x", true)])
        #expect(skipped.summary.completed == 1 && skipped.exitCode == .fileExists)
        let message = try #require(skipped.summary.failures.first).reason.text
        #expect(message.contains("existed before this run") && !message.contains("was made"), "\(message)")
        #expect(try await summary([("x", true), ("x", false)]).summary.completed == 2)
        #expect(try await summary([("x", true), ("x", false), ("x", true)]).summary.completed == 2)
    }

    @Test func `M16 paths that differ in a byte are two files, and both count as completed`() async throws {
        let summary = try await summary([("caf\u{E9}", false), ("cafe\u{301}", false)])
        #expect(summary.summary.completed == 2 && summary.exitCode == .done)
    }
}
