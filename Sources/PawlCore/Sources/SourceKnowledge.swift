/// The URLs at which a source is reached, and the renewal of its URL.
struct SourceLink: Hashable, Sendable {
    /// The URL at which redirects begin: the one given, or the one that the caller supplied in its place.
    var startURL: HTTPURL
    /// The URL that the last good response came from.
    var currentURL: HTTPURL
    /// The time when the redirects were last followed anew.
    var lastResolved: Instant?
    /// The time when the caller was last asked for a URL.
    var lastRefresh: Instant?
    /// The caller is being asked, while other sources go on.
    var isRefreshing = false
    private var renewals = 0
    private var storedAtRenewal: Int64 = 0

    init(_ url: HTTPURL) { (startURL, currentURL) = (url, url) }

    /// Counts a renewal, and returns the number of renewals in a row, this one included, without a byte between them.
    mutating func countRenewal(stored: Int64) -> Int {
        renewals = stored > storedAtRenewal ? 1 : renewals + 1
        storedAtRenewal = stored
        return renewals
    }
}

/// The facts that a source stated about the current file, and the bytes that it gave, in this run. All are forgotten
/// when the file changes.
struct SourceFile: Hashable, Sendable {
    /// The representation that this server stated; for the file of an earlier run, the one that it stated then.
    var representation: Representation?
    /// The time when the representation was first seen.
    var established: Instant?
    var rangeSupport: RangeSupport = .unknown
    /// The number of responses in a row that named another representation.
    var mismatches = 0
    /// The position at which the last response without a length ended, before the end of the current file.
    var endedAt: Int64?
    /// The bytes that it brought.
    var given = RangeSet()
}

/// The number of connections that a server accepts.
struct SourceCapacity: Sendable {
    /// The number of connections that the server accepts and makes use of.
    var budget: ConnectionBudget
    /// Connection ceiling last reported, for what is remembered of hosts.
    var publishedCeiling: Int
    /// The number of connections that the host is remembered to accept, until more than that were seen to bring bytes.
    var borne: Int?
    /// The status with which the server refused one connection too many, while others brought bytes.
    var limitStatus: Int?
    /// No connection beside those that run is begun before this.
    var noMoreBefore: Instant?

    init(maximumConnections: Int) {
        budget = ConnectionBudget(limit: maximumConnections)
        publishedCeiling = maximumConnections
    }

    mutating func begin(with hints: HostHints) {
        budget = ConnectionBudget(limit: budget.limit, ceiling: hints.firstCeiling)
        publishedCeiling = budget.ceiling
        borne = hints.borne
    }

    /// Forgets the remembered limit, because more connections than that bring bytes.
    mutating func noteMoreBorne() -> Bool {
        borne = nil
        guard budget.forgetRemembered() else { return false }
        publishedCeiling = budget.ceiling
        return true
    }
}

/// The speed at which a server answers and sends.
struct SourcePace: Hashable, Sendable {
    /// Whether the server has been asked in this run.
    var wasAsked = false
    /// Whether the server has sent the head of a response in this run.
    var hasAnswered = false
    /// The longest time that a head has taken so far.
    var slowestHead: Duration = .zero
    /// The exchange that ended last brought all it was asked for, so the server is there.
    var lastExchangeDelivered = false
    /// The usual rate of one connection in bytes per second, remembered over the ends of segments.
    var typicalRate: Double = 0

    /// - Parameter isOneOfSeveral: what it once could do is then no reason to prefer it to others.
    mutating func noteRate(_ bytesPerSecond: Double, isOneOfSeveral: Bool) {
        let best = max(typicalRate, bytesPerSecond)
        typicalRate = isOneOfSeveral && typicalRate > 0 ? (typicalRate + bytesPerSecond) / 2 : best
    }
}

/// The failures of a source, and the time for which it is left alone.
struct SourceRetry: Hashable, Sendable {
    /// No exchange is begun before this.
    var nextStart: Instant?
    /// A source that was given up for something that may pass is tried once more then.
    var secondChance: Instant?
    private(set) var backoffLevel = 0
    /// Failures in a row without a new byte between them.
    private(set) var failuresWithoutProgress = 0
    /// The last failure was part of an outage that is waited for by time.
    private(set) var isAwaitingNetwork = false
    /// Failures of the outage under way.
    private var outageFailures = 0
    /// Another source has answered since the last failure: the server is away, not the network.
    private(set) var isAloneInOutage = false
    private var lastFailure: Instant?
    /// The first failure or wait since the last new byte.
    private(set) var firstFailure: Instant?
    /// Waits that the server asked for since the last new byte.
    private var waits = 0
    /// The server asked for a wait, in this run or an earlier one, and has not served since.
    var isAskedToWait = false
    // Counts of new bytes: the highest at a failure, and that at the last wait.
    private var storedAtFailure: Int64 = 0
    private var storedAtWait: Int64 = 0

    /// Failures of earlier runs count.
    mutating func begin(failuresBefore count: Int) { (backoffLevel, failuresWithoutProgress) = (count, count) }

    /// The count of new bytes begins at zero again. What was got at the last failure has still to be surpassed.
    mutating func forgetProgress() { storedAtWait = 0 }

    /// Forgets the progress at the last failure, because every byte of another file is progress.
    mutating func forgetFailedProgress() { storedAtFailure = 0 }

    /// Stored bytes were compared with the server's: progress without a new byte, of which there is only so much.
    mutating func noteComparison() {
        (backoffLevel, failuresWithoutProgress) = (min(backoffLevel, 1), 0)
        firstFailure = nil
        endOutage()
    }

    /// Sends the source no request before then.
    mutating func rest(until: Instant) { nextStart = max(nextStart ?? until, until) }

    /// The network may be back: it is asked at once.
    mutating func noteNetwork(at now: Instant) {
        guard isAwaitingNetwork || isAloneInOutage else { return }
        endOutage()
        backoffLevel = 0
        nextStart = now
    }

    /// Whether other sources should be asked if they answer: a short fault is not worth a request.
    var mayBeAloneInOutage: Bool { outageFailures >= 3 }

    /// Another source is asked, and what is known of the others may be over.
    mutating func noteProbe() { isAloneInOutage = false }

    /// Another source answers. The next failure is this server's.
    mutating func noteOthersAnswer() { isAloneInOutage = true }

    private mutating func endOutage() { (outageFailures, isAloneInOutage) = (0, false) }

    /// Counts a failure. Returns false if it is part of one that has been counted already, and whose wait still runs.
    ///
    /// - Parameter isOutage: it is waited for by time, and leaves the count as it is.
    mutating func countFailure(
        began: Instant?, stored: Int64, isOutage: Bool, _ policy: RetryPolicy, at now: Instant
    ) -> Bool {
        let isNewTry = lastFailure.map { last in began.map { $0 >= last } ?? true } ?? true
        if !isNewTry, let nextStart, now < nextStart { return false }
        lastFailure = now
        isAwaitingNetwork = isOutage
        if isNewTry {
            (backoffLevel, failuresWithoutProgress) = (backoffLevel + 1, failuresWithoutProgress + (isOutage ? 0 : 1))
        }
        if stored > storedAtFailure {
            endOutage()
            failuresWithoutProgress = isOutage ? 0 : 1
            backoffLevel = min(backoffLevel, policy.highestLevel(afterProgressOf: stored - storedAtFailure))
        }
        if isOutage, isNewTry { outageFailures += 1 }
        noteFailure(stored: stored, at: now)
        storedAtFailure = max(storedAtFailure, stored)
        return true
    }

    /// Whether the server has named a wait since the last byte.
    func hasWaited(stored: Int64) -> Bool { waits > 0 && stored <= storedAtWait }

    /// Counts a wait, and returns the number of waits in a row, this one included, without a byte between them.
    mutating func countWait(stored: Int64, at now: Instant) -> Int {
        noteFailure(stored: stored, at: now)
        isAskedToWait = true
        waits = stored > storedAtWait ? 1 : waits + 1
        storedAtWait = stored
        return waits
    }

    /// The time since the first failure does not include a pause.
    mutating func leaveOut(_ pause: Duration) { firstFailure = firstFailure.map { $0 + pause } }

    private mutating func noteFailure(stored: Int64, at now: Instant) {
        if firstFailure == nil || stored > max(storedAtFailure, storedAtWait) { firstFailure = now }
    }
}
