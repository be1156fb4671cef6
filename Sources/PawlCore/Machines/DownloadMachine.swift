/// Decides everything about one download; performs nothing.
///
/// `handle(event, at: now)` is the only way in, and `react(to:at:)` what drivers call. Time, ids and chance are inputs,
/// so that a run can be repeated exactly. Body bytes never come here: the events say how far each exchange has got.
package struct DownloadMachine: Sendable {
    package let settings: DownloadSettings
    package internal(set) var phase: Phase
    var attempt: Attempt
    package internal(set) var segments = SegmentList()
    /// The number of bytes that a stream's reader has taken.
    var consumed: Int64 = 0
    /// All URLs that the bytes may come from; the first is the caller's own.
    package internal(set) var sources: SourceList
    package internal(set) var lastProblem: DownloadError?

    /// The facts of the current file last reported to the driver.
    private var published = EstablishedFile()
    var random: SplitMix64
    var restarts = RestartBudget()
    var aside = SetAside.nothing
    var clock = RunClock()
    var hosts = HostFindings()
    /// Authenticates requests: credentials, tokens, cookies.
    var authenticator: RequestAuthenticator

    /// - Parameter hash: the digest functions, for challenges of servers.
    package init(settings: DownloadSettings, recovered: Recovered, hash: DigestAuth.Hash? = nil) {
        self.settings = settings
        phase = .idle(recovered)
        attempt = Attempt(of: settings)
        sources = Self.sources(of: settings)
        random = SplitMix64(seed: settings.seed)
        authenticator = RequestAuthenticator(of: settings, hash: hash)
        takeHints()
    }

    package mutating func handle(_ event: DownloadEvent, at now: Instant) -> [DownloadAction] {
        if phase.isTerminal { return [] }
        var actions = giveUpAfterSleep(at: now) + stopInTime(at: now)
        actions += take(event, at: now)
        actions += proceed(at: now)
        actions += learnCaps()
        actions = describe() + actions
        #if DEBUG
        checkInvariants(after: event)
        #endif
        return actions
    }

    /// Tells the driver which file is in hand, whenever that has changed. It comes first, for the other actions are
    /// about this file.
    private mutating func describe() -> [DownloadAction] {
        guard published != attempt.file else { return [] }
        published = attempt.file
        return [.describe(description)]
    }

    private mutating func take(_ event: DownloadEvent, at now: Instant) -> [DownloadAction] {
        switch event {
        case .begin: begin(at: now)
        case .received(let id, let head): received(id, head, at: now)
        case .advanced(let id, let stored, let received, let isHeld):
            advanced(id, stored: stored, received: received, isHeld: isHeld, at: now)
        case .ended(let id, let stored, let end): ended(id, stored: stored, end, at: now)
        case .prepared(let preparation): prepared(preparation, at: now)
        case .checkpointed(let took): checkpointed(took: took, at: now)
        case .storageFailed(let error): storageFailed(error)
        case .setAside: setAsideDone()
        case .refreshed(let url): refreshed(url, at: now)
        case .verified(let verification): verified(verification, at: now)
        case .checkedPieces(let range, let wrong): checked(range, wrong: wrong, at: now)
        case .finished: finished()
        case .leftExisting(let isVerified): leftExisting(isVerified: isVerified)
        case .consumed(let count): consumed(count)
        case .cookiesChanged(let jar): take(jar)
        case .publicSuffixes(let list): take(list)
        case .networkChanged: networkChanged(at: now)
        case .tick: tick(at: now)
        case .permitRefused(let id): permitRefused(id)
        case .hostFreed(let host): hostFreed(host, at: now)
        case .yieldConnection(let host): yieldConnection(host)
        case .timetable(let pause): follow(pause, at: now)
        case .pause: drain(for: .pause)
        case .cancel: drain(for: .cancel)
        }
    }

    /// Looks at the state as it is and does what follows from it.
    private mutating func proceed(at now: Instant) -> [DownloadAction] {
        switch phase {
        case .fetching:
            if isWhole, piecesAreVerified, !mayRunOn { return drain(for: .finish) + proceed(at: now) }
            let checks = checkPieces()
            return checks + (isWhole ? [] : plan(at: now)) + checkpointIfDue(at: now) + unsyncedCheckpointIfDue(at: now)
        case .draining(let goal):
            guard segments.isEmpty, attempt.checkpoints.underWay == nil, attempt.pieces?.underCheck == nil else {
                return []
            }
            return settle(goal)
        case .idle, .saving, .settingAside, .refreshing, .verifying, .finishing, .quarantining, .paused, .cancelled,
            .completed, .failed:
            return []
        }
    }

    // MARK: Facts

    /// No head has told how long the file is, and the body that brings it has not ended: it may be longer than
    /// expected, and another file.
    private var mayRunOn: Bool { settings.expectedSize != nil && segments.contains { $0.isFlowing && $0.end == nil } }

    package var representation: Representation? { attempt.file.representation }

    package var total: Int64? { representation?.total }

    /// The ranges in the partial file by writes that returned.
    package var written: RangeSet { attempt.written }

    /// Claimed by the journal.
    package var durable: RangeSet { attempt.checkpoints.durable }

    package var hasJournal: Bool { attempt.checkpoints.hasJournal }

    /// Work on the files has failed, so nothing is claimed any more.
    var storageHasFailed: Bool { attempt.checkpoints.hasFailed }

    package var isWhole: Bool {
        guard attempt.isSettled else { return false }
        if settings.ranges != nil { return wanted?.isSubset(of: written) ?? false }
        return total.map { written.contains(ByteRange(0..<$0)) } ?? false
    }

    var liveCount: Int { segments.liveCount }

    var flowingCount: Int { segments.flowingCount }

    func liveCount(of source: SourceID) -> Int { segments.liveCount(of: source) }

    func flowingCount(of source: SourceID) -> Int { segments.flowingCount(of: source) }

    /// The time at which the machine wants to be called even if nothing happens.
    package var nextWakeUp: Instant? {
        // Before a long wait what has come is made durable, which the ticks see to.
        guard case .fetching = phase, attempt.earlier.isAdopting || written == durable else { return nil }
        if clock.pause != nil, segments.isEmpty { return clock.nextWakeUp(waitingUntil: nil) }
        guard segments.isEmpty else {
            return segments.allSatisfy { $0.state == .awaitingPermit } ? clock.nextWakeUp(waitingUntil: nil) : nil
        }
        return nextStart.map { clock.nextWakeUp(waitingUntil: $0) }
    }

    func wallClock(of now: Instant) -> Int64 { settings.epochAtZero + now.nanoseconds / 1_000_000_000 }

    func index(of id: ExchangeID) -> Int? { segments.index(of: id) }

    /// The rule's verdict on a response, for observers; nil if the rule was not asked.
    func verdict(of id: ExchangeID) -> Verdict? { index(of: id).flatMap { segments[$0].answer.verdict } }

    // MARK: Invariants

    package func checkInvariants(after event: DownloadEvent) {
        func demand(_ holds: Bool, _ what: StaticString) {
            // Proven: in debug builds only, and about the machine's own state, never about an answer.
            precondition(holds, "\(what), in \(phase) after \(event), with \(segments.map(\.summary))")
        }
        demand(storageHasFailed || durable.isSubset(of: written), "durable is not within written")
        demand(liveCount <= settings.maximumConnections, "more connections than allowed")
        demand(
            attempt.checkpoints.underWay.map { $0.isSubset(of: written) } ?? true, "a checkpoint of what is not written"
        )
        if let total {
            let isOwn = !attempt.earlier.isAdopting && !attempt.earlier.needsProof
            demand(written.upperBound <= total || !isOwn, "written past the end")
        }
        for segment in segments {
            demand(segment.end.map { segment.request.start <= $0 } ?? true, "a segment that ends before it starts")
        }
        demand(!segments.hasSharedBytes, "two exchanges that fetch the same bytes")
        switch phase {
        case .fetching, .draining, .refreshing: break
        case .idle, .saving, .settingAside, .verifying, .finishing, .quarantining, .paused, .cancelled, .completed,
            .failed:
            demand(segments.isEmpty, "an exchange in a phase without exchanges")
        }
        switch phase {
        case .verifying, .finishing:
            demand(attempt.checkpoints.underWay == nil, "finishing during a checkpoint")
            demand(isWhole, "finishing an incomplete file")
        case .completed(let outcome): demand(outcome.isSkipped || isWhole, "completed without all bytes")
        case .idle, .fetching, .draining, .saving, .settingAside, .refreshing, .quarantining, .paused, .failed,
            .cancelled:
            break
        }
    }
}
