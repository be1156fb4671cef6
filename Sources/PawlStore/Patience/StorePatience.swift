package import PawlCore

/// How long a call of a store that fails is tried again.
package struct StorePatience: Hashable, Sendable {
    /// The time after which it is given up.
    package static let limit = Duration.seconds(600)
    private static let longestWait = Duration.seconds(30)

    /// The time of the first of several failures in a row.
    private var since: Instant?
    private var failures = 0

    package init() {}

    /// Returns the time after which the same call is made again; nil: there were enough.
    package mutating func wait(at now: Instant) -> Duration? {
        failures += 1
        let first = since ?? now
        since = first
        guard now - first < Self.limit else { return nil }
        return min(.milliseconds(200) * (1 << min(failures - 1, 8)), Self.longestWait)
    }
}
