import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

/// Fails each disk call of every kind in turn, over the live storage on a real disk.
@Suite struct `B6 Every disk call fails once` {
    /// The activity of the run when the call fails.
    enum Story: CaseIterable, CustomTestStringConvertible {
        /// Downloads a small file, complete before the first checkpoint is due.
        case short
        /// Pauses halfway, which creates the journal.
        case paused
        /// Resumes from a journal and verifies a digest.
        case resumed
        /// Replaces an existing file.
        case replacing
        /// Holds the file in memory until it is whole.
        case held
        /// Pauses halfway, which puts it down.
        case heldPaused
        /// Replaces an existing file by one that was held.
        case heldReplacing

        var holds: Bool { [.held, .heldPaused, .heldReplacing].contains(self) }
        var pauses: Bool { [.paused, .heldPaused].contains(self) }
        var replaces: Bool { [.replacing, .heldReplacing].contains(self) }

        var testDescription: String { "\(self)" }
    }

    static let operations = FaultyStorage.Operation.allCases.filter {
        // The directory is listed only for a name that the server chooses, and no modification time is set (decision
        // 11).
        $0 != .names && $0 != .setModified
    }

    @Test(arguments: operations, Story.allCases)
    func `D03 D04 D08 D17 whichever disk call fails, no false claim is made and the next run completes`(
        _ operation: FaultyStorage.Operation, _ story: Story
    ) async throws {
        var ways: [(StorageError.Reason, FaultyStorage.Extent)] = [(.inputOutput, .none)]
        if [.create, .createUnnamed, .link, .allocate, .write, .sync, .syncData].contains(operation) {
            ways.append((.noSpace, .none))
        }
        if [.create, .link, .write, .rename, .remove, .directorySync].contains(operation) {
            ways.append((.inputOutput, .all))
        }
        for (reason, extent) in ways {
            var call = 0
            repeat { call += 1 } while try await fail(operation, call, reason, extent, story)
        }
    }

    /// Returns false if the run makes no such call.
    private func fail(
        _ operation: FaultyStorage.Operation, _ call: Int, _ reason: StorageError.Reason,
        _ extent: FaultyStorage.Extent,
        _ story: Story
    ) async throws -> Bool {
        let label = "\(story): \(operation) \(call), \(reason), \(extent) of it done"
        let scene = try Scene(story)
        let storage = FaultyStorage(POSIXStorage(), .failing(operation, call: call, with: reason), extent: extent)
        let first = try await scene.run(storage)
        guard !storage.failures.isEmpty else { return false }
        try judge(first, storage, scene, label)
        let second = try await scene.run(POSIXStorage())
        // If the file was renamed and its journal removed, nothing shows that it is ours: the correct file counts as an
        // existing one.
        let isDone = first.files[Trial.name] == scene.trial.content && second.error?.code == .fileExists
        #expect(second.outcome != nil || isDone, "\(label): then \(second.phase)")
        #expect(second.files[Trial.name] == scene.trial.content, "\(label): wrong bytes")
        let left = second.names.filter { $0 != Trial.name && $0 != Trial.name + ".part.orphan-1" }
        #expect(left.isEmpty, "\(label): \(left) are left")
        return true
    }

    private func judge(_ after: Aftermath, _ storage: FaultyStorage, _ scene: Scene, _ label: String) throws {
        #expect(storage.openFileCount == 0, "\(label): left open")
        let named = after.files[Trial.name]
        #expect(
            named == nil || named == scene.trial.content || named == scene.former, "\(label): a wrong file has the name"
        )
        after.expectTruth(about: scene.trial.content)
        switch after.phase {
        case .failed(let error):
            let codes: [DownloadError.Code] = [.diskError, .diskFull]
            #expect(codes.contains(error.code), "\(label): \(error)")
            #expect(error.recovery == .retryAfter(nil), "\(label): \(error)")
            // The message names the file or directory of the call that failed.
            let isNamed = storage.failures.contains { error.message.contains("“\($0.name)”") }
            #expect(isNamed, "\(label): \(error)")
        case .completed, .paused: break
        default: Issue.record("\(label): \(after.phase)")
        }
    }

    /// The directory and the server at the start of a story.
    final class Scene: Sendable {
        let trial: Trial
        let story: Story
        let former: [UInt8]?
        /// The download that is to be paused, once it runs, and the disk that it writes to.
        private let paused = Shared<(disk: FaultyStorage, driver: DownloadDriver?)>()

        init(_ story: Story) throws {
            self.story = story
            let content = FileBehaviour.pattern(count: 60_000)
            let (paused, time) = (paused, SkippedTime())
            trial = try Trial(content, time: time) { request, connection in
                if story.pauses, let disk = paused.value.withLock({ $0?.disk }) {
                    try connection.send(DiskScript.head(request, content))
                    try connection.sendBody(content[..<30_000])
                    // Received bytes are written after a delay, which is skipped here. Do not wait for a disk that has
                    // already failed.
                    for _ in 0..<200
                    where (story.holds ? disk.count(of: .status) : disk.count(of: .write)) == 0 && disk.failures.isEmpty
                    {
                        time.skip(.milliseconds(50))
                        try connection.sleep(.milliseconds(1))
                    }
                    // Pause only this run, not the next.
                    var driver: DownloadDriver?
                    while driver == nil, paused.value.withLock({ $0?.disk === disk }) {
                        driver = paused.value.withLock { $0?.disk === disk ? $0?.driver : nil }
                        try connection.sleep(.milliseconds(1))
                    }
                    driver?.pause()
                    try connection.stall()
                } else {
                    try DiskScript.answer(request, connection, content)
                }
            }
            former = story.replaces ? [1, 2, 3] : nil
            switch story {
            case .short, .paused, .held, .heldPaused: break
            case .resumed: try trial.leave(durable: 0..<20_000, 30_000..<60_000)
            case .replacing, .heldReplacing:
                try Files.write([1, 2, 3], to: trial.target)
            }
        }

        func run(_ storage: any Storage) async throws -> Aftermath {
            let digest = story == .resumed ? Sums.sha256(trial.content) : nil
            let disk = storage as? FaultyStorage
            paused.value.withLock { $0 = disk.map { ($0, nil) } }
            return try await trial.run(
                {
                    $0.settings.digest = digest
                    $0.settings.maximumConnections = 1
                    if story.replaces { $0.ifExists = .replace }
                }, storage: storage, largestHeldFile: story.holds ? 128 << 10 : 0,
                during: { [paused] driver in paused.value.withLock { $0?.driver = driver } })
        }
    }
}

/// Shares a value that is created later with a script.
final class Shared<Value: Sendable>: Sendable {
    let value = Locked<Value?>(nil)
}
