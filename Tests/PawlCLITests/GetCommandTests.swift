import Pawl
import PawlCore
import PawlEngine
import PawlJobs
import Testing

@testable import PawlCLI

@Suite struct GetCommandTests {
    static let url = "https://example.org/disk.iso"
    static let emptySHA256 = "sha-256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    private func resolve(_ arguments: String..., directories: Set<String> = []) throws -> ResolvedGet {
        try ResolvedGet.of([Self.url] + arguments, directories: directories)
    }

    @Test func `a URL alone gets the default of every option`() throws {
        let get = try resolve()
        #expect(get.request.url == Self.url)
        #expect(get.request.directory == ".")
        #expect(get.request.fileName == nil)
        #expect(get.request.headers.isEmpty)
        #expect(get.request.digest == nil)
        #expect(get.request.maximumFileSize == nil)
        #expect(!get.request.allowsWebPage)
        #expect(!get.request.requiresComplete)
        #expect(get.configuration.certificateAuthorityFile == nil)
        #expect(!get.writesJSON && !get.isQuiet && get.isFreeOfSecrets)
        #expect(get.request.maximumConnections == 8)
        #expect(get.request.onChange == .restart)
        #expect(get.request.options.existingFilePolicy == .fail)
        #expect(!get.request.adoptsPartialFile)
        #expect(!get.request.allowsInsecureRedirect)
        #expect(get.request.maximumBytesPerSecond == nil)
    }

    @Test func `every option reaches the request or the configuration`() throws {
        let get = try resolve(
            "-o", "a.iso", "-d", "/srv", "-x", "3", "--checksum", Self.emptySHA256, "--max-speed", "2M", "--header",
            "A: b", "--header", "C:d", "--on-change", "fail", "--if-exists", "rename", "--adopt", "--json", "-q",
            "--ca-certificate", "ca.pem", "--allow-insecure-redirect", "--max-filesize", "3k", "--allow-web-page",
            "--require-complete")
        let request = get.request
        #expect(request.url == Self.url)
        #expect(request.directory == "/srv")
        #expect(request.fileName == "a.iso")
        #expect(request.maximumConnections == 3)
        #expect(request.digest?.description == Self.emptySHA256)
        #expect(request.maximumBytesPerSecond == 2 << 20)
        #expect(request.headers.map(\.name) == ["A", "C"])
        #expect(request.headers.map(\.value) == ["b", "d"])
        #expect(request.onChange == .fail)
        #expect(request.ifExists == .rename)
        #expect(request.adoptsPartialFile)
        #expect(request.allowsInsecureRedirect)
        #expect(request.maximumFileSize == 3072)
        #expect(request.allowsWebPage)
        #expect(request.requiresComplete)
        #expect(get.configuration.certificateAuthorityFile == "ca.pem")
        #expect(get.writesJSON)
        #expect(get.isQuiet)
    }

    @Test(
        arguments: [
            (nil, nil, ".", nil),
            (nil, "/srv", "/srv", nil),
            ("a", nil, ".", "a"),
            ("x/a", nil, "x", "a"),
            ("/a", nil, "/", "a"),
            ("/x/a", nil, "/x", "a"),
            ("a", "/srv", "/srv", "a"),
            ("x/a", "srv/", "srv/x", "a"),
            ("a", "/", "/", "a"),
            ("x/\u{301}a", "\u{70F}/", "\u{70F}/x", "\u{301}a"),
        ] as [(String?, String?, String, String?)])
    func `-o and -d together give the file's directory and name`(
        output: String?, directory: String?, into: String, name: String?
    ) throws {
        let place = try TargetPlace(output: output, directory: directory, isDirectory: { _ in false })
        #expect(place.directory == into)
        #expect(place.fileName == name)
    }

    @Test func `-o with a directory, an empty name, or an absolute path beside -d is a usage error`() {
        #expect(throws: UsageError.self) { try resolve("-o", "Downloads", directories: ["Downloads"]) }
        #expect(throws: UsageError.self) { try resolve("-o", "iso", "-d", "/srv", directories: ["/srv/iso"]) }
        #expect(throws: UsageError.self) { try resolve("-o", "new/") }
        #expect(throws: UsageError.self) { try resolve("-o", "") }
        #expect(throws: UsageError.self) { try resolve("-d", "") }
        #expect(throws: UsageError.self) { try resolve("-o", "/a/b", "-d", "/srv") }
    }

    @Test(arguments: ["0", "17", "-1"])
    func `-x outside 1 to 16 is a usage error that gives the range`(number: String) {
        #expect(throws: UsageError("-x takes a number of connections from 1 to 16.", moreFrom: "get")) {
            try resolve("-x", number)
        }
    }

    @Test(arguments: [
        "sha-256", "sha-256:", ":12", "sha-256:12", "crc32:00000000", "sha-256:" + String(repeating: "g", count: 64),
    ])
    func `a malformed checksum is a usage error`(text: String) {
        #expect(throws: UsageError.self) { try resolve("--checksum", text) }
    }

    @Test(arguments: [
        ("A: b", "A", "b"), ("A:b", "A", "b"), ("A:", "A", ""), ("A: \t b c \t", "A", "b c"),
        ("Authorization: Basic a:b", "Authorization", "Basic a:b"),
    ])
    func `a --header is split at its first colon`(text: String, name: String, value: String) throws {
        #expect(try OptionText.headerField(text) == HTTPField(name, value))
        #expect(try resolve("--header", text).request.headers == [HTTPField(name, value)])
    }

    @Test(arguments: ["", "token", ": value"])
    func `a --header without a name is refused, and the message does not repeat its text`(text: String) {
        let error = #expect(throws: UsageError.self) { try resolve("--header", text) }
        #expect(error?.message.contains("token") == false)
    }

    @Test(arguments: [
        ("https://example.org/a", true), ("https://example.org/a?b", false), ("https://example.org/a?b=c", false),
        ("https://u:p@example.org/a", false),
    ])
    func `only a URL without query, userinfo and --header counts as free of secrets`(url: String, isFree: Bool) throws {
        #expect(try ResolvedGet.of([url]).isFreeOfSecrets == isFree)
        #expect(try !ResolvedGet.of([url, "--header", "Cookie: c"]).isFreeOfSecrets)
    }
}

extension ResolvedGet {
    /// - Parameters:
    ///   - words: The arguments after `pawl get`.
    ///   - lists: The contents of the lists that `-i` can name.
    static func of(
        _ words: [String], directories: Set<String> = [], lists: [String: String] = [:],
        secrets: SecretReader = SecretReader()
    ) throws -> ResolvedGet {
        let words = ["get"] + words
        let command = try #require(try PawlCommand.subcommand(from: words) as? GetCommand)
        return try of(command, directories: directories, secrets: secrets) { (name) throws(DownloadList.Problem) in
            guard let list = lists[name] else { throw DownloadList.Problem(line: 0, message: "is no list") }
            return ListReader(try DownloadList(parsing: Array(list.utf8)).entries)
        }
    }

    /// Plans the command, and settles the files of all jobs that need no document.
    ///
    /// - Throws: `UsageError`, also if the jobs are refused.
    static func of(
        _ command: GetCommand, directories: Set<String> = [], secrets: SecretReader = SecretReader(),
        files: NamedFiles = NamedFiles(),
        openList: @escaping (String) throws(DownloadList.Problem) -> ListReader
    ) throws -> ResolvedGet {
        var get = try GetPlanner(isDirectory: directories.contains, files: files, openList: openList).plan(command)
        var machine = JobMachine(get.jobs)
        var pending = machine.handle(.start)
        while !pending.isEmpty {
            switch pending.removeFirst() {
            case .resolve(let index, let spec):
                let files =
                    try spec.isDocument
                    ? []
                    : [JobPlanner(secrets, get.configuration.netrc).prepare(JobFile(job: index, spec: spec))]
                pending += machine.handle(.resolved(index: index, files))
            case .publish(.planned(let files, let repeated)):
                get.settle(files)
                get.remarks += GetWords.repeated(repeated)
            case .publish(.refused(let failure)): throw UsageError(failure.text)
            default: break
            }
        }
        return get
    }

    /// The request of a run with only one file.
    var request: DownloadRequest { downloads[0].request }
}

extension JobSpec {
    fileprivate var isDocument: Bool { if case .metalink = source { true } else { false } }
}

extension PlannedDownload {
    /// The request made to the library when no secret comes from a file.
    var request: DownloadRequest { (try? file.spec.request(SecretReader())) ?? DownloadRequest("") }

    init(_ number: Int, _ spec: JobSpec) {
        self.init(JobFileID(number), JobFile(spec: spec))
    }
}

extension JobOutcome {
    static func completed(_ result: DownloadResult, _ unpacked: UnpackedFile? = nil) -> JobOutcome {
        .completed(FetchedFile(target: FileTarget(path: result.path), result: result), unpacked)
    }

    static func failed(_ error: DownloadError) -> JobOutcome { .failed(.fetch, .download(error), fetched: nil) }

    static let stopped = JobOutcome.stopped(.fetch, fetched: nil)
}

extension RunEnding {
    /// The ending of a run whose files, by number, had these outcomes.
    static func of(
        _ get: ResolvedGet, _ outcomes: [Int: JobOutcome], elapsed: Duration = .seconds(2), cause: StopCause? = nil
    ) -> RunEnding {
        var run = RunProgress(total: get.downloads.count)
        for id in outcomes.keys.sorted() {
            run.began(id, name: "", at: .zero)
            if let outcome = outcomes[id] { run.ended(id, outcome.file.map { .completed($0, nil) } ?? outcome) }
        }
        let byID = Dictionary(uniqueKeysWithValues: outcomes.map { (JobFileID($0.key), $0.value) })
        return RunEnding(summary: RunSummary(run, byID, elapsed: elapsed), cause: cause)
    }
}
