import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

/// Whichever disk call fails, and the how-manieth of its kind: over the live storage and a real disk.
@Suite struct `B6 Every disk call fails once` {
    /// What a run is in the middle of when the call fails.
    enum Story: CaseIterable, CustomTestStringConvertible {
        /// A small file, done before a journal is due.
        case short
        /// Paused when half is there: the journal is made then.
        case paused
        /// Gone on from a journal, and checked with a digest.
        case resumed
        /// An existing file is replaced.
        case replacing

        var testDescription: String { "\(self)" }
    }

    static let operations = FaultyStorage.Operation.allCases.filter {
        // Only for a name that the server chooses is the directory listed, and no time is set (decision 11).
        $0 != .names && $0 != .setModified
    }

    @Test(arguments: operations, Story.allCases)
    func `D03 D04 D08 D17 whichever call fails, nothing false is claimed and the next run completes`(
        _ operation: FaultyStorage.Operation, _ story: Story
    ) async throws {
        var ways: [(StorageError.Reason, FaultyStorage.Extent)] = [(.inputOutput, .none)]
        if [.create, .allocate, .write, .sync, .syncData].contains(operation) { ways.append((.noSpace, .none)) }
        if [.create, .write, .rename, .remove, .directorySync].contains(operation) { ways.append((.inputOutput, .all)) }
        for (reason, extent) in ways {
            var call = 0
            repeat { call += 1 } while try await fail(operation, call, reason, extent, story)
        }
    }

    /// False when there is no such call to fail.
    private func fail(
        _ operation: FaultyStorage.Operation, _ call: Int, _ reason: StorageError.Reason, _ extent: FaultyStorage.Extent,
        _ story: Story
    ) async throws -> Bool {
        let label = "\(story): \(operation) \(call), \(reason), \(extent) of it done"
        let scene = try Scene(story)
        let storage = FaultyStorage(POSIXStorage(), .failing(operation, call: call, with: reason), extent: extent)
        let first = try await scene.run(storage)
        guard !storage.failures.isEmpty else { return false }
        try judge(first, storage, scene, label)
        let second = try await scene.run(POSIXStorage())
        // Named, and with no journal left to tell that it was ours: the name is taken by the right file.
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
        #expect(named == nil || named == scene.trial.content || named == scene.former, "\(label): a wrong file has the name")
        after.expectTruth(about: scene.trial.content)
        switch after.phase {
        case .failed(let error):
            let codes: [DownloadError.Code] = [.diskError, .diskFull]
            #expect(codes.contains(error.code), "\(label): \(error)")
            #expect(error.message.contains(where: \.isLetter) && error.recovery == .retryAfter(nil), "\(label): \(error)")
        case .completed, .paused: break
        default: Issue.record("\(label): \(after.phase)")
        }
    }

    /// A directory and a server as a story finds them.
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
                if story == .paused, let disk = paused.value.withLock({ $0?.disk }) {
                    try connection.send(DiskScript.head(request, content))
                    try connection.sendBody(content[..<30_000])
                    // What came is written when it has lain for a while. A disk that has failed before is not waited for.
                    for _ in 0..<200 where disk.count(of: .write) == 0 && disk.failures.isEmpty {
                        time.skip(.milliseconds(50))
                        try connection.sleep(.milliseconds(1))
                    }
                    // Not the next run.
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
            former = story == .replacing ? [1, 2, 3] : nil
            switch story {
            case .short, .paused: break
            case .resumed: try trial.leave(durable: 0..<20_000, 30_000..<60_000)
            case .replacing:
                try Files.write([1, 2, 3], to: trial.target)
            }
        }

        func run(_ storage: any Storage) async throws -> Aftermath {
            let digest = story == .resumed ? Sums.sha256(trial.content) : nil
            let disk = storage as? FaultyStorage
            paused.value.withLock { $0 = disk.map { ($0, nil) } }
            return try await trial.run({
                $0.settings.digest = digest
                $0.settings.maximumConnections = 1
                if story == .replacing { $0.ifExists = .replace }
            }, storage: storage, during: { [paused] driver in paused.value.withLock { $0?.driver = driver } })
        }
    }
}

/// A place for what exists only later, shared with a script.
final class Shared<Value: Sendable>: Sendable {
    let value = Locked<Value?>(nil)
}
