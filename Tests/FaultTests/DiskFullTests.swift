import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Real file systems, mounted with little space.
@Suite(.needsRoot) struct `B6 Full disks` {
    static let content = FileBehaviour.pattern(count: 2_000_000)

    @Test(arguments: [true, false])
    func `D01 D02 a file that does not fit is refused before any of it is stored, whether or not space can be reserved`(
        _ reserves: Bool
    ) async throws {
        let disk = try await MountedDisk(reserves ? .ext4(bytes: 8 << 20) : .ext2(bytes: 8 << 20))
        let trial = try Trial(Self.content, in: disk.path)
        let probe = try POSIXStorage().openDirectory(disk.path).create("probe")
        #expect(try probe.allocate(4096) == reserves)
        try probe.close()
        let ballast = try disk.fill(leaving: 500_000)
        let first = try await trial.run()
        let error = first.expectFailure(.diskFull, of: trial.content)
        #expect(error?.remedies.first == .freeSpace)
        #expect(error?.recovery == .retryAfter(nil))
        #expect(first.names == [] && first.ending.stored == 0)
        first.expectCost(requests: 1)

        Files.remove(ballast)
        let second = try await trial.run()
        second.expectWhole(trial.content)
    }

    @Test
    func
        `D03 a disk that fills up midway fails the download, keeps its claims, and lets a later run complete once there is room`()
        async throws
    {
        let disk = try await MountedDisk(.ext2(bytes: 8 << 20))
        let gated = try GatedTrial(Self.content, free: 600_000, in: disk.path)
        let trial = gated.trial
        var ballast = ""
        var claimed: Int64 = 0
        let first = try await trial.run {
            $0.settings.maximumConnections = 4
        } during: { _ in
            claimed = try await gated.waitForClaims(500_000)
            ballast = try disk.fill()
            gated.gate.open()
        }
        first.expectFailure(.diskFull, keeping: claimed, of: trial.content)
        #expect(first.names == ["file.bin.part", "file.bin.pawl"])
        first.expectCost(requests: 8)

        // The disk is still full, which is reported before any request.
        let second = try await trial.run()
        second.expectFailure(.diskFull, keeping: claimed, of: trial.content)
        #expect(second.requests.isEmpty)

        Files.remove(ballast)
        let third = try await trial.run()
        third.expectWhole(trial.content)
        third.expectCost(requests: 10, bytes: trial.content.count - Int(claimed) + 3 * 4096)
    }

    @Test
    func `D04 D05 writes that the disk loses at the sync are not claimed, although later reads and syncs succeed`()
        async throws
    {
        let content = FileBehaviour.pattern(count: 8 << 20)
        let disk = try await MountedDisk(.hollow(bytes: 32 << 20, beneath: 6 << 20))
        let gated = try GatedTrial(content, free: 1_500_000, in: disk.path)
        let trial = gated.trial
        var claimed: Int64 = 0
        let storage = FaultyStorage(POSIXStorage())
        let first = try await trial.run(
            { $0.settings.maximumConnections = 1 }, storage: storage,
            during: { _ in
                claimed = try await gated.waitForClaims(1_400_000)
                gated.gate.open()
            })
        let error = try #require(first.error)
        #expect(error.code == .diskFull || error.code == .diskError, "\(error)")
        first.expectTruth(about: content)
        let record = try #require(first.record)
        #expect(record.durable.count >= claimed && record.durable.count < Int64(content.count))

        // All writes succeeded, and the lost pages still read as if they were there.
        try await disk.change(.room(bytes: 48 << 20))
        let second = try await trial.run { $0.settings.digest = Sums.sha256(content) }
        second.expectWhole(content, verified: true)
        #expect(
            second.bodyBytes >= content.count - Int(record.durable.count), "bytes were believed that were never synced")
        // Read the disk itself, not the page cache.
        try await disk.remount()
        #expect(try Files.isEqual(trial.target, to: content), "what was written over lost pages is lost too")
    }

    @Test func `D06 a full disk harms neither the journal nor a file whose space is reserved`() async throws {
        let disk = try await MountedDisk(.ext4(bytes: 8 << 20))
        let gated = try GatedTrial(Self.content, free: 600_000, in: disk.path)
        let trial = gated.trial
        let first = try await trial.run {
            $0.settings.maximumConnections = 1
        } during: { driver in
            try await gated.waitForClaims(300_000)
            try disk.fill()
            try await gated.wait("the rest of what came is there") {
                try Files.read(trial.partial)[599_999] == Self.content[599_999]
            }
            driver.pause()
        }
        #expect(first.phase == .paused)
        #expect(first.record?.durable == RangeSet(ByteRange(0..<600_000)), "a checkpoint on a full disk")
        first.expectTruth(about: trial.content)
        gated.gate.open()
        let second = try await trial.run()
        second.expectWhole(trial.content)
    }

    @Test
    func
        `D10 a file system that becomes read-only fails the download, which resumes once the file system is writable again`()
        async throws
    {
        let disk = try await MountedDisk(.ext4(bytes: 8 << 20))
        let gated = try GatedTrial(Self.content, free: 600_000, in: disk.path)
        let trial = gated.trial
        var claimed: Int64 = 0
        let first = try await trial.run {
            $0.settings.maximumConnections = 1
        } during: { _ in
            claimed = try await gated.waitForClaims(300_000)
            try await disk.change(.abort)
            gated.gate.open()
        }
        let error = try #require(first.error)
        #expect(error.code == .notWritable || error.code == .diskError, "\(error)")
        #expect(error.recovery == .retryAfter(nil))
        #expect(first.files[Trial.name] == nil)

        try await disk.remount()
        let second = try await trial.run()
        second.expectWhole(trial.content)
        second.expectCost(requests: 10, bytes: trial.content.count - Int(claimed) + 3 * 4096)
    }

    @Test
    func
        `D10 on a read-only file system, no request is sent if there is a partial file, and only one if there is none`()
        async throws
    {
        let disk = try await MountedDisk(.ext4(bytes: 8 << 20))
        let trial = try Trial(in: disk.path)
        try trial.leave(durable: 0..<100_000)
        try await disk.change(.readOnly)
        let first = try await trial.run()
        let error = first.expectFailure(.notWritable, keeping: 100_000, of: trial.content)
        #expect(error?.message.contains("read-only") == true && error?.remedies.first == .makeWritable)
        #expect(error?.recovery == .retryAfter(nil))
        #expect(first.requests.isEmpty)
        let other = try await trial.run { $0.fileName = "other.bin" }
        #expect(other.error?.code == .notWritable)
        #expect(other.requests.count == 1 && other.ending.stored == 0)

        try await disk.change(.writable)
        let second = try await trial.run()
        second.expectWhole(trial.content)
        second.expectCost(requests: 10, bytes: 200_000 + 3 * 4096)
    }

    @Test func `D16 only the target's own directory is used, so that another mount is no obstacle`() async throws {
        let disk = try await MountedDisk(.memory(bytes: 4 << 20))
        let trial = try Trial(in: disk.path)
        let storage = FaultyStorage(POSIXStorage())
        let after = try await trial.run(storage: storage)
        after.expectWhole(trial.content)
        #expect(Set(storage.calls.filter { $0.operation == .openDirectory }.map(\.name)) == [trial.directory.path])
    }

    @Test func `D23 a file system without free inodes is reported as a full disk`() async throws {
        let disk = try await MountedDisk(.memory(bytes: 4 << 20, names: 16))
        let trial = try Trial(in: disk.path)
        var fillers: [String] = []
        while (try? Files.write([], to: disk.path + "/\(fillers.count)")) != nil {
            fillers.append(disk.path + "/\(fillers.count)")
        }
        let first = try await trial.run()
        first.expectFailure(.diskFull, of: trial.content)
        #expect(first.names == [])
        for path in fillers { Files.remove(path) }
        let second = try await trial.run()
        second.expectWhole(trial.content)
    }
}
