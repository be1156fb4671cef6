import Foundation
import Pawl
import PawlCore
import PawlFoundation
import PawlTestKit
import Testing

@Suite("Pausing and resuming a download under one handle", .timeLimit(.minutes(2)))
struct PausedDownloadTests {
    /// Runs `body` with a download that has received the first half of its file.
    private func withDownload(
        _ body: (Download, Downloader, World) async throws -> Void
    ) async throws {
        let world = try World(holding: true)
        try await world.withDownloader { downloader in
            let download = try downloader.start(DownloadRequest(world.url(), to: world.file()))
            #expect(await wait { download.currentProgress.bytesStored >= 1 << 20 })
            #expect(download.state == .running(.downloading))
            try await body(download, downloader, world)
        }
    }

    @Test func `a download resumes where it was paused, and those who wait for it wait on`() async throws {
        try await withDownload { download, _, world in
            async let result = download.result()
            let data = try await download.pause()
            #expect(download.state == .paused && download.currentProgress.bytesPerSecond == 0)
            #expect(download.currentProgress.bytesStored == data.byteCount && data.byteCount >= 1 << 20)
            world.release()
            #expect(await wait { world.server.openConnectionCount == 0 })
            try download.resume()
            #expect(download.state != .paused)
            let file = try await result
            #expect(file.resumedFrom > 0 && file.fileURL == world.file())
            #expect(download.state == .completed)
            #expect(try world.bytes() == World.content)
        }
    }

    @Test func `one reader of progress and notices reads through a pause`() async throws {
        try await withDownload { download, _, world in
            let states = Task {
                var states: [DownloadState] = []
                for await progress in download.progress where states.last != progress.state {
                    states.append(progress.state)
                }
                return states
            }
            let codes = Task { await download.notices.reduce(into: []) { $0.append($1.code) } }
            try await download.pause()
            #expect(await wait { download.state == .paused })
            world.release()
            try download.resume()
            _ = try await download.result()
            #expect(await codes.value.contains(.resumed))
            #expect(await states.value.last == .completed)
        }
    }

    @Test func `a download's Progress pauses and resumes it, even through a parent`() async throws {
        try await withDownload { download, _, world in
            let parent = Foundation.Progress.ofDownloads(totalUnitCount: 1)
            let progress = download.makeProgress()
            #expect(progress.isPausable)
            parent.addChild(progress, withPendingUnitCount: 1)
            parent.pause()
            #expect(await wait { download.state == .paused })
            #expect(progress.completedUnitCount >= 1 << 20)
            #expect(await wait { progress.userInfo[.throughputKey] == nil })
            let names = try world.names()
            #expect(names == ["file.bin.part", "file.bin.pawl"])
            world.release()
            parent.resume()
            let file = try await download.result()
            #expect(file.resumedFrom > 0)
            #expect(await wait { parent.isFinished })
            #expect(progress.userInfo[.fileURLKey] as? URL == world.file())
        }
    }

    @Test func `repeated pauses and resumptions end in the state asked for last`() async throws {
        try await withDownload { download, _, world in
            for _ in 0..<200 {
                try download.resume()
                download.requestPause()
            }
            #expect(await wait { download.state == .paused })
            let progress = download.makeProgress()
            for _ in 0..<20 {
                progress.resume()
                progress.pause()
            }
            progress.resume()
            world.release()
            _ = try await download.result()
            #expect(try world.bytes() == World.content)
        }
    }

    @Test func `toggling from many tasks loses no wait and no byte`() async throws {
        try await withDownload { download, _, world in
            world.release()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        if number.isMultiple(of: 2) { try? download.resume() } else { _ = try? await download.pause() }
                    }
                }
                // A pause that a later call undoes still ends its own wait.
                await group.waitForAll()
            }
            try? download.resume()
            _ = try await download.result()
            #expect(try world.bytes() == World.content)
        }
    }

    @Test func `cancelling a running or paused download ends it`() async throws {
        for isPaused in [false, true] {
            try await withDownload { download, _, world in
                let progress = download.makeProgress()
                if isPaused { try await download.pause() }
                progress.cancel()
                await #expect(throws: CancellationError.self) { try await download.result() }
                #expect(download.state == .cancelled && progress.isCancelled && !progress.isFinished)
                let error = #expect(throws: DownloadError.self) { try download.resume() }
                #expect(error?.code == .invalidArgument)
                let names = try world.names()
                #expect(names == ["file.bin.part", "file.bin.pawl"])
            }
        }
    }

    @Test(arguments: [false, true])
    func `cancelling the only waiter cancels a running or paused download`(isPaused: Bool) async throws {
        try await withDownload { download, _, _ in
            if isPaused { try await download.pause() }
            let waiter = Task { try await download.result() }
            waiter.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
            #expect(await wait { download.state == .cancelled })
        }
    }

    @Test func `the same request resumes the paused download that somebody holds`() async throws {
        try await withDownload { download, downloader, world in
            try await download.pause()
            world.release()
            let again = try downloader.start(DownloadRequest(world.url(), to: world.file()))
            #expect(again === download)
            #expect(try await again.result().resumedFrom > 0)
        }
    }

    @Test func `another request takes the target of a paused download, which resumes once it is free`() async throws {
        try await withDownload { download, downloader, world in
            try await download.pause()
            var request = try DownloadRequest(world.url("other"), to: world.file())
            request.ifExists = .replace
            let other = try downloader.start(request)
            #expect(await wait { other.state == .running(.downloading) })
            let error = #expect(throws: DownloadError.self) { try download.resume() }
            #expect(error?.code == .locked && download.state == .paused)
            try await other.pause()
            world.release()
            try download.resume()
            _ = try await download.result()
            #expect(try world.bytes() == World.content)
        }
    }

    @Test func `a download whose target is taken stays paused, and ends with the downloader`() async throws {
        let world = try World(holding: true)
        let downloader = try Downloader()
        var downloads: [Download] = []
        for name in ["a", "b", "c"] {
            var request = try DownloadRequest(world.url(name), to: world.file())
            request.ifExists = .replace
            let download = try downloader.start(request)
            #expect(await wait { download.currentProgress.bytesStored > 0 })
            if name != "c" { try await download.pause() }
            downloads.append(download)
        }
        let results = downloads.map { download in Task { try await download.result() } }
        for download in downloads.prefix(2) {
            for _ in 0..<2 { #expect(throws: DownloadError.self) { try download.resume() } }
            #expect(download.state == .paused)
        }
        await downloader.shutdown()
        for result in results { await #expect(throws: CancellationError.self) { try await result.value } }
        #expect(downloads.map(\.state) == [.cancelled, .cancelled, .cancelled])
        world.release()
    }

    @Test func `the same request finds a resumed download that the server has named`() async throws {
        let world = try World(holding: true) {
            $0.extraFieldLines = ["Content-Disposition: attachment; filename=\"disk.iso\""]
        }
        try await world.withDownloader { downloader in
            let request = try DownloadRequest(world.url(), in: URL(filePath: world.directory.path))
            let download = try downloader.start(request)
            #expect(await wait { download.currentProgress.bytesStored > 0 })
            try await download.pause()
            try download.resume()
            #expect(try downloader.start(request) === download)
            download.requestPause()
            #expect(try downloader.start(request) === download)
            world.release()
            _ = try await download.result()
            #expect(try world.names() == ["disk.iso"])
            #expect(try downloader.start(request) !== download)
        }
    }

    @Test func `what a handler holds may call its download when it goes`() async throws {
        final class Owner: Sendable {
            let download: Download

            init(_ download: Download) { self.download = download }

            deinit { download.cancel() }
        }
        try await withDownload { download, _, world in
            download.onProgress { [owner = Owner(download)] _ in _ = owner }
            download.onEnd { [owner = Owner(download)] _, _ in _ = owner }
            world.release()
            _ = try await download.result()
        }
    }

    @Test func `a download that is paused and cancelled at once ends cancelled`() async throws {
        let world = try World(holding: true)
        try await world.withDownloader { downloader in
            for number in 0..<50 {
                let download = try downloader.start(
                    DownloadRequest(world.url("\(number)"), to: world.file("\(number)")))
                let pausing = Task { try? await download.pause() }
                if number.isMultiple(of: 2) { await Task.yield() }
                download.cancel()
                let more = Task { try? await download.pause() }
                await #expect(throws: CancellationError.self) { try await download.result() }
                #expect(download.state == .cancelled)
                _ = await (pausing.value, more.value)
            }
        }
        world.release()
    }

    @Test func `readers of a paused download that nobody holds end`() async throws {
        let world = try World(holding: true)
        try await world.withDownloader { downloader in
            let readers: (Task<Void, Never>, Task<Void, Never>)
            do {
                let download = try downloader.start(DownloadRequest(world.url(), to: world.file()))
                #expect(await wait { download.currentProgress.bytesStored > 0 })
                let (progress, notices) = (download.progress.makeAsyncIterator(), download.notices)
                readers = (
                    Task {
                        var progress = progress
                        while await progress.next() != nil {}
                    }, Task { for await _ in notices {} }
                )
                try await download.pause()
            }
            _ = await (readers.0.value, readers.1.value)
        }
        world.release()
    }

    @Test(arguments: [false, true])
    func `a download's resume data starts another download`(isPaused: Bool) async throws {
        try await withDownload { download, _, world in
            if isPaused { try await download.pause() }
            let data = try #require(await download.cancelByProducingResumeData())
            await #expect(throws: CancellationError.self) { try await download.result() }
            #expect(await download.cancelByProducingResumeData() == nil)
            world.release()
            let file = try await world.withDownloader { later in
                if isPaused { return try await later.download(resumeFrom: data) }
                return try await later.resume(from: data).result()
            }
            #expect(file.resumedFrom > 0 && file.fileURL == world.file())
            #expect(try world.bytes() == World.content)
        }
    }

    @Test func `foreign resume data is refused`() async throws {
        let world = try World()
        try await world.withDownloader { downloader in
            let data = Data("bplist00".utf8)
            let error = #expect(throws: DownloadError.self) { try downloader.resume(from: data) }
            #expect(error?.code == .invalidArgument)
            let other = await #expect(throws: DownloadError.self) { try await downloader.download(resumeFrom: data) }
            #expect(other == error)
        }
    }

    @Test func `a failure is reported, even after a pause`() async throws {
        let world = try World(holding: true) { $0.statusOverrides = [2: 404, 3: 404, 4: 404] }
        try await world.withDownloader { downloader in
            var request = try DownloadRequest(world.url(), to: world.file())
            request.maximumConnections = 1
            let download = try downloader.start(request)
            #expect(await wait { download.currentProgress.bytesStored > 0 })
            try await download.pause()
            try download.resume()
            let error = try #require(await #expect(throws: DownloadError.self) { try await download.result() })
            #expect(download.state == .failed(error))
            #expect(throws: error) { try download.resume() }
        }
    }

    @Test func `a name chosen by the server is kept after a pause`() async throws {
        let world = try World(holding: true) {
            $0.extraFieldLines = ["Content-Disposition: attachment; filename=\"disk.iso\""]
        }
        try Data([1]).write(to: world.file("disk.iso"))
        try await world.withDownloader { downloader in
            var request = try DownloadRequest(world.url(), in: URL(filePath: world.directory.path))
            request.ifExists = .rename
            let download = try downloader.start(request)
            #expect(await wait { download.currentProgress.bytesStored > 0 })
            try await download.pause()
            world.release()
            try download.resume()
            let file = try await download.result()
            #expect(file.fileURL.lastPathComponent == "disk (1).iso" && file.resumedFrom > 0)
        }
        #expect(try world.names() == ["disk (1).iso", "disk.iso"])
    }

    @Test func `a paused download that nobody holds is released`() async throws {
        let world = try World(holding: true)
        try await world.withDownloader { downloader in
            weak var lost: Download?
            weak var progress: Foundation.Progress?
            do {
                let download = try downloader.start(DownloadRequest(world.url(), to: world.file()))
                let itsProgress = download.makeProgress()
                (lost, progress) = (download, itsProgress)
                #expect(await wait { itsProgress.completedUnitCount > 0 })
                try await download.pause()
            }
            #expect(await wait { lost == nil && progress == nil })
        }
    }

    @Test func `the end of the downloader ends a paused download`() async throws {
        let world = try World(holding: true)
        let downloader = try Downloader()
        let download = try downloader.start(DownloadRequest(world.url(), to: world.file()))
        #expect(await wait { download.currentProgress.bytesStored > 0 })
        try await download.pause()
        let result = Task { try await download.result() }
        await downloader.shutdown()
        await #expect(throws: CancellationError.self) { try await result.value }
        #expect(throws: DownloadError.self) { try download.resume() }
        world.release()
    }
}
