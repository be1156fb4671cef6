import Foundation
import Pawl
import PawlFoundation
import PawlTestKit
import Testing

@Suite("Downloads from a URL to a URL", .timeLimit(.minutes(2)))
struct ConvenienceTests {
    @Test func `a downloaded file stays at the URL it was saved to`() async throws {
        let world = try World()
        let target = world.file("a b%.bin")
        let file = try await world.withDownloader { try await $0.download(from: world.url(), to: target) }
        #expect(file.fileURL == target && file.fileURL.isFileURL && !file.fileURL.hasDirectoryPath)
        #expect(try Data(contentsOf: file.fileURL) == Data(World.content))
    }

    @Test func `the server names the file in a directory`() async throws {
        let world = try World { $0.extraFieldLines = ["Content-Disposition: attachment; filename=\"disk.iso\""] }
        let directory = URL(filePath: world.directory.path, directoryHint: .isDirectory)
        let file = try await world.withDownloader { try await $0.download(from: world.url(), in: directory) }
        #expect(file.fileURL == world.file("disk.iso"))
    }

    @Test func `an existing file or directory as the target is an error`() async throws {
        let world = try World()
        try FileManager.default.createDirectory(at: world.file("folder"), withIntermediateDirectories: false)
        try Data([1]).write(to: world.file("file"))
        try await world.withDownloader { downloader in
            for name in ["file", "folder"] {
                let target = URL(filePath: world.directory.file(name), directoryHint: .notDirectory)
                let error = await #expect(throws: DownloadError.self) {
                    try await downloader.download(from: world.url(), to: target)
                }
                #expect(error?.code == .fileExists, "\(name): \(String(describing: error))")
            }
        }
        #expect(try world.names() == ["file", "folder"])
    }

    @Test func `a 404 throws and leaves no file`() async throws {
        let world = try World { $0.statusOverrides = [1: 404, 2: 404] }
        try await world.withDownloader { downloader in
            let error = await #expect(throws: DownloadError.self) {
                try await downloader.download(from: world.url(), to: world.file())
            }
            #expect(error?.code == .notFound)
        }
        #expect(try world.names() == [])
    }

    @Test func `cancelling the task cancels the download, and a second call resumes it`() async throws {
        let world = try World(holding: true)
        try await world.withDownloader { downloader in
            let task = Task { try await downloader.download(from: world.url(), to: world.file()) }
            #expect(await wait { (try? PartialFileStatus.read(world.file().path))?.durableBytes ?? 0 > 0 })
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            world.release()
            let file = try await downloader.download(from: world.url(), to: world.file())
            #expect(file.resumedFrom > 0)
        }
    }

    @Test func `a small document is returned as Data, and a longer one is an error`() async throws {
        let world = try World([1, 2, 3])
        try await world.withDownloader { downloader in
            let data = try await downloader.data(from: world.url())
            #expect(data == Data([1, 2, 3]))
            let document = try await downloader.document(DownloadRequest(world.url()), maximumBytes: 3)
            #expect(document.data == data)
            let error = await #expect(throws: DownloadError.self) {
                try await downloader.data(from: world.url(), maximumBytes: 2)
            }
            #expect(error?.code == .tooLarge)
        }
    }

    @Test func `a web page is accepted as a document, but not in place of a JSON file`() async throws {
        let page = Array("<!DOCTYPE html><html></html>".utf8)
        let world = try World(page) { $0.contentType = "text/html" }
        try await world.withDownloader { downloader in
            for name in ["page.html", "api"] {
                let data = try await downloader.data(from: world.url(name))
                #expect(data == Data(page))
            }
            await #expect(throws: DownloadError.self) { try await downloader.data(from: world.url("list.json")) }
        }
    }

    @Test func `a stream delivers the bytes in order`() async throws {
        let world = try World()
        try await world.withDownloader { downloader in
            var data = Data()
            for try await bytes in try downloader.stream(from: world.url()) { data += bytes }
            #expect(data == Data(World.content))
        }
    }

    @Test func `a manager accepts URLs`() async throws {
        let world = try World()
        try await world.withManager { manager in
            let file = try await manager.download(from: world.url("a"), to: world.file("a"))
            #expect(file.fileURL == world.file("a"))
            let id = try manager.add(world.url("b"), to: world.file("b"), priority: 3)
            #expect(manager.snapshot(id)?.priority == 3)
            #expect(try await manager.result(of: id).byteCount == 2 << 20)
            #expect(throws: DownloadError.self) { try manager.add(world.url(), to: world.url()) }
        }
    }
}

@Suite("A manager's download as a Foundation.Progress", .timeLimit(.minutes(2)))
struct ManagerProgressTests {
    @Test func `a manager's Progress pauses, resumes and finishes with the download`() async throws {
        let world = try World(holding: true)
        try await world.withManager { manager in
            let id = try manager.add(world.url(), to: world.file())
            let progress = try manager.makeProgress(of: id)
            #expect(progress.isPausable && progress.isCancellable)
            #expect(await wait { progress.completedUnitCount >= 1 << 20 })
            progress.pause()
            #expect(await wait { manager.snapshot(id)?.state == .paused })
            #expect(!progress.isFinished && progress.completedUnitCount >= 1 << 20)
            world.release()
            progress.resume()
            _ = try await manager.result(of: id)
            #expect(await wait { progress.isFinished })
            #expect(progress.totalUnitCount == 2 << 20 && progress.userInfo[.fileURLKey] as? URL == world.file())
            // A Progress requested after the download has ended.
            let late = try manager.makeProgress(of: id)
            #expect(await wait { late.isFinished })
        }
    }

    @Test func `cancelling a manager's Progress removes the download, and removing the download cancels its Progress`()
        async throws
    {
        let world = try World(holding: true)
        try await world.withManager { manager in
            let ids = try ["a", "b"].map { try manager.add(world.url($0), to: world.file($0)) }
            let progresses = try ids.map { try manager.makeProgress(of: $0) }
            #expect(await wait { progresses.allSatisfy { $0.completedUnitCount > 0 } })
            progresses[0].cancel()
            #expect(await wait { manager.snapshot(ids[0]) == nil })
            try manager.remove(ids[1])
            #expect(await wait { progresses[1].isCancelled })
            #expect(progresses.allSatisfy { !$0.isFinished })
            let error = #expect(throws: DownloadError.self) { try manager.makeProgress(of: ids[0]) }
            #expect(error?.code == .unknownDownload)
        }
    }

    @Test func `a manager's Progress that nobody holds is released`() async throws {
        let world = try World(holding: true)
        try await world.withManager { manager in
            let id = try manager.add(world.url(), to: world.file())
            weak var lost: Foundation.Progress?
            do {
                let progress = try manager.makeProgress(of: id)
                lost = progress
                #expect(await wait { progress.completedUnitCount > 0 })
            }
            #expect(await wait { lost == nil })
        }
    }
}
