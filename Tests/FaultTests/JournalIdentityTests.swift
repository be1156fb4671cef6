import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Telling the partial file that a journal describes from another file with the same inode number.
@Suite struct `B7 Reused inode numbers` {
    private static let id = [UInt8](repeating: 5, count: 16)

    private func open(_ name: String, _ trial: Trial) throws -> any StorageFile {
        try POSIXStorage().openDirectory(trial.directory.path).open(name, writable: true)
    }

    /// Leaves files as this version does: both carry the id.
    private func leaveMarked(_ trial: Trial) throws {
        try trial.leave(durable: 0..<200_000)
        let files = try [open("file.bin.part", trial), open("file.bin.pawl", trial)]
        let areMarked = try files.allSatisfy { try $0.setMark(Self.id) }
        try #require(areMarked)
    }

    private func expectRefusal(
        _ trial: Trial, storage: any Storage = POSIXStorage(), at location: SourceLocation = #_sourceLocation
    ) async throws {
        let before = try Files.listing(trial.directory.path)
        let after = try await trial.run(storage: storage)
        #expect(after.error?.code == .journal, "\(after.phase)", sourceLocation: location)
        #expect(after.error?.message.contains("is not the file that") == true, sourceLocation: location)
        #expect(after.requests.isEmpty, sourceLocation: location)
        #expect(try Files.listing(trial.directory.path) == before, sourceLocation: location)
    }

    @Test(.needsMarks) func `D25 J06 a partial file without a mark is refused if its journal has one`() async throws {
        let trial = try Trial()
        try leaveMarked(trial)
        // The state after `rm` and `cp` on a file system that reuses inode numbers at once.
        try open("file.bin.part", trial).removeMark()
        try Files.write([UInt8](repeating: 0, count: 300_000), to: trial.partial)
        try await expectRefusal(trial)
    }

    @Test(.needsMarks) func `D25 J06 a partial file with the same mark as its journal is resumed`() async throws {
        let trial = try Trial()
        try leaveMarked(trial)
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.bodyBytes <= 100_000 + 4096)
    }

    @Test(.needsMarks) func `D25 a journal carries the same mark as its partial file`() async throws {
        let content = FileBehaviour.pattern(count: 3 << 20)
        let gated = try GatedTrial(content, free: 100_000)
        let trial = gated.trial
        let marks = try await marks(gated)
        _ = try await trial.run()
        let partial = try #require(marks.partial)
        #expect(marks.journal == partial)
    }

    private func marks(_ gated: GatedTrial) async throws -> (partial: [UInt8]?, journal: [UInt8]?) {
        let trial = gated.trial
        let paused = try await trial.run(
            { $0.settings.maximumConnections = 1 },
            during: { driver in
                try await gated.waitForClaims(50_000)
                driver.pause()
            })
        gated.gate.open()
        #expect(paused.phase == .paused)
        return (try open("file.bin.part", trial).mark(), try open("file.bin.pawl", trial).mark())
    }

    @Test(.needsCreationTimes) func `D25 J06 without marks, a partial file created after its journal is refused`()
        async throws
    {
        let trial = try Trial()
        // Create the journal first; it is later written in place.
        try Files.write([0], to: trial.journal)
        let noted = try #require(try open("file.bin.pawl", trial).created())
        var created = noted
        while created <= noted {
            Files.remove(trial.partial)
            try Files.write([0], to: trial.partial)
            created = try #require(try open("file.bin.part", trial).created())
        }
        try trial.leave(durable: 0..<200_000)
        var features = SimulatedDisk.Features()
        features.hasMarks = false
        try await expectRefusal(trial, storage: FaultyStorage(POSIXStorage(), features: features))
        // A file without a mark is refused as well if the journal is from an earlier version and never had one.
        try await expectRefusal(trial)
    }

    @Test func `D25 J01 without marks, a partial file created before its journal is resumed`() async throws {
        let trial = try Trial()
        try trial.leave(durable: 0..<200_000)
        var features = SimulatedDisk.Features()
        features.hasMarks = false
        let after = try await trial.run(storage: FaultyStorage(POSIXStorage(), features: features))
        after.expectWhole(trial.content)
        #expect(after.bodyBytes <= 100_000 + 4096)
    }
}
