import Foundation
import Pawl
import PawlFoundation
import PawlTestKit
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Runs every Swift example of `docs/urlsession.md`, and the README's example for users of `URLSession`, against a
/// server. The text between two markers is what the documentation shows; `ReadmeTests` compares the two.
@Suite("Examples for users of URLSession", .timeLimit(.minutes(2)))
struct URLSessionExampleTests {
    @Test func `the README's example runs`() async throws {
        let world = try World()
        let total = Progress.ofDownloads(totalUnitCount: 1)
        let (url, file) = (world.url(), world.file())
        try await world.withDownloader { downloader in
            // README:begin foundation
            let download = try downloader.start(DownloadRequest(url, to: file))
            total.addChild(download.makeProgress(), withPendingUnitCount: 1)
            try await download.pause()
            try download.resume()
            print(try await download.result().fileURL)
            // README:end
            #expect(total.isFinished)
        }
        #expect(try world.bytes() == World.content)
    }

    @Test func `the example of downloading a file runs`() async throws {
        let world = try World()
        let (url, destination) = (world.url(), world.file())
        try await world.withDownloader { downloader in
            // README:begin foundation-download
            let file = try await downloader.download(from: url, to: destination)
            print(file.fileURL, file.byteCount)
            // README:end
            #expect(file.fileURL == destination)
        }
    }

    @Test func `the example of fetching a document runs`() async throws {
        let world = try World([1, 2, 3])
        let url = world.url()
        try await world.withDownloader { downloader in
            // README:begin foundation-data
            let data = try await downloader.data(from: url, maximumBytes: 1 << 20)
            // README:end
            #expect(data == Data([1, 2, 3]))
        }
    }

    @Test func `the example of resuming from data runs`() async throws {
        let world = try World(holding: true)
        let (url, destination) = (world.url(), world.file())
        try await world.withDownloader { downloader in
            let download = try downloader.start(DownloadRequest(url, to: destination))
            #expect(await wait { download.currentProgress.bytesStored > 0 })
            // README:begin foundation-resume-data
            guard let resumeData = await download.cancelByProducingResumeData() else { return }
            // README:end
            world.release()
            // README:begin foundation-resume
            let file = try await downloader.download(resumeFrom: resumeData)
            print("\(file.resumedFrom) bytes were there already")
            // README:end
            #expect(file.resumedFrom > 0)
        }
    }

    @Test func `the example of one progress for several downloads runs`() async throws {
        let world = try World()
        let urls = ["a", "b"].map { world.url($0) }
        let folder = URL(filePath: world.directory.path)
        try await world.withDownloader { downloader in
            // README:begin foundation-progress
            let total = Progress.ofDownloads(totalUnitCount: Int64(urls.count))
            let downloads = try urls.map { url in
                try downloader.start(DownloadRequest(url, to: folder.appending(path: url.lastPathComponent)))
            }
            for download in downloads { total.addChild(download.makeProgress(), withPendingUnitCount: 1) }
            for download in downloads { _ = try await download.result() }
            // README:end
            #expect(total.isFinished)
        }
        #expect(try world.names() == ["a", "b"])
    }

    @Test func `the example of a manager and its progress runs`() async throws {
        let world = try World()
        let (url, destination) = (world.url(), world.file())
        try await world.withManager { manager in
            // README:begin foundation-manager
            let id = try manager.add(url, to: destination)
            let progress = try manager.makeProgress(of: id)
            let file = try await manager.result(of: id)
            // README:end
            #expect(file.fileURL == destination)
            #expect(await wait { progress.isFinished })
        }
    }

    @Test func `the example of a URLRequest runs`() async throws {
        let world = try World()
        let (url, destination) = (world.url(), world.file())
        try await world.withDownloader { downloader in
            // README:begin foundation-request
            var request = URLRequest(url: url)
            request.setValue("Bearer s3cret", forHTTPHeaderField: "Authorization")
            let file = try await downloader.download(for: request, to: destination)
            // README:end
            #expect(file.fileURL == destination)
        }
        #expect(world.server.requests.allSatisfy { $0.fields.first("Authorization") == "Bearer s3cret" })
    }
}

/// The URLSession side of the examples. It is compiled, to prove that it is real code, and never run.
private enum URLSessionSide {
    static func file(session: URLSession, url: URL, destination: URL) async throws {
        // README:begin session-download
        let (temporaryFile, response) = try await session.download(from: url)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
        try FileManager.default.moveItem(at: temporaryFile, to: destination)
        // README:end
    }

    static func data(session: URLSession, url: URL) async throws -> Data {
        // README:begin session-data
        let (data, response) = try await session.data(from: url)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
        // README:end
        return data
    }
}
