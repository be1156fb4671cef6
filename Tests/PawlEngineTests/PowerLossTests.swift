import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// The power fails at each moment of a simulated download, and the remaining files are compared with the served one.
///
/// The same story runs on a disk on which one kind of sync does nothing: there, the same comparison must find an error.
@Suite struct `B7 Power cuts` {
    private enum Wrong: Hashable {
        /// The journal claims bytes that are missing.
        case claim
        /// A file with wrong bytes has the final name.
        case name
        /// The download reported completion, and the file is gone.
        case gone
    }

    /// Runs the story with a power cut after each change of the disk.
    private func cut(
        seeds: Range<UInt64>, without omission: UnsyncedStorage.Omission? = nil,
        _ prepare: (inout EngineBench) throws -> Void,
        again: (inout EngineBench, Int) throws -> Void = { _, _ in }
    ) throws -> (cuts: Int, wrong: Set<Wrong>) {
        var cuts = 0
        var wrong: Set<Wrong> = []
        for seed in seeds {
            var operation = 0
            var hasCompleted = false
            while !hasCompleted {
                operation += 1
                var bench = try EngineBench(size: 60_000, seed: seed)
                try prepare(&bench)
                if let omission { bench.storage = UnsyncedStorage(bench.disk, without: omission) }
                bench.disk.stopAfter(operations: operation)
                hasCompleted = bench.run().outcome != nil
                bench.disk.crash()
                cuts += 1
                if let found = bench.contents("file.bin") {
                    if found != bench.bytes { wrong.insert(.name) }
                } else if hasCompleted {
                    wrong.insert(.gone)
                }
                if !bench.journalIsTrue { wrong.insert(.claim) }
                guard omission == nil else { continue }
                bench.storage = nil
                if !hasCompleted { try again(&bench, operation) }
            }
        }
        return (cuts, wrong)
    }

    /// Expects the next run to end with the right bytes under the final name.
    private func expectRight(_ bench: inout EngineBench, after operation: Int) {
        let was = bench.contents("file.bin")
        let run = bench.run()
        let isDone = was != nil && run.errorCode == .fileExists
        if run.outcome?.isComplete != true, !isDone {
            Issue.record("cut \(operation): \(run.ending.map { "\($0.phase)" } ?? "no end")")
        }
        if bench.contents("file.bin") != bench.bytes { Issue.record("cut \(operation): \(bench.names)") }
    }

    /// Makes the server slow enough for two checkpoints.
    private func slow(_ bench: inout EngineBench) {
        bench.settings.maximumConnections = 2
        bench.origin.bytesPerSecond = 6000
    }

    @Test
    func `J02 after a power cut at any moment, each byte that the journal claims exists, and the next run completes`()
        throws
    {
        let (cuts, wrong) = try cut(seeds: 0..<4, slow) { bench, operation in expectRight(&bench, after: operation) }
        #expect(wrong.isEmpty)
        #expect(cuts > 60)
    }

    @Test func `J02 the power cut test detects a missing sync of the data before its journal record`() throws {
        #expect(try cut(seeds: 0..<4, without: .partialFile, slow).wrong.contains(.claim))
    }

    @Test
    func `J03 after a power cut at any moment of finishing, the final name belongs to the complete file or to none`()
        throws
    {
        // A download too fast for a checkpoint has no journal, so everything depends on the finishing sequence.
        let (cuts, wrong) = try cut(seeds: 0..<12, { _ in }) { bench, operation in expectRight(&bench, after: operation)
        }
        #expect(wrong.isEmpty)
        #expect(cuts > 60)
    }

    /// Held in memory until it is whole.
    private func held(_ bench: inout EngineBench) { bench.largestHeldFile = 60_000 }

    @Test func `J03 after a power cut at any moment, a file that was held in memory is whole or not there`() throws {
        let (cuts, wrong) = try cut(seeds: 0..<12, held) { bench, operation in
            expectRight(&bench, after: operation)
            #expect(bench.names == ["file.bin"])
        }
        #expect(wrong.isEmpty)
        // Made, written, synced, named, and its directory synced.
        #expect(cuts == 12 * 6)
    }

    @Test func `J02 a file that is held in memory for long is put down, and goes on after a power cut`() throws {
        let (cuts, wrong) = try cut(
            seeds: 0..<4,
            {
                slow(&$0); held(&$0)
            }, again: { bench, operation in expectRight(&bench, after: operation) })
        #expect(wrong.isEmpty)
        #expect(cuts > 60)
    }

    @Test func `J03 the power cut test detects a missing sync of the file before its name`() throws {
        #expect(try cut(seeds: 0..<12, without: .partialFile, { _ in }).wrong.contains(.name))
        #expect(try cut(seeds: 0..<12, without: .partialFile, held).wrong.contains(.name))
    }

    @Test func `J03 the power cut test detects a missing sync of the directory after the name`() throws {
        #expect(try cut(seeds: 0..<12, without: .directory, { _ in }).wrong.contains(.gone))
        #expect(try cut(seeds: 0..<12, without: .directory, held).wrong.contains(.gone))
    }
}
