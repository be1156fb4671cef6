extension DownloadMachine {
    /// The limit of connections to this host is reached (``HostRegistry``). This is no failure and costs no tries. The
    /// only connection waits for its turn, with all that it knows of its redirects; one beside others is not begun at
    /// all.
    mutating func permitRefused(_ id: ExchangeID) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        let segment = segments[index]
        if segment.isLive { hosts.noteFull(segment.url.hostKey) }
        if segment.isLive, !segment.isProbe, liveCount == 1 {
            segments[index].state = .awaitingPermit
            return [.awaitPermit(id, host: segment.url.hostKey)]
        }
        _ = segments.remove(at: index)
        if segment.isProbe { return [] }
        let ended = DownloadAction.report(.segment(id, .ended(stored: segment.position)))
        return (segment.isLive ? handBack(segment) : []) + [ended]
    }

    /// A connection to the host is reserved for us.
    mutating func hostFreed(_ host: String, at now: Instant) -> [DownloadAction] {
        hosts.noteFree(host)
        var actions: [DownloadAction] = []
        for index in segments.indices
        where segments[index].state == .awaitingPermit && segments[index].url.hostKey == host {
            // The response timeout starts only now.
            segments[index].state = .asked(since: now)
            actions.append(send(segments[index], at: now))
        }
        return actions
    }

    /// Cancels the youngest spare connection for another download that has none, or far fewer; its range returns to the
    /// pool.
    mutating func yieldConnection(_ host: String) -> [DownloadAction] {
        guard case .fetching = phase, liveCount > 1,
            let youngest = segments.last(where: { $0.isLive && $0.state != .awaitingPermit && $0.url.hostKey == host })
        else { return [] }
        hosts.noteFull(host)
        return cancelSegment(youngest.id)
    }

    /// Whether the download can only wait for a permit.
    package var isAwaitingPermit: Bool { segments.isAwaitingPermit }

    /// The range of a connection that will not start returns to the exchange it was cut from, which need not notice.
    mutating func handBack(_ segment: SegmentMachine) -> [DownloadAction] {
        segments.handBack(segment).map { [.setEnd($0.id, $0.end)] } ?? []
    }

    // MARK: What is learned of hosts

    /// A wait that was asked for is over once the host serves, whoever has not waited for it (FAULTS R34).
    mutating func noteServes(_ segment: SegmentMachine) -> [DownloadAction] {
        let source = segment.source
        guard sources[source].retry.isAskedToWait else { return [] }
        sources[source].retry.isAskedToWait = false
        let start = sources[source].source.url
        let urls = start.originKey.isExactly(segment.url.originKey) ? [segment.url] : [segment.url, start]
        return urls.map { .learned($0, .serves) }
    }

    mutating func learn(_ observation: HostObservation, of url: HTTPURL) -> [DownloadAction] {
        hosts.publish(observation, of: url).map { [$0] } ?? []
    }

    /// Reports the number of connections that each server accepts when it changes.
    mutating func learnCaps() -> [DownloadAction] {
        var actions: [DownloadAction] = []
        for index in sources.indices
        where sources[index].capacity.budget.ceiling != sources[index].capacity.publishedCeiling {
            let budget = sources[index].capacity.budget
            sources[index].capacity.publishedCeiling = budget.ceiling
            let observation: HostObservation =
                budget.ceiling < budget.limit ? .connectionCap(budget.ceiling) : .capLifted
            actions.append(.learned(sources[index].link.currentURL, observation))
        }
        return actions + learnMoreBorne()
    }

    /// Notes servers from which more connections than were remembered bring bytes.
    private mutating func learnMoreBorne() -> [DownloadAction] {
        var actions: [DownloadAction] = []
        for index in sources.indices {
            guard let borne = sources[index].capacity.borne else { continue }
            let flowing = flowingCount(of: index)
            guard flowing > borne else { continue }
            let url = sources[index].link.currentURL
            if sources[index].capacity.noteMoreBorne() {
                actions.append(.learned(url, .capLifted))
            } else if sources[index].capacity.budget.ceiling < sources[index].capacity.budget.limit {
                actions.append(.learned(url, .connectionCap(flowing)))
            }
        }
        return actions
    }

    /// Applies the facts remembered about the host of each source, and the failures of earlier runs of this download.
    mutating func takeHints() {
        for index in sources.indices {
            let hints = settings.hostHints[sources[index].source.url.originKey] ?? HostHints()
            sources[index].begin(with: hints, failuresBefore: index == sources.lead ? settings.failuresBefore : 0)
        }
    }

    /// Sends no requests to hosts that told an earlier run to wait.
    mutating func rest(at now: Instant) -> [DownloadAction] {
        guard !settings.ignoresRetryAfter else { return [] }
        var actions: [DownloadAction] = []
        for index in sources.indices {
            guard let rest = settings.hostHints[sources[index].source.url.originKey]?.rest, rest.until > now else {
                continue
            }
            actions += remember(rest, of: index, at: now)
        }
        return actions
    }

    /// N24: a wait that is remembered is reported or refused like one that the server has just asked for, never waited
    /// out in silence.
    private mutating func remember(_ rest: HostHints.Rest, of source: SourceID, at now: Instant) -> [DownloadAction] {
        let (url, until) = (sources[source].source.url, rest.until)
        // What the first run did not wait for, no later one does: the wait is judged as it was asked for.
        let isTooLong = max(rest.length, until - now) > settings.retry.maximumRetryAfter
        let error = DownloadError.resting(
            url, since: HTTPDate(secondsSinceEpoch: rest.asked),
            until: HTTPDate(secondsSinceEpoch: wallClock(of: until)),
            giveUpFor: isTooLong ? until - now : nil)
        let isUnwanted = settings.maximumRetries == 0 || settings.maximumRetryTime.map { until - now > $0 } ?? false
        if isTooLong || isUnwanted { return giveUp(source, because: error, at: now) }
        sources[source].retry.rest(until: until)
        guard source == sources.lead else { return [.report(.sourceRested(url, error, until: until))] }
        lastProblem = error
        return [.report(.retrying(error, failures: 0, of: maximumRetries, until: until))]
    }
}

extension SourceState {
    mutating func begin(with hints: HostHints, failuresBefore: Int) {
        capacity.begin(with: hints)
        retry.isAskedToWait = hints.rest != nil
        habits.refusesCondition = hints.refusesIfRange
        retry.begin(failuresBefore: failuresBefore)
    }
}
