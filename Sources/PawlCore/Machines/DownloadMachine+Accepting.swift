/// Accepted answers: what they say about the file, and where their bytes go.
extension DownloadMachine {
    mutating func acceptPart(
        _ id: ExchangeID, _ range: ByteRange, _ found: Representation, _ head: ResponseHead, at now: Instant
    ) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        // Until now the length was not known, or only that of a file found on disk.
        if let total = found.total,
            total < written.upperBound
                || attempt.earlier.isAdopting && attempt.earlier.statedTotal.map({ $0 != total }) ?? false
        {
            return changed(.total, found, asked: id, at: now)
        }
        // The answer holds only bytes already held, though the file continues. Continuing as after progress would loop
        // for ever without a pause.
        guard
            range.end > segments[index].position || range.end == found.total
                || range.end == segments[index].position && attempt.earlier.isSample(segments[index])
        else {
            return bad(.nothingNew, id, head, at: now)
        }
        if let limit = settings.maximumFileSize, settings.ranges == nil, range.end > limit {
            return cancelSegment(id) + drain(for: .fail(.tooLarge(segments[index].url, limit: limit)))
        }
        let source = segments[index].source
        if let known = known(of: source), !written.isEmpty, known.compare(with: found) != .same {
            restOnDigest()
        }
        if segments[index].request.suffix != nil { segments[index].position = range.start }
        segments[index].answer.announcedEnd = range.end
        segments[index].end = segments[index].end.map { min($0, range.end) } ?? range.end
        sources[source].file.rangeSupport.noteHonoured()
        sources[source].file.mismatches = 0
        sources[source].habits.badResponses = 0
        return learn(.rangesHonoured, of: segments[index].url) + establish(found, by: id, head, at: now)
    }

    mutating func acceptSeveral(
        _ id: ExchangeID, _ type: String, _ found: Representation, _ head: ResponseHead, at now: Instant
    ) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        segments[index].answer.partsType = type
        let source = segments[index].source
        sources[source].file.rangeSupport.noteHonoured()
        sources[source].file.mismatches = 0
        sources[source].habits.badResponses = 0
        return establish(found, by: id, head, at: now)
    }

    mutating func acceptWhole(
        _ id: ExchangeID, _ found: Representation, _ head: ResponseHead, at now: Instant
    ) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        let source = segments[index].source
        var actions: [DownloadAction] = []
        var mayPass = false
        if case .asked(true, _) = sources[source].habits.rangeRefusal { mayPass = true }
        if let total = found.total, total < written.upperBound { return changed(.total, found, asked: id, at: now) }
        if noteCame(head, for: segments[index]) { return askAgain(id, at: now) }
        if attempt.earlier.isCompared { return cancelSegment(id) + cannotCompare() }
        if case .settled = sources[source].habits.rangeRefusal, !segments[index].request.isRanged {
            // Trouble that is over tells nothing about the host.
            actions += useOneStream(of: source, learning: !mayPass)
        }
        if representation != nil, canSpare(source) {
            sources[source].file.rangeSupport.noteIgnored()
            let url = segments[index].url
            return cancelSegment(id)
                + part(with: source, as: .onlyAlone, .mirrorDiffers(url, "it ignores byte ranges"), at: now)
        }
        if known(of: source) != nil, segments[index].request.isRanged {
            let isFirst = sources[source].habits.noteWhole()
            // FAULTS R23: one back end of several may honour ranges. While another connection brings bytes, this answer
            // is only a refusal.
            let flowing = flowingCount(of: source)
            if flowing > 0 {
                sources[source].capacity.budget.refused(running: flowing, at: now)
                if !isFirst { actions += useOneStream(of: source) }
                return actions + cancelSegment(id)
            }
            // A repeated request may be honoured, and costs less than the whole file.
            if sources[source].file.rangeSupport.isProven, isFirst { return askAgain(id, at: now) }
            actions += useOneStream(of: source)
        }
        if segments[index].request.isRanged || sources[source].habits.asksPlainly {
            sources[source].file.rangeSupport.noteIgnored()
        }
        guard mayFetchAgain(written.count) else {
            return cancelSegment(id) + giveUp(source, because: fetchedAgainTooOften(from: segments[index].url), at: now)
        }
        if let error = objection(toReadingWhole: found, from: segments[index].url) {
            return cancelSegment(id) + drain(for: .fail(error))
        }
        let isShown = attempt.earlier.needsProof && known(of: source)?.isSameFile(as: found) ?? false
        if attempt.earlier.isForeign, attempt.earlier.holdsBytes, !isShown {
            // Bytes that may be of another file are not overwritten.
            return actions + cancelSegment(id) + startOverUnproven(.always)
        }
        attempt.earlier.resumedFrom = 0
        for other in segments where other.id != id { actions += cancelSegment(other.id) }
        segments[index].request.start = 0
        segments[index].position = 0
        segments[index].overlap = 0
        // An answer that says nothing of its length is read to its end: it may be longer than expected, and another
        // file.
        let total = found.total ?? (settings.expectedSize == nil ? known(of: source)?.total : nil)
        segments[index].end = total
        segments[index].answer.noteWhole(total: total, isOpenEnded: found.total == nil)
        stopAfterLastPart(index, found)
        // The transport reports truncation if TLS ends without close_notify, so an orderly end is a real one (RFC 9112
        // §9.8).
        let isSecure = segments[index].url.scheme == .https
        attempt.framingShowedEnd =
            total != nil || isSecure
            || head.fields.first("transfer-encoding")?.lowercased().contains("chunked") ?? false
        sources[source].habits.badResponses = 0
        if let coding = found.contentCoding { actions.append(.report(.encoded(coding))) }
        return actions + establish(found, by: id, head, at: now)
    }

    private mutating func useOneStream(of source: SourceID, learning: Bool = true) -> [DownloadAction] {
        defer { sources[source].file.rangeSupport.noteIgnored() }
        guard !sources[source].file.rangeSupport.isIgnored else { return [] }
        let learned = learning ? learn(.rangesWrong, of: sources[source].link.currentURL) : []
        return learned + [.report(.rangesIgnored)]
    }

    mutating func acceptEmpty(
        _ id: ExchangeID, _ found: Representation, _ head: ResponseHead
    ) -> [DownloadAction] {
        var empty = found
        empty.total = 0
        if let error = objection(toRangesOf: empty, from: settings.url) {
            return cancelSegment(id) + drain(for: .fail(error))
        }
        if let actions = notProven(.differs(.total)) { return cancelSegment(id) + actions }
        guard representation == nil, let index = index(of: id), !attempt.earlier.isAdopting else {
            return cancelSegment(id) + drain(for: .startOver(.always))
        }
        attempt.file.establish(empty, by: segments[index].source)
        attempt.file.response = ResponseFacts(head)
        sources[segments[index].source].file.representation = empty
        let name = suggestedName(head, segments[index].url)
        return cancelSegment(id) + [.prepare(empty, suggestedName: name)]
    }

    /// The first answer settles what is being downloaded; later ones have been compared with it and can only add to it.
    private mutating func establish(
        _ found: Representation, by id: ExchangeID, _ head: ResponseHead, at now: Instant
    ) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        let segment = segments[index]
        if let error = objection(to: found, head, at: segment.url) ?? objection(toRangesOf: found, from: segment.url) {
            return cancelSegment(id) + drain(for: .fail(error))
        }
        let source = segment.source
        sources[source].link.currentURL = segment.url
        if mayReplaceKnown {
            (attempt.file.representation, attempt.file.response, sources[source].file.representation) = (nil, nil, nil)
        }
        if attempt.file.response == nil {
            var response = ResponseFacts(head)
            // That of the parts says nothing of the file.
            if segment.answer.partsType != nil { response.contentType = nil }
            attempt.file.response = response
        }
        guard representation != nil, let known = known(of: source) else {
            var found = found
            found.total = found.total ?? settings.expectedSize
            if let actions = weigh(found) { return cancelSegment(id) + actions }
            if sources[source].isServerSuggested { found.digests = sources.promisedDigests }
            attempt.file.establish(found, by: source)
            sources.lead = source
            sources[source].file.representation = found
            if attempt.earlier.unproven?.evidence == .digest { restOnDigest() }
            sources[source].file.established = now
            addServerMirrors(head, from: segment)
            if attempt.isPrepared { return flow(id, at: now) }
            segments[index].state = .held
            return [.prepare(found, suggestedName: suggestedName(head, segment.url))]
        }
        if let unproven = attempt.earlier.unproven, unproven.otherURL == nil, attempt.earlier.samples.isEmpty {
            guard settings.decidesByDigest || known.isSameFile(as: found) else {
                return changed(.validator, at: source, at: now)
            }
            attempt.earlier.unproven = nil
            attempt.earlier.isForeign = !known.isSameFile(as: found)
        }
        join(source, found, at: now)
        if known.total == nil { amend(source) { $0.total = found.total } }
        if known.digests.isEmpty { amend(source) { $0.digests = found.digests } }
        return flow(id, at: now)
    }

    /// Whether a new description replaces the former one, of which no bytes are held: the file may no longer count as
    /// recently modified.
    private var mayReplaceKnown: Bool {
        sources.count == 1 && representation != nil && written.isEmpty && flowingCount == 0 && !hasJournal
            && settings.expected == nil
    }

    private mutating func flow(_ id: ExchangeID, at now: Instant) -> [DownloadAction] {
        guard let index = index(of: id) else { return [] }
        segments[index].state = .flowing
        segments[index].advance(to: segments[index].position, received: 0, isHeldByUs: true, at: now)
        let segment = segments[index]
        if let type = segment.answer.partsType {
            return [.storeParts(id, segment.request.several, total: total, contentType: type)] + noteServes(segment)
        }
        // Reading one byte past the limit distinguishes a file that is too large from one that just fits.
        let limit = settings.maximumFileSize.map { $0 < .max ? $0 + 1 : $0 }
        let end = segment.end ?? limit
        return [
            .store(
                id, from: segment.position, overlap: segment.overlap, end: end,
                endsWithMessage: end == segment.answer.announcedEnd, horizon: horizon)
        ] + noteServes(segment)
    }

    /// Valid answers that the caller does not want.
    private func objection(to found: Representation, _ head: ResponseHead, at url: HTTPURL) -> DownloadError? {
        if let limit = settings.maximumFileSize, let total = length(wantedOf: found), total > limit {
            return .tooLarge(url, limit: limit, total: total)
        }
        // Later answers are compared with the first one, and what is no page is never taken for one.
        return isPageAtFirst(head) ? .webPage(url, status: head.status) : nil
    }

    /// A page in place of a file of which nothing is known.
    func isPageAtFirst(_ head: ResponseHead) -> Bool {
        representation == nil && !settings.allowsWebPage
            && WebPage.standsIn(for: settings.url, named: settings.fileName, head)
    }

    /// A login page in place of the file says nothing about the file.
    func isStrayPage(_ head: ResponseHead) -> Bool {
        guard let representation, head.status == 200, !settings.allowsWebPage else { return false }
        if WebPage.standsIn(for: settings.url, named: settings.fileName, head) { return true }
        // A name may not reveal the type. A file with validators does not turn into a page without any.
        return !written.isEmpty && representation.isIdentified && WebPage.isBare(head)
    }

    private func suggestedName(_ head: ResponseHead, _ url: HTTPURL) -> String {
        FileName.suggested(by: head, from: url, asked: settings.url)
    }

    mutating func prepared(_ preparation: Preparation, at now: Instant) -> [DownloadAction] {
        switch preparation {
        case .resumed(let ranges, let isProven, let unproven):
            return prepared(holding: ranges, isProven, unproven, at: now)
        case .ready:
            attempt.isPrepared = true
            attempt.earlier.untouched = nil
            guard let held = segments.first(where: { $0.state == .held }) else { return [] }
            return flow(held.id, at: now)
        case .skipped(let reason): return skip(reason)
        case .finished: return skip(.exists)
        case .failed(let error):
            if let actions = makeRoom(after: error) { return actions }
            attempt.checkpoints.fail()
            return drain(for: .fail(error))
        }
    }

    /// The first bytes are held already, so the missing ones are requested instead.
    private mutating func prepared(
        holding ranges: RangeSet, _ isProven: Bool, _ unproven: UnprovenBytes?, at now: Instant
    ) -> [DownloadAction] {
        attempt.isPrepared = true
        attempt.written = ranges
        if !isProven, unproven == nil { restOnDigest() }
        attempt.earlier.holdsBytes = !ranges.isEmpty
        attempt.earlier.resumedFrom = ranges.count
        attempt.earlier.isForeign = !isProven
        attempt.checkpoints.resume(claiming: ranges, at: now)
        let cancel = segments.filter { $0.state == .held }.flatMap { cancelSegment($0.id) }
        guard let unproven, let found = representation else {
            return cancel + [.report(.resumed(offset: ranges.count))]
        }
        attempt.earlier.unproven = unproven
        attempt.earlier.resumedFrom = 0
        return cancel + (weigh(found) ?? [])
    }
}
