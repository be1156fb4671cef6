/// One source of a download, and all that was learned of the server behind it.
///
/// What one server says proves nothing about another (FAULTS V15): validators, conditions, refusals and waits are each server's own.
package struct SourceState: Sendable {
    /// What it may be used for.
    package enum Standing: Hashable, Sendable {
        /// To be asked. Next: any other.
        case usable
        /// It has no ranges, or nothing shows that its file is the same: of use only alone, from the first byte. Next: usable.
        case onlyAlone
        /// Its file is another than the one in hand. Next: usable, when that one is given up.
        case different
        /// Given up. Next: usable, where its error may pass.
        case failed(DownloadError)
    }

    package let source: Source
    /// Named by a server and not by the caller (RFC 6249).
    package let isHearsay: Bool
    /// Where redirects begin: the URL given, or the one that the caller supplied in its place.
    var startURL: HTTPURL
    /// Where the last good answer came from.
    package var currentURL: HTTPURL
    package var standing: Standing = .usable
    /// What this server said of the file; for the file of an earlier run, what it said then.
    package var representation: Representation?

    // MARK: What the server can do

    /// How many connections it bears and makes use of.
    var budget: ConnectionBudget
    /// What was last said of it, for what is remembered of hosts.
    var toldCeiling: Int
    /// How many connections its host is remembered to bear, until more than that were seen to bring bytes.
    var borne: Int?
    /// It has been asked in this run.
    var wasAsked = false
    var rangeSupport: RangeSupport = .unknown
    var habits = RangeHabits()
    var badResponses = 0
    /// Some cache on the way mixes up ranges, and is asked not to answer by itself (FAULTS N21).
    var bypassesCaches = false
    /// What it said to one connection too many, while others brought bytes.
    var limitStatus: Int?
    /// How long the slowest head has taken so far.
    var slowestHead: Duration = .zero
    /// The exchange that ended last brought all it was asked for, so the server is there.
    var lastExchangeDelivered = false
    /// What a connection brings, remembered over the ends of segments.
    var typicalRate: Double = 0
    /// When the representation was first seen, in this run.
    var established: Instant?
    /// How often in a row an answer named another representation.
    var mismatches = 0
    /// Where the last answer without a length ended, before the end of the file in hand.
    var endedAt: Int64?

    // MARK: What it gave

    /// Bytes that came from it, useful or not.
    package var received: Int64 = 0
    /// What it brought of the file in hand, in this run.
    package var given = RangeSet()
    /// Wrong pieces that it gave; of one that several gave, each has its share.
    var blame: Double = 0
    static let mostBlame = 2.0

    // MARK: Renewing its URL

    /// Fresh links asked for since the last byte came.
    var renewals = 0
    var storedAtRenewal: Int64 = 0
    /// When the redirects were last followed anew, and when the caller was last asked for a URL.
    var lastResolved: Instant?
    var lastRefresh: Instant?
    /// The caller is being asked, while other sources go on.
    var isRefreshing = false

    // MARK: Failures and waits

    /// No exchange is begun before this.
    var nextStart: Instant?
    /// No connection beside those that run is begun before this.
    var noMoreBefore: Instant?
    var backoffLevel = 0
    var fruitless = 0
    /// Waits that the server asked for since the last new byte.
    var waits = 0
    var storedAtWait: Int64 = 0
    var lastFailure: Instant?
    /// One that was given up for something that may pass is tried once more then.
    var secondChance: Instant?
    static let untilSecondChance: Duration = .seconds(300)
    /// Counts of new bytes that came from it: now, at the last failure, and at the last reset of the back-off.
    package var stored: Int64 = 0
    var storedAtFailure: Int64 = 0
    var storedAtReset: Int64 = 0

    init(_ source: Source, mostConnections: Int, isHearsay: Bool = false) {
        self.source = source
        self.isHearsay = isHearsay
        startURL = source.url
        currentURL = source.url
        budget = ConnectionBudget(limit: mostConnections)
        toldCeiling = mostConnections
    }

    var isUsable: Bool { standing == .usable }

    /// - Parameter isOneOfSeveral: what it once could do is then no reason to prefer it to others.
    mutating func noteRate(_ bytesPerSecond: Double, isOneOfSeveral: Bool) {
        let best = max(typicalRate, bytesPerSecond)
        typicalRate = isOneOfSeveral && typicalRate > 0 ? (typicalRate + bytesPerSecond) / 2 : best
    }

    /// Another representation is begun. What was learned of the server stays: budget, back-off, the refusal of conditions and of ranges.
    mutating func forgetRepresentation() {
        representation = nil
        established = nil
        rangeSupport = .unknown
        mismatches = 0
        endedAt = nil
        given = RangeSet()
        // What is dropped was no progress: without this, a file that cannot be resumed and is always cut would be fetched for ever.
        stored = 0
        storedAtReset = 0
        storedAtWait = 0
        // It differed from, or could not be added to, a file that is no longer in hand.
        if standing == .different || standing == .onlyAlone { standing = .usable }
    }
}
