package import PawlCore

/// The port to time, threads and randomness.
package protocol Runtime: Sendable {
    /// Monotonic, and running on while the machine sleeps (FAULTS J09).
    var now: Instant { get }

    /// Seconds since 1970, for arithmetic with `Date` fields and for display only.
    var secondsSinceEpoch: Int64 { get }

    /// The time of the week by the clock on the wall, where this runs: with the time zone and its summer time.
    func weekTime(secondsSinceEpoch: Int64) -> WeekTime

    /// Returns a random number, for ids and for the seed of a machine's jitter.
    func random() -> UInt64

    /// An executor that runs its jobs one after the other, in order. Jobs must not block.
    func makeControlExecutor() -> any WorkExecutor

    /// Runs jobs that block on the disk, several at once, in no order.
    var diskExecutor: any WorkExecutor { get }

    /// An executor for the jobs of one download that sync: one after the other, in order. Those of several executors
    /// run at once, for a file system makes the changes of all who wait durable together. No sync takes a thread from
    /// the writers.
    func makeSyncExecutor() -> any WorkExecutor

    /// Runs `work` on `executor` no earlier than `delay` from now.
    func schedule(
        after delay: Duration, on executor: any WorkExecutor, _ work: @escaping @Sendable () -> Void
    ) -> any ScheduledWork

    /// Runs `work` on `executor` each time an address of this machine or a route appears, until it is cancelled. Nil:
    /// the system does not tell.
    func onNetworkChange(
        on executor: any WorkExecutor, _ work: @escaping @Sendable () -> Void
    ) -> (any ScheduledWork)?
}

extension Runtime {
    package func onNetworkChange(
        on executor: any WorkExecutor, _ work: @escaping @Sendable () -> Void
    ) -> (any ScheduledWork)? { nil }
}

extension Runtime {
    /// Returns the time of the week in UTC, for runtimes without a time zone.
    package func weekTime(secondsSinceEpoch: Int64) -> WeekTime {
        let (day, seconds) = secondsSinceEpoch.flooredDivision(by: Int64(WeekTime.secondsInDay))
        // 1970 began on a Thursday. Proven: both are small by then.
        return WeekTime(weekday: Int((day % 7 + 11) % 7), secondsOfDay: Int(seconds))
    }
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

package protocol WorkExecutor: Sendable {
    func submit(_ work: @escaping @Sendable () -> Void)
}

package protocol ScheduledWork: Sendable {
    /// Does nothing when the work has begun.
    func cancel()
}

/// Digest functions, which the standard library lacks.
package protocol DigestFactory: Sendable {
    /// - Throws: ``StorageError/Reason/noDigests`` or ``StorageError/Reason/digestRefused`` where the system cannot
    ///   compute this digest.
    func makeDigester(_ algorithm: DigestAlgorithm) throws(StorageError) -> any Digester
}

package protocol Digester {
    mutating func update(_ bytes: UnsafeRawBufferPointer)
    /// Returns the digest, once. Empty if the function has failed, so that it equals no digest.
    mutating func finalize() -> [UInt8]
}
