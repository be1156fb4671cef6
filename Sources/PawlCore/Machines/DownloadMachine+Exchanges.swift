/// Handling of the bytes that exchanges bring, and of the ways in which they end.
extension DownloadMachine {
    mutating func advanced(
        _ id: ExchangeID, stored position: Int64, received count: Int64, isHeld: Bool, at now: Instant
    ) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        if let expected = settings.expectedSize, segments[index].end == nil, position > expected {
            return segments[index].isLive ? turnAway(id, .length(position, expected: expected), at: now) : []
        }
        let former = segments[index].position
        note(index, stored: position)
        let news = max(0, count - segments[index].meter.received)
        sources[segments[index].source].received += news
        if news > 0, segments[index].request.start > 0 { sources[segments[index].source].habits.hasSentMiddle = true }
        segments[index].advance(to: position, received: count, isHeldByUs: isHeld, at: now)
        return (position > former ? confirmHeldBytes() : []) + dropOvertaken()
    }

    private mutating func note(_ index: Int, stored position: Int64) {
        let former = segments[index].position
        guard position > former else { return }
        let before = written.count
        for range in wanted(of: ByteRange(former..<position)) { attempt.written.insert(range) }
        sources[segments[index].source].file.given.insert(ByteRange(former..<position))
        attempt.pieces?.touch(ByteRange(former..<position))
        let gained = written.count - before
        sources[segments[index].source].stored += gained
        if segments[index].answer.isFromZero { restarts.countRefetched(position - former - gained) }
        segments[index].position = position
        // Bytes arrive only after the overlap has matched; from then on found bytes count as downloaded ones.
        if segments[index].overlap > 0 { attempt.overlap.isDone = true }
        attempt.earlier.isAdopting = false
        attempt.earlier.untouched = nil
    }

    /// The first of two answers to one range wins.
    private mutating func dropOvertaken() -> [DownloadAction] {
        var actions: [DownloadAction] = []
        for segment in segments where segment.isLive {
            guard let remaining = segment.remaining, !remaining.isEmpty, written.contains(remaining) else { continue }
            actions += cancelSegment(segment.id)
        }
        return actions
    }

    mutating func ended(
        _ id: ExchangeID, stored position: Int64, _ end: StreamEnd, at now: Instant
    ) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        let former = segments[index].position
        // What came beyond the expected end was turned away.
        if segments[index].end != nil || position <= settings.expectedSize ?? .max { note(index, stored: position) }
        let segment = segments.remove(at: index)
        if segment.overlap > 0, segment.meter.received > 0, segment.isLive, !attempt.overlap.isDone,
            !attempt.earlier.isSample(segment)
        {
            attempt.overlap.noteBroken()
        }
        if flowingCount(of: segment.source) == 0, segment.meter.isMeasured {
            sources[segment.source].pace.noteRate(segment.meter.dependableRate(at: now), isOneOfSeveral: isSharing)
        }
        if segment.isProbe { return [] }
        let actions: [DownloadAction] =
            [.report(.segment(id, .ended(stored: max(position, segment.position))))]
            + (segment.position > former ? confirmHeldBytes() : []) + dropOvertaken()
        // Cancelled earlier, or everything is being cancelled: the reason for its end no longer matters.
        guard segment.isLive, case .fetching = phase else { return actions }
        if let again = endedWithinParts(segment, end) { return actions + again }
        switch end {
        case .cancelled: return actions
        case .boundReached:
            if segment.end == nil, let limit = settings.maximumFileSize {
                // Only the limit can have ended it: the server never said where the file does.
                return actions + drain(for: .fail(.tooLarge(segment.url, limit: limit)))
            }
            return actions + concluded(segment)
        case .complete: return actions + complete(segment, at: now)
        case .overlapDiffers: return actions + changed(.content, at: segment.source, at: now)
        case .failed(let error): return actions + failed(error, segment, at: now)
        }
    }

    private mutating func complete(_ segment: SegmentMachine, at now: Instant) -> [DownloadAction] {
        guard segment.isFlowing else {
            // The message ended before anyone let its body flow: there was none to store.
            let error = DownloadError.network(at: segment.url, detail: "an empty response")
            return failure(error, of: segment.source, began: segment.began, at: now)
        }
        if let end = segment.end, segment.position < end {
            if let actions = endedBeforeLastPart(segment, at: now) ?? endedShorter(segment, at: now) { return actions }
            let detail = "the response ended \(end - segment.position) bytes early"
            return failure(.network(at: segment.url, detail: detail), of: segment.source, began: segment.began, at: now)
        }
        if segment.meter.received < segment.overlap {
            let error = DownloadError.network(at: segment.url, detail: "the response ended early")
            return failure(error, of: segment.source, began: segment.began, at: now)
        }
        if segment.end == nil {
            guard segment.position >= written.upperBound else { return changed(.total, at: segment.source, at: now) }
            if let error = objection(toEndOf: segment) { return giveUp(segment.source, because: error, at: now) }
            amend(segment.source) { $0.total = segment.position }
            if let found = representation, let stranger = stranger(found, from: segment.source) {
                // No other source stated the length, and the held bytes must not look complete.
                amend(segment.source) { $0.total = nil }
                return giveUp(segment.source, because: stranger.error(at: segment.url), at: now)
            }
        }
        return concluded(segment)
    }

    /// R30: an answer that named no length has ended before the file in hand does. Where a digest will tell, or where
    /// the last one ended just there, that is a shorter file and no cut: to fetch it again would bring the same. One
    /// proper end is not enough, for a proxy may have made it of a break (L07).
    private mutating func endedShorter(_ segment: SegmentMachine, at now: Instant) -> [DownloadAction]? {
        guard segment.answer.isFromZero, segment.answer.isOpenEnded, segment.position > 0 else { return nil }
        let source = segment.source
        defer { sources[source].file.endedAt = segment.position }
        guard settings.digest != nil || sources[source].file.endedAt == segment.position else { return nil }
        return changed(.total, at: source, at: now)
    }

    mutating func concluded(_ segment: SegmentMachine) -> [DownloadAction] {
        guard !attempt.earlier.isSample(segment) else { return comparedSample(segment) }
        attempt.earlier.isAdopting = false
        sources[segment.source].pace.lastExchangeDelivered = true
        if segment.overlap > 0 { attempt.overlap.isDone = true }
        return confirmHeldBytes()
    }

    /// Goes on to the next sample, or to the end of the file. A description that no later answer could be shown to
    /// agree with is dropped.
    private mutating func comparedSample(_ segment: SegmentMachine) -> [DownloadAction] {
        attempt.earlier.notePassed()
        sources[segment.source].retry.noteComparison()
        sources[segment.source].pace.lastExchangeDelivered = true
        if attempt.earlier.samples.isEmpty, attempt.earlier.needsProof {
            attempt.earlier.unproven?.evidence = .samples
            return confirmHeldBytes()
        }
        if !isCombinable { (attempt.file.representation, sources[segment.source].file.representation) = (nil, nil) }
        return []
    }

    private mutating func failed(
        _ error: TransportError, _ segment: SegmentMachine, at now: Instant
    ) -> [DownloadAction] {
        if error.reason == .stale, !segment.isRepeat {
            // N16, N23: nothing failed but our timing. The same request goes out once more, wherever in a chain of
            // redirects it stands.
            return replace(segment, at: segment.url, visited: segment.visited, isRepeat: true, now)
        }
        let problem = DownloadError(error, at: segment.url)
        // Nothing has come from this server yet, so a wrong URL is likelier than a passing fault.
        if [.tls, .wrongHost, .notTLS].contains(error.reason), sources[segment.source].received == 0 {
            return giveUp(segment.source, because: problem, at: now)
        }
        if error.reason == .proxyRefused || error.reason == .denied {
            return giveUp(segment.source, because: problem, at: now)
        }
        // The next try tells: a closed connection may mean many things.
        let tries = maximumTries(of: error, at: segment.source)
        // The last try shows whether the range was the reason.
        let isLast = isLastTry(of: segment.source, maximumTries: tries)
        if mayRefuseRange(segment, isLastTry: isLast),
            repeatsWithoutRange(segment, if: error.reason == .truncated, mayPass: !isLast), isLast
        {
            return []
        }
        var actions: [DownloadAction] = []
        // FAULTS N01 again: some servers refuse one more connection by closing it.
        if case .asked = segment.state, error.reason != .stale {
            if flowingCount(of: segment.source) > 0 { actions += limited(segment, at: now) }
            if error.reason == .connect || error.reason == .truncated {
                actions.append(.learned(segment.url, .refusedConnection(isClosed: true)))
            }
        }
        return actions
            + failure(
                problem, of: segment.source, began: segment.began, maximumTries: tries,
                isOutage: isOutage(error.reason, of: segment.source), at: now)
    }

    /// Whether the server has closed a connection as one does that refuses a range: without an answer, or each time
    /// behind the head of one.
    private func mayRefuseRange(_ segment: SegmentMachine, isLastTry: Bool) -> Bool {
        if case .asked = segment.state { return true }
        return isLastTry && segment.meter.received == 0
    }

    /// Returns a lower limit of tries if the server has not yet given any sign of working; nil for the usual one.
    private func maximumTries(of error: TransportError, at source: SourceID) -> Int? {
        // A server that is waited for has served before.
        if sources[source].retry.isAloneInOutage { return nil }
        switch error.reason {
        case .malformed:
            return sources[source].file.representation == nil ? RetryPolicy.maximumTriesOfBrokenServer : nil
        case .nameResolution: return sources[source].pace.hasAnswered ? nil : RetryPolicy.maximumTriesOfUnknownName
        // FAULTS R33: one that accepts connections and closes them without an answer is as silent.
        case .connect, .proxy, .truncated: return maximumTriesIfSilent(source)
        case .tls, .wrongHost, .notTLS, .stale, .proxyRefused, .denied, .other: return nil
        }
    }

    /// Returns the limit of tries for a host that has not answered in this run, whatever earlier runs know of it; nil
    /// once it has answered.
    func maximumTriesIfSilent(_ source: SourceID) -> Int? {
        sources[source].pace.hasAnswered ? nil : RetryPolicy.maximumTriesOfSilentHost
    }
}
