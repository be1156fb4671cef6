import Pawl
import PawlArchive
import PawlCore
import PawlJobs
import PawlTestKit
import Testing

@testable import PawlCLI

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The cost of options in a list, and how often a file with credentials is read.
@Suite struct NamedFilesTests {
    /// The path that a shell substitutes for `<(command)`. It can be read once; a second reader finds it empty.
    private final class Pipe {
        let path: String
        private let end: Int32

        init(_ text: String) throws {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            let bytes = Array(text.utf8)
            try #require(bytes.count <= 64 << 10 && write(ends[1], bytes, bytes.count) == bytes.count)
            close(ends[1])
            end = ends[0]
            path = "/dev/fd/\(end)"
        }

        deinit { close(end) }
    }

    /// Four entries, three with options of their own.
    private static let list =
        "https://h/a\n header=X: 1\nhttps://h/b\n header=X: 2\nhttps://h/c\n split=2\nhttps://h/d\n"

    private func get(
        _ option: String, _ pipe: Pipe, list: String = list, secrets: SecretReader = SecretReader()
    ) throws -> ResolvedGet {
        defer { withExtendedLifetime(pipe) {} }
        return try .of([option, pipe.path, "-i", "l"], lists: ["l": list], secrets: secrets)
    }

    @Test func `M15 a user named by netrc, in the URL or in list options is the same user`() throws {
        let list =
            "https://h/a\nhttps://alice@h/a\nhttps://alice:y@h/a\nhttps://h/a\n http-user=alice\n http-passwd=z\nhttps://bob@h/a\n"
        let get = try get("--netrc-file", Pipe("machine h login alice password x\n"), list: list)
        #expect(get.downloads.map { try? HTTPURL(parsing: $0.file.url).userinfo } == [nil, "bob"])
    }

    @Test func `H18 a netrc file from a pipe applies to every entry of a list, whatever its options`() throws {
        let get = try get("--netrc-file", Pipe("machine h login me password secret\n"))
        let credentials = get.configuration.netrc?.credentials(for: "h", allowsDefault: false)
        #expect(credentials == Credentials(name: "me", password: "secret"))
    }

    @Test func `H18 cookies from a pipe apply to every entry of a list, and unreadable lines are reported`() throws {
        let get = try get("--cookies", Pipe("h\tFALSE\t/\tFALSE\t0\ta\tb\nno cookie\n"))
        #expect(get.configuration.cookies?.count == 1)
        #expect(get.warnings.count == 1 && get.warnings.first?.contains("One line of") == true, "\(get.warnings)")
    }

    @Test func `H18 a bearer token from a pipe is sent for every entry of a list`() throws {
        let secrets = SecretReader()
        let get = try get("--bearer-file", Pipe("sesame\n"), secrets: secrets)
        #expect(
            try get.downloads.map { try $0.file.spec.request(secrets).authentication }
                == Array(repeating: .bearer(.value("sesame")), count: 4))
    }

    @Test func `H18 a bearer token from a pipe is sent for a URL and for the files of a Metalink`() async throws {
        let directory = try TemporaryPlace()
        let document = """
            <?xml version="1.0" encoding="UTF-8"?><metalink xmlns="urn:ietf:params:xml:ns:metalink">
            <file name="m"><url>https://h/m</url></file></metalink>
            """
        let metalink = try directory.write(document, to: "a.meta4")
        let pipe = try Pipe("sesame\n")
        defer { withExtendedLifetime(pipe) {} }
        let words = ["get", "https://h/a", "--metalink", metalink, "--bearer-file", pipe.path, "--dry-run"]
        let command = try #require(try PawlCommand.subcommand(from: words) as? GetCommand)
        let session = Session()
        let planner = GetPlanner(isDirectory: { _ in false }, files: session.files, openList: { _ in [] })
        let planned = try planner.plan(command)
        #expect(try planned.jobs[0].request(session.secrets).authentication == .bearer(.value("sesame")))
        // The token file has been read. The run fails only because a document from the disk would send the token to
        // other servers.
        var run = GetRun(get: planned, session: session)
        let failure = await #expect(throws: JobFailure.self) {
            try await run.dryRun(.offline, makesDirectories: false).get
        }
        #expect(failure?.text.contains("sent only to the origin of a given URL") == true, "\(failure?.text ?? "")")
    }

    @Test func `H18 an archive password from a pipe serves both fetching members and unpacking`() throws {
        let pipe = try Pipe("secret\n")
        defer { withExtendedLifetime(pipe) {} }
        let spec = try ResolvedGet.of(["https://h/a.zip", "--member", "x", "--extract", "--password-file", pipe.path])
            .jobs[0]
        let secrets = SecretReader()
        for members in [spec.members, []] {
            #expect(try spec.unpacking?.options(members: members, secrets).password == "secret")
        }
    }

    @Test func `H18 an unreadable secret file is an error each time it is needed`() throws {
        let secrets = SecretReader()
        let pipe = try Pipe("one\ntwo\n")
        defer { withExtendedLifetime(pipe) {} }
        for _ in 0..<2 {
            let error = #expect(throws: DownloadError.self) { try secrets.text(of: .file(pipe.path)) }
            #expect(error?.message.contains("it has 2") == true, "\(error?.message ?? "")")
        }
    }

    /// Parsing the command line again for each entry takes 50 times the limit.
    @Test func `H18 a list with a checksum in each entry is planned without parsing the command line again for each`()
        throws
    {
        let digits = { (number: Int) in String(repeating: "0", count: 64 - String(number).utf8.count) + String(number) }
        let list = (0..<2000).map { "https://h/\($0)\n checksum=sha-256=\(digits($0))\n" }.joined()
        var digests: Set<Digest> = []
        let took = try processorTime {
            digests = Set(try ResolvedGet.of(["-i", "l"], lists: ["l": list]).downloads.compactMap(\.request.digest))
        }
        #expect(digests.count == 2000)
        #expect(took < .seconds(4), "\(took)")
    }
}

/// A temporary directory for one test.
private final class TemporaryPlace {
    private let path: String
    private var files: [String] = []

    init() throws {
        var template = Array("/tmp/pawl-cli-XXXXXX".utf8CString)
        let made = try #require(mkdtemp(&template))
        path = String(cString: made)
    }

    func write(_ text: String, to name: String) throws -> String {
        let file = path + "/" + name
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        files.append(file)
        let bytes = Array(text.utf8)
        // A global function, because this method's name hides `write`.
        try #require(writeAll(descriptor, bytes) == bytes.count)
        return file
    }

    deinit {
        files.forEach { unlink($0) }
        rmdir(path)
    }
}

private func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Int { write(descriptor, bytes, bytes.count) }
