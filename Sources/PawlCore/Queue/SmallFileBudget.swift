/// Decides how many small files of one host are fetched at once.
///
/// A small file takes as long as its answer is on the way, so twice as many at once are fetched in the same time, until
/// the link, the server or this machine is busy. The number begins at ``first`` once some files in a row were small,
/// and doubles while the rate grows by it; a step that brought nothing is taken back, and another one is tried now and
/// then, as by a ``ConnectionBudget``. A refusal halves it. A large file ends it, until files are small again.
///
/// The rate is the number at once divided by the time that a file takes: answers come in bursts, so files counted
/// within some time would say little.
package struct SmallFileBudget: Hashable, Sendable {
    private enum Phase: Hashable, Sendable {
        case ramping(before: Double?)
        case steady(nextTrial: Instant)
        case trying(before: Double)
    }

    /// Files of at most so many bytes are small.
    package static let largest: Int64 = 1 << 20
    package static let first = 8
    /// The number of files in a row that have to be small.
    static let proof = 4
    /// The number of files whose times are averaged.
    private static let sampleSize = 8
    /// Counts failures within this time once: they have one cause.
    private static let refusalInterval: Duration = .seconds(1)

    private let limit: Int
    /// The number of files at once, zero while nothing is known.
    package private(set) var desired = 0
    /// The number before the last step.
    private var former = 0
    private var cap: ConnectionCap
    private var phase = Phase.ramping(before: nil)
    private var patience = ConnectionBudget.firstPatience
    private var lastRefusal: Instant?
    /// The files since the last step. The first ones were begun before it.
    private var count = 0
    private var sampleCount = 0
    private var sampledTime = Duration.zero

    package init(limit: Int) {
        self.limit = limit
        cap = ConnectionCap(limit)
    }

    private var ceiling: Int { min(limit, cap.count) }

    /// A small file was fetched.
    package mutating func fetched(in time: Duration, at now: Instant) {
        if cap.relax(upTo: limit, at: now), desired > 0 { phase = .steady(nextTrial: now) }
        count += 1
        guard desired > 0 else {
            if count >= Self.proof { step(to: Self.first, .ramping(before: nil)) }
            return
        }
        if case .ramping(before: nil) = phase {} else if count <= desired { return }
        sampleCount += 1
        sampledTime += time
        guard sampleCount == Self.sampleSize else { return }
        let seconds = sampledTime.inSeconds / Double(Self.sampleSize)
        evaluate(filesPerSecond: Double(desired) / max(seconds, 1e-6), at: now)
    }

    /// A large file was found, or there is no room at all: begins when files are small again.
    package mutating func reset() { step(to: 0, .ramping(before: nil)) }

    /// The host accepts more connections than was learned.
    package mutating func capLifted(at now: Instant) {
        cap = ConnectionCap(limit)
        if desired > 0 { step(to: desired, .steady(nextTrial: now)) }
    }

    /// The host refused an exchange, or failed.
    ///
    /// - Parameter borne: the number of connections that it accepts, if that was learned.
    package mutating func refused(borne: Int?, at now: Instant) {
        if borne == nil, let lastRefusal, now - lastRefusal < Self.refusalInterval { return }
        guard desired > 0 || borne != nil else { return }
        if borne == nil { lastRefusal = now }
        cap = ConnectionCap(min(ceiling, borne ?? desired / 2), since: now)
        step(to: min(desired, ceiling), .steady(nextTrial: now + patience))
    }

    private mutating func evaluate(filesPerSecond rate: Double, at now: Instant) {
        let hasGrown = { (before: Double) in rate >= before * ConnectionBudget.growth }
        switch phase {
        case .ramping(let before):
            if let before, !hasGrown(before) {
                step(to: former, .steady(nextTrial: now + patience))
            } else if desired < ceiling {
                step(to: desired * 2, .ramping(before: rate))
            } else {
                step(to: desired, .steady(nextTrial: now + patience))
            }
        case .steady(let nextTrial):
            if now >= nextTrial, desired < ceiling {
                step(to: desired + max(1, desired / 2), .trying(before: rate))
            } else {
                step(to: desired, phase)
            }
        case .trying(let before):
            if hasGrown(before) {
                patience = ConnectionBudget.firstPatience
                step(to: desired, .steady(nextTrial: now))
            } else {
                patience = min(patience * 2, ConnectionBudget.maximumPatience)
                step(to: former, .steady(nextTrial: now + patience))
            }
        }
    }

    private mutating func step(to count: Int, _ next: Phase) {
        (former, desired, phase) = (desired, min(count, ceiling), next)
        self.count = 0
        (sampleCount, sampledTime) = (0, .zero)
    }
}
