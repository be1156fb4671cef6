import Pawl
import PawlCore
import PawlEngine
import Testing

@testable import PawlCLI

@Suite struct GetCommandTests {
    static let url = "https://example.org/disk.iso"
    static let emptySHA256 = "sha-256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    private func resolve(_ arguments: String..., directories: Set<String> = []) throws -> ResolvedGet {
        try ResolvedGet.of([Self.url] + arguments, directories: directories)
    }

    @Test func theURLAloneTakesTheDefaults() throws {
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
        #expect(get.request.ifExists == .fail)
        #expect(!get.request.adoptsPartialFile)
        #expect(!get.request.allowsInsecureRedirect)
        #expect(get.request.maximumBytesPerSecond == nil)
    }

    @Test func everyFlagArrivesInTheRequest() throws {
        let get = try resolve(
            "-o", "a.iso", "-d", "/srv", "-x", "3", "--checksum", Self.emptySHA256, "--max-speed", "2M", "--header",
            "A: b", "--header", "C:d", "--on-change", "fail", "--if-exists", "rename", "--adopt", "--json", "-q",
            "--ca-certificate", "ca.pem", "--allow-insecure-redirect", "--max-filesize", "3k", "--allow-web-page", "--require-complete")
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

    @Test(arguments: [
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
    func outputAndDirectoryMakeOnePlace(output: String?, directory: String?, into: String, name: String?) throws {
        let place = try TargetPlace(output: output, directory: directory, isDirectory: { _ in false })
        #expect(place.directory == into)
        #expect(place.fileName == name)
    }

    @Test func outputThatIsADirectoryIsToldApart() {
        #expect(throws: UsageError.self) { try resolve("-o", "Downloads", directories: ["Downloads"]) }
        #expect(throws: UsageError.self) { try resolve("-o", "iso", "-d", "/srv", directories: ["/srv/iso"]) }
        #expect(throws: UsageError.self) { try resolve("-o", "new/") }
        #expect(throws: UsageError.self) { try resolve("-o", "") }
        #expect(throws: UsageError.self) { try resolve("-d", "") }
        #expect(throws: UsageError.self) { try resolve("-o", "/a/b", "-d", "/srv") }
    }

    @Test(arguments: ["0", "17", "-1"])
    func connectionsOutsideTheRangeSayTheRange(number: String) {
        #expect(throws: UsageError("-x takes a number of connections from 1 to 16, not \(number).")) {
            try resolve("-x", number)
        }
    }

    @Test(arguments: ["sha-256", "sha-256:12", "crc32:00000000", "sha-256:" + String(repeating: "g", count: 64)])
    func malformedChecksumsAreUsageErrors(text: String) {
        #expect(throws: UsageError.self) { try resolve("--checksum", text) }
    }

    @Test(arguments: [
        ("A: b", "A", "b"), ("A:b", "A", "b"), ("A:", "A", ""), ("A: \t b c \t", "A", "b c"),
        ("Authorization: Basic a:b", "Authorization", "Basic a:b"),
    ])
    func headersAreSplitAtTheFirstColon(text: String, name: String, value: String) throws {
        #expect(try Header(parsing: text) == Header(name: name, value: value))
    }

    @Test(arguments: ["", "token", ": value"])
    func aHeaderWithoutANameIsRefusedAndNotRepeated(text: String) {
        let error = #expect(throws: UsageError.self) { try Header(parsing: text) }
        #expect(error?.message.contains("token") == false)
    }

    @Test(arguments: [
        ("https://example.org/a", true), ("https://example.org/a?b", false), ("https://example.org/a?b=c", false),
        ("https://u:p@example.org/a", false),
    ])
    func onlyAPlainURLMayBeShownAgain(url: String, isFree: Bool) throws {
        #expect(try ResolvedGet.of([url]).isFreeOfSecrets == isFree)
        #expect(try !ResolvedGet.of([url, "--header", "Cookie: c"]).isFreeOfSecrets)
    }
}

extension ResolvedGet {
    /// - Parameters:
    ///   - words: after `pawl get`.
    ///   - lists: what `-i` names.
    static func of(_ words: [String], directories: Set<String> = [], lists: [String: String] = [:]) throws -> ResolvedGet {
        let words = ["get"] + words
        let command = try #require(try PawlCommand.subcommand(from: words) as? GetCommand)
        let planner = GetPlanner(isDirectory: directories.contains, files: NamedFiles()) { (name) throws(UsageError) in
            guard let list = lists[name] else { throw UsageError("no list \(name)") }
            do throws(DownloadList.Problem) {
                return try DownloadList(parsing: Array(list.utf8)).entries
            } catch {
                throw UsageError(error.message)
            }
        }
        return try planner.plan(command)
    }

    /// Of a run of one file.
    var request: DownloadRequest { downloads[0].request }
}
