/// Identifies one source of a download.
package struct SourceID: Hashable, Strideable, Sendable {
    package let number: Int

    package init(_ number: Int) { self.number = number }

    /// The URL that the caller gave. Its mirrors follow, then those that a server named.
    package static let own = SourceID(0)

    package func distance(to other: SourceID) -> Int { other.number - number }

    package func advanced(by count: Int) -> SourceID { SourceID(number + count) }
}

/// The sources of one download, in the order in which they are tried. Sources are added, never removed, so an id
/// stays valid.
package struct SourceList: RandomAccessCollection, MutableCollection, Sendable {
    private var states: [SourceState]
    /// The source that is asked while only one may be.
    var lead = SourceID.own
    /// Bytes of several sources were mixed and did not match their digest, so the lead alone is used.
    private(set) var isSingleSource = false
    /// The digests of the file stated by the server that named mirrors.
    private(set) var promisedDigests: [Digest] = []

    init(_ states: [SourceState]) { self.states = states }

    package var startIndex: SourceID { .own }

    package var endIndex: SourceID { SourceID(states.count) }

    package subscript(id: SourceID) -> SourceState {
        get { states[id.number] }
        // In place: a copy of the state would copy its ranges with every block stored.
        _modify { yield &states[id.number] }
    }

    // MARK: Facts

    /// Several may be used, whether or not the file in hand allows it.
    var offersChoice: Bool { count > 1 && !isSingleSource }

    /// Bytes that came from any of them, useful or not.
    var received: Int64 { states.reduce(0) { $0 + $1.received } }

    /// The sources that gave bytes of the current file, in this run.
    var givers: [SourceID] { indices.filter { !self[$0].file.given.isEmpty } }

    /// Returns the sources that gave any of these bytes.
    func givers(of bytes: ByteRange) -> [SourceID] {
        indices.filter { !self[$0].file.given.intersection(bytes).isEmpty }
    }

    func hasAnother(besides source: SourceID, where matches: (SourceState) -> Bool) -> Bool {
        indices.contains { $0 != source && matches(self[$0]) }
    }

    /// The time when the first of the sources that may be asked for parts may be asked again; nil if one may be asked
    /// now.
    func nextStart(isSharing: Bool) -> Instant? {
        let waits = isSharing ? filter { $0.offersRanges && !$0.link.isRefreshing }.map(\.retry.nextStart) : []
        guard !waits.isEmpty else { return self[lead].retry.nextStart }
        return waits.contains(nil) ? nil : waits.compactMap(\.self).min()
    }

    // MARK: Choosing one

    /// The next one that can take the lead without a new start.
    mutating func replaceUnusableLead(where matches: (SourceState) -> Bool) {
        guard !self[lead].isUsable, let next = firstIndex(where: matches) else { return }
        lead = next
    }

    /// Replaces a lead that has to wait by another source.
    mutating func replaceWaitingLead(at now: Instant) {
        guard !self[lead].isReady(at: now), let ready = firstIndex(where: { $0.isReady(at: now) }) else { return }
        lead = ready
    }

    /// The lead passes to whoever can begin the file anew: to a source that differed only if no other is left. False:
    /// none is left.
    mutating func passLead() -> Bool {
        let next =
            firstIndex(where: \.isUsable) ?? firstIndex { $0.standing == .onlyAlone || $0.standing == .different }
        if let next { lead = next }
        return next != nil
    }

    /// The digest did not match what several sources gave: from here on one source alone is used. False: none is left.
    ///
    /// - Parameter isFromThisRun: the sources gave all bytes themselves. Then a single giver is shown to be wrong; of
    ///   several nobody knows which.
    mutating func continueAlone(after error: DownloadError, isFromThisRun: Bool) -> Bool {
        if givers.count == 1, isFromThisRun { self[givers[0]].standing = .failed(error) }
        guard let next = firstIndex(where: { $0.error == nil }) else { return false }
        isSingleSource = true
        lead = next
        self[next].standing = .usable
        return true
    }

    // MARK: Those that a server names

    static let maximumServerMirrors = 20

    /// RFC 6249 §6: the server says with digests what its mirrors are mirrors of.
    mutating func notePromise(of digests: [Digest]) { promisedDigests = digests }

    /// - Parameter isSecure: the bytes came over TLS so far, and must go on to.
    mutating func add(serverMirrors mirrors: [Source], isSecure: Bool) {
        for mirror in mirrors {
            guard count(where: \.isServerSuggested) < Self.maximumServerMirrors else { return }
            let isNew = !contains { $0.source.url == mirror.url }
            guard isNew, !isSecure || mirror.url.scheme == .https else { continue }
            // RFC 6249 §7.1: one request at a time.
            states.append(SourceState(mirror, maximumConnections: 1, isServerSuggested: true))
        }
    }

    // MARK: Time, and another start

    /// Makes sources whose wait is over available again.
    mutating func endRests(at now: Instant, isSharing: Bool) {
        for id in indices {
            if let until = self[id].retry.nextStart, now >= until { self[id].retry.nextStart = nil }
            guard isSharing, let until = self[id].retry.secondChance, now >= until else { continue }
            self[id].retry.secondChance = nil
            self[id].standing = .usable
        }
    }

    mutating func forgetRepresentation() {
        for id in indices { self[id].forgetRepresentation() }
    }

    /// The error when no source is left: that of the caller's own URL, with a note that the others were no better.
    var combinedError: DownloadError {
        let errors = compactMap(\.error)
        // Of several the one whose bytes are kept says most, and the caller's own URL is the one that is known.
        guard let first = errors.first else {
            return DownloadError(.network, "No source of this file remains.", recovery: .retryAfter(nil))
        }
        guard errors.count > 1 else { return first }
        let others = errors.count - 1
        return DownloadError(
            first.code, first.message + " The other \(others == 1 ? "source" : "\(others) sources") failed as well.",
            remedies: first.remedies, recovery: first.recovery, underlying: first.underlying, facts: first.facts)
    }
}
