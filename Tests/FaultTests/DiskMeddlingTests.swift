import Foundation
import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

/// Someone, or faulty hardware, changes the files while Pawl works on them or between two runs.
@Suite struct `B6 Files changed by others` {
    static let content = FileBehaviour.pattern(count: 1_200_000)
    static let foreign: [UInt8] = FileBehaviour.pattern(count: 1_200_000, seed: 99)

    enum Meddling: CaseIterable {
        case deleted, moved, replaced, shortened
        /// Shortened; then a write near the end of the file restores its length.
        case shortenedAndGrown
    }

    @Test(arguments: Meddling.allCases)
    func
        `D12 a partial file that is deleted, moved, replaced or shortened fails the download, and no hole gets into the file`(
            _ meddling: Meddling
        ) async throws
    {
        let gated = try GatedTrial(Self.content, free: 300_000)
        let trial = gated.trial
        let aside = trial.directory.file("aside")
        let first = try await trial.run {
            $0.settings.maximumConnections = 1
        } during: { _ in
            try await gated.waitForClaims(200_000)
            switch meddling {
            case .deleted: Files.remove(trial.partial)
            case .moved: try Files.rename(trial.partial, to: aside)
            case .replaced:
                try Files.rename(trial.partial, to: aside)
                try Files.write(Self.foreign, to: trial.partial)
            case .shortened: try Self.truncate(trial.partial, to: 1000)
            case .shortenedAndGrown:
                try Self.truncate(trial.partial, to: 0)
                try Self.truncate(trial.partial, to: Self.content.count)
            }
            gated.gate.open()
        }
        let error = first.expectFailure(.partialFileChanged, of: meddling == .replaced ? Self.foreign : trial.content)
        #expect(error?.message.contains("file.bin.part") == true)
        if meddling == .replaced {
            #expect(first.files["file.bin.part"] == Self.foreign, "a stranger's file was written to")
            // The journal describes the moved file; once that is put back, the download resumes from it.
            Files.remove(trial.partial)
            try Files.rename(aside, to: trial.partial)
        }
        let second = try await trial.run()
        second.expectWhole(trial.content, beside: meddling == .moved ? ["aside"] : [])
    }

    @Test func `D13 in a partial file of full size, only the ranges that the journal claims count as downloaded`()
        async throws
    {
        let trial = try Trial()
        try trial.leave(durable: 0..<1000, 200_000..<200_001)
        #expect(try Files.status(trial.partial).size == 300_000)
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.bodyBytes >= 298_999)
    }

    @Test
    func
        `D19 another program's file under the partial file's name is neither removed nor renamed when the download fails`()
        async throws
    {
        // The download fails because there is no room for the new file.
        let trial = try Trial()
        let storage = FaultyStorage(POSIXStorage(), .failing(.allocate, with: .noSpace))
        let partial = trial.partial
        storage.before { call in
            guard call.operation == .allocate else { return }
            Files.remove(partial)
            try? Files.write([1, 2, 3], to: partial)
        }
        let first = try await trial.run(storage: storage)
        first.expectFailure(.diskFull, of: trial.content)
        #expect(first.files == ["file.bin.part": [1, 2, 3]])

        // The download fails because the digest does not match.
        let other = try Trial()
        let path = other.partial
        let watching = FaultyStorage(POSIXStorage())
        watching.before { call in
            guard call.operation == .read else { return }
            Files.remove(path)
            try? Files.write([1, 2, 3], to: path)
        }
        let second = try await other.run({ $0.settings.digest = Sums.sha256([9]) }, storage: watching)
        second.expectFailure(.partialFileChanged, of: other.content)
        #expect(second.files == ["file.bin.part": [1, 2, 3]])
    }

    @Test(arguments: [0, 4_000_000_000] as [Int64])
    func
        `D20 modification times of partial file and journal are ignored, and the finished file has the time of its last write`(
            _ time: Int64
        ) async throws
    {
        let trial = try Trial()
        try trial.leave(durable: 0..<200_000)
        try Files.setModified(trial.partial, secondsSinceEpoch: time)
        try Files.setModified(trial.journal, secondsSinceEpoch: time)
        let began = Int64(Date().timeIntervalSince1970)
        let after = try await trial.run()
        after.expectWhole(trial.content)
        after.expectCost(requests: 8, bytes: 100_000 + 2 * 4096)
        let modified = try Files.status(trial.target).modifiedSeconds
        #expect((began - 2...began + 60).contains(modified), "neither the server's time nor an old one")
    }

    @Test
    func
        `D21 a bit that flips on the disk is detected before the file is finished, and only its block is downloaded again`()
        async throws
    {
        let content = FileBehaviour.pattern(count: 3 << 20)
        let gated = try GatedTrial(content, free: 2_500_000)
        let trial = gated.trial
        let after = try await trial.run {
            $0.settings.maximumConnections = 1
            $0.settings.digest = Sums.sha256(content)
        } during: { _ in
            try await gated.waitForClaims(1 << 20)
            try Self.flipBit(of: trial.partial, at: 500_000)
            gated.gate.open()
        }
        after.expectWhole(content, verified: true)
        #expect(after.ranges.last == "bytes=0-1048575")
        // If a busy machine delays the connection for long, the remainder may have been requested twice.
        after.expectCost(requests: 4, bytes: content.count + (1 << 20) + (content.count - 2_500_000))
    }

    @Test
    func
        `D21 bits that keep flipping are reported as a fault of disk or memory, and the file does not get its final name`()
        async throws
    {
        let content = FileBehaviour.pattern(count: (1 << 20) + 500_000)
        let trial = try Trial(content)
        let storage = FaultyStorage(POSIXStorage())
        let partial = trial.partial
        let reads = Locked(0)
        storage.before { call in
            guard call.operation == .read else { return }
            // Every read finds a different bit of the first block flipped.
            let number = reads.withLock { reads in
                reads += 1
                return reads
            }
            try? Self.flipBit(of: partial, at: number)
        }
        let after = try await trial.run(
            {
                $0.settings.maximumConnections = 1
                $0.settings.digest = Sums.sha256(content)
            }, storage: storage)
        let error = after.expectFailure(.diskError, of: content)
        #expect(error?.message.contains("disk or the memory") == true)
        #expect(after.names == ["file.bin.part.bad"])
        after.expectCost(requests: 4, bytes: content.count + 3 * (1 << 20))
    }

    private static func truncate(_ path: String, to size: Int) throws {
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.truncate(atOffset: UInt64(size))
        try file.close()
    }

    private static func flipBit(of path: String, at offset: Int) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: UInt64(offset))
        let byte = try file.read(upToCount: 1)?.first ?? 0
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: [byte ^ 1])
        try file.close()
    }
}
