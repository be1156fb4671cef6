import Testing

@testable import PawlCore

@Suite("When a checkpoint claims written bytes, and which")
struct CheckpointMachineTests {
    private let written = RangeSet(ByteRange(0..<1000))

    private func at(_ seconds: Int) -> Instant { .zero + .seconds(seconds) }

    @Test func `the checkpoint interval starts with the first byte, not before`() {
        var checkpoints = CheckpointMachine()
        #expect(!checkpoints.isDue(for: written, at: at(100)))
        checkpoints.noteFirstByte(at: at(100))
        checkpoints.noteFirstByte(at: at(101))
        #expect(!checkpoints.isDue(for: written, at: at(101)))
        #expect(checkpoints.isDue(for: written, at: at(102)))
    }

    @Test func `a checkpoint claims what was written before it began, and only once it has ended`() {
        var checkpoints = CheckpointMachine()
        checkpoints.begin(claiming: written)
        #expect(checkpoints.hasJournal && checkpoints.durable.isEmpty)
        #expect(!checkpoints.isDue(for: RangeSet(ByteRange(0..<2000)), at: at(100)), "one at a time")
        checkpoints.ended(took: .seconds(1), at: at(100))
        #expect(checkpoints.durable == written && checkpoints.underWay == nil)
    }

    @Test func `a failed checkpoint claims nothing`() {
        var checkpoints = CheckpointMachine()
        checkpoints.begin(claiming: written)
        checkpoints.fail()
        checkpoints.ended(took: .zero, at: at(1))
        #expect(checkpoints.durable.isEmpty)
    }

    @Test func `after a failure nothing more is claimed, with or without a sync`() {
        var checkpoints = CheckpointMachine()
        checkpoints.noteFirstByte(at: at(0))
        checkpoints.fail()
        #expect(checkpoints.hasFailed && !checkpoints.isDue(for: written, at: at(100)))
        let claims = [
            checkpoints.nextUnsyncedCheckpoint(of: written, at: at(0)),
            checkpoints.nextUnsyncedCheckpoint(of: written, at: at(100)),
        ]
        #expect(claims == [nil, nil])
    }

    @Test func `bytes found damaged are claimed neither now nor by the running checkpoint`() {
        var checkpoints = CheckpointMachine()
        checkpoints.resume(claiming: written, at: at(0))
        checkpoints.begin(claiming: written)
        checkpoints.forget(ByteRange(0..<500))
        #expect(checkpoints.durable == RangeSet(ByteRange(500..<1000)))
        checkpoints.ended(took: .zero, at: at(1))
        #expect(checkpoints.durable == RangeSet(ByteRange(500..<1000)))
    }

    @Test func `the unsynced record waits for its interval, for new bytes, and for a running sync`() {
        var checkpoints = CheckpointMachine()
        var claims = [
            checkpoints.nextUnsyncedCheckpoint(of: written, at: at(0)),
            checkpoints.nextUnsyncedCheckpoint(of: written, at: at(1)),
        ]
        #expect(claims == [nil, written])
        let more = RangeSet(ByteRange(0..<2000))
        claims = [
            checkpoints.nextUnsyncedCheckpoint(of: written, at: at(2)),
            checkpoints.nextUnsyncedCheckpoint(of: more, at: at(3)),
        ]
        #expect(claims == [nil, more], "first nothing new, then more")
        checkpoints.begin(claiming: more)
        let duringSync = checkpoints.nextUnsyncedCheckpoint(of: RangeSet(ByteRange(0..<3000)), at: at(4))
        #expect(duringSync == nil)
    }

    @Test func `starting over discards all claims but remembers how slow the disk is`() {
        var checkpoints = CheckpointMachine()
        checkpoints.begin(claiming: written)
        checkpoints.ended(took: .seconds(1), at: at(1))
        var next = checkpoints.startingOver
        #expect(next.durable.isEmpty && !next.hasJournal)
        next.noteFirstByte(at: at(0))
        #expect(!next.isDue(for: written, at: at(19)) && next.isDue(for: written, at: at(20)))
    }
}
