extension DownloadMachine {
    mutating func bad(
        _ problem: BadResponse, _ id: ExchangeID, _ head: ResponseHead, at now: Instant
    ) -> [DownloadAction] {
        badResponses += 1
        if badResponses >= 2 { bypassesCaches = true }
        let began = index(of: id).map { segments[$0].began }
        let error = DownloadError(
            .badResponse,
            "\(currentURL.redacted) answered with \(problem.rawValue). Nothing of that was stored and progress is kept: run it again later, or take the file from another server.",
            recovery: .retryAfter(nil), underlying: problem.evidence(in: head))
        if representation == nil, !askPlainly, segments.first(where: { $0.id == id })?.request.isRanged ?? false {
            return askPlainly(after: problem, id, head, at: now)
        }
        let isHopeless =
            switch problem {
            case .transformed, .unexpectedStatus, .contentRangeOn200: true
            default: false
            }
        if isHopeless, flowingCount == 0 { return cancelSegment(id) + drain(for: .fail(error)) }
        // Three in a row from a server that is supposed to know ranges: one plain stream is what is left to try.
        if badResponses >= 3, !askPlainly, flowingCount == 0 {
            askPlainly = true
            return askAgain(id, at: now)
        }
        if flowingCount > 0 { budget.refused(running: flowingCount, at: now) }
        let mostTries = representation == nil ? RetryPolicy.mostTriesOfBrokenServer : nil
        return cancelSegment(id) + failure(error, began: began, mostTries: mostTries, at: now)
    }

    mutating func refused(_ refusal: Refusal, _ id: ExchangeID, at now: Instant) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        let segment = segments[index]
        let began = segment.began
        let url = segment.url
        let cancel = cancelSegment(id)
        // FAULTS N01: one connection too many, as long as another still brings bytes, or was there when this one was asked for.
        var isLimit = flowingCount > 0
        if case .unauthorized = refusal, segment.isExtra { isLimit = true }
        if isLimit {
            limitStatus = refusal.status
            return cancel + limited(segment, at: now) + postponeMore(refusal, at: now)
                + [.report(.connectionRefused(status: refusal.status, limit: budget.ceiling))]
        }
        let status = refusal.status
        let place = url.redacted
        switch refusal {
        case .unauthorized:
            let error = unauthorized(place, status)
            // So this server says "one too many", and may not have noticed yet that another connection is gone.
            if limitStatus == status, url == sourceURL, !settings.canRefresh {
                return cancel + failure(error, began: began, mostTries: 4, at: now)
            }
            return cancel + renew(url, or: error, at: now)
        case .notFound:
            let error = DownloadError(
                .notFound, "\(place) has no such file (\(status)). Check the URL.", recovery: .giveUp)
            return cancel + (status == 410 || url != sourceURL ? renew(url, or: error, at: now) : drain(for: .fail(error)))
        case .busy(_, let retryAfter):
            return cancel + wait(retryAfter, status: status, place, began: began, at: now)
        case .temporary:
            let error = DownloadError(
                .network, "\(place) has trouble of its own (\(status)). Run it again later; progress is kept.",
                recovery: .retryAfter(nil))
            return cancel + failure(error, began: began, at: now)
        case .captivePortal:
            let error = DownloadError(
                .refused, "The network wants a login first (511). Log in with a browser, then run it again.",
                recovery: .retryAfter(nil))
            return cancel + drain(for: .fail(error))
        case .other:
            // Some stores say 400 when a signature is past its time.
            if status == 400, url.isSigned, representation != nil {
                return cancel + renew(url, or: unauthorized(place, status), at: now)
            }
            let error = DownloadError(.refused, "\(place) refused the request (\(status)).", recovery: .giveUp)
            return cancel + drain(for: .fail(error))
        }
    }

    /// The partial file is not given up for a page that stands in its place: the link may need renewing, or the network a login.
    mutating func refusedPage(_ id: ExchangeID, at now: Instant) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        let segment = segments[index]
        let cancel = cancelSegment(id)
        if flowingCount > 0 { return cancel + limited(segment, at: now) }
        return cancel + renew(segment.url, or: .webPage(segment.url), at: now)
    }

    private func unauthorized(_ place: String, _ status: Int) -> DownloadError {
        DownloadError(
            .unauthorized,
            representation == nil
                ? "\(place) wants credentials or refuses access (\(status)). Check the URL, or give credentials with a header."
                : "\(place) no longer lets us in (\(status)): the link has probably expired. Progress is kept; run it again with a fresh link.",
            recovery: .reconnect)
    }

    /// FAULTS H12: a host that names a wait is not asked for more before it is over. What flows goes on.
    private mutating func postponeMore(_ refusal: Refusal, at now: Instant) -> [DownloadAction] {
        guard case .busy(_, let retryAfter?) = refusal else { return [] }
        noMoreBefore = now + min(retryAfter.delay(wallClock: wallClock(of: now)), settings.retry.longestRetryAfter)
        return []
    }

    private mutating func wait(
        _ retryAfter: RetryAfter?, status: Int, _ place: String, began: Instant?, at now: Instant
    ) -> [DownloadAction] {
        let delay = retryAfter?.delay(wallClock: wallClock(of: now))
        let isTooLong = delay.map { $0 > settings.retry.longestRetryAfter } ?? false
        let error = DownloadError(
            .refused,
            isTooLong
                ? "\(place) is too busy (\(status)) and asks to be left alone for \((delay?.components.seconds ?? 0) / 60) minutes. Run it again after that; progress is kept."
                : "\(place) is too busy (\(status)). Run it again later, or with fewer connections; progress is kept.",
            recovery: .retryAfter(isTooLong ? delay : nil))
        guard let delay else { return failure(error, began: began, at: now) }
        guard !isTooLong else { return drain(for: .fail(error)) }
        // A wait that the server names is no failure of ours, but a server that names zero for ever must not make us spin.
        guard delay > .zero else { return failure(error, began: began, at: now) }
        nextStart = max(nextStart ?? .zero, now + delay)
        lastProblem = error
        return [.report(.retrying(error, failures: fruitless, until: now + delay))]
    }

    /// FAULTS H09: follow the redirects again from their beginning, else ask the caller; each at most once in 30 s.
    ///
    /// - Parameter refused: the URL that says no, though one like it has worked before.
    mutating func renew(_ refused: HTTPURL, or error: DownloadError, at now: Instant) -> [DownloadAction] {
        let isResolved = refused != sourceURL
        guard representation != nil, isResolved || settings.canRefresh else { return drain(for: .fail(error)) }
        // A round may take longer than the interval between two, so the rounds are counted as well.
        renewals = stored > storedAtRenewal ? 1 : renewals + 1
        storedAtRenewal = stored
        guard renewals <= settings.retry.mostTriesWithoutProgress else { return drain(for: .fail(error)) }
        // Whatever else was asked there would only be refused too.
        let cancel = segments.filter { $0.isLive && !$0.isFlowing }.flatMap { cancelSegment($0.id) }
        currentURL = sourceURL
        if isResolved, isDue(lastResolved, at: now) {
            lastResolved = now
            return cancel + [.report(.refreshing)]
        }
        // The redirect may still lead to the dead link, or have led to another one.
        if settings.canRefresh, isDue(lastRefresh, at: now) {
            lastRefresh = now
            phase = .refreshing
            return cancel + [.report(.refreshing), .refresh]
        }
        let failure = failure(error, at: now)
        guard case .fetching = phase, let last = isResolved ? lastResolved : lastRefresh else { return cancel + failure }
        let next = max(nextStart ?? now, last + settings.shortestRefreshInterval)
        nextStart = next
        let retry = DownloadAction.report(.retrying(error, failures: fruitless, until: next))
        guard isResolved else { return cancel + [retry] }
        // The first request after the wait follows the redirects anew.
        lastResolved = next
        return cancel + [.report(.refreshing), retry]
    }

    private func isDue(_ last: Instant?, at now: Instant) -> Bool {
        last.map { now - $0 >= settings.shortestRefreshInterval } ?? true
    }

    mutating func refreshed(_ url: HTTPURL?, at now: Instant) -> [DownloadAction] {
        guard case .refreshing = phase else { return [] }
        phase = .fetching
        guard let url else {
            return drain(
                for: .fail(
                    DownloadError(
                        .unauthorized,
                        "The link to \(settings.url.redacted) has expired and no fresh one was supplied. Progress is kept.",
                        recovery: .reconnect)))
        }
        currentURL = url
        sourceURL = url
        lastResolved = nil
        return []
    }
}
