extension DownloadMachine {
    // MARK: Another representation

    mutating func changed(
        _ difference: Representation.Difference, _ found: Representation?, asked id: ExchangeID, at now: Instant
    ) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        let source = segments[index].source
        let known = known(of: source)
        if attempt.earlier.unproven?.otherURL != nil { return changed(difference, at: source, at: now) }
        // FAULTS V04: nodes of one host may disagree about a validator, and one may even contradict itself about a
        // length. Ask again first.
        let isContradiction =
            switch difference {
            case .validator, .date, .contentCoding: found?.total == nil || found?.total == total
            case .total: found?.strongEntityTag.map { $0 == known?.strongEntityTag } ?? false
            case .digest, .content: false
            }
        // Length and date are ours, and others bring bytes of ours: rather another node than another file. It is one
        // connection less.
        if isContradiction, flowingCount(of: source) > 0, let date = found?.lastModified, date == known?.lastModified {
            sources[source].capacity.budget.refused(running: flowingCount(of: source), at: now)
            return cancelSegment(id)
        }
        if isContradiction, !attempt.earlier.isAdopting, sources[source].file.mismatches < 3 {
            sources[source].file.mismatches += 1
            return cancelSegment(id)
        }
        return changed(difference, at: source, at: now)
    }

    mutating func changed(
        _ difference: Representation.Difference, at source: SourceID, at now: Instant
    ) -> [DownloadAction] {
        if canSpare(source) || isNewcomer(source) {
            let words = "its \(difference.rawValue) differs"
            return part(with: source, as: .different, .mirrorDiffers(sources[source].source.url, words), at: now)
        }
        if let actions = notProven(.differs(difference)) { return actions }
        let report = reportRestart(.changed(difference))
        switch settings.onChange {
        case .restart:
            let isAllowed = restarts.countChange()
            let changes = restarts.changes
            sources[source].retry.forgetFailedProgress()
            let error = DownloadError(
                .changed,
                "\(settings.url.redacted) keeps changing (its \(difference.rawValue) differs), \(changes) times so far. The partial files are kept.",
                remedies: [.tryLater], recovery: .retryAfter(nil))
            guard isAllowed else { return report + drain(for: .fail(error)) }
            // The first change is reported as such; further ones count as failures, with back-off.
            if changes > 1 {
                sources[source].retry.nextStart = now + settings.retry.delay(failures: changes, using: &random)
                lastProblem = error
            }
            return report + drain(for: .startOver(.always))
        case .fail:
            return drain(for: .fail(hasChanged(difference)))
        }
    }

    private func hasChanged(_ difference: Representation.Difference) -> DownloadError {
        let (url, name) = (settings.url.redacted, difference.rawValue)
        let (message, remedy): (String, DownloadError.Remedy) =
            if attempt.earlier.isAdopting {
                (
                    "The existing file is not the beginning of \(url) (its \(name) differs). It was left unchanged.",
                    .chooseName
                )
            } else if isStreaming {
                (
                    "\(url) changed while it was being read (its \(name) differs). The data read so far is from the old version.",
                    .tryAgain
                )
            } else {
                (
                    "\(url) has changed since this download was started (its \(name) differs). The partial file was left unchanged.",
                    .restartOnChange
                )
            }
        return DownloadError(.changed, message, remedies: [remedy], recovery: .restart)
    }

    /// Whether a source has brought nothing of the current file while another one is bringing it. The other's file has
    /// then not changed.
    private func isNewcomer(_ source: SourceID) -> Bool {
        guard attempt.file.establishedBy != source, sources[source].file.given.isEmpty else { return false }
        return sources.indices.contains { other in
            other != source && sources[other].isUsable
                && (flowingCount(of: other) > 0 || !sources[other].file.given.isEmpty)
        }
    }

    // MARK: Fetching again

    /// FAULTS R27: without ranges a broken connection costs everything that came before it, each time.
    func mayFetchAgain(_ held: Int64) -> Bool {
        restarts.allowsRefetching(held, of: total ?? written.upperBound, settings.retry)
    }

    func fetchedAgainTooOften(from url: HTTPURL) -> DownloadError {
        DownloadError(
            .network,
            "\(url.shownHost) cannot resume this file, and the connection kept breaking: \(ByteCount.text(restarts.refetched)) were downloaded more than once. A more reliable network would help.",
            remedies: [.tryLater, .addSource], recovery: .retryAfter(nil), underlying: lastProblem?.underlying,
            facts: .init(host: url.host))
    }

    // MARK: Failing

    /// The number of retries after failures without progress.
    var maximumRetries: Int { settings.maximumRetries ?? settings.retry.maximumTriesWithoutProgress - 1 }

    private func retryLimit(_ maximumTries: Int?) -> Int {
        settings.maximumRetries ?? maximumTries.map { $0 - 1 } ?? maximumRetries
    }

    /// N37: whether a failure to reach a server is waited for by time, because the network is likelier gone than the
    /// server. Otherwise the URL may be wrong, and the download fails soon.
    func isOutage(_ reason: TransportError.Reason, of source: SourceID) -> Bool {
        let hasServed = settings.hostHints.serving?.isExactly(sources[source].source.url.hostKey) ?? false
        let isKnown = settings.waitsForNetwork || hasServed || !written.isEmpty
        // A download that was begun with all of them behind it is not to wait once more.
        let hasTries = sources[source].retry.failuresWithoutProgress < maximumRetries
        guard settings.maximumRetries == nil, isKnown, hasTries, !canSpare(source),
            !sources[source].retry.isAloneInOutage
        else { return false }
        return switch reason {
        case .connect, .nameResolution, .proxy: true
        case .truncated, .malformed, .tls, .wrongHost, .notTLS, .stale, .proxyRefused, .denied, .other: false
        }
    }

    /// Whether one more failure without progress is the end of a source.
    func isLastTry(of source: SourceID, maximumTries: Int?) -> Bool {
        sources[source].retry.failuresWithoutProgress >= retryLimit(maximumTries)
    }

    /// A new byte is waited for no longer than until then. Nil: as long as it takes.
    func lastRetry(of source: SourceID, inOutage: Bool = false) -> Instant? {
        let most = settings.maximumRetryTime ?? (inOutage ? settings.retry.maximumOutage : nil)
        guard let most, let first = sources[source].retry.firstFailure else { return nil }
        return first + most
    }

    /// An address of this machine or a route has appeared.
    mutating func networkChanged(at now: Instant) -> [DownloadAction] {
        for source in sources.indices { sources[source].retry.noteNetwork(at: now) }
        return segments.filter(\.isProbe).flatMap { cancelSegment($0.id) }
    }

    /// N37: asks the source that would begin the file anew whether it answers, while the one with the stored bytes is
    /// waited for. If it does, the wait is not for the network, and the next try is counted.
    private mutating func probe(besides source: SourceID, at now: Instant) -> [DownloadAction] {
        guard liveCount == 0, sources[source].retry.mayBeAloneInOutage, !isStreaming, !mayBeginElsewhere,
            !canSpare(source),
            let other = sources.indices.first(where: {
                $0 != source && sources[$0].isUsable && !hosts.isFull(sources[$0].link.currentURL.hostKey)
                    && !sources[$0].link.currentURL.originKey.isExactly(sources[source].link.currentURL.originKey)
            })
        else { return [] }
        var segment = SegmentMachine(
            id: segments.makeID(), source: other, url: sources[other].link.currentURL,
            request: RangeRequest(start: 0, end: 1), position: 0, end: 0, overlap: 0, at: now)
        segment.isProbe = true
        sources[source].retry.noteProbe()
        segments.append(segment)
        return [send(segment, at: now)]
    }

    /// Reads the answer to a probe. A refusal, or a page in place of the file, may come from whoever stands between.
    mutating func answeredProbe(
        _ segment: SegmentMachine, _ head: ResponseHead, isKnownBetter: Bool, at now: Instant
    ) -> [DownloadAction] {
        switch ResponseRule(request: segment.request, known: nil).judge(head) {
        case .redirect(let location):
            let target = try? RedirectPolicy(allowsInsecure: settings.allowsInsecureRedirect)
                .target(of: location, from: segment.url, visited: segment.visited, isKnownBetter: isKnownBetter)
            guard let target, settings.followsRedirects else { break }
            return replace(segment, at: target, visited: segment.visited + [segment.url], now)
        case .partial(_, let found) where isOfFile(found, head, from: segment),
            .whole(let found) where isOfFile(found, head, from: segment):
            sources[sources.lead].retry.noteOthersAnswer()
        default: break
        }
        return cancelSegment(segment.id)
    }

    /// Whether the answer to a probe may be of the wanted file: otherwise the stored bytes are worth more than it.
    private func isOfFile(_ found: Representation, _ head: ResponseHead, from segment: SegmentMachine) -> Bool {
        switch stranger(found, from: segment.source) {
        case nil, .unproven: !isStrayPage(head) && !isPageAtFirst(head)
        case .length, .pieces, .digest: false
        }
    }

    /// Counts a failure and sets the back-off. While other connections bring bytes it only delays the next new one.
    ///
    /// Connections that were open together and break together count as one failure: only an exchange begun after the
    /// last failure is another try.
    ///
    /// - Parameters:
    ///   - source: whose failure it is.
    ///   - began: when the exchange began that failed.
    ///   - maximumTries: where fewer than usual make sense.
    ///   - isOutage: tries are not counted.
    mutating func failure(
        _ error: DownloadError, of source: SourceID, began: Instant? = nil, maximumTries: Int? = nil,
        isOutage: Bool = false, at now: Instant
    ) -> [DownloadAction] {
        lastProblem = error
        sources[source].pace.lastExchangeDelivered = false
        let stored = sources[source].stored
        let isCounted = sources[source].retry.countFailure(
            began: began, stored: stored, isOutage: isOutage, settings.retry, at: now)
        // Another source has answered since, and nothing is stored that it would begin anew.
        if sources[source].retry.isAloneInOutage, written.isEmpty, flowingCount(of: source) == 0 {
            return giveUp(source, because: error, at: now)
        }
        let limit = isOutage ? nil : retryLimit(maximumTries)
        if let limit, sources[source].retry.failuresWithoutProgress > limit, flowingCount(of: source) == 0 {
            return giveUp(source, because: error, at: now)
        }
        guard isCounted else { return [] }
        var until = now + settings.retry.delay(failures: sources[source].retry.backoffLevel, using: &random)
        if let last = lastRetry(of: source, inOutage: isOutage) {
            if now >= last, flowingCount(of: source) == 0 { return giveUp(source, because: error, at: now) }
            until = min(until, max(last, now))
        }
        sources[source].retry.rest(until: until)
        if canSpare(source) { return [.report(.sourceRested(sources[source].source.url, error, until: until))] }
        let report = DownloadReport.retrying(
            error, failures: sources[source].retry.failuresWithoutProgress, of: limit, until: until)
        return [.report(report)] + probe(besides: source, at: now)
    }
}
