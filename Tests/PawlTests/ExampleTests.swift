import Foundation
import Pawl
import PawlTestKit
import PawlEngine
import Synchronization
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Runs every Swift example of the README and of the DocC articles against a server.
///
/// The text between two markers is what the documentation shows; ``ReadmeTests`` compares the two. The function around
/// an example declares the names that the example itself does not.
@Suite("Examples of the README and the documentation", .timeLimit(.minutes(10)))
struct ExampleTests {
    private static let content = FileBehaviour.pattern(count: 3 << 20)

    // MARK: Downloading

    @Test func `three lines download a file`() async throws {
        let world = try World(FileBehaviour(content: Self.content))
        defer { world.end() }
        let (url, path) = (world.url, world.path)
        // README:begin three-lines
        let downloader = try Downloader()
        let file = try await downloader.download(url, to: path)
        print(file.path, file.byteCount, file.isVerified)
        // README:end
        await downloader.shutdown()

        #expect(try world.bytes() == Self.content)
        #expect(try world.names() == ["file.bin"])
        #expect(file.path == path)
        #expect(file.byteCount == Int64(Self.content.count))
        #expect(file.isComplete)
        #expect(!file.isVerified)
        #expect(file.resumedFrom == 0)
    }

    @Test func `the server names the file, and the request's options take effect`() async throws {
        var behaviour = FileBehaviour(content: Self.content)
        behaviour.extraFieldLines = ["Content-Disposition: attachment; filename=\"disk.iso\""]
        let world = try World(behaviour)
        defer { world.end() }
        let digest = try world.digest(of: Self.content)
        try world.put([1, 2, 3], as: "disk.iso")
        try await world.withDownloader { downloader in
            let (url, directory, token) = (world.url, world.directory.path, "s3cret")
            // README:begin options
            var request = DownloadRequest(url, in: directory)
            request.digest = try Digest(parsing: "sha-256:" + digest)
            request.headers = [HTTPField("Authorization", "Bearer " + token)]
            request.maximumConnections = 4
            request.maximumBytesPerSecond = 20 << 20
            request.ifExists = .rename
            let file = try await downloader.start(request).result()
            // README:end
            #expect(file.path == world.directory.file("disk (1).iso"))
            #expect(file.isVerified)
        }
        #expect(try world.bytes("disk (1).iso") == Self.content)
        #expect(try world.bytes("disk.iso") == [1, 2, 3])
        #expect(world.server.requests.allSatisfy { $0.fields.first("Authorization") == "Bearer s3cret" })
    }

    // MARK: Progress

    @Test func `progress arrives as a sequence`() async throws {
        let hold = Hold()
        var behaviour = FileBehaviour(content: Self.content)
        behaviour.stall = hold.stall(afterBytes: 1 << 20)
        let world = try World(behaviour)
        defer { world.end() }
        let seen = Locked<[DownloadProgress]>([])
        let show: (DownloadProgress) -> Void = { progress in
            seen.withLock { $0.append(progress) }
            if progress.bytesStored > 0 { hold.end() }
        }
        try await world.withDownloader { downloader in
            let (url, path) = (world.url, world.path)
            // README:begin progress
            let download = try downloader.start(DownloadRequest(url, to: path))
            for await progress in download.progress {
                show(progress)  // .bytesStored, .totalBytes, .bytesPerSecond, .secondsLeft, .connections
            }
            let file = try await download.result()
            // README:end
            #expect(file.byteCount == Int64(Self.content.count))
        }
        let values = seen.withLock { $0 }
        #expect(values.contains { 0 < $0.bytesStored && $0.bytesStored < Self.content.count })
        #expect(values.map(\.bytesStored) == values.map(\.bytesStored).sorted())
        #expect(values.last?.state == .completed)
        #expect(values.last?.bytesStored == Int64(Self.content.count))
        #expect(try world.bytes() == Self.content)
    }

    @Test func `progress arrives through a callback`() async throws {
        let world = try World(FileBehaviour(content: Self.content))
        defer { world.end() }
        let seen = Locked<[Double?]>([])
        let show: @Sendable (Double?) -> Void = { fraction in seen.withLock { $0.append(fraction) } }
        try await world.withDownloader { downloader in
            let download = try downloader.start(DownloadRequest(world.url, to: world.path))
            // README:begin callback
            download.onProgress { progress in
                show(progress.fractionCompleted)  // from 0 to 1; nil while the length is unknown
            }
            // README:end
            _ = try await download.result()
        }
        #expect(seen.withLock { $0.contains(1) })
        #expect(try world.bytes() == Self.content)
    }

    // MARK: Many downloads

    @Test func `a manager downloads several files, keeps a session and reports events`() async throws {
        let world = try World(FileBehaviour(content: Self.content))
        defer { world.end() }
        let urls = ["/a.bin", "/b.bin"].map(world.server.url)
        let (directory, sessionPath) = (world.directory.path, world.directory.file("session"))
        let all = Locked<DownloadManager?>(nil)
        let done = Locked<Set<String>>([])
        let show: @Sendable (DownloadSnapshot) -> Void = { snapshot in
            guard case .completed = snapshot.state else { return }
            let isLast = done.withLock { names in
                names.insert(snapshot.fileName ?? "")
                return names.count == 2
            }
            // Shutting down ends the events.
            guard isLast, let manager = all.withLock({ $0 }) else { return }
            Task { await manager.shutdown() }
        }
        // README:begin manager
        var configuration = DownloadManager.Configuration()
        configuration.session = PlainFileSession(sessionPath)
        configuration.maximumRunning = 3
        configuration.maximumSmallFiles = 64  // of at most 1 MiB, where more at once are faster
        let manager = try DownloadManager(configuration: configuration)
        for url in urls { try manager.add(DownloadRequest(url, in: directory)) }
        // README:end
        all.withLock { $0 = manager }
        // README:begin manager-events
        for await event in manager.events {
            if case .changed(let snapshot) = event { show(snapshot) }  // .state, .progress, .fileName, .whyWaiting
        }
        // README:end
        #expect(done.withLock { $0 } == ["a.bin", "b.bin"])
        #expect(try world.bytes("a.bin") == Self.content)
        #expect(try world.bytes("b.bin") == Self.content)
        await manager.shutdown()
    }

    @Test func `a download reports notices`() async throws {
        var behaviour = FileBehaviour(content: Self.content)
        behaviour.honoursRanges = false
        let world = try World(behaviour)
        defer { world.end() }
        let told = Locked<[String]>([])
        let log: @Sendable (String) -> Void = { line in told.withLock { $0.append(line) } }
        try await world.withDownloader { downloader in
            let download = try downloader.start(DownloadRequest(world.url, to: world.path))
            // README:begin notices
            for await notice in download.notices {
                log(notice.message)
                if notice.code == .retrying, let delay = notice.facts.delay { log("again in \(delay)") }
            }
            // README:end
            _ = try await download.result()
        }
        let lines = told.withLock { $0 }
        #expect(
            lines.first == "Connection 1 begins." && lines.last?.hasPrefix("Connection 1 ended") == true, "\(lines)")
        #expect(try world.bytes() == Self.content)
    }

    // MARK: Pausing

    @Test func `a paused download resumes from saved data in another downloader`() async throws {
        let hold = Hold()
        var behaviour = FileBehaviour(content: Self.content)
        behaviour.stall = hold.stall(afterBytes: 1 << 20)
        let world = try World(behaviour)
        defer { world.end() }
        let saved = try await world.withDownloader { downloader in
            let download = try downloader.start(DownloadRequest(world.url, to: world.path))
            try await Self.someBytes(of: download)
            return try await Self.pause(download)
        }
        hold.end()
        #expect(try world.names() == ["file.bin.part", "file.bin.pawl"])
        let before = world.server.requests.count

        let file = try await world.withDownloader { downloader in
            try await Self.resume(saved, with: downloader)
        }
        #expect(try world.bytes() == Self.content)
        #expect(try world.names() == ["file.bin"])
        let resumeData = try JSONDecoder().decode(ResumeData.self, from: saved)
        #expect(resumeData.byteCount > 0)
        #expect(file.resumedFrom == resumeData.byteCount)
        // The second run did not fetch the bytes stored by the first, except 64 KiB of overlap.
        let ranges = world.server.requests.dropFirst(before).map { $0.fields.first("Range") ?? "none" }
        #expect(!ranges.isEmpty && ranges.allSatisfy { $0 != "none" && !$0.hasPrefix("bytes=0-") }, "\(ranges)")
    }

    private static func pause(_ download: Download) async throws -> Data {
        // README:begin pause
        let resumeData = try await download.pause()
        let saved = try JSONEncoder().encode(resumeData)
        // README:end
        return saved
    }

    @Test func `the example of a button that toggles runs`() async throws {
        let hold = Hold()
        var behaviour = FileBehaviour(content: Self.content)
        behaviour.stall = hold.stall(afterBytes: 1 << 20)
        let world = try World(behaviour)
        defer { world.end() }
        try await world.withDownloader { downloader in
            let download = try downloader.start(DownloadRequest(world.url, to: world.path))
            try await Self.someBytes(of: download)
            for state in [DownloadState.paused, .queued] {
                // README:begin toggle
                if download.state == .paused { try download.resume() } else { try await download.pause() }
                // README:end
                #expect((download.state == .paused) == (state == .paused))
            }
            hold.end()
            _ = try await download.result()
        }
        #expect(try world.bytes() == Self.content)
    }

    private static func resume(_ saved: Data, with downloader: Downloader) async throws -> DownloadResult {
        // README:begin resume
        let resumeData = try JSONDecoder().decode(ResumeData.self, from: saved)
        let download = try downloader.resume(from: resumeData)
        let file = try await download.result()
        print("\(file.resumedFrom) bytes were there already")
        // README:end
        return file
    }

    @Test func `resume data holds no secrets and says that it needs the URL again`() async throws {
        let hold = Hold()
        var behaviour = FileBehaviour(content: Self.content)
        behaviour.stall = hold.stall(afterBytes: 1 << 20)
        behaviour.token = FileBehaviour.Token(query: "token=abc")
        let world = try World(behaviour, target: "/file.bin?token=abc")
        defer { world.end() }
        let resumeData = try await world.withDownloader { downloader in
            let download = try downloader.start(DownloadRequest(world.url, to: world.path))
            try await Self.someBytes(of: download)
            return try await download.pause()
        }
        hold.end()
        #expect(resumeData.needsURL)
        #expect(!resumeData.url.contains("abc"))
        try await world.withDownloader { downloader in
            #expect(throws: DownloadError.self) { try downloader.resume(from: resumeData) }
            let freshURL = world.url
            // README:begin resume-with-url
            let download = try downloader.resume(from: resumeData, url: freshURL)
            // README:end
            let file = try await download.result()
            #expect(file.resumedFrom == resumeData.byteCount)
        }
        #expect(try world.bytes() == Self.content)
    }

    @Test func `the same request resumes after a cancellation`() async throws {
        let hold = Hold()
        var behaviour = FileBehaviour(content: Self.content)
        behaviour.stall = hold.stall(afterBytes: 1 << 20)
        let world = try World(behaviour)
        defer { world.end() }
        try await world.withDownloader { downloader in
            let download = try downloader.start(DownloadRequest(world.url, to: world.path))
            try await Self.someBytes(of: download)
            // README:begin cancel
            download.cancel()
            // README:end
            await #expect(throws: CancellationError.self) { try await download.result() }
            #expect(try world.names() == ["file.bin.part", "file.bin.pawl"])

            hold.end()
            let file = try await downloader.download(world.url, to: world.path)
            #expect(file.resumedFrom > 0)
        }
        #expect(try world.bytes() == Self.content)
    }

    @Test func `cancelling the waiting task cancels the download`() async throws {
        var behaviour = FileBehaviour(content: Self.content)
        behaviour.stall = Hold().stall(afterBytes: 1 << 20)
        let world = try World(behaviour)
        defer { world.end() }
        try await world.withDownloader { downloader in
            let (url, path) = (world.url, world.path)
            let task = Task { try await downloader.download(url, to: path) }
            try await Task.sleep(for: .milliseconds(300))
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(try !world.names().contains("file.bin"))
    }

    // MARK: Failures

    @Test func `refreshURL replaces an expired link`() async throws {
        var behaviour = FileBehaviour(content: Self.content)
        // The first answer is cut before a second connection opens. Then the link has expired: the download first
        // attributes the refusal to the precondition and repeats the request without it.
        behaviour.statusOverrides = [2: 403, 3: 403]
        behaviour.cut = FileBehaviour.Cut(afterBytes: 64 << 10, requests: 1...1)
        let world = try World(behaviour)
        defer { world.end() }
        let asked = Locked(0)
        let link = world.url
        let freshLink: @Sendable () async -> String? = {
            asked.withLock { $0 += 1 }
            return link
        }
        try await world.withDownloader { downloader in
            let (url, path) = (world.url, world.path)
            // README:begin refresh
            var request = DownloadRequest(url, to: path)
            request.refreshURL = { await freshLink() }
            let file = try await downloader.start(request).result()
            // README:end
            #expect(file.byteCount == Int64(Self.content.count))
        }
        #expect(asked.withLock { $0 } == 1)
        #expect(try world.bytes() == Self.content)
    }

    @Test func `an error has a message and says whether a retry helps`() async throws {
        var behaviour = FileBehaviour(content: Self.content)
        behaviour.statusOverrides = [1: 404, 2: 404]
        let world = try World(behaviour)
        defer { world.end() }
        let said = Locked<[String]>([])
        let tell: (String) -> Void = { text in said.withLock { $0.append(text) } }
        try await world.withDownloader { downloader in
            let (url, path) = (world.url, world.path)
            // README:begin errors
            do {
                _ = try await downloader.download(url, to: path)
            } catch let error as DownloadError {
                tell(error.message)  // what failed, and on what; error.remedies names what helps
                switch error.recovery {
                case .retryNow, .retryAfter: tell("Try again later.")
                case .reconnect: tell("Log in again.")
                case .restart, .giveUp: tell("Retrying will not help.")
                }
            }
            // README:end
        }
        #expect(said.withLock { $0.count } == 2)
        #expect(said.withLock { $0.last } == "Retrying will not help.")
        #expect(try world.names().isEmpty)
    }

    @Test func `a prefix left by another program is adopted`() async throws {
        let world = try World(FileBehaviour(content: Self.content))
        defer { world.end() }
        try world.put(Array(Self.content.prefix(1 << 20)), as: "file.bin")
        try await world.withDownloader { downloader in
            let (url, path) = (world.url, world.path)
            // README:begin adopt
            var request = DownloadRequest(url, to: path)
            request.adoptsPartialFile = true
            let file = try await downloader.start(request).result()
            // README:end
            #expect(file.resumedFrom == 1 << 20)
        }
        #expect(try world.bytes() == Self.content)
        #expect(world.server.bodyBytesSent < Self.content.count)
    }

    // MARK: Probe, status and repair

    @Test func `a probe reports name, length, ranges and validators`() async throws {
        let world = try World(FileBehaviour(content: Self.content))
        defer { world.end() }
        try await world.withDownloader { downloader in
            let url = world.url
            // README:begin probe
            let report = try await downloader.probe(url)
            print(report.suggestedName, report.get.totalBytes ?? 0, report.acceptsRanges, report.hasStrongValidator)
            // README:end
            #expect(report.suggestedName == "file.bin")
            #expect(report.get.totalBytes == Int64(Self.content.count))
            #expect(report.get.status == 206)
            #expect(report.head?.status == 200)
            #expect(report.acceptsRanges)
            #expect(report.hasStrongValidator)
            #expect(report.redirects == 0)
        }
        #expect(world.server.requests.map(\.method) == ["GET", "HEAD"])
        #expect(try world.names().isEmpty)
    }

    @Test func `the status of a partial file is read from its journal`() async throws {
        let hold = Hold()
        var behaviour = FileBehaviour(content: Self.content)
        behaviour.stall = hold.stall(afterBytes: 1 << 20)
        let world = try World(behaviour)
        defer { world.end() }
        let resumeData = try await world.withDownloader { downloader in
            let download = try downloader.start(DownloadRequest(world.url, to: world.path))
            try await Self.someBytes(of: download)
            return try await download.pause()
        }
        let path = world.path
        // README:begin status
        let status = try PartialFileStatus.read(path)
        print(status.durableBytes, status.totalBytes ?? 0, status.durableRanges)
        // README:end
        #expect(status.durableBytes == resumeData.byteCount)
        #expect(status.totalBytes == Int64(Self.content.count))
        #expect(status.fileName == "file.bin")
        #expect(!status.isLocked)
    }

    @Test func `a repair finds the wrong piece and replaces it`() async throws {
        let world = try World(FileBehaviour(content: Self.content))
        defer { world.end() }
        let pieceLength = 256 << 10
        let hashes = try stride(from: 0, to: Self.content.count, by: pieceLength).map { start in
            try Digest(parsing: "sha-256:" + world.digest(of: Array(Self.content[start..<start + pieceLength]))).bytes
        }
        let pieces = try PieceHashes(algorithm: .sha256, pieceLength: Int64(pieceLength), hashes: hashes)
        var damaged = Self.content
        damaged[1_000_000] ^= 1
        try world.put(damaged, as: "file.bin")
        try await world.withDownloader { downloader in
            let (url, path) = (world.url, world.path)
            // README:begin repair
            var request = DownloadRequest(url, to: path)
            request.pieceHashes = pieces
            let repair = try await downloader.repair(request)
            _ = try await repair.download?.result()
            // README:end
            #expect(repair.findings?.wrongPieces == 1)
            #expect(repair.findings?.wrongBytes == Int64(pieceLength))
            #expect(try await downloader.repair(request).isIntact)
        }
        #expect(try world.bytes() == Self.content)
        #expect(try world.names() == ["file.bin"])
    }

    private static func someBytes(of download: Download) async throws {
        for await progress in download.progress where progress.bytesStored > 128 << 10 { return }
        Issue.record("the download ended before it could be interrupted: \(download.currentProgress.state)")
    }
}

/// A scripted server, a directory, and a target in it.
private struct World {
    let server: ScriptedServer
    let directory: TemporaryDirectory
    let url: String

    init(_ behaviour: FileBehaviour, target: String = "/file.bin") throws {
        server = try ScriptedServer(file: behaviour)
        directory = try TemporaryDirectory("examples")
        url = server.url(target)
    }

    var path: String { directory.file("file.bin") }

    func end() { server.stop() }

    func withDownloader<Value>(_ body: (Downloader) async throws -> Value) async throws -> Value {
        let downloader = try Downloader()
        do {
            let value = try await body(downloader)
            await downloader.shutdown()
            return value
        } catch {
            await downloader.shutdown()
            throw error
        }
    }

    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }

    func bytes(_ name: String = "file.bin") throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: directory.file(name))))
    }

    func put(_ bytes: [UInt8], as name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: directory.file(name)))
    }

    /// The digest in hexadecimal, computed from a temporary file.
    func digest(of bytes: [UInt8]) throws -> String {
        let scratch = try TemporaryDirectory("digest")
        try Data(bytes).write(to: URL(fileURLWithPath: scratch.file("bytes")))
        return try Digest.compute(.sha256, ofFileAt: scratch.file("bytes")).hex
    }
}

#if canImport(FoundationNetworking) || canImport(Darwin)

/// The URLSession examples of the article "From URLSession to Pawl". They are compiled, to prove that they are real
/// code, and never run.
private enum URLSessionExamples {
    static func downloadTask(session: URLSession, url: URL, destination: URL) {
        // README:begin urlsession-download
        let task = session.downloadTask(with: url) { temporaryFile, response, error in
            guard let temporaryFile, (response as? HTTPURLResponse)?.statusCode == 200 else { return }
            // The file is gone when this returns.
            try? FileManager.default.moveItem(at: temporaryFile, to: destination)
        }
        task.resume()
        // README:end
    }

    static func pause(task: URLSessionDownloadTask, keep: @escaping @Sendable (Data) -> Void) {
        // README:begin urlsession-pause
        task.cancel(byProducingResumeData: { resumeData in
            // Nil when the download cannot be resumed. On Linux it always is.
            if let resumeData { keep(resumeData) }
        })
        // README:end
    }

    static func resume(session: URLSession, resumeData: Data) {
        // README:begin urlsession-resume
        let task = session.downloadTask(withResumeData: resumeData)
        task.resume()
        // README:end
    }

    // README:begin urlsession-delegate
    final class Delegate: NSObject, URLSessionDownloadDelegate {
        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData count: Int64,
            totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
        ) {
            print(totalBytesWritten, "of", totalBytesExpectedToWrite)  // -1 when unknown
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo file: URL
        ) {
            // Called for a 404 as well: look at the status, then move the file before returning.
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            // Nil: it is done.
        }
    }
    // README:end

    static func range(session: URLSession, url: URL, file: FileHandle) throws {
        // README:begin urlsession-range
        let offset = try file.seekToEnd()
        var request = URLRequest(url: url)
        request.setValue("bytes=\(offset)-", forHTTPHeaderField: "Range")
        let task = session.dataTask(with: request) { data, response, error in
            guard let data, (response as? HTTPURLResponse)?.statusCode == 206 else { return }
            try? file.write(contentsOf: data)
        }
        task.resume()
        // README:end
    }
}

#endif
