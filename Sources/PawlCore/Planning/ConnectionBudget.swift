/// Decides how many connections a download should have.
///
/// One at first. The number doubles, window by window, while the total rate grows by it; after that one more step is
/// tried now and then, and given up when it brought nothing. A refusal lowers the ceiling, and a clean minute raises it
/// by one (FAULTS N01, N03).
///
/// Servers that shape with bursts send nothing for a while after the first of them. A window in which an older
/// connection fell silent says nothing about the newer ones, so it counts for growth: the trial steps correct what that
/// gets wrong.
package struct ConnectionBudget: Hashable, Sendable {
    package let limit: Int
    package private(set) var desired = 1
    private var cap: ConnectionCap
    /// The ceiling is an earlier run's.
    private var isRemembered: Bool
    private var phase: Phase = .ramping(before: nil)
    private var window: Window?
    private var patience: Duration = firstPatience

    static let growth = 1.05
    private static let rampWindow: Duration = .milliseconds(100)
    private static let trialWindow: Duration = .milliseconds(1500)
    static let firstPatience: Duration = .seconds(5)
    static let maximumPatience: Duration = .seconds(60)
    /// The shortest time left, in seconds, for which another connection is opened; with less it would hardly get going.
    private static let shortestRest = 0.3

    private enum Phase: Hashable, Sendable {
        case ramping(before: Window.Result?)
        case steady(nextTrial: Instant)
        case trying(before: Double, former: Int)
    }

    private struct Window: Hashable, Sendable {
        struct Result: Hashable, Sendable {
            var bytesPerSecond: Double
            var connections: [ExchangeID: Int64]
        }

        var start: Instant
        var received: Int64
        var connections: [ExchangeID: Int64]
    }

    /// - Parameter ceiling: what the server bore when it was last met; raised in clean minutes like any.
    package init(limit: Int, ceiling: Int = .max) {
        self.limit = limit
        cap = ConnectionCap(min(limit, ceiling))
        isRemembered = ceiling < limit
    }

    /// Forgets the remembered ceiling, because more connections flow than the server was remembered to bear.
    ///
    /// - Returns: false where the ceiling is of this run.
    package mutating func forgetRemembered() -> Bool {
        guard isRemembered else { return false }
        isRemembered = false
        cap = ConnectionCap(limit)
        phase = .ramping(before: nil)
        return true
    }

    package var ceiling: Int { min(limit, cap.count) }

    /// A connection beyond the `running` ones was refused.
    package mutating func refused(running: Int, at now: Instant) {
        cap = ConnectionCap(min(ceiling, running), since: now)
        isRemembered = false
        desired = min(desired, ceiling)
        settle(at: now)
    }

    /// Takes a sample of the bytes that exchanges have brought so far. Called at every tick.
    ///
    /// - Parameters:
    ///   - received: bytes received by this download in all, finished exchanges included.
    ///   - connections: the same for each exchange that runs; those still without a first byte are absent.
    ///   - running: how many run, those included.
    ///   - remaining: bytes still to come.
    package mutating func sample(
        received: Int64, connections: [ExchangeID: Int64], running: Int, remaining: Int64, at now: Instant
    ) {
        if cap.relax(upTo: limit, at: now) { phase = .steady(nextTrial: now) }
        guard !connections.isEmpty else { return window = nil }
        guard var open = window else {
            return window = Window(start: now, received: received, connections: connections)
        }
        if connections.count < running || connections.keys.contains(where: { open.connections[$0] == nil }) {
            // Someone has only begun: measure from when all deliver.
            open = Window(start: now, received: received, connections: connections)
            window = open
            return
        }
        let elapsed = now - open.start
        let needed: Duration = if case .ramping = phase { Self.rampWindow } else { Self.trialWindow }
        guard elapsed >= needed else { return }
        window = Window(start: now, received: received, connections: connections)
        let rate = Double(received - open.received) / elapsed.inSeconds
        let perConnection = connections.reduce(into: [:]) { $0[$1.key] = $1.value - (open.connections[$1.key] ?? 0) }
        evaluate(
            Window.Result(bytesPerSecond: rate, connections: perConnection), running: running,
            secondsLeft: Double(remaining) / max(rate, 1), at: now)
    }

    private mutating func evaluate(
        _ result: Window.Result, running: Int, secondsLeft: Double, at now: Instant
    ) {
        switch phase {
        case .ramping(let before):
            if let before, !grew(from: before, to: result) { return settle(at: now) }
            guard desired < ceiling else { return settle(at: now) }
            // When the plan had no work for what was already allowed, more would idle too.
            guard running >= desired, secondsLeft > Self.shortestRest else { return }
            phase = .ramping(before: result)
            desired = min(desired * 2, ceiling)
        case .steady(let nextTrial):
            guard now >= nextTrial, desired < ceiling, running >= desired, secondsLeft > 5 else { return }
            phase = .trying(before: result.bytesPerSecond, former: desired)
            desired = min(desired + max(1, desired / 2), ceiling)
        case .trying(let before, let former):
            if result.bytesPerSecond >= before * Self.growth {
                patience = Self.firstPatience
                phase = .steady(nextTrial: now)
            } else {
                desired = former
                patience = min(patience * 2, Self.maximumPatience)
                settle(at: now)
            }
        }
    }

    private func grew(from before: Window.Result, to after: Window.Result) -> Bool {
        if after.bytesPerSecond >= before.bytesPerSecond * Self.growth { return true }
        return before.connections.contains { id, count in
            guard count > 0, let now = after.connections[id] else { return false }
            return now < count / 10
        }
    }

    private mutating func settle(at now: Instant) {
        phase = .steady(nextTrial: now + patience)
        window = nil
    }
}
