/// Time: timeouts, the machine's sleep, the limit of the whole download.
extension DownloadMachine {
    mutating func tick(at now: Instant) -> [DownloadAction] {
        guard case .fetching = phase else { return [] }
        var actions: [DownloadAction] = []
        segments.sampleRates(at: now)
        let rates = Dictionary(uniqueKeysWithValues: sources.indices.map { ($0, segments.medianRate(of: $0, at: now)) })
        // Of two the median is the faster one; one alone says nothing of what is usual.
        // Nor do those that have only begun.
        for (source, rate) in rates where flowingCount(of: source) > 1 && rate > 0 {
            sources[source].pace.typicalRate = rate
        }
        // The server that is waited for is due.
        if sources[sources.lead].retry.nextStart.map({ now >= $0 }) ?? true {
            actions += segments.filter(\.isProbe).flatMap { cancelSegment($0.id) }
        }
        for segment in segments {
            switch segment.state {
            case .asked(let since) where now - since >= patience(with: segment):
                actions += giveUp(segment.id, because: "no answer within \(patience(with: segment))", at: now)
            case .flowing where now - segment.meter.lastReceived >= settings.stallTimeout:
                actions += giveUp(segment.id, because: "no byte for \(settings.stallTimeout)", at: now)
            case .flowing:
                actions += replaceIfCrawling(segment, median: rates[segment.source] ?? 0, at: now)
            case .asked, .held, .awaitingPermit, .cancelled: break
            }
        }
        sampleBudget(at: now)
        return actions + shedSurplus() + replaceSlowSource(at: now) + makeRoomForReader()
    }

    /// A spare connection is waited for no longer than the others needed.
    private func patience(with segment: SegmentMachine) -> Duration {
        guard segment.isExtra || canSpare(segment.source) else { return settings.responseTimeout }
        return min(settings.responseTimeout, max(.seconds(10), sources[segment.source].pace.slowestHead * 3))
    }

    private mutating func giveUp(_ id: ExchangeID, because reason: String, at now: Instant) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        let segment = segments[index]
        if !segment.request.several.isEmpty { sources[segment.source].habits.refusesSeveral = true }
        var actions = cancelSegment(id)
        if segment.isProbe { return actions }
        // FAULTS N01: taken, and left to hang.
        if case .asked = segment.state, segment.isExtra { actions += limited(segment, at: now) }
        let error = DownloadError.network(at: segment.url, detail: reason)
        return actions
            + failure(
                error, of: segment.source, began: segment.began, maximumTries: maximumTriesIfSilent(segment.source),
                at: now)
    }

    /// FAULTS J10: what was open when the machine went to sleep is dead, and by nobody's fault. It is asked for anew at
    /// once, and no failure is counted, however many ends of connections are waiting behind this event.
    mutating func giveUpAfterSleep(at now: Instant) -> [DownloadAction] {
        guard clock.noteEvent(at: now), case .fetching = phase else { return [] }
        return segments.filter { $0.isLive && $0.state != .awaitingPermit }.flatMap { cancelSegment($0.id) }
    }

    /// During a pause no connection is open and none is asked for. What was received stays, no failure is counted, and
    /// the time allowed for the download and for its failures stands still.
    mutating func follow(_ pause: SpeedSchedule.Pause?, at now: Instant) -> [DownloadAction] {
        let former = clock.pause
        let paused = clock.follow(pause, at: now)
        for source in sources.indices { sources[source].retry.leaveOut(paused) }
        guard case .fetching = phase, let pause, pause != former else { return [] }
        return reportPause() + segments.filter(\.isLive).flatMap { cancelSegment($0.id) }
    }

    func reportPause() -> [DownloadAction] { clock.pause.map { [.report(.pausedByTimetable($0))] } ?? [] }

    /// FAULTS N05: far slower than its fellows for half a minute. Another connection takes the whole rest; the last one
    /// is never touched.
    private mutating func replaceIfCrawling(
        _ segment: SegmentMachine, median: Double, at now: Instant
    ) -> [DownloadAction] {
        guard let index = index(of: segment.id) else { return [] }
        let isCrawling =
            flowingCount(of: segment.source) > 1 && !(isStreaming && segment.meter.isHeldByUs)
            && segment.meter.bytesPerSecond < median / 20
        return segments[index].meter.hasCrawledTooLong(isCrawling, at: now) ? cancelSegment(segment.id) : []
    }

    private mutating func sampleBudget(at now: Instant) {
        guard let total = wantedCount else { return }
        for source in sources.indices where sources[source].file.rangeSupport.isProven {
            let flowing = segments.filter { $0.source == source && $0.isFlowing && $0.meter.received > 0 }
            // The whole rate, not this source's share of it: what one takes from another on a full line is no gain.
            sources[source].capacity.budget.sample(
                received: sources.received,
                connections: Dictionary(uniqueKeysWithValues: flowing.map { ($0.id, $0.meter.received) }),
                running: liveCount(of: source), remaining: total - written.count, at: now)
        }
    }

    /// A trial without gain is reverted: the youngest connections are cancelled, and their ranges return to the pool.
    private mutating func shedSurplus() -> [DownloadAction] {
        var actions: [DownloadAction] = []
        for source in sources.indices {
            while liveCount(of: source) > max(1, sources[source].capacity.budget.desired),
                let youngest = segments.youngest(of: source)
            {
                actions += cancelSegment(youngest.id)
            }
        }
        return actions
    }

    mutating func cancelSegment(_ id: ExchangeID) -> [DownloadAction] {
        guard let index = index(of: id), segments[index].isLive else { return [] }
        segments[index].state = .cancelled
        return [.cancel(id)]
    }

    /// The time limit is for fetching: a complete file is still finished.
    mutating func stopInTime(at now: Instant) -> [DownloadAction] {
        guard let limit = settings.maximumTime else { return [] }
        switch phase {
        case .idle: clock.begin(allowing: limit, at: now)
        case .fetching, .refreshing:
            guard clock.isOver(at: now), !isWhole else { return [] }
            let error = DownloadError(
                .timeout,
                "\(settings.url.redacted) was not finished within the allowed time (\(TimeSpan.text(limit / .seconds(1)))).",
                remedies: [.tryAgain, .allowMoreTime], recovery: .retryNow, underlying: lastProblem?.message)
            return drain(for: .fail(error))
        case .draining, .saving, .settingAside, .verifying, .finishing, .quarantining, .paused, .cancelled, .completed,
            .failed:
            break
        }
        return []
    }
}
