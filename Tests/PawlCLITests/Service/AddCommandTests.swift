import PawlClient
import PawlCore
import PawlJobs
import PawlTestKit
import Testing

@testable import PawlCLI

@Suite struct AddCommandTests {
    private func jobs(_ words: String...) throws -> [NewDownload] {
        let command = try #require(try PawlCommand.subcommand(from: ["add"] + words) as? AddCommand)
        return try command.newDownloads(in: Session())
    }

    @Test func `a URL alone goes to the service's directory`() throws {
        #expect(try jobs("https://h/a") == [NewDownload(JobSpec("https://h/a"))])
    }

    @Test func `the options of get describe the job`() throws {
        let job = try #require(
            try jobs(
                "https://h/a.zip", "-d", "/srv", "-o", "x/b.zip", "-x", "3", "--max-speed", "2M", "--header", "A: b",
                "--if-exists", "rename",
                "--extract", "out", "--priority", "-5", "--tag", "later", "--paused"
            ).first)
        #expect(job.priority == -5 && job.tag == "later" && job.isPaused && job.position == nil)
        #expect(job.job.directory == "/srv/x" && job.job.fileName == "b.zip")
        #expect(job.job.options.maximumConnections == 3 && job.job.options.maximumBytesPerSecond == 2 << 20)
        #expect(job.job.headers == [HTTPField("A", "b")] && job.job.ifExists == .rename)
        #expect(try job.job.unpacking?.directory == WorkingDirectory.absolute("out"))
    }

    @Test func `a relative directory is made absolute, and a name without one starts at the service's`() throws {
        let here = try WorkingDirectory.absolute(".")
        #expect(here.hasPrefix("/") && !here.hasSuffix("/."))
        #expect(try jobs("https://h/a", "-d", "iso").first?.job.directory == here + "/iso")
        #expect(try jobs("https://h/a", "-d", ".").first?.job.directory == here)
        #expect(try jobs("https://h/a", "-o", "iso/b").first?.job.directory == "iso")
    }

    @Test func `secrets are sent by their values`() throws {
        let directory = try TemporaryDirectory()
        try Files.write(Array("token\n".utf8), to: directory.file("t"))
        try Files.write(Array("secret\n".utf8), to: directory.file("p"))
        let job = try #require(
            try jobs(
                "https://h/a.zip", "--bearer-file", directory.file("t"), "--extract", "--password-file",
                directory.file("p")
            ).first?.job)
        #expect(job.authentication == .bearer(.value("token")))
        #expect(job.unpacking?.password == .value("secret"))
    }

    @Test func `a Metalink and a list of checksums at hand are read by the command`() throws {
        let directory = try TemporaryDirectory()
        let metalink = """
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="sub/a.iso"><size>3</size><url>https://h/a.iso</url></file>\
            <file name="b.iso"><url>https://h/b.iso</url><url>https://m/b.iso</url></file></metalink>
            """
        try Files.write(Array(metalink.utf8), to: directory.file("m.meta4"))
        let both = try jobs("--metalink", directory.file("m.meta4"), "-d", "/srv").map(\.job)
        #expect(both.map(\.fileName) == ["a.iso", "b.iso"] && both.map(\.directory) == ["/srv/sub", "/srv"])
        #expect(both[0].options.expectedSize == 3)
        if case .url(let url, let mirrors) = both[1].source {
            #expect(url == "https://h/b.iso" && mirrors.count == 1)
        } else {
            Issue.record("\(both[1])")
        }
        #expect(try jobs("--metalink", directory.file("m.meta4"), "--select", "b.iso").count == 1)
        #expect(throws: JobFailure.self) { try jobs("--metalink", directory.file("m.meta4"), "--select", "c.iso") }

        let digest = String(repeating: "0", count: 64)
        try Files.write(Array("\(digest)  a.iso\n".utf8), to: directory.file("SHA256SUMS"))
        let listed = try #require(
            try jobs("https://h/a.iso", "--checksum-file", directory.file("SHA256SUMS"), "--server-mirrors").first?.job)
        #expect(listed.options.digest?.hex == digest && listed.digestList == nil && listed.options.usesServerMirrors)
        #expect(
            try jobs("https://h/a.iso", "--checksum-file", "https://h/SUMS").first?.job.digestList == "https://h/SUMS")
    }

    @Test func `with --top the first is first`() throws {
        #expect(try jobs("https://h/{a,b}", "--top").map(\.position) == [.index(0), .index(1)])
    }

    @Test(arguments: [
        ["https://h/a", "-o", "-"], ["https://h/a", "--priority", "1001"], ["https://h/a", "--wait", "--paused"],
        ["https://h/a", "--proxy", "http://p"],
        ["https://h/a", "https://h/b", "-o", "x"], [],
    ])
    func `what the service cannot do is refused`(words: [String]) {
        #expect(throws: (any Error).self) {
            let command = try #require(try PawlCommand.subcommand(from: ["add"] + words) as? AddCommand)
            _ = try command.newDownloads(in: Session())
        }
    }
}
