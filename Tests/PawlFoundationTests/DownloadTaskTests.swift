import Foundation
import Pawl
import PawlFoundation
import PawlTestKit
import Testing

@Suite("Suspending and resuming a DownloadTask", .timeLimit(.minutes(2)))
struct DownloadTaskTests {
    /// Runs `body` with a task that has received the first half of its file.
    private func withTask(_ body: (DownloadTask, World) async throws -> Void) async throws {
        let world = try World(holding: true)
        try await world.withDownloader { downloader in
            let task = try downloader.downloadTask(from: world.url(), to: world.file())
            #expect(task.state == .running && task.download != nil && task.progress.isPausable)
            #expect(await wait { task.progress.completedUnitCount >= 1 << 20 })
            try await body(task, world)
        }
    }

    private func settled(_ task: DownloadTask) async -> Bool { await wait { task.state == .suspended } }

    @Test func `a task resumes where it was suspended, under one handle`() async throws {
        try await withTask { task, world in
            async let result = task.result()
            task.suspend()
            #expect(await settled(task))
            #expect(task.progress.isPaused && task.progress.completedUnitCount >= 1 << 20)
            #expect(task.download == nil && task.progress.userInfo[.throughputKey] == nil)
            world.release()
            #expect(await wait { world.server.openConnectionCount == 0 })
            task.resume()
            let file = try await result
            #expect(file.resumedFrom > 0 && file.fileURL == world.file())
            #expect(task.state == .completed && task.progress.isFinished && !task.progress.isPaused)
            #expect(task.progress.userInfo[.fileURLKey] as? URL == world.file())
            #expect(try world.bytes() == World.content)
        }
    }

    @Test func `a task's progress suspends and resumes it, even through a parent`() async throws {
        try await withTask { task, world in
            let parent = Foundation.Progress.ofDownloads(totalUnitCount: 1)
            parent.addChild(task.progress, withPendingUnitCount: 1)
            parent.pause()
            #expect(await settled(task))
            let names = try world.names()
            #expect(names == ["file.bin.part", "file.bin.pawl"])
            world.release()
            parent.resume()
            let file = try await task.result()
            #expect(file.resumedFrom > 0)
            #expect(parent.isFinished)
        }
    }

    @Test func `repeated suspends and resumes end in the state asked for last`() async throws {
        try await withTask { task, world in
            for _ in 0..<200 {
                task.resume()
                task.suspend()
                try #require(task.state == .suspending || task.state == .suspended)
            }
            #expect(await settled(task))
            for _ in 0..<20 {
                task.progress.resume()
                task.progress.pause()
            }
            task.progress.resume()
            world.release()
            _ = try await task.result()
            #expect(try world.bytes() == World.content)
        }
    }

    @Test func `cancelling a running or suspended task ends it`() async throws {
        for isSuspended in [false, true] {
            try await withTask { task, world in
                if isSuspended {
                    task.suspend()
                    #expect(await settled(task))
                }
                task.progress.cancel()
                await #expect(throws: CancellationError.self) { try await task.result() }
                #expect(task.state == .completed && task.progress.isCancelled && !task.progress.isFinished)
                task.resume()
                #expect(task.state == .completed)
                let names = try world.names()
                #expect(names == ["file.bin.part", "file.bin.pawl"])
            }
        }
    }

    @Test func `cancelling the only waiter cancels the task`() async throws {
        try await withTask { task, _ in
            let waiter = Task { try await task.result() }
            waiter.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
            #expect(await wait { task.state == .completed && task.progress.isCancelled })
        }
    }

    @Test func `cancelling one of several waiters ends only its own wait`() async throws {
        try await withTask { task, world in
            let stays = Task { try await task.result() }
            #expect(await wait { task.waiterCount == 1 })
            let leaves = Task { try await task.result() }
            #expect(await wait { task.waiterCount == 2 })
            leaves.cancel()
            await #expect(throws: CancellationError.self) { try await leaves.value }
            #expect(task.state == .running && !task.progress.isCancelled)
            world.release()
            let file = try await stays.value
            #expect(file.byteCount == Int64(World.content.count))
            #expect(try world.bytes() == World.content)
        }
    }

    @Test(arguments: [false, true])
    func `a task's resume data starts another task`(isSuspended: Bool) async throws {
        try await withTask { task, world in
            if isSuspended {
                task.suspend()
                #expect(await settled(task))
            }
            let data = try #require(await task.cancelByProducingResumeData())
            await #expect(throws: CancellationError.self) { try await task.result() }
            #expect(await task.cancelByProducingResumeData() == nil)
            world.release()
            let file = try await world.withDownloader { later in
                if isSuspended { return try await later.download(resumeFrom: data) }
                return try await later.downloadTask(withResumeData: data).result()
            }
            #expect(file.resumedFrom > 0 && file.fileURL == world.file())
            #expect(try world.bytes() == World.content)
        }
    }

    @Test func `foreign resume data is refused`() async throws {
        let world = try World()
        try await world.withDownloader { downloader in
            let data = Data("bplist00".utf8)
            let error = #expect(throws: DownloadError.self) { try downloader.downloadTask(withResumeData: data) }
            #expect(error?.code == .invalidArgument)
            let other = await #expect(throws: DownloadError.self) { try await downloader.download(resumeFrom: data) }
            #expect(other == error)
        }
    }

    @Test func `a failure is reported, even after a suspension`() async throws {
        let world = try World(holding: true) { $0.statusOverrides = [2: 404, 3: 404, 4: 404] }
        try await world.withDownloader { downloader in
            var request = try DownloadRequest(world.url(), to: world.file())
            request.maximumConnections = 1
            let task = try downloader.downloadTask(with: request)
            #expect(await wait { task.progress.completedUnitCount > 0 })
            task.suspend()
            #expect(await settled(task))
            task.resume()
            await #expect(throws: DownloadError.self) { try await task.result() }
            #expect(task.state == .completed && !task.progress.isFinished)
        }
    }

    @Test func `a name chosen by the server is kept after a suspension`() async throws {
        let world = try World(holding: true) {
            $0.extraFieldLines = ["Content-Disposition: attachment; filename=\"disk.iso\""]
        }
        try Data([1]).write(to: world.file("disk.iso"))
        try await world.withDownloader { downloader in
            var request = try DownloadRequest(world.url(), in: URL(filePath: world.directory.path))
            request.ifExists = .rename
            let task = try downloader.downloadTask(with: request)
            #expect(await wait { task.progress.completedUnitCount > 0 })
            task.suspend()
            #expect(await settled(task))
            world.release()
            task.resume()
            let file = try await task.result()
            #expect(file.fileURL.lastPathComponent == "disk (1).iso" && file.resumedFrom > 0)
        }
        #expect(try world.names() == ["disk (1).iso", "disk.iso"])
    }

    @Test func `a suspended task that nobody holds is released`() async throws {
        let world = try World(holding: true)
        try await world.withDownloader { downloader in
            weak var lost: DownloadTask?
            weak var progress: Foundation.Progress?
            do {
                let task = try downloader.downloadTask(from: world.url(), to: world.file())
                (lost, progress) = (task, task.progress)
                #expect(await wait { task.progress.completedUnitCount > 0 })
                task.suspend()
                #expect(await settled(task))
            }
            #expect(await wait { lost == nil && progress == nil })
        }
    }

    @Test func `a task that cannot begin throws at once`() async throws {
        let world = try World(holding: true)
        try await world.withDownloader { downloader in
            let first = try downloader.downloadTask(from: world.url(), to: world.file())
            let error = #expect(throws: DownloadError.self) {
                try downloader.downloadTask(from: world.url("other"), to: world.file())
            }
            #expect(error?.code == .locked)
            first.cancel()
        }
    }
}
