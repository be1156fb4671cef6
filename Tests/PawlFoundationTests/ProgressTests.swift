import Foundation
import Pawl
import PawlFoundation
import PawlTestKit
import Testing

@Suite("A download as a Foundation.Progress", .timeLimit(.minutes(2)))
struct ProgressTests {
    @Test func `a Progress counts bytes, and finishes when the result is there`() async throws {
        let world = try World(holding: true)
        try await world.withDownloader { downloader in
            let download = try downloader.start(DownloadRequest(world.url(), to: world.file()))
            let progress = download.makeProgress()
            #expect(progress.kind == .file && progress.isCancellable && progress.isPausable)
            #expect(await wait { progress.completedUnitCount >= 1 << 20 })
            #expect(progress.totalUnitCount == 2 << 20 && progress.fractionCompleted >= 0.5 && !progress.isFinished)
            #expect(progress.userInfo[.fileOperationKindKey] as? Foundation.Progress.FileOperationKind == .downloading)
            world.release()
            _ = try await download.result()
            #expect(progress.isFinished && progress.completedUnitCount == 2 << 20 && progress.totalUnitCount == 2 << 20)
            #expect(progress.userInfo[.throughputKey] == nil && progress.userInfo[.estimatedTimeRemainingKey] == nil)
            #expect(await wait { progress.userInfo[.fileURLKey] as? URL == world.file() })
        }
    }

    @Test func `a Progress shows rate and time left while the download runs, and not after it`() async throws {
        // Slow enough that a busy machine looks in time.
        let world = try World { $0.bytesPerSecond = 16 << 10 }
        try await world.withDownloader { downloader in
            var request = try DownloadRequest(world.url(), to: world.file())
            request.maximumConnections = 1
            let download = try downloader.start(request)
            let progress = download.makeProgress()
            #expect(await wait { progress.userInfo[.throughputKey] is Int })
            #expect(await wait { progress.userInfo[.estimatedTimeRemainingKey] is Double })
            download.cancel()
            #expect(
                await wait {
                    progress.userInfo[.throughputKey] == nil && progress.userInfo[.estimatedTimeRemainingKey] == nil
                })
        }
    }

    @Test func `a Progress never finishes before the file has its final name`() async throws {
        let world = try World()
        try await world.withDownloader { downloader in
            let download = try downloader.start(DownloadRequest(world.url(), to: world.file()))
            let progress = download.makeProgress()
            while !progress.isFinished { try await Task.sleep(for: .microseconds(100)) }
            #expect(FileManager.default.fileExists(atPath: world.file().path))
        }
    }

    @Test(arguments: [true, false])
    func `a Progress without a known length is indeterminate until the end`(isHeld: Bool) async throws {
        let world = try World(holding: isHeld) {
            $0.framing = .chunked(size: 16 << 10)
            $0.honoursRanges = false
        }
        try await world.withDownloader { downloader in
            let download = try downloader.start(DownloadRequest(world.url(), to: world.file()))
            let (progress, parent) = (download.makeProgress(), Foundation.Progress.ofDownloads(totalUnitCount: 1))
            parent.addChild(progress, withPendingUnitCount: 1)
            if isHeld {
                #expect(await wait { progress.completedUnitCount > 0 })
                #expect(progress.isIndeterminate && progress.totalUnitCount == -1 && parent.fractionCompleted == 0)
                world.release()
            }
            _ = try await download.result()
            #expect(progress.isFinished && progress.totalUnitCount == 2 << 20 && parent.isFinished)
        }
    }

    @Test func `the Progress of an empty file has one unit, so that it can finish`() async throws {
        let world = try World([])
        try await world.withDownloader { downloader in
            let download = try downloader.start(DownloadRequest(world.url(), to: world.file()))
            let (progress, parent) = (download.makeProgress(), Foundation.Progress.ofDownloads(totalUnitCount: 1))
            parent.addChild(progress, withPendingUnitCount: 1)
            #expect(try await download.result().byteCount == 0)
            #expect(await wait { progress.isFinished && parent.isFinished })
            #expect(progress.fractionCompleted == 1 && progress.totalUnitCount == 1)
        }
    }

    @Test func `the Progress of a skipped existing file finishes, too`() async throws {
        let world = try World()
        try Data([1, 2, 3]).write(to: world.file())
        try await world.withDownloader { downloader in
            var request = try DownloadRequest(world.url(), to: world.file())
            request.ifExists = .skip
            let download = try downloader.start(request)
            let progress = download.makeProgress()
            #expect(try await download.result().wasSkipped)
            #expect(await wait { progress.isFinished })
            #expect(progress.fractionCompleted == 1 && progress.userInfo[.fileURLKey] as? URL == world.file())
            // A Progress requested after the download has ended.
            let late = download.makeProgress()
            #expect(await wait { late.isFinished })
        }
    }

    @Test func `cancelling a Progress cancels the download, and the received bytes are kept`() async throws {
        let world = try World(holding: true)
        try await world.withDownloader { downloader in
            let download = try downloader.start(DownloadRequest(world.url(), to: world.file()))
            let (progress, parent) = (download.makeProgress(), Foundation.Progress.ofDownloads(totalUnitCount: 1))
            parent.addChild(progress, withPendingUnitCount: 1)
            #expect(await wait { progress.completedUnitCount > 0 })
            parent.cancel()
            await #expect(throws: CancellationError.self) { try await download.result() }
            #expect(progress.isCancelled && !progress.isFinished)
        }
        #expect(try world.names() == ["file.bin.part", "file.bin.pawl"])
    }

    @Test func `a Progress is cancelled when the download is`() async throws {
        let world = try World(holding: true)
        try await world.withDownloader { downloader in
            let download = try downloader.start(DownloadRequest(world.url(), to: world.file()))
            let progress = download.makeProgress()
            download.cancel()
            #expect(await wait { progress.isCancelled })
        }
    }

    @Test func `a failure leaves a Progress unfinished`() async throws {
        let world = try World { $0.statusOverrides = [1: 404, 2: 404] }
        try await world.withDownloader { downloader in
            let download = try downloader.start(DownloadRequest(world.url(), to: world.file()))
            let progress = download.makeProgress()
            await #expect(throws: DownloadError.self) { try await download.result() }
            #expect(!progress.isFinished && !progress.isCancelled && progress.isIndeterminate)
        }
    }

    @Test func `two Progresses share one parent, each with its part`() async throws {
        let world = try World(holding: true)
        try await world.withDownloader { downloader in
            let total = Foundation.Progress.ofDownloads(totalUnitCount: 10)
            let names = ["a", "b"]
            let downloads = try names.map { try downloader.start(DownloadRequest(world.url($0), to: world.file($0))) }
            for download in downloads { total.addChild(download.makeProgress(), withPendingUnitCount: 5) }
            #expect(await wait { total.fractionCompleted >= 0.5 })
            #expect(total.completedUnitCount == 0)
            world.release()
            for download in downloads { _ = try await download.result() }
            #expect(await wait { total.isFinished })
            #expect(total.completedUnitCount == 10 && total.fractionCompleted == 1)
        }
    }

    @Test func `many children of one parent add up exactly`() async throws {
        let world = try World(FileBehaviour.pattern(count: 64 << 10))
        try await world.withDownloader { downloader in
            let total = Foundation.Progress.ofDownloads(totalUnitCount: 40)
            let names = (0..<40).map { "\($0)" }
            let downloads = try names.map { try downloader.start(DownloadRequest(world.url($0), to: world.file($0))) }
            for download in downloads { total.addChild(download.makeProgress(), withPendingUnitCount: 1) }
            for download in downloads { _ = try await download.result() }
            #expect(await wait { total.isFinished })
            #expect(total.completedUnitCount == 40 && total.fractionCompleted == 1)
        }
    }

    /// On Linux, Foundation's own Progress usually crashes here when children are added while others finish.
    @Test func `children may be added, finish and be cancelled by their parent at the same time`() async throws {
        let world = try World([1, 2, 3])
        try await world.withManager { manager in
            manager.maximumRunning = 20
            // One unit has no child, so the Progress cannot finish before it is cancelled, however fast the downloads
            // are.
            let total = Foundation.Progress.ofDownloads(totalUnitCount: 301)
            let whole = Foundation.Progress.ofDownloads(totalUnitCount: 1)
            whole.addChild(total, withPendingUnitCount: 1)
            for number in 0..<300 {
                let id = try manager.add(world.url("\(number)"), to: world.file("\(number)"))
                total.addChild(try manager.makeProgress(of: id), withPendingUnitCount: 1)
                if number % 50 == 49 {
                    whole.pause()
                    whole.resume()
                }
            }
            #expect(await wait { total.completedUnitCount > 150 })
            whole.cancel()
            #expect(await wait { manager.snapshots.allSatisfy { $0.state == .completed } })
            #expect(total.isCancelled && whole.isCancelled)
        }
    }

    @Test func `an unheld Progress is released, and a Progress does not retain an ended download`() async throws {
        let world = try World(holding: true)
        try await world.withDownloader { downloader in
            weak var lost: Foundation.Progress?
            weak var ended: Download?
            do {
                let download = try downloader.start(DownloadRequest(world.url(), to: world.file()))
                ended = download
                lost = download.makeProgress()
                // A thread that shows something in it holds it for that moment.
                #expect(await wait { lost == nil })
                let kept = download.makeProgress()
                lost = kept
                world.release()
                _ = try await download.result()
                #expect(kept.isFinished)
            }
            #expect(await wait { lost == nil && ended == nil })
        }
    }

    @Test func `a Progress changes a limited number of times a second`() async throws {
        let world = try World { $0.bytesPerSecond = 1 << 20 }
        try await world.withDownloader { downloader in
            var request = try DownloadRequest(world.url(), to: world.file())
            request.maximumConnections = 1
            let began = ContinuousClock.now
            let download = try downloader.start(request)
            // A handler of the test's own, beside that of the Progress.
            let changes = Counter()
            download.onProgress { _ in changes.add() }
            let progress = download.makeProgress()
            _ = try await download.result()
            let seconds = (ContinuousClock.now - began) / .seconds(1)
            #expect(progress.isFinished)
            #expect(Double(changes.count) < 40 * seconds + 20, "\(changes.count) in \(seconds) s")
        }
    }
}

private final class Counter: @unchecked Sendable {  // `value` is reached only under `lock`.
    private let lock = NSLock()
    private var value = 0

    var count: Int { lock.withLock { value } }

    func add() { lock.withLock { value += 1 } }
}
