/// The interface of a driver.
extension DownloadMachine {
    /// The consequences of events: all that a driver needs to know of the state of the machine.
    package struct Reaction: Sendable {
        package var actions: [DownloadAction] = []
        /// The time by which the next event must come, a `tick` if there is no other; nil if the download has ended.
        package var nextEvent: Instant?
        /// The progress; nil if the download has ended. Its last state is in the summary.
        package var progress: DownloadProgress?
        /// The rule's verdict on a response, for observers; nil if the rule was not asked.
        package var verdict: Verdict?
        /// The number of bytes that the journal claims after a checkpoint, for observers.
        package var bytesDurable: Int64 = 0
    }

    /// The interval at which exchanges are examined while bytes come.
    static let tickInterval: Duration = .milliseconds(50)

    /// Handles what happened at one moment.
    package mutating func react(to events: [DownloadEvent], at now: Instant) -> Reaction {
        var reaction = Reaction()
        for event in events {
            reaction.actions += handle(event, at: now)
            if case .received(let id, _) = event { reaction.verdict = verdict(of: id) }
            if case .checkpointed = event { reaction.bytesDurable = durable.count }
        }
        guard !phase.isTerminal else { return reaction }
        reaction.nextEvent = nextWakeUp ?? now + Self.tickInterval
        reaction.progress = progress(at: now)
        return reaction
    }
}
