import Pawl
import PawlCore
import PawlJobs
import Testing

@testable import PawlCLI

@Suite struct CopiedRequestTests {
    private static let words = [
        "https://example.org/a.iso", "-H", "Accept: */*", "-H", "Accept-Encoding: gzip", "-H", "connection: keep-alive",
        "-H", "Cookie: a=b", "-H", "If-None-Match: \"1\"", "-H", "Accept-Encoding: br", "--compressed",
    ]

    @Test(arguments: [words, ["curl"] + words, [ShellWords.join(["curl"] + words) ?? ""]])
    func `fields that Pawl sets itself are dropped with one notice`(words: [String]) throws {
        let get = try ResolvedGet.of(words)
        #expect(get.request.headers == [HTTPField("Accept", "*/*"), HTTPField("Cookie", "a=b")])
        #expect(get.remarks.count == 1)
        #expect(
            get.remarks.first?.hasPrefix(
                "Ignored: --compressed, Accept-Encoding, connection, If-None-Match. ") == true, "\(get.remarks)")
        #expect(!get.isFreeOfSecrets)
    }

    @Test func `nothing is said where nothing is dropped`() throws {
        #expect(try ResolvedGet.of(["curl", "https://example.org/a.iso", "-H", "DNT: 1", "-L"]).remarks.isEmpty)
    }

    @Test func `a field of a list that is Pawl's to set is still the library's error`() throws {
        let get = try ResolvedGet.of(["-i", "list"], lists: ["list": "https://example.org/a\n  header=Host: b\n"])
        #expect(throws: DownloadError.self) { try get.request.check() }
    }
}
