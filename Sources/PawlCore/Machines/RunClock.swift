/// The time of one run: when the last event came, and when the time allowed for fetching is over.
struct RunClock: Hashable, Sendable {
    /// Longer than any wait for an answer or for a byte: after that the machine slept, or the process was stopped.
    /// While exchanges run, an event comes every moment.
    static let shortestSleep: Duration = .seconds(120)

    private(set) var lastEvent: Instant?
    private var deadline: Instant?
    /// The timetable's pause that holds now, and since when.
    private(set) var pause: SpeedSchedule.Pause?
    private var pausedSince: Instant?

    /// Notes an event. True where the machine must have slept before it (FAULTS J10).
    mutating func noteEvent(at now: Instant) -> Bool {
        defer { lastEvent = now }
        return lastEvent.map { now - $0 >= Self.shortestSleep } ?? false
    }

    /// The time allowed runs from now on.
    mutating func begin(allowing limit: Duration, at now: Instant) { deadline = now + limit }

    /// The time allowed does not pass during a pause.
    ///
    /// - Returns: the length of the pause until now, or since this was said last.
    @discardableResult
    mutating func follow(_ pause: SpeedSchedule.Pause?, at now: Instant) -> Duration {
        self.pause = pause
        let paused = pausedSince.map { now - $0 } ?? .zero
        deadline = deadline.map { $0 + paused }
        pausedSince = pause == nil ? nil : now
        return paused
    }

    func isOver(at now: Instant) -> Bool { pause == nil && deadline.map { now >= $0 } ?? false }

    /// Returns the time of the next look at a run that waits until `start`, or, with nil, for something that comes by
    /// itself.
    func nextWakeUp(waitingUntil start: Instant?) -> Instant {
        let end = pause == nil ? deadline : nil
        return min(start ?? Instant(nanoseconds: .max), end ?? Instant(nanoseconds: .max))
    }
}
