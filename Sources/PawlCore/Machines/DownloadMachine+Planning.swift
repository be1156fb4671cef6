extension DownloadMachine {
    mutating func begin(at now: Instant) -> [DownloadAction] {
        guard case .idle(let recovered) = phase else { return [] }
        phase = .fetching
        return take(recovered, at: now) + rest(at: now) + reportPause()
    }

    /// Resumes from what an earlier run left.
    private mutating func take(_ recovered: Recovered, at now: Instant) -> [DownloadAction] {
        switch recovered {
        case .nothing:
            return []
        case .adopted(let size, let total, let name, let isTarget):
            attempt.earlier.untouched = UntouchedFile(name: name, isTarget: isTarget)
            // The beginning of any file, if it is empty.
            attempt.earlier.isAdopting = size > 0
            if !settings.decidesByDigest {
                attempt.earlier.compare(AdoptionRule.samples(of: size, length: settings.overlap))
            }
            attempt.earlier.isForeign = true
            attempt.earlier.statedTotal = total
            attempt.isPrepared = true
            attempt.earlier.holdsBytes = size > 0
            attempt.written = RangeSet(ByteRange(0..<size))
            attempt.earlier.resumedFrom = size
            return size > 0 ? [.report(.resumed(offset: size))] : []
        case .journal(let known, let ranges, let isVerified, let owner, let origin):
            attempt.isPrepared = true
            if !origin.isSameRequest, !ranges.isEmpty {
                attempt.earlier.unproven = UnprovenBytes(journal: known, otherURL: origin.otherURL)
            }
            // Bytes that only a digest holds together may be of another file: they are kept.
            attempt.earlier.isForeign = attempt.earlier.needsProof || !ranges.isEmpty && origin == .restingOnDigest
            attempt.file.representation = known
            if let expected = settings.expected, case .different(let difference) = expected.compare(with: known) {
                return [.report(.changed(difference))] + drain(for: .startOver(.untilPassed))
            }
            sources.lead = owner.flatMap { url in sources.firstIndex { $0.source.url == url } } ?? .own
            attempt.earlier.holdsBytes = !ranges.isEmpty
            attempt.written = ranges
            attempt.checkpoints.resume(claiming: ranges, at: now)
            if origin.otherURL != nil {
                // The first answer is judged by the journal, and not as an answer to it.
                attempt.file.representation = nil
                sampleFirst()
                return []
            }
            attempt.file.establish(known, by: sources.lead)
            sources[sources.lead].file.representation = known
            let cannotProve = attempt.earlier.needsProof && known.total == nil && !settings.decidesByDigest
            if !isVerified || attempt.earlier.needsProof, !isCombinable || cannotProve {
                // V08, V13: nothing the server could say would prove that the rest belongs to these bytes.
                return maySample(known) ? compareSamples() : startOverUnproven(.untilPassed)
            }
            attempt.restsOnDigest = !isVerified && !known.isCombinable
            attempt.earlier.resumedFrom = ranges.count
            return [.report(.resumed(offset: ranges.count))]
        }
    }

    /// Bytes of several responses may stand in one file: by a validator, or because a digest will tell at the end.
    var isCombinable: Bool {
        settings.decidesByDigest || representation.map(\.isCombinable) ?? false
    }

    /// V08, V19: the file was modified so recently that what is said of it identifies none of its bytes. An answer
    /// after this may be another matter, and bytes of this one still must not be added to it. Nil: it was not, or
    /// nobody knows until when.
    private var recentUntil: Instant? {
        guard !isCombinable, let seconds = representation?.secondsUntilSettled,
            let established = sources[sources.lead].file.established
        else { return nil }
        return established + .seconds(seconds)
    }

    /// Beside the one connection that a recently modified file is left with, more would be begun: that is told, and
    /// once the file is modified recently no longer, it is begun again with an answer that several connections can add
    /// to, if that wins more than it costs.
    private mutating func beginSettled(at now: Instant) -> [DownloadAction] {
        guard let representation, representation.isRecentlyModified, !isCombinable, attempt.isPrepared,
            !attempt.earlier.isAdopting, settings.maximumConnections > 1,
            let wanted = wantedCount, wanted - written.count > 2 * settings.smallestPiece
        else { return [] }
        var actions: [DownloadAction] = []
        if restarts.reportRecentModification() { actions.append(.report(.recentlyModified)) }
        guard restarts.allowsRestartOfRecent, !isStreaming, let recentUntil, now >= recentUntil,
            isWorthBeginningAgain(of: wanted, at: now)
        else { return actions }
        restarts.countRestartOfRecent()
        return actions + dropUnproven(at: now)
    }

    /// An eighth of the file at most comes again, where one connection would need half a minute for the rest.
    private func isWorthBeginningAgain(of wanted: Int64, at now: Instant) -> Bool {
        let rate = segments.filter(\.isFlowing).map { $0.meter.dependableRate(at: now) }.reduce(0, +)
        return written.count <= wanted / 8 && Double(wanted - written.count) > rate * 30 && rate > 0
            && mayFetchAgain(written.count)
    }

    // MARK: Asking

    mutating func plan(at now: Instant) -> [DownloadAction] {
        guard clock.pause == nil else { return [] }
        sources.endRests(at: now, isSharing: isSharing)
        if liveCount == 0 {
            // Of several, any one may go on.
            if isSharing, attempt.isSettled, !written.isEmpty, sources.contains(where: { $0.offersRanges }) {
                return share(at: now)
            }
            chooseLead(at: now)
            guard nextStart == nil else { return [] }
            return askAlone(at: now) + (isSharing && liveCount > 0 ? share(at: now) : [])
        }
        return beginSettled(at: now) + share(at: now)
    }

    /// Assigns ranges to as many connections as are useful.
    private mutating func share(at now: Instant) -> [DownloadAction] {
        guard attempt.isSettled, isCombinable, wantedCount != nil else { return [] }
        var actions: [DownloadAction] = []
        while liveCount < settings.maximumConnections, let (source, next) = nextAssignment(at: now) {
            actions += begin(next, from: source, at: now)
            segments[segments.count - 1].isExtra = liveCount(of: source) > 1
        }
        return actions
    }

    /// FAULTS N01: a connection beside others that flow was refused. There will be no more than run now, and what it
    /// should have fetched goes back to the one it was taken from, which need not even notice.
    mutating func limited(_ segment: SegmentMachine, at now: Instant) -> [DownloadAction] {
        sources[segment.source].capacity.budget.refused(running: flowingCount(of: segment.source), at: now)
        return handBack(segment)
    }

    /// The one exchange that runs while nothing is known, or that goes on after all others have gone.
    private mutating func askAlone(at now: Instant) -> [DownloadAction] {
        guard representation != nil else {
            if let sample = attempt.earlier.samples.first { return ask(comparing: sample, at: now) }
            if let unproven = attempt.earlier.unproven { return ask(behind: unproven, at: now) }
            guard attempt.earlier.isAdopting else { return askFirst(at: now) }
            let size = written.upperBound
            return ask(
                from: size, to: nil,
                overlap: attempt.overlap.takePrecedingLength(before: size) ?? min(settings.overlap, size), at: now)
        }
        guard attempt.isPrepared else { return [] }
        if let recentUntil, now < recentUntil, !written.isEmpty {
            sources[sources.lead].retry.nextStart = recentUntil
            return []
        }
        guard isCombinable || written.isEmpty else {
            return dropUnproven(at: now)
        }
        if attempt.earlier.isAdopting || attempt.earlier.needsProof, let sample = attempt.earlier.samples.first {
            return ask(comparing: sample, at: now)
        }
        let isPlain = sources[sources.lead].habits.asksPlainly
        guard !isPlain, let gaps = gaps(in: written) else {
            let start = isPlain ? 0 : written.ranges.first.map { $0.start == 0 ? $0.end : 0 } ?? 0
            let overlap = attempt.earlier.isAdopting ? min(settings.overlap, start) : 0
            return ask(
                from: start, to: nil, overlap: attempt.overlap.takePrecedingLength(before: start) ?? overlap, at: now)
        }
        guard let gap = gaps.first else {
            // A complete file left by another program has still to be compared at its end.
            guard attempt.earlier.isAdopting || attempt.earlier.needsProof, let last = written.ranges.last else {
                return []
            }
            let overlap = max(1, min(settings.overlap >> attempt.overlap.halvings, last.count))
            return ask(from: last.end, to: last.end, overlap: overlap, at: now)
        }
        // The reader's window is full.
        if isStreaming, nearest(gaps).isEmpty { return [] }
        let held = written.ranges.last { $0.end == gap.start }?.count ?? 0
        // Bytes fetched by this very run need no comparison.
        let isTrusted =
            attempt.overlap.isDone || settings.decidesByDigest
            || settings.maximumRequestLength != nil && !attempt.earlier.holdsBytes
        let overlap = isTrusted ? 0 : min(settings.overlap >> attempt.overlap.halvings, held)
        if overlap == 0, let several = together(gaps) { return ask(several, at: now) }
        return ask(
            from: gap.start, to: gap.end, overlap: attempt.overlap.takePrecedingLength(before: gap.start) ?? overlap,
            at: now)
    }

    /// Bytes that are only compared with what is held in their place.
    private mutating func ask(comparing sample: ByteRange, at now: Instant) -> [DownloadAction] {
        ask(from: sample.end, to: sample.end, overlap: sample.count, at: now)
    }

    /// The first missing bytes, and some held ones in front of them that are compared.
    private mutating func ask(behind unproven: UnprovenBytes, at now: Instant) -> [DownloadAction] {
        let held = written
        let gap = held.gaps(upTo: unproven.journal.total ?? held.upperBound).first
        let start = gap?.start ?? held.upperBound
        let before = held.ranges.last { $0.end == start }?.count ?? 0
        let isEnd = gap == nil && unproven.journal.total != nil
        let overlap = max(isEnd ? 1 : 0, min(settings.overlap >> attempt.overlap.halvings, before))
        return ask(from: start, to: gap?.end ?? (isEnd ? start : nil), overlap: overlap, at: now)
    }

    /// Two ranges at least, in one request.
    private mutating func ask(_ several: [ByteRange], at now: Instant) -> [DownloadAction] {
        guard let first = several.first, let last = several.last else { return [] }
        return ask(from: first.start, to: last.end, several: several, at: now)
    }

    private mutating func askFirst(at now: Instant) -> [DownloadAction] {
        // Reading bytes to discard them was found worthwhile, or there is no other source.
        guard !sources[sources.lead].habits.asksPlainly else { return ask(from: 0, to: nil, at: now) }
        if let several = settings.ranges?.withoutTotal.flatMap({ together($0.wanted.ranges) }) {
            return ask(several, at: now)
        }
        let first = firstRequest()
        return ask(from: first.start, to: first.end, suffix: first.suffix, at: now)
    }

    /// Drops bytes that could never be combined with others, so that the next try begins from zero.
    mutating func dropUnproven(at now: Instant) -> [DownloadAction] {
        if isStreaming { return drain(for: .fail(brokenStream)) }
        guard mayFetchAgain(written.count) else {
            return giveUp(sources.lead, because: fetchedAgainTooOften(from: currentURL), at: now)
        }
        restarts.countRefetched(written.count)
        // What is dropped was no progress: only a try that gets further is (FAULTS N11).
        sources[sources.lead].stored -= min(sources[sources.lead].stored, written.count)
        return startOverUnproven(attempt.earlier.isForeign ? .always : .untilPassed)
    }

    private mutating func ask(
        from position: Int64, to end: Int64?, overlap: Int64 = 0, suffix: Int64? = nil, several: [ByteRange] = [],
        hedges: ExchangeID? = nil, of source: SourceID? = nil, at now: Instant
    ) -> [DownloadAction] {
        let source = source ?? sources.lead
        let end = suffix == nil && several.isEmpty ? shortened(end, from: position) : end
        sources[source].pace.wasAsked = true
        let id = segments.makeID()
        var request = RangeRequest(start: position - overlap, end: end, isRanged: !sources[source].habits.asksPlainly)
        (request.suffix, request.isEnough, request.several) = (
            suffix, asksOnce && settings.maximumRequestLength == nil, several
        )
        var segment = SegmentMachine(
            id: id, source: source, url: sources[source].link.currentURL, request: request, position: position,
            end: end, overlap: overlap, hedges: hedges,
            at: now)
        segment.request.condition = condition(for: segment)
        segments.append(segment)
        return [
            send(segment, at: now), .report(.segment(id, .began(end.map { ByteRange(position..<max($0, position)) }))),
        ]
    }

    private func shortened(_ end: Int64?, from position: Int64) -> Int64? {
        guard let longest = settings.maximumRequestLength, let end, !sources[sources.lead].habits.asksPlainly else {
            return end
        }
        return end - position > longest ? position + longest : end
    }

    /// FAULTS V18: a signature may cover the header fields, so signed URLs get no precondition.
    func condition(for segment: SegmentMachine) -> RangeCondition {
        // Validators that do not identify the file cannot be used as a precondition.
        guard isCombinable || representation == nil, segment.request.isRanged,
            !sources[segment.source].habits.refusesCondition, !segment.url.isSigned
        else { return .none }
        return known(of: segment.source)?.condition ?? .none
    }

    mutating func send(_ segment: SegmentMachine, at now: Instant) -> DownloadAction {
        var asked = segment.request.fields + newnessFields(for: segment)
        if sources[segment.source].habits.bypassesCaches { asked.append(HTTPField("Cache-Control", "no-cache")) }
        return .ask(
            segment.id, segment.url,
            settings.fields(
                for: segment.url, asking: asked, cookies: authenticator.cookies,
                authorization: authorization(for: segment),
                wallClock: wallClock(of: now)),
            isRepeat: segment.isRepeat)
    }

    // MARK: More connections

    private var planner: SegmentPlanner { SegmentPlanner(smallestPiece: settings.alignedPiece) }

    private func nextAssignment(at now: Instant) -> (source: SourceID, SegmentPlanner.Assignment)? {
        for source in nextSources(at: now) {
            if let next = nextAssignment(for: source, at: now) { return (source, next) }
        }
        return nil
    }

    private func nextAssignment(for source: SourceID, at now: Instant) -> SegmentPlanner.Assignment? {
        var owned = written
        for segment in segments where segment.isLive {
            if let remaining = segment.remaining { owned.insert(remaining) }
        }
        guard let missing = gaps(in: owned) else { return nil }
        let gaps = worthConnection(gaps(nearest(missing), for: source))
        let rate = newcomerRate(of: source, at: now)
        let loads = nearest(loads(at: now))
        let next = planner.assignment(gaps: gaps, loads: loads, newcomerBytesPerSecond: rate)
        if settings.maximumRequestLength != nil {
            guard case .gap = next else { return nil }
            return next
        }
        guard case .hedge(let slow, _) = next, isSharing,
            index(of: slow).map({ segments[$0].source == source }) ?? false
        else { return next }
        // Whatever holds up one connection to a server may hold up the next.
        let others = loads.filter { load in index(of: load.id).map { segments[$0].source != source } ?? false }
        return planner.assignment(gaps: gaps, loads: others, newcomerBytesPerSecond: rate)
    }

    private func loads(at now: Instant) -> [SegmentPlanner.Load] {
        let hedged = Set(segments.compactMap { $0.isLive ? $0.hedges : nil })
        return segments.compactMap { segment in
            // A segment that spans gaps cannot be split.
            guard segment.isLive, segment.request.several.isEmpty, let remaining = segment.remaining,
                !isFetchedAgain(remaining)
            else {
                return nil
            }
            // One that has only begun is taken to be like the others, or its whole range would be taken from it at
            // once.
            let isYoung = now - segment.began < .seconds(2)
            let rate = isYoung ? newcomerRate(of: segment.source, at: now) : segment.meter.dependableRate(at: now)
            return SegmentPlanner.Load(
                id: segment.id, remaining: remaining, bytesPerSecond: rate,
                // A segment whose hedge has ended counts as an ordinary one again.
                isHedged: hedged.contains(segment.id)
                    || segment.hedges.flatMap(index(of:)).map { segments[$0].isLive } ?? false)
        }
    }

    /// The rate that one more connection to this source can be expected to bring: that of its other connections, or
    /// else the usual one.
    func newcomerRate(of source: SourceID, at now: Instant) -> Double {
        let own = max(segments.medianRate(of: source, at: now), sources[source].pace.typicalRate)
        return own > 0 ? own : segments.medianRate(at: now)
    }

    private mutating func begin(
        _ assignment: SegmentPlanner.Assignment, from source: SourceID, at now: Instant
    ) -> [DownloadAction] {
        switch assignment {
        case .gap(let range):
            return ask(from: range.start, to: range.end, of: source, at: now)
        case .split(let victim, let position):
            guard let index = index(of: victim), let end = segments[index].end else { return [] }
            segments[index].end = position
            var actions: [DownloadAction] = segments[index].isFlowing ? [.setEnd(victim, position)] : []
            actions += ask(from: position, to: end, of: source, at: now)
            return actions
        case .hedge(let victim, let range):
            return ask(from: range.start, to: range.end, hedges: victim, of: source, at: now)
        }
    }
}
