import Foundation
import Pawl
import PawlFoundation
import Testing

@Suite("URLs as the source and target of a request")
struct TargetURLTests {
    private static let source = URL(string: "https://example.org/disk.iso")!

    @Test(arguments: [
        ("file:///srv/disk.iso", "/srv", "disk.iso"),
        ("FILE:///srv/disk.iso", "/srv", "disk.iso"),
        ("file:/srv/disk.iso", "/srv", "disk.iso"),
        ("file:///disk.iso", "/", "disk.iso"),
        ("file://localhost/srv/disk.iso", "/srv", "disk.iso"),
        ("file://LocalHost/srv/disk.iso", "/srv", "disk.iso"),
        ("file:///srv/a%20b%3Fc%23d%25.iso", "/srv", "a b?c#d%.iso"),
        ("file:///srv/%C3%BC.iso", "/srv", "ü.iso"),
        ("file:///srv/u%CC%88.iso", "/srv", "u\u{308}.iso"),
        ("file:///srv/%E2%82%AC/disk.iso", "/srv/€", "disk.iso"),
    ])
    func `a file URL is decoded by bytes`(text: String, directory: String, name: String) throws {
        let request = try DownloadRequest(Self.source, to: try #require(URL(string: text)))
        #expect(request.url == "https://example.org/disk.iso")
        #expect(Array(request.directory.utf8) == Array(directory.utf8))
        #expect(Array(try #require(request.fileName).utf8) == Array(name.utf8))
    }

    @Test func `a path turned into a file URL keeps its bytes`() throws {
        for path in ["/srv/100%2F.iso", "/srv/what?#.iso", "/srv/a b.iso", "/srv/u\u{308}.iso", "/srv/;=,&.iso"] {
            let request = try DownloadRequest(Self.source, to: URL(filePath: path))
            #expect(Array("\(request.directory)/\(request.fileName ?? "")".utf8) == Array(path.utf8))
        }
    }

    @Test func `a relative file URL is resolved against its base, or the working directory`() throws {
        let based = URL(fileURLWithPath: "in/disk.iso", relativeTo: URL(fileURLWithPath: "/srv/", isDirectory: true))
        let request = try DownloadRequest(Self.source, to: based)
        #expect(request.directory == "/srv/in" && request.fileName == "disk.iso")
        let here = try DownloadRequest(Self.source, to: URL(filePath: "disk.iso"))
        #expect(here.directory == FileManager.default.currentDirectoryPath)
    }

    @Test(arguments: [
        ("https://example.org/disk.iso", "the scheme “https”"),
        ("disk.iso", "without a scheme"),
        ("file://server/srv/disk.iso", "the host “server”"),
        ("file://127.0.0.1/srv/disk.iso", "the host “127.0.0.1”"),
        ("file://me@localhost/srv/disk.iso", "a user or a port"),
        ("file://localhost:80/srv/disk.iso", "a user or a port"),
        ("file:///srv/what?.iso", "a query or a fragment"),
        ("file:///srv/no#1.iso", "a query or a fragment"),
        ("file:///srv/", "is a directory"),
        ("file:///", "is a directory"),
        ("file:disk.iso", "no absolute path"),
        ("file://localhost", "no absolute path"),
        ("file:///srv/a%2Fb.iso", "escaped slash or NUL"),
        ("file:///srv/a%00.iso", "escaped slash or NUL"),
        ("file:///srv/%FF.iso", "not UTF-8"),
        ("file:///srv/%EF%BF%BD.iso", "not UTF-8"),
    ])
    func `a target that is not a local file URL is an error with the reason`(text: String, reason: String) throws {
        let target = try #require(URL(string: text))
        let error = try #require(#expect(throws: DownloadError.self) { try DownloadRequest(Self.source, to: target) })
        #expect(error.code == .invalidArgument)
        #expect(error.message.contains(reason), "\(error.message)")
    }

    @Test func `a URL that Foundation made of a path that is not UTF-8 is refused`() throws {
        let path = "/tmp/a".utf8.map { CChar(bitPattern: $0) } + [CChar(bitPattern: 0xFF), 0]
        let target = URL(fileURLWithFileSystemRepresentation: path, isDirectory: false, relativeTo: nil)
        let error = try #require(#expect(throws: DownloadError.self) { try DownloadRequest(Self.source, to: target) })
        #expect(error.code == .invalidArgument && error.message.contains("not UTF-8"))
    }

    @Test(arguments: [
        ("file:///srv/in/", "/srv/in"), ("file:///srv/in", "/srv/in"), ("file:///", "/"), ("file:///a%20b//", "/a b"),
    ])
    func `a directory URL is accepted with or without its trailing slash`(text: String, path: String) throws {
        let request = try DownloadRequest(Self.source, in: try #require(URL(string: text)))
        #expect(request.directory == path && request.fileName == nil)
    }

    @Test(arguments: ["ftp://example.org/a", "file:///a", "disk.iso", "http:///a", "data:,a", "mailto:a@example.org"])
    func `a URL that is not http or https is refused`(text: String) throws {
        let url = try #require(URL(string: text))
        let file = URL(filePath: "/srv/a")
        let error = #expect(throws: DownloadError.self) { try DownloadRequest(url, to: file) }
        #expect(error?.code == .invalidURL)
        let alone = #expect(throws: DownloadError.self) { try DownloadRequest(url) }
        #expect(alone == error)
    }

    @Test func `a relative URL is resolved against its base`() throws {
        let base = try #require(URL(string: "https://example.org/pub/index.html"))
        let url = try #require(URL(string: "../disk.iso?a=1", relativeTo: base))
        #expect(try DownloadRequest(url).url == "https://example.org/disk.iso?a=1")
        #expect(try DownloadRequest(url, to: URL(filePath: "/srv/a")).url == "https://example.org/disk.iso?a=1")
    }
}
