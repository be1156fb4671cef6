import ArgumentParser
import Pawl
import PawlCore
import PawlJobs
import PawlMetalink
import Testing

@testable import PawlCLI

@Suite struct MetalinkOptionsTests {
    private static let text = """
        <metalink xmlns="urn:ietf:params:xml:ns:metalink">
          <file name="disk-1.iso"><size>5</size><hash type="md5">5eb63bbbe01eeed093cb22bb8f5acdc3</hash>
            <url priority="2">http://b.example/1</url><url priority="1">http://a.example/1</url></file>
          <file name="disk-2.iso"><url>rel/2</url></file>
          <file name="notes.txt"><url>http://a.example/n</url></file>
        </metalink>
        """

    /// Answers every fetch with one document, and notes what was asked.
    private static func reader(_ template: DownloadRequest, _ text: String = text) -> DocumentReader {
        DocumentReader(template: template) { request, _ in
            #expect(request.mirrors.isEmpty && request.digest == nil)
            return FetchedDocument(bytes: Array(text.utf8), url: request.url)
        }
    }

    private static func requests(_ words: [String], like template: DownloadRequest = DownloadRequest("", in: "down"), _ text: String = text) async throws -> [DownloadRequest] {
        let options = try MetalinkOptions.parse(["--metalink", "http://m.example/d/x.meta4"] + words)
        return try await options.requests(like: template, reader(template, text)) { _ in }
    }

    @Test func `each file becomes a request with all that is known of it`() async throws {
        var template = DownloadRequest("", in: "down")
        template.maximumConnections = 3
        let requests = try await Self.requests([], like: template)
        #expect(requests.map(\.url) == ["http://a.example/1", "http://m.example/d/rel/2", "http://a.example/n"])
        #expect(requests.map(\.fileName) == ["disk-1.iso", "disk-2.iso", "notes.txt"])
        #expect(requests.allSatisfy { $0.directory == "down" && $0.maximumConnections == 3 })
        #expect(requests.first?.mirrors == [Mirror("http://b.example/1", priority: 2)])
        #expect(requests.first?.digest?.algorithm == .md5)
        #expect(requests.first?.expectedSize == 5)
    }

    @Test(
        arguments: [
            (["--select", "disk-2.iso"], ["disk-2.iso"]), (["--select", "*.iso"], ["disk-1.iso", "disk-2.iso"]), (["--select", "3"], ["notes.txt"]),
            (["--select", "3", "--select", "disk-?.iso"], ["disk-1.iso", "disk-2.iso", "notes.txt"]), (["--select", "*"], ["disk-1.iso", "disk-2.iso", "notes.txt"]),
        ])
    func `files are chosen by name, pattern and number`(_ words: [String], _ expected: [String]) async throws {
        #expect(try await Self.requests(words).map(\.fileName) == expected)
    }

    @Test(arguments: [["--select", "nothing"], ["--select", "4"], ["--select", "disk-1.iso", "--select", "0"], ["--select", "*.gz"]])
    func `a choice that chooses nothing is an error`(_ words: [String]) async {
        await #expect(throws: UsageError.self) { try await Self.requests(words) }
    }

    @Test func `a choice without a Metalink is an error`() {
        #expect(throws: UsageError.self) { try MetalinkOptions.parse(["--select", "x"]).check() }
    }

    @Test func `a file that no http URL leads to is an error`() async {
        let text = "<metalink version=\"4\"><file name=\"a\"><url>ftp://a.example/a</url></file></metalink>"
        let error = await #expect(throws: DownloadError.self) { try await Self.requests([], text) }
        #expect(error?.message.contains("has no http or https URL for “a”") == true)
    }

    @Test func `a damaged document is an error that says where`() async {
        let error = await #expect(throws: DownloadError.self) { try await Self.requests([], "<metalink version=\"4\">\n<file>") }
        #expect(error?.code == .badResponse)
        #expect(error?.message.contains("http://m.example/d/x.meta4 cannot be used: line 2, column 1: A file has no name.") == true)
    }

    @Test func `headers never reach a server that only the document names`() async {
        var template = DownloadRequest("", in: "down")
        template.headers = [HTTPField("Authorization", "Bearer secret")]
        let error = await #expect(throws: UsageError.self) { try await Self.requests([], like: template) }
        #expect(error?.message.contains("secret") == false)
    }

    private static func requests(_ words: [String], _ text: String) async throws -> [DownloadRequest] {
        try await requests(words, like: DownloadRequest("", in: "down"), text)
    }

    @Test(
        arguments: [
            ("a*", "abc", true), ("*c", "abc", true), ("*", "", true), ("?", "", false), ("a?c", "abc", true), ("*b*", "abc", true), ("a*c*e", "abcde", true), ("a*d", "abc", false),
            ("", "", true), ("", "a", false), ("**", "x", true), ("[a]", "a", false),
        ])
    func `patterns have stars and question marks`(_ pattern: String, _ text: String, _ expected: Bool) {
        #expect(Glob.matches(Array(text.unicodeScalars)[...], Array(pattern.unicodeScalars)[...]) == expected)
    }

    @Test func `a pattern of many stars takes no time`() {
        let pattern = Array(String(repeating: "*a", count: 200).unicodeScalars) + ["b"]
        #expect(!Glob.matches(Array(String(repeating: "a", count: 5000).unicodeScalars)[...], pattern[...]))
    }

    @Test(arguments: [("disk.meta4", true), ("./x.METALINK", true), ("disk.iso", false), ("https://h.example/x.meta4", false)])
    func `who takes a document for a URL is told of the flag`(_ url: String, _ expected: Bool) {
        #expect(MetalinkOptions.hint(for: url).contains("--metalink") == expected)
    }

    // MARK: Lists of checksums

    private static let list = "5eb63bbbe01eeed093cb22bb8f5acdc3  a b.iso\n00000000000000000000000000000000  other\n"

    private static func checked(_ requests: [DownloadRequest], template: DownloadRequest = DownloadRequest("http://h.example/x")) async throws -> [DownloadRequest] {
        var requests = requests
        let option = try ChecksumFileOption.parse(["--checksum-file", "http://h.example/MD5SUMS"])
        try await option.apply(to: &requests, reader(template, list))
        return requests
    }

    @Test func `the entry is found by the URL's path or by the name chosen`() async throws {
        let requests = try await Self.checked([
            DownloadRequest("http://h.example/pub/a%20b.iso?x=1"), DownloadRequest("http://h.example/get?id=1", to: "down/a b.iso"), DownloadRequest("http://h.example/other"),
        ])
        #expect(requests.map(\.digest?.hex) == ["5eb63bbbe01eeed093cb22bb8f5acdc3", "5eb63bbbe01eeed093cb22bb8f5acdc3", "00000000000000000000000000000000"])
    }

    @Test func `a missing entry is an error before anything begins`() async {
        let error = await #expect(throws: UsageError.self) {
            try await Self.checked([DownloadRequest("http://h.example/other"), DownloadRequest("http://h.example/third")])
        }
        #expect(error?.message.contains("has no checksum for “third”. It has: “a b.iso”, “other”") == true)
    }

    @Test func `a checksum and a list exclude each other`() throws {
        let option = try ChecksumFileOption.parse(["--checksum-file", "SUMS"])
        #expect(throws: UsageError.self) { try option.check(besides: "md5:x") }
        #expect(throws: Never.self) { try option.check(besides: nil) }
    }

    @Test func `headers go with a document to their own origin only`() async throws {
        for (url, expected) in [("http://h.example/SUMS", 1), ("http://h.example:81/SUMS", 0), ("https://h.example/SUMS", 0), ("http://o.example/SUMS", 0)] {
            var template = DownloadRequest("http://h.example/x")
            template.headers = [HTTPField("A", "b")]
            template.authentication = .password(Credentials(name: "me", password: "secret"))
            template.allowsOnlyDigest = true
            template.userAgent = "Agent"
            template.referer = "http://h.example/page?token=1"
            template.responseTimeout = .seconds(3)
            let reader = DocumentReader(template: template) { [template] request, _ in
                #expect(request.headers.count == expected, "\(url)")
                #expect((request.authentication == template.authentication) == (expected == 1))
                #expect(request.allowsOnlyDigest == (expected == 1))
                // These say nothing that another may not know.
                #expect(request.userAgent == "Agent" && request.responseTimeout == .seconds(3))
                #expect(request.referer == (expected == 1 ? template.referer : "http://h.example/"))
                return FetchedDocument(bytes: [], url: url)
            }
            _ = try await reader.read(url, atMost: 10)
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
