import Foundation
import Pawl
public import PawlFoundation
import PawlTestKit
import Testing

#if canImport(FoundationNetworking)
public import FoundationNetworking

extension URLRequest: URLRequestFields {}
#endif

@Suite("Requests made from a URLRequest", .timeLimit(.minutes(2)))
struct URLRequestTests {
    private static let file = URL(filePath: "/srv/disk.iso")

    private static func request(_ change: (inout URLRequest) -> Void = { _ in }) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "https://example.org/disk.iso")))
        change(&request)
        return request
    }

    @Test func `URL, fields and timeout of a URLRequest are adopted`() throws {
        let asked = try Self.request {
            $0.setValue("Bearer s3cret", forHTTPHeaderField: "Authorization")
            $0.setValue("text/plain", forHTTPHeaderField: "Accept")
            $0.timeoutInterval = 7.5
        }
        let folder = URL(filePath: "/srv")
        let requests = [
            try DownloadRequest(asked, to: Self.file), try DownloadRequest(asked, in: folder),
            try DownloadRequest(asked),
        ]
        for request in requests {
            #expect(request.url == "https://example.org/disk.iso")
            #expect(
                request.headers == [HTTPField("Accept", "text/plain"), HTTPField("Authorization", "Bearer s3cret")])
            #expect(request.stallTimeout == .seconds(7.5) && request.responseTimeout == .seconds(7.5))
        }
        #expect(requests.map(\.fileName) == ["disk.iso", nil, nil])
        #expect(requests.map(\.directory) == ["/srv", "/srv", "."])
    }

    @Test func `a plain URLRequest has the usual timeout, and an infinite timeout becomes a very long one`() throws {
        #expect(try DownloadRequest(Self.request()).stallTimeout == .seconds(60))
        for long in [Double.infinity, .greatestFiniteMagnitude] {
            #expect(try DownloadRequest(Self.request { $0.timeoutInterval = long }).stallTimeout > .seconds(86_400))
        }
    }

    private struct Change: Sendable, CustomTestStringConvertible {
        var reason: String
        var change: @Sendable (inout URLRequest) -> Void
        var testDescription: String { reason }
    }

    private static let refused = [
        Change(reason: "method POST") { $0.httpMethod = "POST" },
        Change(reason: "method HEAD") { $0.httpMethod = "HEAD" },
        Change(reason: "body") { $0.httpBody = Data([1]) },
        Change(reason: "body") { $0.httpBodyStream = InputStream(data: Data([1])) },
        Change(reason: "timeoutInterval of 0") { $0.timeoutInterval = 0 },
        Change(reason: "timeoutInterval of nan") { $0.timeoutInterval = .nan },
        Change(reason: "forbids loading") { $0.cachePolicy = .returnCacheDataDontLoad },
        Change(reason: "Cache-Control") { $0.cachePolicy = .reloadIgnoringLocalAndRemoteCacheData },
        Change(reason: "networkServiceType") { $0.networkServiceType = .background },
        Change(reason: "mainDocumentURL") { $0.mainDocumentURL = URL(string: "https://example.org/") },
        Change(reason: "cookies") { $0.httpShouldHandleCookies = false },
        Change(reason: "cellular") { $0.allowsCellularAccess = false },
    ]

    @Test(arguments: refused)
    private func `a property that cannot be adopted is an error that names it`(change: Change) throws {
        let asked = try Self.request(change.change)
        let error = #expect(throws: DownloadError.self) { try DownloadRequest(asked, to: Self.file) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains(change.reason) == true, "\(error?.message ?? "")")
        #expect(throws: DownloadError.self) { try DownloadRequest(asked) }
    }

    @Test func `cache policies that allow a request are accepted`() throws {
        let policies: [URLRequest.CachePolicy] = [
            .useProtocolCachePolicy, .reloadIgnoringLocalCacheData, .returnCacheDataElseLoad,
            .reloadRevalidatingCacheData,
        ]
        for policy in policies { _ = try DownloadRequest(Self.request { $0.cachePolicy = policy }) }
    }

    @Test func `a URLRequest without a URL is an error`() throws {
        var asked = try Self.request()
        asked.url = nil
        let error = #expect(throws: DownloadError.self) { try DownloadRequest(asked, to: Self.file) }
        #expect(error?.code == .invalidURL)
    }

    @Test func `a URLRequest is downloaded with its fields`() async throws {
        let world = try World()
        var asked = URLRequest(url: world.url())
        asked.setValue("Bearer s3cret", forHTTPHeaderField: "Authorization")
        asked.setValue("Robot/1", forHTTPHeaderField: "User-Agent")
        try await world.withDownloader { downloader in
            let file = try await downloader.download(for: asked, to: world.file())
            #expect(try Data(contentsOf: file.fileURL) == Data(World.content))
            #expect(try await downloader.data(for: asked) == Data(World.content))
        }
        #expect(world.server.requests.allSatisfy { $0.fields.first("Authorization") == "Bearer s3cret" })
        #expect(world.server.requests.allSatisfy { $0.fields.first("User-Agent") == "Robot/1" })
    }

    @Test(arguments: ["Range", "Accept-Encoding", "If-Range"])
    func `a field reserved for Pawl is refused, not dropped`(name: String) async throws {
        let world = try World()
        var asked = URLRequest(url: world.url())
        asked.setValue("bytes=0-9", forHTTPHeaderField: name)
        try await world.withDownloader { downloader in
            let error = await #expect(throws: DownloadError.self) {
                try await downloader.download(for: asked, to: world.file())
            }
            #expect(error?.code == .invalidArgument && error?.message.contains(name) == true)
        }
        #expect(world.server.requests.isEmpty)
    }
}
