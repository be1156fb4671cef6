/// Holds a flow of bytes to a rate. A tenth of a second's worth may pass at once, so that large reads are not cut small.
package struct TokenBucket: Hashable, Sendable {
    package private(set) var bytesPerSecond: Int64
    private var capacity: Double
    private var tokens: Double
    private var updated: Instant

    /// `bytesPerSecond` is positive.
    package init(bytesPerSecond: Int64, now: Instant) {
        // Proven: a request with another rate is refused when it is made.
        precondition(bytesPerSecond > 0, "a rate of \(bytesPerSecond)")
        self.bytesPerSecond = bytesPerSecond
        capacity = Double(bytesPerSecond) / 10
        tokens = capacity
        updated = now
    }

    /// Takes `count` bytes that have arrived already; the bucket may go into debt. Returns how long to wait before taking more.
    package mutating func take(_ count: Int, at now: Instant) -> Duration {
        if now > updated {
            tokens = min(capacity, tokens + (now - updated).inSeconds * Double(bytesPerSecond))
            updated = now
        }
        tokens -= Double(count)
        guard tokens < 0 else { return .zero }
        // Proven: the debt is what connections had in hand, and at a byte a second 8 GiB of it are needed to reach the end of Int64.
        return .nanoseconds(Int64((-tokens / Double(bytesPerSecond) * 1e9).rounded(.up)))
    }
}
