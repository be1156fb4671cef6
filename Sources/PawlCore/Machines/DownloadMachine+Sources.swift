/// The choice of the source to ask, and of the bytes that may be combined in one file. See docs/mirrors.md.
extension DownloadMachine {
    /// The caller's URL, then its mirrors: those of preferred countries first, then by priority.
    static func sources(of settings: DownloadSettings) -> SourceList {
        func rank(_ source: Source) -> Int {
            source.location.flatMap { settings.preferredLocations.firstIndex(of: $0) }
                ?? settings.preferredLocations.count
        }
        let mirrors = settings.mirrors.enumerated().sorted { left, right in
            (rank(left.element), left.element.priority, left.offset) < (
                rank(right.element), right.element.priority, right.offset
            )
        }
        let sources = [Source(url: settings.askedURL, priority: 1)] + mirrors.map(\.element)
        return SourceList(sources.map { SourceState($0, maximumConnections: settings.maximumConnections) })
    }

    // MARK: Facts

    /// The URL that the bytes come from, or came from last.
    var currentURL: HTTPURL { sources[sources.lead].link.currentURL }

    /// The URL that the journal records for the held bytes, and their validators.
    ///
    /// Bytes of a mirror alone are recorded as a download of that mirror, for nobody else can add to them. Where a
    /// digest tells in the end, the caller's URL stands for all sources, and without its validators, so that nothing
    /// but a digest can go on with them.
    var record: (url: HTTPURL, representation: Representation)? {
        guard let representation else { return nil }
        guard attempt.file.isMixed || attempt.file.establishedBy ?? .own != .own else {
            return (settings.recordedURL, representation)
        }
        guard attempt.file.isMixed || hasStrongWord else {
            return (sources[attempt.file.establishedBy ?? .own].source.url, representation)
        }
        return (
            settings.recordedURL,
            Representation(
                total: representation.total, contentCoding: representation.contentCoding,
                digests: commonDigests(representation))
        )
    }

    /// The current file as the journal and the result describe it; nil if nothing is known of it.
    var description: IdentifiedFile? {
        record.map {
            IdentifiedFile(
                url: $0.url, representation: $0.representation, layout: layout, digests: digestsOfResult)
        }
    }

    /// A final check will reveal whether bytes of several sources should not have been combined.
    private var hasStrongWord: Bool {
        settings.decidesByDigest || computable(representation?.digests ?? []).contains(where: \.algorithm.isSecure)
    }

    /// The digests that the result can be compared with. A server's digest that this system cannot compute proves
    /// nothing, and must not keep a file from its name.
    func computable(_ digests: [Digest]) -> [Digest] { digests.filter { authenticator.canCompute($0.algorithm) } }

    /// The URLs that the bytes came from, in this run.
    var givers: [HTTPURL] { sources.givers.map { sources[$0].source.url } }

    /// The representation that the finished file's time and attributes are taken from. If several sources gave bytes,
    /// none of them decides.
    package var served: Representation? {
        attempt.file.establishedBy.flatMap { sources[$0].file.representation } ?? representation
    }

    /// V04: bytes are added that only a secure digest will show to be of this version. No validator identifies the file
    /// any longer, or a later run without the digest would resume a mixture by it.
    mutating func restOnDigest() {
        attempt.restsOnDigest = true
        guard let representation, hasStrongWord else { return }
        attempt.file.dropValidators(keeping: commonDigests(representation))
    }

    /// The representation stated by a source that gave bytes of the file.
    var described: Representation? {
        guard attempt.file.isMixed, let representation else { return representation }
        let teller = sources.first { !$0.file.given.isEmpty && $0.file.representation != nil }
        var described = teller?.file.representation ?? representation
        described.total = representation.total
        described.digests = representation.digests
        return described
    }

    /// No exchange is begun before this.
    package var nextStart: Instant? {
        sources.nextStart(isSharing: isSharing || mayBeginElsewhere)
    }

    /// Bytes of several sources may stand in this file: something will tell if they should not have.
    var isSharing: Bool {
        guard sources.offersChoice, attempt.isSettled, total != nil, !isStreaming, settings.ranges == nil else {
            return false
        }
        return hasStrongWord
    }

    /// Whether any source may begin, because only the digest of the file, or of its pieces, is known yet.
    var mayBeginElsewhere: Bool {
        sources.offersChoice && representation == nil && !attempt.earlier.isAdopting && settings.decidesByDigest
    }

    /// Whether another source can take over this one's ranges.
    func canSpare(_ source: SourceID) -> Bool {
        isSharing && sources.hasAnother(besides: source, where: \.offersRanges)
    }

    /// Returns the representation with which responses of a source are compared. Another server's statements prove
    /// nothing here, except for its length and digests.
    func known(of source: SourceID) -> Representation? {
        if let own = sources[source].file.representation { return own }
        if representation == nil, let expected = settings.expected {
            return source == .own ? expected : Representation(total: expected.total)
        }
        return representation.map {
            Representation(total: $0.total, contentCoding: $0.contentCoding, digests: commonDigests($0))
        }
    }

    /// If the caller gave a digest, or hashes of the pieces, digests from servers are ignored.
    private func commonDigests(_ representation: Representation) -> [Digest] {
        settings.decidesByDigest ? [] : representation.digests
    }

    // MARK: What sources said

    /// Adds to what a source said of the file, and to what is known of the file itself.
    mutating func amend(_ source: SourceID, _ change: (inout Representation) -> Void) {
        if var own = sources[source].file.representation {
            change(&own)
            sources[source].file.representation = own
        }
        if attempt.file.establishedBy == source || sources.count == 1, var common = representation {
            change(&common)
            attempt.file.representation = common
        }
    }

    /// The answer is good, and from a source that has not given bytes of this file yet: from here on only length and
    /// digests identify it.
    mutating func join(_ source: SourceID, _ found: Representation, at now: Instant) {
        guard sources[source].file.representation == nil, let common = representation else { return }
        var own = found
        own.total = own.total ?? common.total
        sources[source].file.representation = own
        sources[source].file.established = now
        guard attempt.file.establishedBy != source else { return }
        attempt.file.mix(digests: commonDigests(common))
        attempt.restsOnDigest = true
    }

    /// RFC 6249 §6: a server that names mirrors says with a digest what they are mirrors of. Only the caller's own
    /// server is asked for them, never one of theirs.
    mutating func addServerMirrors(_ head: ResponseHead, from segment: SegmentMachine) {
        guard settings.usesServerMirrors, !sources[segment.source].isServerSuggested else { return }
        var digests = representation?.digests ?? []
        for digest in DigestFields.parseInstanceDigests(head.fields.values("digest"))
        where digest.algorithm.isSecure && !digests.contains(where: { $0.algorithm == digest.algorithm }) {
            digests.append(digest)
        }
        amend(segment.source) { $0.digests = digests }
        sources.notePromise(of: digests)
        guard settings.decidesByDigest || computable(digests).contains(where: \.algorithm.isSecure) else { return }
        let isSecure = segment.url.scheme == .https && !settings.allowsInsecureRedirect
        let mirrors = MirrorLinks(fieldValues: head.fields.values("link"), from: segment.url).mirrors
        sources.add(
            serverMirrors: mirrors.map { Source(url: $0.url, priority: $0.priority, location: $0.location) },
            isSecure: isSecure)
    }

    // MARK: Losing one

    /// A source that cannot be used any more. What it gave stays where others can add to it; otherwise the next one
    /// begins anew.
    mutating func giveUp(_ source: SourceID, because error: DownloadError, at now: Instant) -> [DownloadAction] {
        let isLast = !sources.hasAnother(besides: source, where: \.isUsable)
        let mayCome = mayComeWithoutRange(source, after: error)
        if mayCome, isLast, sources[source].habits.askWithoutRange(mayPass: false) {
            return segments.filter { $0.source == source && $0.isLive }.flatMap { cancelSegment($0.id) }
        }
        guard sources.count > 1 else { return drain(for: .fail(error)) }
        let mayPass = error.recovery == .retryNow || error.code == .network || error.code == .refused
        sources[source].retry.secondChance = mayPass ? now + SourceState.untilSecondChance : nil
        let standing: SourceState.Standing = mayCome && !isLast ? .onlyAlone : .failed(error)
        return part(with: source, as: standing, .sourceFailed(sources[source].source.url, error), at: now)
    }

    mutating func part(
        with source: SourceID, as standing: SourceState.Standing, _ report: DownloadReport, at now: Instant
    ) -> [DownloadAction] {
        guard sources[source].standing != standing else { return [] }
        sources[source].standing = standing
        let farewell =
            [.report(report)] + segments.filter { $0.source == source && $0.isLive }.flatMap { cancelSegment($0.id) }
        guard case .fetching = phase else { return farewell }
        return farewell + goOn(without: source)
    }

    private mutating func goOn(without source: SourceID) -> [DownloadAction] {
        if isSharing, sources.contains(where: \.offersRanges) {
            sources.replaceUnusableLead(where: \.offersRanges)
            return []
        }
        // Others may be bringing what they alone have of it.
        if source != sources.lead, sources[sources.lead].isUsable { return [] }
        return failOver()
    }

    /// Starts from the first byte with the next source, as nothing shows that it has the same file.
    private mutating func failOver() -> [DownloadAction] {
        // Bytes that a mirror began are of a file that the next source may not have.
        let isOfMirror = attempt.earlier.holdsBytes && sources.lead != .own
        guard sources.passLead() else { return drain(for: .fail(sources.combinedError)) }
        sources[sources.lead].standing = .usable
        guard representation != nil || attempt.isPrepared else { return [] }
        // The next one's answer is judged as the first one's would have been.
        if representation == nil, attempt.earlier.unproven?.otherURL != nil { return [] }
        let keeping: Keeping = attempt.earlier.isForeign || isOfMirror ? .always : .untilPassed
        return written.isEmpty ? drain(for: .startOver(keeping)) : startOverUnproven(keeping)
    }

    // MARK: Choosing one

    /// Chooses another source as the lead while the current one has to wait.
    mutating func chooseLead(at now: Instant) {
        if isSharing { sources.replaceUnusableLead(where: \.isUsable) }
        if mayBeginElsewhere { sources.replaceWaitingLead(at: now) }
    }

    /// Sources that may be asked for one more range, best first.
    func nextSources(at now: Instant) -> [SourceID] {
        guard isSharing else { return mayTakeMore(sources.lead, at: now) ? [sources.lead] : [] }
        var promises: [(source: SourceID, promise: Double)] = []
        for source in sources.indices {
            // With nothing under way one has to wait for its turn.
            if mayBegin(source, at: now), !isFull(source) || liveCount == 0 {
                // In the order of those who wrote them down, until there is something to measure.
                let promise = sources[source].pace.wasAsked ? newcomerRate(of: source, at: now) : .infinity
                promises.append((source, isFull(source) ? -1 : promise))
            } else if mayTakeMore(source, at: now) {
                // A server often serves one more connection at the expense of those it has.
                promises.append((source, newcomerRate(of: source, at: now) / 2))
            }
        }
        return promises.sorted { ($1.promise, $0.source) < ($0.promise, $1.source) }.map(\.source)
    }

    private func isReady(_ id: SourceID, at now: Instant) -> Bool { sources[id].isReady(at: now) }

    private func mayBegin(_ source: SourceID, at now: Instant) -> Bool {
        liveCount(of: source) == 0 && isReady(source, at: now)
    }

    /// Whether the source's host has reached its connection limit, with the connections of other downloads counted.
    private func isFull(_ source: SourceID) -> Bool { hosts.isFull(sources[source].link.currentURL.hostKey) }

    private func mayTakeMore(_ id: SourceID, at now: Instant) -> Bool {
        let source = sources[id]
        guard isReady(id, at: now), source.file.rangeSupport.isProven else { return false }
        // Where all that run still wait for an answer, another is begun only by a server that was there a moment ago:
        // one that takes connections and lets them hang (FAULTS N01) must not hold up the end.
        guard flowingCount(of: id) > 0 || source.pace.lastExchangeDelivered else { return false }
        return liveCount(of: id) < source.capacity.budget.desired && !isFull(id)
    }

    /// Replaces a connection that brings a fraction of the usual rate, if all connections are taken and another source
    /// waits to be asked: that one gets its place.
    mutating func replaceSlowSource(at now: Instant) -> [DownloadAction] {
        guard isSharing, liveCount >= settings.maximumConnections else { return [] }
        let usual = segments.medianRate(at: now)
        guard
            let slow = segments.filter({ $0.isFlowing && now - $0.began >= .seconds(5) })
                .min(by: { $0.meter.dependableRate(at: now) < $1.meter.dependableRate(at: now) }),
            slow.meter.dependableRate(at: now) < usual / 4,
            sources.indices.contains(where: { index in
                mayBegin(index, at: now) && !isFull(index)
                    && (!sources[index].pace.wasAsked
                        || sources[index].pace.typicalRate > 4 * slow.meter.dependableRate(at: now))
            })
        else { return [] }
        let until = now + .seconds(60)
        sources[slow.source].retry.rest(until: until)
        let error = DownloadError(.network, "\(slow.url.shownHost) is far slower than the others.", recovery: .retryNow)
        return [.report(.sourceRested(sources[slow.source].source.url, error, until: until))] + cancelSegment(slow.id)
    }

    // MARK: After a digest that did not match

    /// Bytes were mixed on the promise that a digest would tell, and it says no: once more from one source alone, then
    /// from the next. Nil: no source is left.
    mutating func startOverAlone(
        because error: DownloadError, _ interruption: Interruption?, at now: Instant
    ) -> [DownloadAction]? {
        guard restarts.allowsChange else { return nil }
        guard sources.continueAlone(after: error, isFromThisRun: !attempt.earlier.holdsBytes) else { return nil }
        restarts.countChange()
        phase = .settingAside(interruption)
        return [.report(.startedAlone(sources[sources.lead].source.url))] + setAside(.untilPassed)
    }
}
