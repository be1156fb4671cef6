extension DownloadMachine {
    mutating func received(_ id: ExchangeID, _ head: ResponseHead, at now: Instant) -> [DownloadAction] {
        guard let index = index(of: id), segments[index].isLive else { return [] }
        guard case .fetching = phase else { return cancelSegment(id) }
        let segment = segments[index]
        let (hasNewCookie, keepCookies) = storeCookies(of: head, from: segment.url, at: now)
        if segment.isProbe {
            return keepCookies + answeredProbe(segment, head, isKnownBetter: hasNewCookie, at: now)
        }
        return keepCookies + answered(id, head, hasNewCookie: hasNewCookie, at: now)
    }

    private mutating func answered(
        _ id: ExchangeID, _ head: ResponseHead, hasNewCookie: Bool, at now: Instant
    ) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        let segment = segments[index]
        let source = segment.source
        sources[source].pace.hasAnswered = true
        if case .asked(let since) = segment.state {
            sources[source].pace.slowestHead = max(sources[source].pace.slowestHead, now - since)
        }
        let rule = ResponseRule(
            request: segment.request, known: known(of: source),
            hasExpectedDigest: settings.decidesByDigest || !digestsOfResult.isEmpty,
            holdsEverything: isWhole, urlHasWorked: known(of: source) != nil, received: wallClock(of: now))
        if let actions = answerChallenge(id, head, at: now) ?? answerNotModified(id, head) { return actions }
        if isStrayPage(head) { return refusedPage(id, at: now) }
        if (200...299).contains(head.status), isPageAtFirst(head), drops(rangeOf: segment, mayPass: false) {
            return askAgain(id, at: now)
        }
        if let error = unsatisfiable(head, from: segment.url) { return cancelSegment(id) + drain(for: .fail(error)) }
        let verdict = rule.judge(head)
        (segments[index].answer.verdict, segments[index].answer.explanation) = (verdict, head.explanation)
        if let found = verdict.accepted, let stranger = stranger(found, from: source) {
            return turnAway(id, stranger, at: now)
        }
        if let actions = withoutSeveral(verdict, segment) { return actions }
        switch verdict {
        case .several(let type, let found): return acceptSeveral(id, type, found, head, at: now)
        case .partial(let range, let found): return acceptPart(id, range, found, head, at: now)
        case .whole(let found): return acceptWhole(id, found, head, at: now)
        case .empty(let found): return acceptEmpty(id, found, head)
        case .changed(let difference, let found): return changed(difference, found, asked: id, at: now)
        case .unproven:
            guard settings.onChange == .fail else { return cancelSegment(id) + dropUnproven(at: now) }
            // To ask again would bring the same.
            let error = DownloadError.badResponse(.unprovenRepresentation, from: segment.url, head)
            return cancelSegment(id) + giveUp(source, because: error, at: now)
        case .alreadyComplete:
            if representation?.total == nil { amend(source) { $0.total = segment.position } }
            if settings.decidesByDigest { attempt.restsOnDigest = true }
            return cancelSegment(id)
        case .startsEarly(let first): return askEarlier(from: first, id, orElse: .wrongStart, head, at: now)
        case .askForLastBytes:
            let first = segment.position - min(max(1, settings.overlap), segment.position)
            return askEarlier(from: first, id, orElse: .unsatisfiableInside, head, at: now)
        case .askWithoutRange(let problem): return askPlainly(after: problem, id, head, at: now)
        case .askWithoutCondition:
            sources[source].habits.refusesCondition = true
            return learn(.refusesIfRange, of: segment.url) + askAgain(id, at: now)
        case .redirect(let location): return follow(location, id, head, isKnownBetter: hasNewCookie, at: now)
        case .refused(let refusal): return refused(refusal, id, at: now)
        case .bad(let problem): return bad(problem, id, head, at: now)
        }
    }

    // MARK: Asking again

    /// Ends this exchange and lets the plan begin another for the same bytes at once.
    mutating func askAgain(_ id: ExchangeID, at now: Instant) -> [DownloadAction] {
        cancelSegment(id)
    }

    /// Asks for held bytes once more, so that what the server repeats can be compared: from where a cache's block
    /// begins (R05), or where the data ends (R29).
    private mutating func askEarlier(
        from first: Int64, _ id: ExchangeID, orElse problem: BadResponse, _ head: ResponseHead, at now: Instant
    ) -> [DownloadAction] {
        guard let index = index(of: id), flowingCount == 0, sources[segments[index].source].habits.badResponses == 0,
            let precedingRange = ByteRange(start: first, end: segments[index].position),
            precedingRange.count <= OverlapCheck.maximumPrecedingLength,
            !precedingRange.isEmpty, written.contains(precedingRange), !isStreaming
        else { return bad(problem, id, head, at: now) }
        sources[segments[index].source].habits.badResponses = 1
        attempt.overlap.askAgain(for: precedingRange)
        return askAgain(id, at: now)
    }

    mutating func askPlainly(
        after problem: BadResponse, _ id: ExchangeID, _ head: ResponseHead, at now: Instant
    ) -> [DownloadAction] {
        guard let index = index(of: id), !sources[segments[index].source].habits.asksPlainly, flowingCount == 0,
            !canSpare(segments[index].source)
        else {
            return bad(problem, id, head, at: now)
        }
        sources[segments[index].source].habits.hasUnusableRanges = true
        return attempt.earlier.isCompared ? cannotCompare() : askAgain(id, at: now)
    }

    /// Fails or starts over because the server sends nothing with which another program's partial file could be
    /// compared.
    mutating func cannotCompare() -> [DownloadAction] {
        if let actions = notProven(.incomparable) { return actions }
        guard settings.onChange == .fail else { return startOverUnproven(.always) }
        let error = DownloadError(
            .changed,
            "Cannot compare the existing file with \(settings.url.redacted): the server ignores byte ranges. The file was left unchanged.",
            recovery: .restart)
        return drain(for: .fail(error))
    }

    private mutating func follow(
        _ location: String, _ id: ExchangeID, _ head: ResponseHead, isKnownBetter: Bool, at now: Instant
    ) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        let segment = segments[index]
        do throws(DownloadError) {
            let target = try RedirectPolicy(allowsInsecure: settings.allowsInsecureRedirect)
                .target(of: location, from: segment.url, visited: segment.visited, isKnownBetter: isKnownBetter)
            guard settings.followsRedirects else { throw DownloadError.redirected(from: segment.url, to: target) }
            return [.report(.redirected(target))]
                + replace(segment, at: target, visited: segment.visited + [segment.url], now)
        } catch {
            return cancelSegment(id)
                + (oneTooMany(segment, status: head.status, at: now)
                    ?? giveUp(segment.source, because: error, at: now))
        }
    }

    /// An exchange that led elsewhere ends, and another takes its place in the chain.
    mutating func replace(
        _ segment: SegmentMachine, at url: HTTPURL, visited: [HTTPURL], isRepeat: Bool = false, _ now: Instant
    ) -> [DownloadAction] {
        let nextID = segments.makeID()
        var next = SegmentMachine(
            id: nextID, source: segment.source, url: url, request: segment.request, position: segment.position,
            end: segment.end,
            overlap: segment.overlap, hedges: segment.hedges, at: now)
        segments.replaceHedged(segment.id, by: nextID)
        next.visited = visited
        next.isExtra = segment.isExtra
        next.isProbe = segment.isProbe
        next.isRepeat = isRepeat
        next.request.condition = condition(for: next)
        let cancel = cancelSegment(segment.id)
        segments.append(next)
        return cancel + [send(next, at: now)]
    }
}

extension Verdict {
    /// The representation described by an acceptable response.
    fileprivate var accepted: Representation? {
        switch self {
        case .partial(_, let found), .several(_, let found), .whole(let found): return found
        case .empty(var found):
            found.total = 0
            return found
        case .changed, .alreadyComplete, .startsEarly, .askForLastBytes, .unproven, .askWithoutRange,
            .askWithoutCondition, .redirect, .refused, .bad:
            return nil
        }
    }
}
