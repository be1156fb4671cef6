extension DownloadMachine {
    mutating func received(_ id: ExchangeID, _ head: ResponseHead, at now: Instant) -> [DownloadAction] {
        guard let index = index(of: id), segments[index].isLive else { return [] }
        guard case .fetching = phase else { return cancelSegment(id) }
        hasRepeated = false
        let segment = segments[index]
        let hasNewCookie = cookies.store(
            head.fields.values("set-cookie"), from: segment.url, wallClock: wallClock(of: now))
        if case .asked(let since) = segment.state { slowestHead = max(slowestHead, now - since) }
        let rule = ResponseRule(
            request: segment.request, known: representation,
            hasExpectedDigest: settings.digest != nil || representation.map { !$0.digests.isEmpty } ?? false,
            holdsEverything: isWhole, urlHasWorked: representation != nil)
        switch rule.judge(head) {
        case .partial(let range, let found): return acceptPart(id, range, found, head, at: now)
        case .whole(let found): return acceptWhole(id, found, head, at: now)
        case .empty(let found): return acceptEmpty(id, found, head)
        case .changed(let difference, let found): return changed(difference, found, asked: id, at: now)
        case .alreadyComplete:
            if representation?.total == nil { representation?.total = segment.position }
            return cancelSegment(id)
        case .startsEarly(let first): return askEarlier(from: first, id, head, at: now)
        case .askWithoutRange(let problem): return askPlainly(after: problem, id, head, at: now)
        case .askWithoutCondition:
            conditionRefused = true
            return askAgain(id, at: now)
        case .redirect(let location): return follow(location, id, isKnownBetter: hasNewCookie, at: now)
        case .refused(let refusal): return refused(refusal, id, at: now)
        case .bad(let problem): return bad(problem, id, head, at: now)
        }
    }

    // MARK: Accepting

    private mutating func acceptPart(
        _ id: ExchangeID, _ range: ByteRange, _ found: Representation, _ head: ResponseHead, at now: Instant
    ) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        // Until now the length was not known, or only that of a file found on disk.
        if let total = found.total, total < written.upperBound { return changed(.total, found, asked: id, at: now) }
        // Only what is held already, though the file goes on. To ask on as if it had been something would go round for ever, without a pause.
        guard range.end > segments[index].position || range.end == found.total else { return bad(.wrongStart, id, head, at: now) }
        if let known = representation, !written.isEmpty, known.compare(with: found) != .same { restsOnDigest = true }
        segments[index].announcedEnd = range.end
        segments[index].end = segments[index].end.map { min($0, range.end) } ?? range.end
        rangesProven = true
        mismatches = 0
        badResponses = 0
        return establish(found, by: id, head, at: now)
    }

    private mutating func acceptWhole(
        _ id: ExchangeID, _ found: Representation, _ head: ResponseHead, at now: Instant
    ) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        var actions: [DownloadAction] = []
        if isAdopting { return changed(.validator, found, asked: id, at: now) }
        if let total = found.total, total < written.upperBound { return changed(.total, found, asked: id, at: now) }
        if representation != nil, segments[index].request.isRanged {
            ignoredRanges += 1
            // FAULTS R23: one back end of several may honour ranges. While another connection brings bytes, this answer is only a refusal.
            if flowingCount > 0 {
                budget.refused(running: flowingCount, at: now)
                if ignoredRanges > 1 { actions += useOneStream() }
                return actions + cancelSegment(id)
            }
            // Asked again it may well be honoured, and costs less than the whole file.
            if rangesProven, ignoredRanges == 1 { return askAgain(id, at: now) }
            actions += useOneStream()
        }
        if segments[index].request.isRanged || askPlainly { rangesIgnored = true }
        guard mayFetchAgain(written.count) else { return cancelSegment(id) + drain(for: .fail(fetchedAgainTooOften)) }
        segments[index].isFromZero = true
        for other in segments where other.id != id { actions += cancelSegment(other.id) }
        segments[index].position = 0
        segments[index].overlap = 0
        let total = found.total ?? representation?.total
        segments[index].end = total
        segments[index].announcedEnd = total
        // The transport reports a cut where TLS ends without a farewell, so that an end over it is one (RFC 9112 §9.8).
        let isSecure = segments[index].url.scheme == .https
        framingShowedEnd =
            total != nil || isSecure || head.fields.first("transfer-encoding")?.lowercased().contains("chunked") ?? false
        badResponses = 0
        if let coding = found.contentCoding { actions.append(.report(.encoded(coding))) }
        return actions + establish(found, by: id, head, at: now)
    }

    private mutating func useOneStream() -> [DownloadAction] {
        defer { rangesIgnored = true }
        return rangesIgnored ? [] : [.report(.rangesIgnored)]
    }

    private mutating func acceptEmpty(
        _ id: ExchangeID, _ found: Representation, _ head: ResponseHead
    ) -> [DownloadAction] {
        var empty = found
        empty.total = 0
        guard representation == nil, let index = index(of: id), !isAdopting else {
            return cancelSegment(id) + drain(for: .startOver(.always))
        }
        representation = empty
        let name = suggestedName(head, segments[index].url)
        return cancelSegment(id) + [.prepare(empty, suggestedName: name)]
    }

    /// The first answer settles what is being downloaded; later ones have been compared with it and can only add to it.
    private mutating func establish(
        _ found: Representation, by id: ExchangeID, _ head: ResponseHead, at now: Instant
    ) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        let segment = segments[index]
        if let error = objection(to: found, head, at: segment.url) {
            return cancelSegment(id) + drain(for: .fail(error))
        }
        currentURL = segment.url
        guard let known = representation else {
            representation = found
            established = now
            if isPrepared { return flow(id, at: now) }
            segments[index].state = .held
            return [.prepare(found, suggestedName: suggestedName(head, segment.url))]
        }
        if known.total == nil { representation?.total = found.total }
        settleYouth(found, segment)
        if known.digests.isEmpty { representation?.digests = found.digests }
        return flow(id, at: now)
    }

    /// FAULTS V08: asked two seconds after the first answer, which is more than the grain of a modification time, the server says the same:
    /// a change since then would have changed the validator.
    private mutating func settleYouth(_ found: Representation, _ segment: SegmentMachine) {
        guard let known = representation, known.isYoung, let established, known.compare(with: found) == .same,
            segment.began >= established + Self.youth
        else { return }
        representation?.date = nil
    }

    private mutating func flow(_ id: ExchangeID, at now: Instant) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        segments[index].state = .flowing
        segments[index].advance(to: segments[index].position, received: 0, isHeldByUs: true, at: now)
        let segment = segments[index]
        // One byte past the limit tells a file that is too large from one that just fits.
        let limit = settings.maximumFileSize.map { $0 < .max ? $0 + 1 : $0 }
        return [.store(id, from: segment.position, overlap: segment.overlap, end: segment.end ?? limit)]
    }

    /// What the caller would not want, however well the server means it.
    private func objection(to found: Representation, _ head: ResponseHead, at url: HTTPURL) -> DownloadError? {
        if let limit = settings.maximumFileSize, let total = found.total, total > limit {
            return .tooLarge(url, limit: limit, total: total)
        }
        // Later answers are compared with the first one, and what is no page is never taken for one.
        guard representation == nil, !settings.allowsWebPage,
            WebPage.standsIn(for: settings.url, named: settings.fileName, head)
        else { return nil }
        return .webPage(url)
    }

    private func suggestedName(_ head: ResponseHead, _ url: HTTPURL) -> String {
        FileName.suggested(by: head, from: url, asked: settings.url)
    }

    mutating func prepared(_ preparation: Preparation, at now: Instant) -> [DownloadAction] {
        switch preparation {
        case .ready:
            isPrepared = true
            guard let held = segments.first(where: { $0.state == .held }) else { return [] }
            return flow(held.id, at: now)
        case .skipped:
            phase = .completed(Outcome(isComplete: false, isVerified: false, isSkipped: true))
            return segments.map { .cancel($0.id) } + abandon()
        case .failed(let error):
            if let actions = makeRoom(after: error) { return actions }
            storageHasFailed = true
            return drain(for: .fail(error))
        }
    }

    // MARK: Asking again

    /// Ends this exchange and lets the plan begin another for the same bytes at once.
    private mutating func askAgain(_ id: ExchangeID, at now: Instant) -> [DownloadAction] {
        nextStart = nil
        return cancelSegment(id)
    }

    /// FAULTS R05: a cache that serves whole blocks is asked from where its block begins, so that what it repeats can be compared.
    private mutating func askEarlier(
        from first: Int64, _ id: ExchangeID, _ head: ResponseHead, at now: Instant
    ) -> [DownloadAction] {
        guard let index = index(of: id), flowingCount == 0, badResponses == 0,
            let lead = ByteRange(start: first, end: segments[index].position), lead.count <= Self.longestLead,
            written.contains(lead)
        else { return bad(.wrongStart, id, head, at: now) }
        badResponses = 1
        nextLead = lead
        return askAgain(id, at: now)
    }

    private mutating func askPlainly(
        after problem: BadResponse, _ id: ExchangeID, _ head: ResponseHead, at now: Instant
    ) -> [DownloadAction] {
        guard !askPlainly, flowingCount == 0 else { return bad(problem, id, head, at: now) }
        askPlainly = true
        if isAdopting { return drain(for: .startOver(.always)) }
        return askAgain(id, at: now)
    }

    private mutating func follow(
        _ location: String, _ id: ExchangeID, isKnownBetter: Bool, at now: Instant
    ) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        let segment = segments[index]
        do {
            let target = try RedirectPolicy(allowsInsecure: settings.allowsInsecureRedirect)
                .target(of: location, from: segment.url, visited: segment.visited, isKnownBetter: isKnownBetter)
            // The redirect's own exchange ends; a new one takes its place in the chain.
            let nextID = ExchangeID(nextExchange)
            nextExchange += 1
            var next = SegmentMachine(
                id: nextID, url: target, request: segment.request, position: segment.position, end: segment.end,
                overlap: segment.overlap, hedges: segment.hedges, at: now)
            next.visited = segment.visited + [segment.url]
            next.isExtra = segment.isExtra
            next.request.condition = condition(for: next)
            let cancel = cancelSegment(id)
            segments.append(next)
            return cancel + [.report(.redirected(target)), send(next, at: now)]
        } catch {
            return cancelSegment(id) + drain(for: .fail(error))
        }
    }

    // MARK: Refusing

    private mutating func bad(
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

    private mutating func refused(_ refusal: Refusal, _ id: ExchangeID, at now: Instant) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        let segment = segments[index]
        let began = segment.began
        let url = segment.url
        let cancel = cancelSegment(id)
        // FAULTS N01: one connection too many, as long as another still brings bytes.
        if flowingCount > 0 {
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
        nextStart = now + delay
        lastProblem = error
        return [.report(.retrying(error, failures: fruitless, until: now + delay))]
    }

    /// FAULTS H09: follow the redirects again from their beginning, else ask the caller; each at most once in 30 s.
    ///
    /// - Parameter refused: the URL that says no, though one like it has worked before.
    private mutating func renew(_ refused: HTTPURL, or error: DownloadError, at now: Instant) -> [DownloadAction] {
        let isResolved = refused != sourceURL
        guard representation != nil, isResolved || settings.canRefresh else { return drain(for: .fail(error)) }
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

    // MARK: Another representation

    mutating func changed(
        _ difference: Representation.Difference, _ found: Representation?, asked id: ExchangeID, at now: Instant
    ) -> [DownloadAction] {
        // FAULTS V04: nodes of one host may disagree about a validator, and one may even contradict itself about a length. Ask again first.
        let isContradiction =
            switch difference {
            case .validator, .date, .contentCoding: found?.total == nil || found?.total == total
            case .total: found?.strongEntityTag.map { $0 == representation?.strongEntityTag } ?? false
            case .digest: false
            }
        // Length and date are ours, and others bring bytes of ours: rather another node than another file. It is one connection less.
        if isContradiction, flowingCount > 0, let date = found?.lastModified, date == representation?.lastModified {
            budget.refused(running: flowingCount, at: now)
            return cancelSegment(id)
        }
        if isContradiction, !isAdopting, mismatches < 3 {
            mismatches += 1
            return cancelSegment(id)
        }
        return changed(difference, at: now)
    }

    mutating func changed(_ difference: Representation.Difference, at now: Instant) -> [DownloadAction] {
        let report = DownloadAction.report(.changed(difference))
        switch settings.onChange {
        case .restart:
            changes += 1
            // Of another file every byte is progress.
            storedAtFailure = 0
            let error = DownloadError(
                .changed,
                "\(settings.url.redacted) keeps being another file (\(difference.rawValue) differs), \(changes) times by now. Try again when it has settled; the partial files are kept.",
                recovery: .retryAfter(nil))
            guard changes <= Self.mostChanges else { return [report] + drain(for: .fail(error)) }
            // The first change is news, the next ones are a fault: they wait, and say so.
            if changes > 1 {
                nextStart = now + settings.retry.delay(failures: changes, using: &random)
                lastProblem = error
            }
            return [report] + drain(for: .startOver(.always))
        case .fail:
            let error = DownloadError(
                .changed,
                "\(settings.url.redacted) is another file now than the one that was begun (\(difference.rawValue) differs). What was stored is kept; begin anew with --on-change restart.",
                recovery: .restart)
            return [report] + drain(for: .fail(error))
        }
    }

    // MARK: Fetching again

    /// FAULTS R27: without ranges a broken connection costs everything that came before it, each time.
    func mayFetchAgain(_ held: Int64) -> Bool {
        settings.retry.mayFetchAgain(held, after: fetchedAgain, of: total ?? written.upperBound)
    }

    var fetchedAgainTooOften: DownloadError {
        DownloadError(
            .network,
            "\(currentURL.host) cannot go on in the middle of this file, and the connection broke before its end again and again: \(fetchedAgain) bytes were fetched more than once. Run it again on a steadier network, or take the file from another server.",
            recovery: .retryAfter(nil), underlying: lastProblem?.underlying)
    }

    // MARK: Failing

    /// Counts a failure and sets the back-off. While other connections bring bytes it only delays the next new one.
    ///
    /// Connections that were open together and break together are one failure, however many they are: only what was begun after the last
    /// failure is another try.
    ///
    /// - Parameters:
    ///   - began: when the exchange began that failed.
    ///   - mostTries: where fewer than usual make sense.
    mutating func failure(
        _ error: DownloadError, began: Instant? = nil, mostTries: Int? = nil, at now: Instant
    ) -> [DownloadAction] {
        lastProblem = error
        lastExchangeDelivered = false
        let isNewTry = lastFailure.map { last in began.map { $0 >= last } ?? true } ?? true
        if !isNewTry, let nextStart, now < nextStart { return [] }
        lastFailure = now
        if stored - storedAtReset >= settings.retry.progressThatResets {
            storedAtReset = stored
            backoffLevel = 0
        }
        if isNewTry || backoffLevel == 0 { backoffLevel += 1 }
        if stored > storedAtFailure { fruitless = 1 } else if isNewTry { fruitless += 1 }
        storedAtFailure = max(storedAtFailure, stored)
        if fruitless >= mostTries ?? settings.retry.mostTriesWithoutProgress, flowingCount == 0 {
            return drain(for: .fail(error))
        }
        let until = now + settings.retry.delay(failures: backoffLevel, using: &random)
        nextStart = max(nextStart ?? until, until)
        return [.report(.retrying(error, failures: fruitless, until: until))]
    }
}

extension DownloadError {
    static func tooLarge(_ url: HTTPURL, limit: Int64, total: Int64? = nil) -> DownloadError {
        let length = total.map { "is \($0) bytes long" } ?? "goes on"
        return DownloadError(
            .tooLarge, "\(url.redacted) \(length), and the limit is \(limit). Allow more with --max-filesize if you want it.",
            recovery: .giveUp)
    }

    static func webPage(_ url: HTTPURL) -> DownloadError {
        let portal = url.scheme == .http ? "a login of the site or of the network" : "a login of the site"
        return DownloadError(
            .badResponse,
            "\(url.redacted) answered with a web page instead of the file: \(portal) may be in the way, or the link leads to a page about the file. Open it in a browser; --allow-web-page stores it as it is. Nothing of it was stored.",
            recovery: .giveUp)
    }

    static func network(host: String, detail: String) -> DownloadError {
        DownloadError(
            .network, "\(host): \(detail). Check the network and run it again; progress is kept.",
            recovery: .retryNow, underlying: detail)
    }

    init(_ error: TransportError, host: String) {
        switch error.reason {
        case .tls:
            self.init(
                .tls,
                "No secure connection to \(host): \(error.detail). Check the clock and the certificate; a private authority is named with --ca-certificate.",
                recovery: .giveUp, underlying: error.detail)
        case .nameResolution:
            self.init(
                .network,
                "\(host) was not found: \(error.detail). Check the spelling and the network, and run it again; progress is kept.",
                recovery: .retryNow, underlying: error.detail)
        case .malformed:
            self.init(
                .badResponse,
                "\(host) sent what is not valid HTTP/1.1: \(error.detail). Something between here and there may be at fault; run it again later. Progress is kept.",
                recovery: .retryAfter(nil), underlying: error.detail)
        case .connect, .truncated, .stale, .proxy, .other:
            self = .network(host: host, detail: error.detail)
        }
    }
}
