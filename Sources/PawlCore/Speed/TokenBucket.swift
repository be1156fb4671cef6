/// A budget for a rate: fills with time, up to a tenth of a second's worth, and is paid from before bytes are taken.
package struct TokenBucket: Hashable, Sendable {
    package private(set) var bytesPerSecond: Int64
    package private(set) var tokens: Double
    private var updated: Instant

    /// `bytesPerSecond` is positive. At first there is enough for one grant, so that a small file does not wait.
    package init(bytesPerSecond: Int64, now: Instant) {
        // Proven: a rate from outside is refused when it is given, if it is not positive.
        precondition(bytesPerSecond > 0, "a rate of \(bytesPerSecond)")
        self.bytesPerSecond = bytesPerSecond
        updated = now
        tokens = 0
        tokens = largestGrant
    }

    /// A tenth of a second's worth, whatever was not used before.
    private var capacity: Double { max(1, Double(bytesPerSecond) / 10) }

    /// The bytes granted at once when there is nobody to share with: a twentieth of a second's worth.
    package var largestGrant: Double { max(1, Double(bytesPerSecond) / 20) }

    /// Below this a grant costs more than it carries, however many share; at low rates it is what there is.
    package var smallestGrant: Double { min(512, largestGrant) }

    package mutating func refill(at now: Instant) {
        guard now > updated else { return }
        tokens = min(capacity, tokens + (now - updated).inSeconds * Double(bytesPerSecond))
        updated = now
    }

    /// Changes the rate. The savings at the former one are not worth more than the new one allows.
    package mutating func change(to bytesPerSecond: Int64, at now: Instant) {
        // Proven: a limiter takes no other rate.
        precondition(bytesPerSecond > 0, "a rate of \(bytesPerSecond)")
        refill(at: now)
        self.bytesPerSecond = bytesPerSecond
        tokens = min(tokens, largestGrant)
    }

    /// Returns the time until `count` may be taken; zero if it may be now.
    package func wait(for count: Double) -> Duration {
        let missing = count - tokens
        guard missing > 0 else { return .zero }
        let nanoseconds = (missing / Double(bytesPerSecond) * 1e9).rounded(.up)
        // At a byte a second the longest grant is a second away.
        return .nanoseconds(Int64(exactly: nanoseconds) ?? .max)
    }

    package mutating func spend(_ count: Double) { tokens -= count }
}
