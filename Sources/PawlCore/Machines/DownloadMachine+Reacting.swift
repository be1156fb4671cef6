/// What a driver is told.
extension DownloadMachine {
    /// What events lead to: all that a driver needs to know of the state of the machine.
    package struct Reaction: Sendable {
        package var actions: [DownloadAction] = []
        /// When the next event must come, a `tick` if there is no other. Nil: the download has ended.
        package var nextEvent: Instant?
        /// Nil: the download has ended. Its last state is in the summary.
        package var progress: DownloadProgress?
        /// What the rule made of an answer, for observers. Nil where the rule was not asked.
        package var verdict: Verdict?
        /// What the journal claims after a checkpoint, for observers.
        package var bytesDurable: Int64 = 0
    }

    /// How often exchanges are looked at, while bytes come.
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
