/// The number of connections that a server is known to accept: lowered by a refusal, raised by one in each minute
/// without one.
struct ConnectionCap: Hashable, Sendable {
    private(set) var count: Int
    /// The time when the cap was last lowered or raised; nil for one remembered from an earlier run, until it is read.
    private var since: Instant?

    static let cleanMinute: Duration = .seconds(60)

    init(_ count: Int, since: Instant? = nil) {
        self.count = max(1, count)
        self.since = since
    }

    /// - Returns: whether it was raised.
    mutating func relax(upTo limit: Int, at now: Instant) -> Bool {
        let former = count
        var since = since ?? now
        while count < limit, now - since >= Self.cleanMinute {
            count += 1
            since = since + Self.cleanMinute
        }
        self.since = since
        return count > former
    }
}
