/// A limit of the requests to one host: so many in a time, spaced evenly.
///
/// ```swift
/// var configuration = Downloader.Configuration()
/// configuration.requestRatePerHost = RequestRate(20, per: .seconds(1))
/// ```
public struct RequestRate: Hashable, Sendable {
    /// The mean time between two requests.
    package let interval: Duration
    /// The number of requests that may come at once: those of a tenth of a second, so that a late timer costs nothing.
    package let burst: Int

    /// - Parameter count: the number of requests, which need not be whole.
    /// - Returns: nil unless both are greater than zero, and for more than a million requests a second, or less than
    ///   one in a day.
    public init?(_ count: Double, per time: Duration) {
        guard count > 0, count.isFinite, time > .zero else { return nil }
        let seconds = time.inSeconds / count
        guard seconds >= 1e-6, seconds <= 86_400 else { return nil }
        interval = .nanoseconds(Int64(saturating: seconds * 1e9))
        burst = max(1, Int(clamping: Int64(saturating: 0.1 / seconds)))
    }
}

/// The spacing of requests by a ``RequestRate``: the generic cell rate algorithm (ITU-T I.371).
package struct RequestPace: Hashable, Sendable {
    /// The time of the next request, if all were spaced evenly.
    private var next = Instant.zero

    package init() {}

    /// Returns the time from which a request may be sent.
    package func opening(_ rate: RequestRate) -> Instant {
        Instant(nanoseconds: next.nanoseconds - (rate.interval * (rate.burst - 1)).wholeNanoseconds)
    }

    /// Whether it has no effect on the next requests.
    package func isRested(at now: Instant) -> Bool { next <= now }

    /// A request is sent.
    package mutating func take(_ rate: RequestRate, at now: Instant) { next = max(next, now) + rate.interval }

    /// A request that was taken is not sent.
    package mutating func giveBack(_ rate: RequestRate) {
        next = Instant(nanoseconds: next.nanoseconds - rate.interval.wholeNanoseconds)
    }
}
