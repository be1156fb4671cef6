import Pawl
import PawlArchive
import PawlCore
import PawlEngine
import Synchronization
import Testing

@testable import PawlJobs

/// Records of runs as a store keeps them.
@Suite struct RunRecordTests {
    private static func file() -> JobFile {
        var spec = JobSpec("http://a.example/a.zip")
        spec.unpacking = Unpacking()
        spec.unpacking?.removesArchive = true
        spec.hook = ["true"]
        return JobFile(spec: spec)
    }

    private static let fetched = FetchedFile(
        target: FileTarget(path: "/d/a.zip"),
        result: .recorded("/d/a.zip", byteCount: 7, isComplete: true, isVerified: true, skipReason: nil),
        mark: UnpackedMark(text: "7 1.2"))
    private static let unpacked = UnpackedFile(
        target: FileTarget(path: "/d/a"), result: ExtractionResult(directory: "/d/a", members: 3, bytes: 9))

    private static func files() -> [RunRecord.File] {
        var (fetched, removing, done, failed) = (
            RunRecord.File(file()), RunRecord.File(file()), RunRecord.File(file()), RunRecord.File(file())
        )
        fetched.fetched = Self.fetched
        fetched.fetchesWhole = true
        (removing.fetched, removing.unpacked) = (Self.fetched, Self.unpacked)
        (done.fetched, done.unpacked) = (Self.fetched, Self.unpacked)
        done.outcome = .completed(Self.fetched, Self.unpacked)
        failed.outcome = .failed(
            .fetch, .download(DownloadError(.notFound, "It is not there.", recovery: .giveUp)), fetched: nil)
        return [RunRecord.File(file()), fetched, removing, done, failed]
    }

    @Test(arguments: 0..<5)
    func `P08 a record that was kept is read as it was written`(_ index: Int) throws {
        let file = Self.files()[index]
        #expect(try RunRecord.File(Self.file(), json: file.json) == file)
    }

    @Test func `P08 a run that had unpacked its archive begins with the removal, whether that was done or not`() throws
    {
        let record = try RunRecord.File(Self.file(), json: Self.files()[2].json)
        var machine = JobMachine(resuming: [record])
        #expect(machine.handle(.start) == [.removeArchive(JobFileID(1), Self.fetched)])
        let end = machine.handle(.archiveRemoved(JobFileID(1)))
        #expect(end.contains(.publish(.ended(JobFileID(1), .completed(Self.fetched, Self.unpacked)))))
    }

    @Test func `P09 a run whose outcome was told has only its program to run`() throws {
        let record = try RunRecord.File(Self.file(), json: Self.files()[4].json)
        var machine = JobMachine(resuming: [record])
        let outcome = try #require(record.outcome)
        #expect(machine.handle(.start) == [.runHook(JobFileID(1), machine.files[0], outcome)])
        let end = machine.handle(.hookEnded(JobFileID(1), .exited(0)))
        #expect(end.last == .publish(.finished))
    }

    @Test func `P16 a program that was not run is told of by no event, and is still due`() throws {
        let record = try RunRecord.File(Self.file(), json: Self.files()[4].json)
        var machine = JobMachine(resuming: [record])
        _ = machine.handle(.start)
        #expect(machine.handle(.hookEnded(JobFileID(1), .notRun)) == [.publish(.finished)])
    }

    @Test(arguments: [
        "", "[]", "{\"later\":1}", "{\"outcome\":{}}", "{\"fetched\":{}}", "{\"outcome\":{\"step\":\"x\"}}",
    ])
    func `P08 a record that another version wrote is an error, and no other step`(_ json: String) {
        #expect(throws: JobSpecError.self) { try RunRecord.File(Self.file(), json: json) }
    }

    @Test func `P09 a program that waits or runs is not run twice, and both hear of its end`() async {
        let runner = HookRunner()
        let runs = Locked(0)
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let run: HookRunner.Run = {
            runs.withLock { $0 += 1 }
            for await _ in gate {}
            return .exited(3)
        }
        let endings = await withTaskGroup(of: HookEnding.self) { group in
            let (begun, teller) = AsyncStream<Void>.makeStream()
            for _ in 1...2 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        runner.begin(run, name: "job") { continuation.resume(returning: $0) }
                        teller.yield()
                    }
                }
            }
            var count = 0
            for await _ in begun {
                count += 1
                if count == 2 { break }
            }
            opener.finish()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(endings == [.exited(3), .exited(3)])
        #expect(runs.withLock { $0 } == 1)
    }
}
