import PawlCore
import PawlMetalink
import Testing

@testable import Pawl
@testable import PawlJobs

@Suite("Resolving jobs to files") struct ResolutionTests {
    private static let text = """
        <metalink xmlns="urn:ietf:params:xml:ns:metalink">
          <file name="disk-1.iso"><size>5</size><hash type="md5">5eb63bbbe01eeed093cb22bb8f5acdc3</hash>
            <url priority="2">http://b.example/1</url><url priority="1">http://a.example/1</url></file>
          <file name="disk-2.iso"><url>rel/2</url></file>
          <file name="notes.txt"><url>http://a.example/n</url></file>
        </metalink>
        """
    private static let place = "http://m.example/d/x.meta4"

    private static func job(_ select: [String] = [], _ change: (inout JobSpec) -> Void = { _ in }) -> JobSpec {
        var job = JobSpec(.metalink(place, select: select))
        job.directory = "down"
        change(&job)
        return job
    }

    /// Resolves the job, answering each request with the same document.
    private static func resolved(_ job: JobSpec, _ text: String = text) throws -> JobResolution.Resolved {
        var resolution = JobResolution(job)
        while true {
            switch resolution.next {
            case .read(let place, _): try resolution.take(JobDocument(bytes: Array(text.utf8), url: place))
            case .describe(let file): resolution.take(DescribedFile(file: file))
            case .resolved(let resolved): return resolved
            }
        }
    }

    private static func failure(_ job: JobSpec, _ text: String = text) -> JobFailure? {
        #expect(throws: JobFailure.self) { try resolved(job, text) }
    }

    // MARK: Paths

    @Test func `a job that keeps the path of its URL stores the file in directories named after it`() throws {
        var job = JobSpec("https://example.org:8443/a/%2e%2e/c.iso")
        job.directory = "down"
        job.keepsPath = true
        let file = try #require(try Self.resolved(job).files.first)
        #expect(file.spec.directory == "down/example.org+8443/a/_" || file.spec.directory == "down/example.org+8443/_")
        #expect(file.nesting?.directory == "down" && file.nesting?.names.first == "example.org+8443")
        #expect(!file.spec.keepsPath && !job.isOneFile)
        job.fileName = "x"
        let named = try #require(try Self.resolved(job).files.first)
        #expect(named.spec.directory == "down" && named.nesting == nil && !named.spec.keepsPath)
        // Whoever does the job makes the directories.
        let left = try JobResolution.withoutLocalDocuments(job) { _, _ in [] }
        #expect(left.files.first?.spec == job)
        for (field, change) in [
            ("metalink", { $0.source = .metalink("x", select: []) }), ("members", { $0.members = ["a"] }),
        ] as [(String, (inout JobSpec) -> Void)] {
            var wrong = job
            change(&wrong)
            let error = #expect(throws: JobSpecError.self) { try wrong.checked() }
            #expect(error?.fields == ["keepPath", field])
        }
    }

    // MARK: Metalinks

    @Test func `each file of a Metalink becomes a job with everything known about it`() throws {
        let specs = try Self.resolved(Self.job { $0.options.maximumConnections = 3 }).files.map(\.spec)
        #expect(
            specs.map(\.source) == [
                .url("http://a.example/1", mirrors: [Mirror("http://b.example/1", priority: 2)]),
                .url("http://m.example/d/rel/2"),
                .url("http://a.example/n"),
            ])
        #expect(specs.map(\.fileName) == ["disk-1.iso", "disk-2.iso", "notes.txt"])
        #expect(specs.allSatisfy { $0.directory == "down" && $0.options.maximumConnections == 3 })
        #expect(specs.first?.options.digest?.algorithm == .md5)
        #expect(specs.first?.options.expectedSize == 5)
    }

    @Test(
        arguments: [
            (["disk-2.iso"], ["disk-2.iso"]), (["*.iso"], ["disk-1.iso", "disk-2.iso"]), (["3"], ["notes.txt"]),
            (["3", "disk-?.iso"], ["disk-1.iso", "disk-2.iso", "notes.txt"]),
            (["*"], ["disk-1.iso", "disk-2.iso", "notes.txt"]),
        ])
    func `files are selected by name, pattern and number`(_ select: [String], _ expected: [String]) throws {
        let resolved = try Self.resolved(Self.job(select))
        #expect(resolved.files.map(\.spec.fileName) == expected && resolved.unused.isEmpty)
    }

    @Test(
        arguments: [(["nothing"], ["nothing"]), (["4"], ["4"]), (["disk-1.iso", "0"], ["0"]), (["*.gz"], ["*.gz"])]
            as [([String], Set<String>)])
    func `selections that match nothing are reported`(_ select: [String], _ unused: Set<String>) throws {
        #expect(try Self.resolved(Self.job(select)).unused == unused)
    }

    @Test func `one file name or one digest is refused for several files`() throws {
        let digest = try Digest(parsing: "md5:5eb63bbbe01eeed093cb22bb8f5acdc3")
        for change in [{ $0.fileName = "x" }, { $0.options.digest = digest }] as [(inout JobSpec) -> Void] {
            guard case .spec(let error)? = Self.failure(Self.job([], change)) else {
                Issue.record("it was taken")
                continue
            }
            #expect(error.code == .contradiction && error.fields.last == "metalink")
            #expect(try Self.resolved(Self.job(["1"], change)).files.count == 1)
        }
    }

    @Test func `a file without an http URL is an error`() {
        let text = "<metalink version=\"4\"><file name=\"a\"><url>ftp://a.example/a</url></file></metalink>"
        #expect(Self.failure(Self.job(), text) == .document(Self.place, .noUsableURL(file: "a")))
    }

    @Test func `a damaged document is an error with its position`() {
        guard
            case .document(let place, .notMetalink(let error))? = Self.failure(
                Self.job(), "<metalink version=\"4\">\n<file>")
        else {
            Issue.record("it was taken")
            return
        }
        #expect(place == Self.place && "\(error)" == "line 2, column 1: A file has no name.")
    }

    @Test(
        arguments: [
            { $0.headers = [HTTPField("Authorization", "Bearer secret")] },
            { $0.authentication = .bearer(.value("secret")) },
            { $0.referer = "http://m.example/secret" },
        ] as [@Sendable (inout JobSpec) -> Void])
    func `secrets for one origin are refused if only a Metalink names the server`(
        _ change: @Sendable (inout JobSpec) -> Void
    ) {
        let failure = Self.failure(Self.job([], change))
        guard case .spec(let error)? = failure else {
            Issue.record("it was taken")
            return
        }
        #expect(error.code == .contradiction && !error.message.contains("secret"))
    }

    @Test(
        arguments: [
            ("a*", "abc", true), ("*c", "abc", true), ("*", "", true), ("?", "", false), ("a?c", "abc", true),
            ("*b*", "abc", true), ("a*c*e", "abcde", true), ("a*d", "abc", false),
            ("", "", true), ("", "a", false), ("**", "x", true), ("[a]", "a", false),
        ])
    func `stars and question marks in a selection match as wildcards`(
        _ pattern: String, _ text: String, _ expected: Bool
    ) {
        #expect(Glob.matches(Array(text.unicodeScalars)[...], Array(pattern.unicodeScalars)[...]) == expected)
    }

    @Test func `matching a pattern of many stars takes little time`() {
        let pattern = Array(String(repeating: "*a", count: 200).unicodeScalars) + ["b"]
        #expect(!Glob.matches(Array(String(repeating: "a", count: 5000).unicodeScalars)[...], pattern[...]))
    }

    // MARK: Digest lists

    private static let list = "5eb63bbbe01eeed093cb22bb8f5acdc3  a b.iso\n00000000000000000000000000000000  other\n"

    private static func listed(_ url: String, _ name: String? = nil) -> JobSpec {
        var job = JobSpec(url)
        job.fileName = name
        job.digestList = "http://h.example/MD5SUMS"
        return job
    }

    @Test(
        arguments: [
            ("http://h.example/pub/a%20b.iso?x=1", nil, "5eb63bbbe01eeed093cb22bb8f5acdc3"),
            ("http://h.example/get?id=1", "a b.iso", "5eb63bbbe01eeed093cb22bb8f5acdc3"),
            ("http://h.example/other", nil, "00000000000000000000000000000000"),
        ] as [(String, String?, String)])
    func `an entry is found by the URL's path or by the chosen name`(
        _ url: String, _ name: String?, _ expected: String
    ) throws {
        let files = try Self.resolved(Self.listed(url, name), Self.list).files
        #expect(files.map(\.spec.options.digest?.hex) == [expected] && files.first?.spec.digestList == nil)
    }

    @Test func `a missing checksum entry is an error before any fetch`() {
        guard
            case .document("http://h.example/MD5SUMS", .noDigest(let error))? = Self.failure(
                Self.listed("http://h.example/third"), Self.list)
        else {
            Issue.record("it was taken")
            return
        }
        #expect(error.message.contains("has no checksum for “third”. It has: “a b.iso”, “other”"))
    }

    // MARK: Descriptions that a server names

    @Test func `a server is asked for its Metalink first, and its checksum list is read afterwards`() throws {
        var job = Self.listed("http://h.example/other")
        job.options.usesServerMirrors = true
        var resolution = JobResolution(job)
        guard case .describe(var file) = resolution.next else {
            Issue.record("nobody is asked")
            return
        }
        file.spec.source = .url("http://h.example/other", mirrors: [Mirror("http://m.example/other")])
        resolution.take(DescribedFile(file: file, notices: ["odd"]))
        guard case .read("http://h.example/MD5SUMS", _) = resolution.next else {
            Issue.record("the list is not read")
            return
        }
        try resolution.take(JobDocument(bytes: Array(Self.list.utf8), url: nil))
        guard case .resolved(let resolved) = resolution.next else {
            Issue.record("it does not end")
            return
        }
        #expect(resolved.notices == ["odd"] && resolved.files.first?.spec.source == file.spec.source)
    }

    @Test func `headers and credentials for a document are sent to the job's own origin only`() throws {
        for (url, isOwn) in [
            ("http://h.example/SUMS", true), ("http://h.example:81/SUMS", false), ("https://h.example/SUMS", false),
            ("http://o.example/SUMS", false),
        ] {
            var job = JobSpec("http://h.example/x")
            job.headers = [HTTPField("A", "b")]
            job.authentication = .password(name: "me", .value("secret"))
            job.options.allowsOnlyDigest = true
            job.userAgent = "Agent"
            job.referer = "http://h.example/page?token=1"
            job.options.responseTimeout = .seconds(3)
            let request = try job.request(SecretReader()).asking(forDocument: url)
            #expect(request.headers.count == (isOwn ? 1 : 0), "\(url)")
            #expect((request.authentication != nil) == isOwn && request.allowsOnlyDigest == isOwn)
            // These settings reveal nothing to another server.
            #expect(request.userAgent == "Agent" && request.responseTimeout == .seconds(3))
            #expect(request.referer == (isOwn ? job.referer : "http://h.example/"))
        }
    }

    @Test func `a file on the disk is read up to a limit`() throws {
        let error = #expect(throws: DownloadError.self) { try LiveDocuments.file("/etc/passwd", atMost: 3) }
        #expect(error?.code == .tooLarge)
        #expect(throws: DownloadError.self) { try LiveDocuments.file("/nonexistent", atMost: 3) }
        #expect(throws: DownloadError.self) { try LiveDocuments.file("/", atMost: 3) }
        #expect(try LiveDocuments.file("/dev/null", atMost: 3) == [])
    }
}
