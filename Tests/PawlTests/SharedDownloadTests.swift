import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@testable import Pawl

/// Which requests receive the handle of a running download, and which do not.
@Suite(.timeLimit(.minutes(10))) struct SharedDownloadTests {
    private static let guarantees: [@Sendable (inout DownloadRequest) -> Void] = [
        { $0.requiresComplete = true }, { $0.maximumFileSize = 1000 }, { $0.onChange = .fail },
        { $0.expectedSize = 1 << 20 },
        { $0.allowsInsecureRedirect = true },
    ]

    private func withDownloader(_ body: (ManagerWorld, Downloader) async throws -> Void) async throws {
        let world = try ManagerWorld(holding: ["a"])
        let downloader = try Downloader()
        do {
            try await body(world, downloader)
        } catch {
            world.releaseAll()
            await downloader.shutdown()
            throw error
        }
        world.releaseAll()
        await downloader.shutdown()
    }

    @Test(arguments: guarantees)
    func `a request with other guarantees does not receive the handle of a running download`(
        _ change: @Sendable (inout DownloadRequest) -> Void
    ) async throws {
        try await withDownloader { (world, downloader) async throws in
            let download = try downloader.start(world.request("a"))
            var other = world.request("a")
            change(&other)
            let error = #expect(throws: DownloadError.self) { try downloader.start(other) }
            #expect(error?.code == .locked && error?.message.contains("other checks or limits") == true)
            #expect(try downloader.start(world.request("a")) === download)
        }
    }

    @Test(arguments: guarantees)
    func `a request with other guarantees does not receive the queue entry of another download`(
        _ change: @Sendable (inout DownloadRequest) -> Void
    ) async throws {
        let world = try ManagerWorld()
        var other = world.request("a")
        change(&other)
        let second = other
        try await world.withManager { (manager) async throws in
            let id = try manager.add(world.request("a"), isPaused: true)
            let error = #expect(throws: DownloadError.self) { try manager.add(second) }
            #expect(error?.code == .locked && error?.message.contains("other checks or limits") == true)
            #expect(try manager.add(world.request("a")) == id)
            let renamed = try manager.add(second, isPaused: true, onDuplicate: .rename)
            #expect(renamed != id)
        }
    }

    @Test func `M15 the requests of two users share no download`() async throws {
        try await withDownloader { (world, downloader) async throws in
            var requests = [world.request("a"), world.request("a"), world.request("a")]
            requests[1].headers = [HTTPField("X-Who", "alice")]
            requests[2].authentication = .password(name: "alice", .value("x"))
            _ = try downloader.start(requests[0])
            for request in requests[1...] {
                let error = #expect(throws: DownloadError.self) { try downloader.start(request) }
                #expect(error?.code == .locked && error?.message.contains("another download") == true)
            }
            for index in requests.indices { requests[index].fileName = nil }
            let downloads = try requests.map { request in try downloader.start(request) }
            #expect(Set(downloads.map(ObjectIdentifier.init)).count == 3)
        }
    }

    @Test func `M15 the client certificate's digest is known to the downloads`() async throws {
        let authority = try await CertificateAuthority()
        func digest(showing path: String?) async throws -> [UInt8]? {
            var configuration = Downloader.Configuration()
            configuration.clientCertificateFile = path
            let downloader = try Downloader(configuration: configuration)
            let digest = downloader.ports.clientCertificate
            await downloader.shutdown()
            return digest
        }
        let none = try await digest(showing: nil)
        let one = try await digest(showing: authority.makeClient().both)
        let again = try await digest(showing: authority.makeClient().both)
        #expect(none == nil && one?.count == 32 && again?.count == 32 && one != again, "each has a key of its own")
    }
}
