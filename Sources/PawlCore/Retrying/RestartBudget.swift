/// The limits on how often one run may begin again, and on the bytes that may cost. They outlive each new start.
struct RestartBudget: Hashable, Sendable {
    static let maximumChanges = 5
    static let maximumRepairs = 3

    /// The treatment of a file modified so recently that only one connection can fetch it.
    private enum RecentModification: Hashable, Sendable {
        case unreported
        case reported
        /// The file was begun again once its modification was recent no longer, which is worth it once.
        case restarted
    }

    /// The number of times that another representation was found.
    private(set) var changes = 0
    /// Bytes that came more than once, because no request could leave them out (FAULTS R27).
    private(set) var refetched: Int64 = 0
    private var repairs = 0
    private var recentModification = RecentModification.unreported

    // MARK: Another representation

    var allowsChange: Bool { changes < Self.maximumChanges }

    /// Counts a change of the file. Returns false if there were too many.
    @discardableResult
    mutating func countChange() -> Bool {
        changes += 1
        return changes <= Self.maximumChanges
    }

    // MARK: Damaged bytes

    /// Counts a repair. Returns false if the disk or memory has damaged received bytes too often.
    mutating func countRepair() -> Bool {
        guard repairs < Self.maximumRepairs else { return false }
        repairs += 1
        return true
    }

    // MARK: The same bytes again

    mutating func countRefetched(_ count: Int64) { refetched += count }

    /// - Parameters:
    ///   - held: the bytes that would come again.
    ///   - size: of the file, as far as it is known.
    func allowsRefetching(_ held: Int64, of size: Int64, _ policy: RetryPolicy) -> Bool {
        policy.mayFetchAgain(held, after: refetched, of: size)
    }

    // MARK: A file modified recently

    /// Notes that a recent modification is reported. Returns true the first time.
    mutating func reportRecentModification() -> Bool {
        guard recentModification == .unreported else { return false }
        recentModification = .reported
        return true
    }

    var allowsRestartOfRecent: Bool { recentModification != .restarted }

    mutating func countRestartOfRecent() { recentModification = .restarted }
}
