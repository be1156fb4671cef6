/// Decides when written bytes are synced, and tracks which of them are durable.
///
/// Two records claim bytes: the journal, after each of whose checkpoints the file is synced, and the unsynced record,
/// which costs no sync and survives only the process.
struct CheckpointMachine: Sendable {
    /// Claimed by the journal.
    private(set) var durable = RangeSet()
    /// The ranges that the journal will claim once the running checkpoint has ended.
    private(set) var underWay: RangeSet?
    private(set) var hasJournal = false
    /// File operations have failed: nothing more is claimed.
    private(set) var hasFailed = false
    private var policy: CheckpointPolicy
    /// The time when the last checkpoint ended, or the first byte was written.
    private var last: Instant?
    /// Claimed by the unsynced record.
    private var claimedUnsynced = RangeSet()
    private var lastUnsyncedCheckpoint: Instant?

    init(policy: CheckpointPolicy = CheckpointPolicy()) { self.policy = policy }

    /// The state without any claim, for a new file on the same disk.
    var startingOver: CheckpointMachine { CheckpointMachine(policy: policy) }

    /// An earlier run left a journal.
    mutating func resume(claiming ranges: RangeSet, at now: Instant) {
        hasJournal = true
        durable = ranges
        last = now
    }

    // MARK: The journal

    mutating func noteFirstByte(at now: Instant) { last = last ?? now }

    func isDue(for written: RangeSet, at now: Instant) -> Bool {
        guard !hasFailed, underWay == nil, let last else { return false }
        return policy.isDue(elapsed: now - last, pending: written.count - durable.count)
    }

    mutating func begin(claiming written: RangeSet) {
        hasJournal = true
        underWay = written
    }

    mutating func ended(took: Duration, at now: Instant) {
        if let claimed = underWay { (durable, claimedUnsynced) = (claimed, claimed) }
        underWay = nil
        last = now
        policy.synced(in: took)
    }

    /// The storage failed, so the running checkpoint claims nothing, and no sync is tried again.
    mutating func fail() {
        hasFailed = true
        underWay = nil
    }

    /// These bytes turned out to be wrong.
    mutating func forget(_ range: ByteRange) {
        durable.remove(range)
        underWay?.remove(range)
    }

    // MARK: The unsynced record

    /// The ranges that the unsynced record should claim now; nil leaves it unchanged. None while a sync is under way:
    /// if it fails, nothing written since may be claimed.
    mutating func nextUnsyncedCheckpoint(of written: RangeSet, at now: Instant) -> RangeSet? {
        guard !hasFailed, underWay == nil, written != claimedUnsynced else { return nil }
        guard let former = lastUnsyncedCheckpoint else {
            lastUnsyncedCheckpoint = now
            return nil
        }
        guard policy.isUnsyncedCheckpointDue(elapsed: now - former) else { return nil }
        lastUnsyncedCheckpoint = now
        claimedUnsynced = written
        return written
    }
}
