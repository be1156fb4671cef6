import PawlCore

/// The moment from which the ends of downloads are news, in the clock by which they are recorded.
///
/// That clock may be set back, and an end after that would seem older than it is. The time that has passed, which no
/// setting changes, reveals it.
struct NewsHorizon: Hashable, Sendable {
    /// Milliseconds since 1970.
    private(set) var since: Int64
    private let began: ContinuousClock.Instant

    init(wall: Int64, now: ContinuousClock.Instant) { (since, began) = (wall, now) }

    /// Moves back with the clock, never forward: what ended before it was set right is still to be told.
    mutating func look(wall: Int64, now: ContinuousClock.Instant) {
        since = min(since, wall - Int64(saturating: (now - began) / .milliseconds(1)))
    }
}
