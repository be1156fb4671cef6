import Dispatch
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

@testable import Pawl

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Errors of single calls, which a fault layer injects into the live storage.
@Suite struct `B6 Disk errors` {
    @Test(arguments: [FaultyStorage.Operation.sync, .syncData])
    func `D04 D05 after a failed sync, the run syncs, reads and claims nothing more`(
        _ operation: FaultyStorage.Operation
    ) async throws {
        let trial = try Trial()
        try trial.leave(durable: 0..<100_000)
        // The first full sync covers the journal as found and does not matter here.
        let storage = FaultyStorage(
            POSIXStorage(), .failing(operation, call: operation == .sync ? 2 : 1, with: .inputOutput))
        let after = try await trial.run({ $0.settings.digest = Sums.sha256(trial.content) }, storage: storage)
        let error = after.expectFailure(.diskError, keeping: 100_000, of: trial.content)
        #expect(error?.message.contains("last checkpoint is kept") == true && error?.remedies == [.checkDisk])
        let failed = try #require(storage.calls.lastIndex { $0 == storage.failures.first })
        // The one permitted write notes in the journal that unsynced bytes must not be believed.
        let later = storage.calls[(failed + 1)...].filter { $0.operation != .write || $0.name != "file.bin.pawl" }.map(
            \.operation)
        #expect(!later.contains { [.sync, .syncData, .read, .write, .rename].contains($0) }, "\(later)")
        // The whole file had arrived, but the journal still claims only the bytes it claimed before.
        #expect(after.record?.generation == 1 || operation == .syncData)
        let second = try await trial.run()
        second.expectWhole(trial.content)
    }

    @Test func `D07 an error that only close reports fails a pause, but not a finished file that was synced before`()
        async throws
    {
        let trial = try Trial()
        let storage = FaultyStorage(POSIXStorage(), .failing(.close, with: .quotaExceeded))
        let whole = try await trial.run(storage: storage)
        whole.expectWhole(trial.content)
        let calls = storage.calls
        let (sync, rename, close) = (
            calls.firstIndex { $0.operation == .sync && $0.name == "file.bin.part" },
            calls.firstIndex { $0.operation == .rename }, calls.firstIndex { $0.operation == .close }
        )
        #expect(try #require(sync) < #require(rename) && #require(rename) < #require(close))

        let gated = try GatedTrial(trial.content, free: 100_000)
        let closing = FaultyStorage(POSIXStorage(), .failing(.close, with: .quotaExceeded))
        let paused = try await gated.trial.run(
            storage: closing,
            during: { driver in
                try await gated.waitForClaims(90_000)
                driver.pause()
            })
        paused.expectFailure(.diskFull, keeping: 90_000, of: trial.content)
        gated.gate.open()
        let second = try await gated.trial.run()
        second.expectWhole(trial.content)
    }

    @Test(
        arguments: [
            (.inputOutput, .diskError), (.stale, .diskError), (.readOnly, .notWritable),
            (.permissionDenied, .notWritable),
            (.quotaExceeded, .diskFull), (.fileTooLarge, .notWritable), (.other(errno: 9999), .diskError),
        ] as [(StorageError.Reason, DownloadError.Code)])
    func
        `D08 D10 D11 a failed write fails the download with its cause, is not retried, and leaves the journal unchanged`(
            _ reason: StorageError.Reason, _ code: DownloadError.Code
        ) async throws
    {
        let trial = try Trial()
        try trial.leave(durable: 0..<100_000)
        let journal = try Files.read(trial.journal)
        let storage = FaultyStorage(POSIXStorage(), .failing(.write, with: reason))
        let first = try await trial.run({ $0.settings.maximumConnections = 1 }, storage: storage)
        let error = first.expectFailure(code, keeping: 100_000, of: trial.content)
        #expect(error?.underlying?.hasPrefix("pwrite") == true)
        #expect(error?.recovery == (reason == .fileTooLarge ? .giveUp : .retryAfter(nil)))
        #expect(storage.count(of: .write) == 1, "the bytes were written again")
        #expect(try Files.read(trial.journal) == journal)
        first.expectCost(requests: 1)
        let second = try await trial.run()
        second.expectWhole(trial.content)
    }

    @Test func `D08 a failed read during verification fails the download, and its durable bytes stay claimed`()
        async throws
    {
        let trial = try Trial()
        try trial.leave(durable: 0..<300_000)
        var plan = FaultPlan()
        // The first read is the journal's.
        plan.failAlways(.read, fromCall: 2, with: .inputOutput)
        let first = try await trial.run(
            { $0.settings.digest = Sums.sha256(trial.content) }, storage: FaultyStorage(POSIXStorage(), plan))
        first.expectFailure(.diskError, keeping: 300_000, of: trial.content)
        let second = try await trial.run { $0.settings.digest = Sums.sha256(trial.content) }
        second.expectWhole(trial.content, verified: true)
        #expect(second.requests.isEmpty)
    }

    @Test func `D09 a short or interrupted write is continued, and one that makes no progress ends`() {
        var answers: [(moved: Int, error: Int32)] = [(3, 0), (-1, EINTR), (1, 0), (-1, EAGAIN), (-1, EAGAIN), (6, 0)]
        var asked: [Int] = []
        var pauses = 0
        func move(_ done: Int) -> Int {
            asked.append(done)
            let answer = answers.removeFirst()
            errno = answer.error
            return answer.moved
        }
        #expect(Transfer.all(10, pause: { pauses += 1 }, move) == 10)
        #expect(asked == [0, 3, 3, 4, 4, 4] && pauses == 2)

        #expect(Transfer.all(10, pause: {}) { $0 == 0 ? 4 : 0 } == 4)
        errno = 0
        #expect(
            Transfer.all(10, pause: {}) { _ in
                errno = EIO; return -1
            } == nil)
        #expect(errno == EIO)
        // Retries end.
        var calls = 0
        let result = Transfer.all(10, pause: {}) { _ in
            calls += 1
            errno = EAGAIN
            return -1
        }
        #expect(result == nil && calls == 101)
    }

    @Test func `D22 bytes are received and written while a slow sync is under way`() async throws {
        let content = FileBehaviour.pattern(count: 2_000_000)
        let gated = try GatedTrial(content, free: 300_000)
        let trial = gated.trial
        let storage = FaultyStorage(POSIXStorage())
        let (isSyncing, release) = (Gate(), DispatchSemaphore(value: 0))
        storage.before { call in
            guard call.operation == .sync, call.name == "file.bin.part", !isSyncing.isPassed else { return }
            isSyncing.open()
            release.wait()
        }
        let after = try await trial.run(
            { $0.settings.maximumConnections = 2 }, storage: storage,
            during: { _ in
                defer { release.signal() }
                try await gated.wait("a sync") { isSyncing.isPassed }
                gated.gate.open()
                try await gated.wait("all bytes in the file while the sync runs") {
                    try Files.read(trial.partial).elementsEqual(content)
                }
                #expect(try !Files.exists(trial.journal) || Journal.decode(Files.read(trial.journal)) == .empty)
            })
        after.expectWhole(content)
    }
}

/// Two processes on a file system without locks, where the fault layer answers as Lustre and NFS do.
@Suite struct `B6 File systems without locks` {
    private static func lockless() -> FaultyStorage {
        var features = SimulatedDisk.Features()
        features.hasLocks = false
        return FaultyStorage(POSIXStorage(), features: features)
    }

    @Test func `D15 without file locks, files of a running process are refused, and the error names that process`()
        async throws
    {
        let other = try Subprocess("sleep", ["60"])
        let trial = try Trial()
        var owner = POSIXStorage().owner
        owner.processID = other.processID
        owner.startTime = try #require(ProcessFacts.startTime(of: "\(other.processID)"))
        try trial.leave(durable: 0..<100_000) { [owner] in $0.owner = owner }
        let before = try Files.listing(trial.directory.path)
        let first = try await trial.run(storage: Self.lockless())
        let error = first.expectFailure(.locked, keeping: 100_000, of: trial.content)
        #expect(error?.message.contains("Process \(other.processID) on \(owner.hostName)") == true)
        #expect(first.requests.isEmpty)
        #expect(try Files.listing(trial.directory.path) == before)

        // Once the owner is dead, its files are free at once.
        other.kill9()
        _ = try await other.wait(timeout: .seconds(5))
        let second = try await trial.run(storage: Self.lockless())
        second.expectWhole(trial.content)
        second.expectCost(requests: 8, bytes: 200_000 + 3 * 4096)
    }

    @Test
    func `D15 without file locks, an owner on another machine counts as running while its files changed recently`()
        async throws
    {
        let trial = try Trial()
        var owner = POSIXStorage().owner
        owner.hostName = "elsewhere"
        try trial.leave(durable: 0..<100_000) { [owner] in $0.owner = owner }
        let first = try await trial.run(storage: Self.lockless())
        let error = first.expectFailure(.locked, keeping: 100_000, of: trial.content)
        #expect(error?.message.contains("elsewhere") == true)
        #expect(first.requests.isEmpty)

        try Files.setModified(trial.partial, secondsSinceEpoch: Int64(time(nil)) - 200)
        let second = try await trial.run(storage: Self.lockless())
        second.expectWhole(trial.content)
    }

    @Test func `D15 without file locks, a process whose files were taken over stops and claims nothing more`()
        async throws
    {
        let gated = try GatedTrial(FileBehaviour.pattern(count: 300_000), free: 100_000)
        let trial = gated.trial
        let taken = Locked<UInt64>(0)
        let after = try await trial.run(
            { $0.settings.maximumConnections = 1 }, storage: Self.lockless(),
            during: { _ in
                try await gated.waitForClaims(90_000)
                // Simulate a process on another host that takes over the files.
                guard case .record(var record) = try Journal.decode(Files.read(trial.journal)) else { return }
                record.generation += 1
                record.owner.hostName = "elsewhere"
                var bytes = try Files.read(trial.journal)
                let slot = Journal.encode(record)
                let start = Int(Journal.slotOffset(generation: record.generation))
                bytes.replaceSubrange(start..<start + slot.count, with: slot)
                try Self.overwrite(trial.journal, with: bytes)
                taken.withLock { $0 = record.generation }
                gated.gate.open()
            })
        let error = after.expectFailure(.locked, keeping: 90_000, of: trial.content)
        #expect(error?.message.contains("elsewhere has taken over “file.bin”") == true)
        #expect(after.record?.generation == taken.withLock { $0 })
        #expect(after.record?.owner.hostName == "elsewhere")
    }

    /// Overwrites the file in place, so that its identity stays the same.
    private static func overwrite(_ path: String, with bytes: [UInt8]) throws {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemCallError("open", path) }
        defer { close(file) }
        guard pwrite(file, bytes, bytes.count, 0) == bytes.count else { throw SystemCallError("pwrite", path) }
    }
}
