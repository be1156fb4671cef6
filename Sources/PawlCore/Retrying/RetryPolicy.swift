/// The rule for when to retry, and when to stop retrying.
///
/// Full jitter: the wait is drawn evenly from zero to a ceiling that doubles, so that many clients cut off together do
/// not come back together. Without progress there are ten tries; new bytes lower the ceiling again, the more the lower
/// (FAULTS N11).
package struct RetryPolicy: Hashable, Sendable {
    /// A name that has never resolved is more often misspelt than unreachable, so fail soon.
    static let maximumTriesOfUnknownName = 3
    /// The number of tries at a host where nothing listens or answers: a wrong port or a wrong proxy is likelier than a
    /// server that is being restarted.
    static let maximumTriesOfSilentHost = 4
    /// A server that has only sent invalid HTTP will hardly recover.
    static let maximumTriesOfBrokenServer = 3

    package var base: Duration
    package var ceiling: Duration
    package var maximumTriesWithoutProgress: Int
    /// A server may name a wait (`Retry-After`) so often before a new byte comes.
    package var maximumWaitsWithoutProgress = 100
    /// A try that brought so many new bytes is followed by the shortest wait.
    package var progressThatResets: Int64
    /// The longest wait for a new byte of a download that has some, while no server can be reached.
    package var maximumOutage: Duration = .seconds(3600)
    /// A longer wait is reported to the user instead of being waited out silently.
    package var maximumRetryAfter: Duration
    /// The number of bytes that may always be fetched again from a server without ranges; for large files it is twice
    /// their length (FAULTS R27).
    package var freelyFetchedAgain: Int64 = 64 << 20

    package init(
        base: Duration = .milliseconds(500), ceiling: Duration = .seconds(60), maximumTriesWithoutProgress: Int = 10,
        progressThatResets: Int64 = 64_000, maximumRetryAfter: Duration = .seconds(3600)
    ) {
        self.base = base
        self.ceiling = ceiling
        self.maximumTriesWithoutProgress = maximumTriesWithoutProgress
        self.progressThatResets = progressThatResets
        self.maximumRetryAfter = maximumRetryAfter
    }

    /// The most tries that a download makes while `answers` responses bring a new byte: whatever a server does between
    /// two of those is counted, and each of the connections that run at once may meet it.
    package func maximumTries(answersWithBytes answers: Int, connections: Int) -> Int {
        (answers + 1) * connections
            * (maximumTriesWithoutProgress + maximumWaitsWithoutProgress + Self.maximumConcessions)
    }

    /// The most requests of one try: a chain of redirects and challenges, of which a kept connection may lose each
    /// request once.
    package static let maximumRequestsPerTry =
        2 * (RedirectPolicy.maximumRedirects + 1) * (Authenticator.maximumAttempts + 1)

    /// Asking without a range, without a condition, from earlier, part by part, from the first redirect, and after a
    /// changed representation.
    private static let maximumConcessions = 40

    /// Whether `held` bytes may come once more, after `before` that did already. Once it is always allowed: without
    /// ranges there is no other way to the file.
    package func mayFetchAgain(_ held: Int64, after before: Int64, of total: Int64) -> Bool {
        guard before > 0 else { return true }
        let twice = total.multipliedReportingOverflow(by: 2)
        let all = before.addingReportingOverflow(held)
        return !all.overflow && (twice.overflow || all.partialValue <= max(freelyFetchedAgain, twice.partialValue))
    }

    /// The highest level of the back-off, counted as the failures of ``delay(failures:using:)``, after a try with any
    /// progress: a ceiling of 8 s.
    private static let highestLevelWithProgress = 5

    /// The level to which a try that brought `bytes` new bytes lowers the back-off: 1 for the progress that resets it,
    /// and one more for each division of that by four. Thus a server that cuts each connection is asked as often as it
    /// is worth: on average four times a second for 64 kB, and once in two seconds for 1 kB.
    package func highestLevel(afterProgressOf bytes: Int64) -> Int {
        var (level, enough) = (1, progressThatResets)
        while bytes < enough, level < Self.highestLevelWithProgress { (level, enough) = (level + 1, enough / 4) }
        return level
    }

    /// The wait before try number `failures`, the first failure being 1.
    package func delay(failures: Int, using random: inout SplitMix64) -> Duration {
        let doublings = min(max(failures - 1, 0), 20)
        let limit = min(base * (1 << doublings), ceiling)
        let fraction = Double(random.next() >> 11) / Double(1 << 53)
        // Proven: the fraction is below one, so the product is below 2^63.
        return .nanoseconds(Int64(Double(limit.wholeNanoseconds) * fraction))
    }
}
