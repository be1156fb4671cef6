import Pawl
import PawlArchive
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

@testable import PawlJobs

/// Whole runs with the library's ports: a local server, its disk, and archives that are unpacked.
@Suite(.timeLimit(.minutes(10))) struct LiveJobTests {
    private static let archive = ZipBuilder([
        .init("readme.txt", Array("hello".utf8)), .init("data.bin", FileBehaviour.pattern(count: 90_000)),
    ])

    private static func job(_ world: LiveWorld, _ name: String, _ change: (inout JobSpec) -> Void = { _ in }) -> JobSpec
    {
        var spec = JobSpec(world.url(name))
        spec.directory = world.directory.path
        spec.fileName = name
        spec.options.ifExists = .skip
        change(&spec)
        return spec
    }

    @Test func `a Metalink's file is fetched from its mirrors, verified and unpacked, and its hook runs`() async throws
    {
        let world = try LiveWorld()
        let path = try world.write("sum", Self.archive.bytes())
        let digest = try Digest.compute(.sha256, ofFileAt: path)
        world.serve("a.zip", Self.archive.bytes())
        world.serve("plain.bin", [1, 2, 3])
        let urls = ["127.0.0.1", "localhost"].map { "<url>http://\($0):\(world.server.port)/a.zip</url>" }.joined()
        world.serve(
            "list.meta4",
            Array(
                "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"deep/a.zip\"><hash type=\"sha-256\">\(digest.hex)</hash>\(urls)</file></metalink>"
                    .utf8))
        var described = JobSpec(.metalink(world.url("list.meta4")))
        described.directory = world.directory.path
        described.unpacking = Unpacking()
        described.hook = ["notify"]
        let run = try await world.run([described, Self.job(world, "plain.bin")])

        let target = world.directory.file("deep/a.zip")
        #expect(
            run.outcomes.count == 2
                && run.outcomes.values.allSatisfy { if case .completed = $0 { true } else { false } })
        #expect(run.hooks == [JobFileID(1)])
        guard case .completed(let fetched, let unpacked?) = run.outcomes[JobFileID(1)] else {
            Issue.record("\(run.events)")
            return
        }
        #expect(fetched.path == target && fetched.result.isVerified && !fetched.existed && !unpacked.isSkipped)
        #expect(try Files.read(world.directory.file("deep/a/data.bin")) == Self.archive.members[1].data)
        #expect(try Files.read(world.directory.file("plain.bin")) == [1, 2, 3])

        // Running the jobs again finds every file unchanged.
        described.ifExists = .fail
        let again = try await world.run([described, Self.job(world, "plain.bin")])
        guard case .completed(let existing, let stillUnpacked?) = again.outcomes[JobFileID(1)] else {
            Issue.record("\(String(describing: again.outcomes[JobFileID(1)]))")
            return
        }
        #expect(existing.existed && existing.result.isVerified && stillUnpacked.isSkipped)
        described.ifExists = nil
        let third = try await world.run([described])
        guard case .completed(let left, let kept?) = third.outcomes[JobFileID(1)] else {
            Issue.record("\(third.events)")
            return
        }
        #expect(left.existed && left.target == fetched.target && kept.isSkipped && kept.target == unpacked.target)
    }

    @Test func `an existing file is unpacked only if it matches its digest`() async throws {
        let world = try LiveWorld()
        world.serve("a.zip", Self.archive.bytes())
        let path = try world.write("a.zip", [1, 2, 3])
        let wrong = try Digest(parsing: "sha-256:" + String(repeating: "0", count: 64))
        let job = Self.job(world, "a.zip") {
            $0.unpacking = Unpacking()
            $0.options.digest = wrong
        }
        let run = try await world.run([job])
        guard case .failed(.fetch, .download(let error), nil) = run.outcomes[JobFileID(1)] else {
            Issue.record("\(run.events)")
            return
        }
        #expect(error.code == .digestMismatch)
        #expect(try Files.read(path) == [1, 2, 3])
        #expect(try Files.names(world.directory.path) == ["a.zip"])
    }

    @Test func `a paused file resumes where it was, and a stopped file keeps its bytes`() async throws {
        let world = try LiveWorld()
        let bytes = FileBehaviour.pattern(count: 400_000)
        world.serve("a.bin", bytes, holding: true)
        let run = try world.begin([Self.job(world, "a.bin")])
        try await world.server.waitForRequest()
        run.driver.pause(JobFileID(1))
        try await run.wait { $0 == .paused(JobFileID(1)) }
        world.release()
        run.driver.resume(JobFileID(1))
        try await run.wait { $0 == .finished }
        #expect(try Files.read(world.directory.file("a.bin")) == bytes)
        await run.end()

        world.serve("b.bin", bytes, holding: true)
        let stopped = try world.begin([Self.job(world, "b.bin")])
        try await world.server.waitForRequest("/b.bin")
        stopped.driver.stop()
        try await stopped.wait { $0 == .finished }
        #expect(stopped.record.outcomes == [JobFileID(1): .stopped(.fetch, fetched: nil)])
        world.release()
        await stopped.end()
    }

    @Test func `members are fetched alone, or with the whole archive if the server does not support ranges`()
        async throws
    {
        let world = try LiveWorld()
        world.serve("a.zip", Self.archive.bytes())
        let member = Self.job(world, "a.zip") {
            $0.members = ["data.bin"]
            $0.fileName = nil
            $0.unpacking = Unpacking()
        }
        let run = try await world.run([member])
        guard case .completed(let fetched, nil) = run.outcomes[JobFileID(1)] else {
            Issue.record("\(run.events)")
            return
        }
        #expect(fetched.path == world.directory.file("data.bin") && !fetched.existed)
        #expect(try Files.names(world.directory.path) == ["data.bin"])
        #expect(try Files.read(fetched.path) == Self.archive.members[1].data)
        let again = try await world.run([member])
        guard case .completed(let left, nil) = again.outcomes[JobFileID(1)] else {
            Issue.record("\(again.events)")
            return
        }
        #expect(left.existed && left.path == fetched.path)

        world.serve("whole.zip", Self.archive.bytes()) { $0.honoursRanges = false }
        let whole = Self.job(world, "whole.zip") {
            $0.members = ["data.bin"]
            $0.fileName = nil
            $0.unpacking = Unpacking()
            $0.acceptsWholeArchive = true
        }
        let other = try await world.run([whole])
        #expect(other.events.contains(.fetchesWhole(JobFileID(1))))
        guard case .completed(_, .some) = other.outcomes[JobFileID(1)] else {
            Issue.record("\(other.events)")
            return
        }
        #expect(try Files.names(world.directory.file("whole")) == ["data.bin"])
    }

    @Test func `two jobs for members of one archive are two`() async throws {
        let world = try LiveWorld()
        world.serve("a.zip", Self.archive.bytes())
        let jobs = ["readme.txt", "data.bin"].map { name in
            Self.job(world, "a.zip") {
                $0.members = [name]
                $0.fileName = nil
            }
        }
        let run = try await world.run(jobs + jobs)
        #expect(run.outcomes.values.allSatisfy(\.isComplete) && run.outcomes.count == 2, "\(run.events)")
        #expect(try Files.names(world.directory.path) == ["data.bin", "readme.txt"])
    }

    @Test func `members of many archives wait for places in the queue, and can be paused there`() async throws {
        let world = try LiveWorld()
        let jobs = (0..<12).map { number in
            world.serve("\(number).zip", Self.archive.bytes(), holding: true)
            return Self.job(world, "\(number).zip") {
                $0.members = ["data.bin"]
                $0.fileName = "\(number).bin"
            }
        }
        let run = try world.begin(jobs)
        let (first, last) = (JobFileID(1), JobFileID(12))
        try await world.server.waitForRequest("/0.zip")
        for id in [first, last] {
            run.driver.pause(id)
            try await run.wait { $0 == .paused(id) }
        }
        // Five have places.
        #expect(!world.server.requests.contains { $0.path == "/11.zip" })
        world.release()
        for id in [first, last] { run.driver.resume(id) }
        try await run.wait { $0 == .finished }
        await run.end()
        #expect(run.record.outcomes.values.allSatisfy(\.isComplete) && run.record.outcomes.count == 12)
        for number in 0..<12 {
            #expect(try Files.read(world.directory.file("\(number).bin")) == Self.archive.members[1].data)
        }
    }

    @Test func `members that wait for a place are stopped with the run`() async throws {
        let world = try LiveWorld()
        let jobs = (0..<12).map { number in
            world.serve("\(number).zip", Self.archive.bytes(), holding: true)
            return Self.job(world, "\(number).zip") { $0.members = ["data.bin"] }
        }
        let run = try world.begin(jobs)
        try await world.server.waitForRequest("/0.zip")
        run.driver.stop()
        try await run.wait { $0 == .finished }
        #expect(run.record.outcomes.values.allSatisfy(\.isStopped) && run.record.outcomes.count == 12)
        world.release()
        await run.end()
    }

    @Test func `credentials for a Metalink's origin are not sent for a checksum list elsewhere`() async throws {
        let world = try LiveWorld()
        world.serve("a.zip", [1, 2, 3])
        let digest = try Digest.compute(.sha256, ofFileAt: try world.write("sum", [1, 2, 3]))
        world.serve("sums", Array("\(digest.hex)  a.zip\n".utf8))
        world.serve(
            "list.meta4",
            Array(
                "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"a.zip\"><url>\(world.url("a.zip"))</url></file></metalink>"
                    .utf8))
        var job = JobSpec(.metalink(world.url("list.meta4")))
        job.directory = world.directory.path
        job.headers = [HTTPField("X-Token", "secret")]
        job.digestList = "http://localhost:\(world.server.port)/sums"
        let run = try await world.run([job])
        guard case .completed(let fetched, _) = run.outcomes[JobFileID(1)] else {
            Issue.record("\(run.events)")
            return
        }
        #expect(fetched.result.isVerified)
        let told = world.server.requests.filter { $0.fields.contains { $0.name == "X-Token" } }
        #expect(Set(told.map(\.path)) == ["/list.meta4", "/a.zip"])
        #expect(world.server.requests.contains { $0.path == "/sums" })
    }

    @Test func `a checksum list is looked for beside the URL, and the first that names the file is taken`() async throws
    {
        let world = try LiveWorld()
        let bytes: [UInt8] = [1, 2, 3]
        world.serve("a.bin", bytes)
        world.serve("b.bin", bytes)
        let digest = try Digest.compute(.sha256, ofFileAt: try world.write("sum", bytes)).hex
        let wrong = String(repeating: "0", count: 64)
        world.serve("a.bin.sha256", Array("\(wrong)  other.bin\n".utf8))
        world.serve("a.bin.sha512", Array("<html>not here</html>".utf8))
        world.serve("SHA256SUMS", Array("\(digest)  ./a.bin\n\(digest)  c.bin\n".utf8))
        world.serve("sha256sum.txt", Array("\(wrong)  a.bin\n".utf8))
        let run = try await world.run(["a.bin", "b.bin"].map { Self.job(world, $0) { $0.digestList = "auto" } })
        let verified = [1, 2].map { id in
            if case .completed(let file, _) = run.outcomes[JobFileID(id)] {
                file.result.isVerified
            } else {
                nil as Bool?
            }
        }
        #expect(verified == [true, false], "\(run.events)")
        let told = run.events.flatMap { if case .noticed(_, let notices) = $0 { notices } else { [] as [String] } }
        #expect(told.count == 2 && told.count { $0.contains("/SHA256SUMS") } == 1, "\(told)")
        #expect(told.contains { $0.hasPrefix("No checksum of the file") && $0.contains("/b.bin") }, "\(told)")
        let asked = world.server.requests.map(\.path)
        #expect(asked.count { $0 == "/SHA256SUMS" } == 1 && asked.contains("/b.bin.sha512"))

        world.serve("a.bin.sha256", Array("\(wrong)\n".utf8))
        let refuted = try await world.run([Self.job(world, "a.bin") { ($0.digestList, $0.fileName) = ("auto", "x") }])
        guard case .failed(_, .download(let error), _) = refuted.outcomes[JobFileID(1)] else {
            Issue.record("\(refuted.events)")
            return
        }
        #expect(error.code == .digestMismatch)
    }

    @Test func `a checksum list named by several jobs is read once, with only its own origin's secrets`() async throws {
        let world = try LiveWorld()
        var list = ""
        for name in ["a.bin", "b.bin", "c.bin"] {
            let bytes = Array(name.utf8)
            world.serve(name, bytes)
            list += "\(try Digest.compute(.sha256, ofFileAt: try world.write("sum-" + name, bytes)).hex)  \(name)\n"
        }
        world.serve("sums", Array(list.utf8))
        let jobs = ["a.bin", "b.bin", "c.bin"].enumerated().map { index, name in
            Self.job(world, name) {
                $0.digestList = world.url("sums")
                // The first job's file is on another origin than the list.
                if index == 0 { $0.source = .url("http://localhost:\(world.server.port)/\(name)") }
                if index == 1 { $0.headers = [HTTPField("X-Token", "secret")] }
            }
        }
        let run = try await world.run(jobs)
        #expect(
            run.outcomes.values.count { if case .completed(let file, _) = $0 { file.result.isVerified } else { false } }
                == 3)
        let asked = world.server.requests.filter { $0.path == "/sums" }
        #expect(asked.count == 1 && asked.first?.fields.contains { $0.name == "X-Token" } == true)
        #expect(
            world.server.requests.filter { $0.fields.contains { $0.name == "X-Token" } }.map(\.path).allSatisfy {
                ["/sums", "/b.bin"].contains($0)
            })
    }

    @Test func `a run ends when its manager shuts down, and when its download is removed`() async throws {
        let world = try LiveWorld()
        for name in ["a.bin", "b.bin"] { world.serve(name, FileBehaviour.pattern(count: 400_000), holding: true) }
        let stopped = try world.begin([Self.job(world, "a.bin")])
        try await world.server.waitForRequest()
        await stopped.manager.shutdown()
        try await stopped.wait { $0 == .finished }
        #expect(stopped.record.outcomes == [JobFileID(1): .stopped(.fetch, fetched: nil)])
        await stopped.end()

        let removed = try world.begin([Self.job(world, "b.bin")])
        try await world.server.waitForRequest("/b.bin")
        for id in removed.manager.ids { try removed.manager.remove(id) }
        try await removed.wait { $0 == .finished }
        #expect(removed.record.outcomes == [JobFileID(1): .stopped(.fetch, fetched: nil)])
        world.release()
        await removed.end()
    }

    @Test func `an archive replaced while its job was paused is neither unpacked nor removed`() async throws {
        let world = try LiveWorld()
        world.serve("a.zip", Self.archive.bytes())
        let path = try world.write("a.zip", Self.archive.bytes())
        let secrets = SecretReader()
        let archives = LiveArchives(secrets)
        let mark = UnpackedMark(of: path, patterns: nil)
        let fetched = FetchedFile(
            target: FileTarget(path: path), path: path, existed: false, isVerified: true, mark: mark)
        Files.remove(path)
        _ = try world.write("a.zip", [9, 9, 9])
        let file = JobFile(spec: Self.job(world, "a.zip") { $0.unpacking = Unpacking() })
        let archive = ArchiveToUnpack(file: file, fetched: fetched)
        let inspection = await withCheckedContinuation { continuation in
            _ = archives.inspect(JobFileID(1), archive, digest: nil) { continuation.resume(returning: $0) }
        }
        guard case .done(let found) = inspection else {
            Issue.record("\(inspection)")
            return
        }
        #expect(!found.isUnchanged)
        archives.remove(fetched) { result in
            let failure = #expect(throws: JobFailure.self) { try result.get() }
            #expect(failure?.code == "changed")
        }
        #expect(try Files.read(path) == [9, 9, 9])
    }

    @Test func `Z13 an archive whose directory became a link is neither unpacked nor removed`() async throws {
        let world = try LiveWorld()
        let (place, outside) = (world.directory.file("place"), world.directory.file("outside"))
        for directory in [place, outside] { try Files.makeDirectory(directory) }
        let path = try world.write("place/a.zip", Self.archive.bytes())
        let archives = LiveArchives(SecretReader(), followsLinks: false)
        let mark = UnpackedMark(of: path, patterns: nil)
        let fetched = FetchedFile(
            target: FileTarget(path: path), path: path, existed: false, isVerified: true, mark: mark)
        var file = JobFile(
            spec: Self.job(world, "a.zip") {
                $0.unpacking = Unpacking()
                $0.unpacking?.directory = place + "/out"
            })
        file.isAlone = true
        let archive = ArchiveToUnpack(file: file, fetched: fetched)
        // The very same file, behind a link.
        try Files.rename(path, to: outside + "/a.zip")
        try Files.rename(place, to: world.directory.file("moved"))
        try Files.makeSymbolicLink(place, to: "outside")
        let end = await withCheckedContinuation { continuation in
            _ = archives.unpack(JobFileID(1), archive, ifExists: .fail, progress: { _ in }) {
                continuation.resume(returning: $0)
            }
        }
        guard case .failed = end else {
            Issue.record("\(end)")
            return
        }
        archives.remove(fetched) { result in #expect(throws: JobFailure.self) { try result.get() } }
        #expect(try Files.names(outside) == ["a.zip"])
        Files.remove(place)
        try Files.rename(world.directory.file("moved"), to: place)
        try Files.rename(outside + "/a.zip", to: path)
        archives.remove(fetched) { result in #expect(throws: Never.self) { try result.get() } }
        archives.remove(fetched) { result in #expect(throws: Never.self) { try result.get() } }
        #expect(try Files.names(place).isEmpty)
    }

    @Test(arguments: ["archive", "directory", "above it"])
    func `Z13 where links are refused, none is the archive, the directory to unpack into, or the way to it`(
        _ kind: String
    ) async throws {
        let world = try LiveWorld()
        let outside = world.directory.file("outside")
        try Files.makeDirectory(outside)
        let real = try world.write("real.zip", Self.archive.bytes())
        var path = real
        var directory = world.directory.file("out")
        switch kind {
        case "archive":
            path = world.directory.file("a.zip")
            try Files.makeSymbolicLink(path, to: "real.zip")
        case "directory": try Files.makeSymbolicLink(directory, to: "outside")
        default:
            try Files.makeSymbolicLink(world.directory.file("way"), to: "outside")
            directory = world.directory.file("way/out")
        }
        // What a link leads to has the mark.
        let fetched = FetchedFile(
            target: FileTarget(path: path), path: path, existed: false, isVerified: true,
            mark: UnpackedMark(of: real, patterns: nil))
        var file = JobFile(
            spec: Self.job(world, "a.zip") {
                $0.unpacking = Unpacking()
                $0.unpacking?.directory = directory
            })
        let archives = LiveArchives(SecretReader(), followsLinks: false)
        for isAlone in [true, false] {
            file.isAlone = isAlone
            let archive = ArchiveToUnpack(file: file, fetched: fetched)
            let end = await withCheckedContinuation { continuation in
                _ = archives.unpack(JobFileID(1), archive, ifExists: .fail, progress: { _ in }) {
                    continuation.resume(returning: $0)
                }
            }
            if case .done(let unpacked) = end { Issue.record("\(isAlone): \(unpacked)") }
            #expect(try Files.names(outside).isEmpty)
        }
        file.isAlone = true
        let archive = ArchiveToUnpack(file: file, fetched: fetched)
        let inspection = await withCheckedContinuation { continuation in
            _ = archives.inspect(JobFileID(1), archive, digest: nil) { continuation.resume(returning: $0) }
        }
        guard case .done(let found) = inspection else {
            Issue.record("\(inspection)")
            return
        }
        #expect(found.isUnchanged == (kind != "archive") && !found.isUnpacked)
        archives.remove(fetched) { result in
            #expect((try? result.get()) == nil ? kind == "archive" : kind != "archive")
        }
        #expect(Files.exists(real) == (kind == "archive"))
    }

    @Test(arguments: ["gzip", "x-gzip", "deflate", nil])
    func `Z18 checksum lists and Metalinks that the server has compressed are read`(_ coding: String?) async throws {
        let world = try LiveWorld()
        let content = FileBehaviour.pattern(count: 5000)
        world.serve("a.bin", content)
        let digest = try Digest.compute(.sha256, ofFileAt: try world.write("sum", content))
        let metalink =
            "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"a.bin\"><url>\(world.url("a.bin"))</url></file></metalink>"
        for (name, text) in ["sums": "\(digest.hex)  a.bin\n", "list.meta4": metalink] {
            let plain = try world.write("plain-" + name, Array(text.utf8))
            let script =
                coding == "deflate"
                ? "python3 -c 'import sys, zlib; sys.stdout.buffer.write(zlib.compress(sys.stdin.buffer.read()))'"
                : "gzip"
            let output = try await Subprocess.run("sh", ["-c", "\(script) < \"$1\" > \"$1.packed\"", "sh", plain])
            try #require(output.ending == .exited(0), "\(output.standardError)")
            world.serve(name, try Files.read(plain + ".packed")) {
                // As servers that compress on the way: without ranges.
                $0.honoursRanges = coding == nil
                if let coding { $0.extraFieldLines = ["Content-Encoding: \(coding)"] }
            }
        }
        var job = JobSpec(.metalink(world.url("list.meta4")))
        job.directory = world.directory.path
        job.digestList = world.url("sums")
        let run = try await world.run([job])
        guard case .completed(let fetched, _) = run.outcomes[JobFileID(1)] else {
            Issue.record("\(run.events)")
            return
        }
        #expect(fetched.result.isVerified)
        #expect(try Files.isEqual(world.directory.file("a.bin"), to: content))
    }

    @Test func `Z18 a document in a coding that cannot be decoded is said to be compressed`() async throws {
        let world = try LiveWorld()
        world.serve("a.bin", [1])
        // A text by Brotli: its bytes are what that begins with.
        world.serve("sums", [0x1B, 0x4A, 0x00, 0xF8, 0x8D, 0x94, 0x6E, 0xDE, 0x44, 0x55, 0x86, 0x96]) {
            $0.honoursRanges = false
            $0.extraFieldLines = ["Content-Encoding: br"]
        }
        let run = try await world.run([Self.job(world, "a.bin") { $0.digestList = world.url("sums") }])
        guard case .refused(.download(let error)) = run.events.first else {
            Issue.record("\(run.events)")
            return
        }
        #expect(error.code == .badResponse && error.message.contains("Content-Encoding: br"), "\(error)")
        // A coding that only names something, around a plain text.
        let digest = try Digest.compute(.sha256, ofFileAt: try world.write("sum", [1]))
        world.serve("sums", Array("\(digest.hex)  a.bin\n".utf8)) {
            $0.honoursRanges = false
            $0.extraFieldLines = ["Content-Encoding: aws-chunked"]
        }
        let plain = try await world.run([Self.job(world, "a.bin") { $0.digestList = world.url("sums") }])
        guard case .completed = plain.outcomes[JobFileID(1)] else {
            Issue.record("\(plain.events)")
            return
        }
    }

    @Test func `a missing entry or unreadable list ends the run before any fetch`() async throws {
        let world = try LiveWorld()
        world.serve("a.zip", [1])
        world.serve("sums", Array("\(String(repeating: "0", count: 64))  other.zip\n".utf8))
        let unlisted = Self.job(world, "a.zip") { $0.digestList = world.url("sums") }
        let run = try await world.run([unlisted, Self.job(world, "b.zip")])
        guard case .refused(.document(_, .noDigest)) = run.events.first else {
            Issue.record("\(run.events)")
            return
        }
        var none = unlisted
        none.digestList = world.directory.file("absent")
        guard case .refused(.download(let error)) = try await world.run([none]).events.first else {
            Issue.record("an absent list was read")
            return
        }
        #expect(error.message.contains("cannot be read"))
        #expect(world.server.requests.allSatisfy { $0.path == "/sums" })
    }
}

extension ScriptedServer {
    /// Waits until the server has received a request, for `path` if that is given.
    fileprivate func waitForRequest(_ path: String? = nil) async throws {
        while !requests.contains(where: { path == nil || $0.path == path }) {
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}

/// A server with given files, a directory, and runs of jobs between the two.
final class LiveWorld: Sendable {
    struct Record: Sendable {
        var events: [JobEvent] = []
        var hooks: [JobFileID] = []

        var outcomes: [JobFileID: JobOutcome] {
            var outcomes: [JobFileID: JobOutcome] = [:]
            for case .ended(let id, let outcome) in events { outcomes[id] = outcome }
            return outcomes
        }
    }

    private struct Served: Sendable {
        var script: FileScript
        var isHeld: Bool
    }

    /// A run in progress.
    struct Run {
        let driver: JobDriver
        fileprivate let recorder: Recorder
        let manager: DownloadManager
        fileprivate let downloader: Downloader

        var record: Record { recorder.record.withLock { $0 } }

        func wait(until isDone: (JobEvent) -> Bool) async throws {
            while !record.events.contains(where: isDone) { try await Task.sleep(for: .milliseconds(2)) }
        }

        func end() async {
            await manager.shutdown()
            await downloader.shutdown()
        }
    }

    fileprivate final class Recorder: JobHookPort {
        let record = Locked(Record())

        func check(_ spec: JobSpec) {}

        func run(
            _ id: JobFileID, _ file: JobFile, _ outcome: JobOutcome, _ ended: @escaping @Sendable (HookEnding) -> Void
        ) {
            record.withLock { $0.hooks.append(id) }
            ended(.exited(0))
        }
    }

    let server: ScriptedServer
    let directory: TemporaryDirectory
    private let served: Shared<[String: Served]>

    init() throws {
        let served = Shared<[String: Served]>([:])
        self.served = served
        directory = try TemporaryDirectory("jobs")
        server = try ScriptedServer { request, connection in
            guard let file = served.value.withLock({ $0[request.path] }) else {
                return try connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            }
            while served.value.withLock({ $0[request.path]?.isHeld == true }) { try connection.sleep(.milliseconds(2)) }
            try file.script.answer(request, connection)
        }
    }

    deinit { server.stop() }

    func url(_ name: String) -> String { server.url("/" + name) }

    /// - Parameter holding: Whether the server withholds every answer until ``release()``.
    func serve(
        _ name: String, _ bytes: [UInt8], holding: Bool = false, _ change: (inout FileBehaviour) -> Void = { _ in }
    ) {
        var behaviour = FileBehaviour(content: bytes)
        change(&behaviour)
        let script = FileScript(behaviour)
        served.value.withLock { $0["/" + name] = Served(script: script, isHeld: holding) }
    }

    func release() { served.value.withLock { served in for name in served.keys { served[name]?.isHeld = false } } }

    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        try Files.write(bytes, to: directory.file(name))
        return directory.file(name)
    }

    func begin(_ jobs: [JobSpec]) throws -> Run {
        let downloader = try Downloader()
        let manager = try DownloadManager()
        let (secrets, recorder) = (SecretReader(), Recorder())
        let ports = JobPorts(
            documents: LiveDocuments(downloader, secrets, for: JobRows(jobs)),
            fetches: LiveFetches(downloader, secrets) { () throws(DownloadError) in manager },
            archives: LiveArchives(secrets), hooks: recorder)
        let driver = JobDriver(jobs, ports: ports) { news in recorder.record.withLock { $0.events += news } }
        driver.start()
        return Run(driver: driver, recorder: recorder, manager: manager, downloader: downloader)
    }

    func run(_ jobs: [JobSpec]) async throws -> Record {
        let run = try begin(jobs)
        try await run.wait { $0 == .finished }
        await run.end()
        return run.record
    }
}
