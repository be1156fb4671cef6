import Foundation
import Pawl
import PawlFoundation
import Testing

@Suite("Errors as Foundation describes them")
struct LocalizedErrorTests {
    private static func error(_ body: () throws -> Void) -> (any Error)? {
        do {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test func `the localized description of a failed download is its message`() throws {
        let downloader = try Downloader()
        let request = DownloadRequest("ftp://example.org/a", to: "a")
        let error = try #require(Self.error { _ = try downloader.start(request) })
        #expect(error.localizedDescription == (error as? DownloadError)?.message)
        #expect(!error.localizedDescription.contains("The operation could not be completed"))
        Task { await downloader.shutdown() }
    }

    @Test func `the localized description of a parse error says what is wrong`() throws {
        let digest = try #require(Self.error { _ = try Digest(parsing: "sha-256:xyz") })
        #expect(digest.localizedDescription == (digest as? DigestParseError)?.message)
        let ranges = try #require(Self.error { _ = try RangeSelection(parsing: "9-1") })
        #expect(ranges.localizedDescription == (ranges as? RangeSelection.Problem)?.message)
        let speed = try #require(Self.error { _ = try SpeedSchedule(parsing: "fast") })
        #expect(speed.localizedDescription == (speed as? SpeedSchedule.ParseError)?.message)
        let proxy = try #require(Self.error { throw ProxyParseError.unknownKind })
        #expect(proxy.localizedDescription == ProxyParseError.unknownKind.message)
        let count = try #require(Self.error { _ = try ByteQuantity.parse("many") })
        #expect(count.localizedDescription.contains(ByteQuantity.accepted))
    }

    @Test func `the localized description of a broken netrc file names the line`() throws {
        let error = try #require(Self.error { _ = try Netrc(parsing: "machine a\nlogin\n") })
        let netrc = try #require(error as? NetrcParseError)
        #expect(error.localizedDescription == "Line \(netrc.line): \(netrc.message)")
    }
}
