package import PawlCore
import Synchronization

/// A token bucket that several connections share.
package final class SpeedLimiter: Sendable {
    private let bucket: Locked<TokenBucket>

    package init(bytesPerSecond: Int64, now: Instant) {
        bucket = Locked(TokenBucket(bytesPerSecond: bytesPerSecond, now: now))
    }

    /// How long to hold the flow after these bytes.
    package func take(_ count: Int, at now: Instant) -> Duration {
        bucket.withLock { $0.take(count, at: now) }
    }
}
