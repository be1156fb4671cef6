extension DownloadMachine {
    mutating func bad(
        _ problem: BadResponse, _ id: ExchangeID, _ head: ResponseHead, at now: Instant
    ) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        let segment = segments[index]
        let source = segment.source
        let flowing = flowingCount(of: source)
        noteRefused(segment)
        sources[source].habits.badResponses += 1
        if sources[source].habits.badResponses >= 2 { sources[source].habits.bypassesCaches = true }
        let error = DownloadError.badResponse(problem, from: segment.url, head)
        if known(of: source) == nil, !sources[source].habits.asksPlainly, segment.request.isRanged {
            return askPlainly(after: problem, id, head, at: now)
        }
        let isHopeless =
            switch problem {
            case .transformed, .unexpectedStatus, .contentRangeOn200: true
            default: false
            }
        if isHopeless {
            return cancelSegment(id)
                + (oneTooMany(segment, status: head.status, at: now) ?? giveUp(source, because: error, at: now))
        }
        // Three in a row from a server that is supposed to know ranges: one plain stream is what is left to try.
        if sources[source].habits.badResponses >= 3, !sources[source].habits.asksPlainly, flowing == 0,
            !canSpare(source)
        {
            sources[source].habits.hasUnusableRanges = true
            return askAgain(id, at: now)
        }
        if flowing > 0 { sources[source].capacity.budget.refused(running: flowing, at: now) }
        let maximumTries = sources[source].file.representation == nil ? RetryPolicy.maximumTriesOfBrokenServer : nil
        return cancelSegment(id) + failure(error, of: source, began: segment.began, maximumTries: maximumTries, at: now)
    }

    mutating func refused(_ refusal: Refusal, _ id: ExchangeID, at now: Instant) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        let segment = segments[index]
        let source = segment.source
        let hasWaited = sources[source].retry.hasWaited(stored: sources[source].stored)
        let mayConcernRange =
            refusal.mayConcernRange(of: segment.proof, afterWait: hasWaited) && !isRenewalDue(refusal, segment)
        if repeatsWithoutRange(segment, if: mayConcernRange, mayPass: refusal.mayPass) {
            return askAgain(id, at: now)
        }
        let began = segment.began
        let url = segment.url
        let cancel = cancelSegment(id)
        // FAULTS N01: one connection too many, as long as another still brings bytes, or was there when this one was
        // asked for.
        var isLimit = false
        if case .unauthorized = refusal, segment.isExtra { isLimit = true }
        if let actions = oneTooMany(segment, status: refusal.status, isLimit: isLimit, at: now) {
            return cancel + actions + postponeMore(refusal, of: source, at: now)
        }
        let status = refusal.status
        let place = url.redacted
        switch refusal {
        case .unauthorized:
            let error = unauthorized(segment, status, at: now)
            // So this server says "one too many", and may not have noticed yet that another connection is gone.
            if sources[source].capacity.limitStatus == status, url == sources[source].link.startURL, !canRefresh(source)
            {
                return cancel + failure(error, of: source, began: began, maximumTries: 4, at: now)
            }
            return cancel + renew(url, of: source, or: error, at: now)
        case .notFound:
            let error = DownloadError(
                .notFound, "\(place) has no such file (\(words(of: status, segment))).", remedies: [.checkURL],
                recovery: .giveUp,
                facts: .init(status: status, host: url.host))
            let mayBeRenewed = status == 410 || url != sources[source].link.startURL
            return cancel
                + (mayBeRenewed ? renew(url, of: source, or: error, at: now) : giveUp(source, because: error, at: now))
        case .busy(_, let retryAfter):
            // Others of ours may have what it has to give.
            return cancel + wait(retryAfter, status: status, segment, at: now) + [
                .learned(url, .refusedConnection(isClosed: false))
            ]
        case .temporary:
            let error = DownloadError(
                .network, "\(place) failed with a server error (\(words(of: status, segment))).", remedies: [.tryLater],
                recovery: .retryAfter(nil), facts: .init(status: status, host: url.host))
            return cancel + failure(error, of: source, began: began, at: now)
        case .captivePortal:
            let error = DownloadError(
                .refused, "The network requires a login first (\(StatusPhrase.text(511))).", remedies: [.logIn],
                recovery: .retryAfter(nil),
                facts: .init(status: 511))
            return cancel + giveUp(source, because: error, at: now)
        case .other:
            // Some stores say 400 when a signature is past its time.
            if status == 400, url.isSigned, known(of: source) != nil || saysExpired(segment) {
                return cancel + renew(url, of: source, or: unauthorized(segment, status, at: now), at: now)
            }
            let scheme = expectsTLS(segment) ? " This port expects TLS: use https://." : ""
            let error = DownloadError(
                .refused, "\(place) refused the request (\(words(of: status, segment))).\(scheme)", recovery: .giveUp,
                facts: .init(status: status, host: url.host))
            return cancel + giveUp(source, because: error, at: now)
        }
    }

    /// FAULTS N01: what is said to one more connection, as long as another brings bytes, is about their number. Nil
    /// where none does.
    mutating func oneTooMany(
        _ segment: SegmentMachine, status: Int, isLimit: Bool = false, at now: Instant
    ) -> [DownloadAction]? {
        let source = segment.source
        guard isLimit || flowingCount(of: source) > 0 else { return nil }
        sources[source].capacity.limitStatus = status
        return limited(segment, at: now) + [
            .learned(segment.url, .refusedConnection(isClosed: false)),
            .report(.connectionRefused(status: status, limit: sources[source].capacity.budget.ceiling)),
        ]
    }

    /// The partial file is not given up for a page that stands in its place: the link may need renewing, or the network
    /// a login.
    mutating func refusedPage(_ id: ExchangeID, at now: Instant) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        let segment = segments[index]
        let cancel = cancelSegment(id)
        let mayConcernRange = !isRenewalDue(.unauthorized(status: 200), segment)
        if repeatsWithoutRange(segment, if: mayConcernRange, mayPass: false) { return cancel }
        if flowingCount(of: segment.source) > 0 { return cancel + limited(segment, at: now) }
        return cancel + renew(segment.url, of: segment.source, or: .webPage(segment.url, status: 200), at: now)
    }

    /// `403 Forbidden: “Request has expired”`: the status, and what the server says of it.
    private func words(of status: Int, _ segment: SegmentMachine) -> String {
        StatusPhrase.text(status) + (segment.answer.explanation.map { ": “\($0)”" } ?? "")
    }

    /// Whether the server says that the link has expired, rather than a login or a subscription.
    private func saysExpired(_ segment: SegmentMachine) -> Bool {
        guard let words = segment.answer.explanation?.lowercased(), words.contains("expired") else { return false }
        return segment.url.isSigned || ["request", "link", "url", "signature"].contains { words.contains($0) }
    }

    /// Whether the server says that it was sent plain HTTP where it expects TLS. Each server has words of its own:
    /// nginx, Apache and Go.
    private func expectsTLS(_ segment: SegmentMachine) -> Bool {
        guard segment.url.scheme == .http, let words = segment.answer.explanation?.lowercased() else { return false }
        return [
            "plain http request was sent to https port", "speaking plain http to an ssl-enabled server port",
            "http request to an https server",
        ].contains { words.contains($0) }
    }

    private func unauthorized(_ segment: SegmentMachine, _ status: Int, at now: Instant) -> DownloadError {
        let (url, answer) = (segment.url, words(of: status, segment))
        let place = url.redacted
        if let expiry = url.expiry, expiry <= wallClock(of: now) {
            return DownloadError(
                .unauthorized,
                "\(place) refused access (\(answer)): the link expired on \(HTTPDate(secondsSinceEpoch: expiry).imfFixdate).",
                remedies: [.renewURL], recovery: .reconnect, facts: .init(status: status, host: url.host))
        }
        return DownloadError(
            .unauthorized,
            representation == nil
                ? "\(place) \(status == 401 ? "requires credentials" : "refused access") (\(answer))."
                : "\(place) no longer grants access (\(answer)): the link has probably expired.",
            remedies: representation == nil && !saysExpired(segment) ? [.checkURL, .giveCredentials] : [.renewURL],
            recovery: .reconnect,
            facts: .init(status: status, host: url.host))
    }

    /// FAULTS H12: a host that names a wait is not asked for more before it is over. What flows goes on.
    private mutating func postponeMore(_ refusal: Refusal, of source: SourceID, at now: Instant) -> [DownloadAction] {
        guard !settings.ignoresRetryAfter, case .busy(_, let retryAfter?) = refusal else { return [] }
        let until = now + min(retryAfter.delay(wallClock: wallClock(of: now)), settings.retry.maximumRetryAfter)
        sources[source].capacity.noMoreBefore = until
        return [.learned(sources[source].link.currentURL, .busy(until: until))]
    }

    private mutating func wait(
        _ retryAfter: RetryAfter?, status: Int, _ segment: SegmentMachine, at now: Instant
    ) -> [DownloadAction] {
        let (source, place) = (segment.source, segment.url.redacted)
        let delay = settings.ignoresRetryAfter ? nil : retryAfter?.delay(wallClock: wallClock(of: now))
        let isTooLong = delay.map { $0 > settings.retry.maximumRetryAfter } ?? false
        let error = DownloadError(
            .refused,
            isTooLong
                ? "\(place) is too busy (\(words(of: status, segment))) and asks clients to wait \(TimeSpan.text((delay ?? .zero) / .seconds(1))) (Retry-After)."
                : "\(place) is too busy (\(words(of: status, segment))).",
            remedies: isTooLong ? [.tryLater, .ignoreRetryAfter] : [.tryLater, .useFewerConnections],
            recovery: .retryAfter(isTooLong ? delay : nil), facts: .init(status: status, host: segment.url.host))
        guard let delay else { return failure(error, of: source, began: segment.began, at: now) }
        let busy = DownloadAction.learned(segment.url, .busy(until: now + delay))
        guard !isTooLong else { return [busy] + giveUp(source, because: error, at: now) }
        // A wait that the server names is no failure of ours, but a server that names zero for ever must not make us
        // spin.
        guard delay > .zero else { return failure(error, of: source, began: segment.began, at: now) }
        let waits = sources[source].retry.countWait(stored: sources[source].stored, at: now)
        guard waits <= settings.maximumRetries ?? settings.retry.maximumWaitsWithoutProgress else {
            return [busy] + giveUp(source, because: error, at: now)
        }
        let until = now + max(delay, settings.retry.delay(failures: waits, using: &random))
        if let last = lastRetry(of: source), until > last { return [busy] + giveUp(source, because: error, at: now) }
        sources[source].retry.rest(until: until)
        lastProblem = error
        return [
            busy,
            .report(
                .retrying(
                    error, failures: sources[source].retry.failuresWithoutProgress, of: maximumRetries, until: until)),
        ]
    }

    /// Whether a link that has worked, and was not renewed yet, is likelier to have expired than to refuse the range.
    private func isRenewalDue(_ refusal: Refusal, _ segment: SegmentMachine) -> Bool {
        let link = sources[segment.source].link
        let mayExpire =
            switch refusal {
            case .unauthorized, .notFound: true
            case .other(let status): status == 400 && segment.url.isSigned
            case .busy, .temporary, .captivePortal: false
            }
        guard mayExpire, known(of: segment.source) != nil else { return false }
        return segment.url != link.startURL && link.lastResolved == nil
            || canRefresh(segment.source) && link.lastRefresh == nil
    }

    /// FAULTS H09: follow the redirects again from their beginning, else ask the caller; each at most once in 30 s.
    ///
    /// - Parameter refused: the URL that says no, though one like it has worked before.
    mutating func renew(
        _ refused: HTTPURL, of source: SourceID, or error: DownloadError, at now: Instant
    ) -> [DownloadAction] {
        let isResolved = refused != sources[source].link.startURL
        let canRefresh = canRefresh(source)
        guard known(of: source) != nil, isResolved || canRefresh else { return giveUp(source, because: error, at: now) }
        // A round may take longer than the interval between two, so the rounds are counted as well.
        guard
            sources[source].link.countRenewal(stored: sources[source].stored)
                <= settings.retry.maximumTriesWithoutProgress
        else {
            return giveUp(source, because: error, at: now)
        }
        // Whatever else was asked there would only be refused too.
        let waiting = segments.filter { $0.source == source && $0.isLive && !$0.isFlowing }
        let cancel = waiting.flatMap { cancelSegment($0.id) }
        sources[source].link.currentURL = sources[source].link.startURL
        if isResolved, isDue(sources[source].link.lastResolved, at: now) {
            sources[source].link.lastResolved = now
            return cancel + [.report(.refreshing)]
        }
        // The redirect may still lead to the dead link, or have led to another one.
        if canRefresh, isDue(sources[source].link.lastRefresh, at: now) {
            sources[source].link.lastRefresh = now
            if canSpare(source) { sources[source].link.isRefreshing = true } else { phase = .refreshing }
            return cancel + [.report(.refreshing), .refresh]
        }
        let failure = failure(error, of: source, at: now)
        guard case .fetching = phase,
            let last = isResolved ? sources[source].link.lastResolved : sources[source].link.lastRefresh
        else { return cancel + failure }
        let next = max(sources[source].retry.nextStart ?? now, last + settings.shortestRefreshInterval)
        if let last = lastRetry(of: source), next > last { return cancel + giveUp(source, because: error, at: now) }
        sources[source].retry.nextStart = next
        let retry = DownloadAction.report(
            .retrying(error, failures: sources[source].retry.failuresWithoutProgress, of: maximumRetries, until: next))
        guard isResolved else { return cancel + [retry] }
        // The first request after the wait follows the redirects anew.
        sources[source].link.lastResolved = next
        return cancel + [.report(.refreshing), retry]
    }

    /// The caller knows fresh URLs for the one it gave, and for no mirror.
    private func canRefresh(_ source: SourceID) -> Bool { settings.canRefresh && source == .own }

    private func isDue(_ last: Instant?, at now: Instant) -> Bool {
        last.map { now - $0 >= settings.shortestRefreshInterval } ?? true
    }

    mutating func refreshed(_ url: HTTPURL?, at now: Instant) -> [DownloadAction] {
        if case .refreshing = phase { phase = .fetching } else if !sources[.own].link.isRefreshing { return [] }
        sources[.own].link.isRefreshing = false
        guard let url else {
            let error = DownloadError(
                .unauthorized,
                "The link to \(settings.url.redacted) has expired and no fresh one was supplied.",
                remedies: [.renewURL], recovery: .reconnect)
            return giveUp(.own, because: error, at: now)
        }
        forgetRangeRefusal(of: .own)
        sources[.own].link.currentURL = url
        sources[.own].link.startURL = url
        sources[.own].link.lastResolved = nil
        return []
    }
}

extension DownloadError {
    static func badResponse(_ problem: BadResponse, from url: HTTPURL, _ head: ResponseHead) -> DownloadError {
        DownloadError(
            .badResponse,
            "\(url.redacted) answered \(problem.predicate(of: head.status)).",
            remedies: [.tryLater, .addSource], recovery: .retryAfter(nil), underlying: problem.evidence(in: head),
            facts: .init(status: head.status, host: url.host))
    }
}
