import Pawl
import PawlCore
import PawlEngine
import PawlJobs
import Synchronization

/// The limits of the history of ended jobs.
struct History: Sendable {
    /// The number of days that ended jobs stay listed; nil until they are removed.
    var days: Int?
    /// The number of ended jobs that stay listed; nil for all.
    var count: Int?
    /// Whether a task is trimming the history.
    var isTrimming = false
    /// Whether the history must be looked through once more.
    var isDue = false
    var clock = ClockTrust()
    /// The last time when the trusted clock was noted in the database.
    var noted: Int64 = 0
}

/// Decides whether the wall clock may say what is old. One that jumps ahead, and is set right an hour later, would
/// remove the whole history.
///
/// Times are milliseconds. The steady clock never jumps and tells no date.
struct ClockTrust: Sendable {
    /// The time for which both clocks must agree before the wall clock is trusted.
    static let proof: Int64 = 3_600_000
    /// The largest difference between two looks of a clock that is kept right.
    static let tolerance: Int64 = 60_000
    /// The furthest that the wall clock may be ahead of a time at which it was trusted.
    static let reach: Int64 = 86_400_000

    private var last: (wall: Int64, steady: Int64)?
    /// Whether the clocks have never been compared.
    var isFresh: Bool { last == nil }
    /// The time of the steady clock since which the wall clock is doubted; nil while the wall clock is trusted.
    private var doubtedSince: Int64?

    /// - Parameter known: at the first call, the latest time at which an earlier process trusted it.
    mutating func trusts(wall: Int64, steady: Int64, known: Int64?) -> Bool {
        defer { last = (wall, steady) }
        if let last {
            if abs((wall - last.wall) - (steady - last.steady)) > Self.tolerance { doubtedSince = steady }
        } else if !(known.map { (0...Self.reach).contains(wall - $0) } ?? false) {
            doubtedSince = steady
        }
        if let since = doubtedSince, steady - since >= Self.proof { doubtedSince = nil }
        return doubtedSince == nil
    }
}

extension JobService {
    /// Removes ended jobs that are too old or too many. Files stay.
    func trimHistory() {
        let begins = history.withLock { history in
            guard history.days != nil || history.count != nil else { return false }
            defer { history.isTrimming = true }
            if history.isTrimming { history.isDue = true }
            return !history.isTrimming
        }
        if begins { Task { await trim() } }
    }

    private func trim() async {
        while true {
            try? await ledger.settle()
            await trimOnce()
            let isDue = history.withLock { history in
                defer { history.isDue = false }
                if !history.isDue { history.isTrimming = false }
                return history.isDue
            }
            if !isDue { return }
        }
    }

    private func trimOnce() async {
        let now = LiveRuntime.wallClockMilliseconds
        let known = history.withLock({ $0.clock.isFresh }) ? try? store.trustedTime() : nil
        let steady = Int64(saturating: (ContinuousClock.now - steadyStart) / .milliseconds(1))
        let (days, count, isTrusted, isNews) = history.withLock { history in
            let isTrusted = history.clock.trusts(wall: now, steady: steady, known: known)
            let isNews = isTrusted && abs(now - history.noted) > ClockTrust.proof
            if isNews { history.noted = now }
            return (history.days, history.count, isTrusted, isNews)
        }
        // What has ended is older than no time at all, whatever the clock says.
        let before = days.flatMap { $0 == 0 ? .max : isTrusted ? now - Int64($0) * ClockTrust.reach : nil }
        // Not while one of them gets another request.
        await turn.acquire()
        let removed =
            (try? await store.removeEnded(beyond: count, before: before, trusting: isNews ? now : nil) {
                [self] number in
                // It is being retried, and that is about to be written down.
                state.withLock { $0.sketches[number] == nil }
            }) ?? []
        for job in removed { _ = drop(job) }
        eraseSecrets(of: removed)
        await turn.release()
    }
}
