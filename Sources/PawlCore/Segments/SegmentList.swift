/// The exchanges of one download whose end has not been heard of, in the order in which they began.
package struct SegmentList: RandomAccessCollection, MutableCollection, Sendable {
    private var segments: [SegmentMachine] = []
    private var idsGiven = 0

    package var startIndex: Int { segments.startIndex }

    package var endIndex: Int { segments.endIndex }

    package subscript(position: Int) -> SegmentMachine {
        get { segments[position] }
        // In place: a copy of a segment would copy the URLs that led to it.
        _modify { yield &segments[position] }
    }

    // MARK: Beginning and ending

    /// Names an exchange that is about to begin. No id is given twice.
    mutating func makeID() -> ExchangeID {
        idsGiven += 1
        return ExchangeID(idsGiven)
    }

    mutating func append(_ segment: SegmentMachine) { segments.append(segment) }

    mutating func remove(at position: Int) -> SegmentMachine { segments.remove(at: position) }

    /// Removes all exchanges, whose ends are not awaited.
    mutating func removeAll() { segments = [] }

    // MARK: Looking them up

    func index(of id: ExchangeID) -> Int? { segments.firstIndex { $0.id == id } }

    var liveCount: Int { segments.count { $0.isLive } }

    var flowingCount: Int { segments.count { $0.isFlowing } }

    func liveCount(of source: SourceID) -> Int { segments.count { $0.source == source && $0.isLive } }

    func flowingCount(of source: SourceID) -> Int { segments.count { $0.source == source && $0.isFlowing } }

    /// The live exchange with this source that began last.
    func youngest(of source: SourceID) -> SegmentMachine? { segments.last { $0.source == source && $0.isLive } }

    /// Whether no exchange is under way, and at least one waits for a permit.
    var isAwaitingPermit: Bool { liveCount > 0 && segments.allSatisfy { !$0.isLive || $0.state == .awaitingPermit } }

    /// FAULTS R28: a byte is fetched by one exchange at a time, unless it is asked for twice on purpose.
    var hasSharedBytes: Bool {
        // An exchange that has all it was asked for, and has only not ended yet, shares nothing.
        let owners = segments.filter(\.isLive)
            .compactMap { segment in segment.remaining.map { (segment, $0) } }
            .filter { !$0.1.isEmpty }
        return owners.indices.contains { index in
            owners[..<index].contains { other in
                let (segment, range) = owners[index]
                return range.overlaps(other.1) && segment.hedges != other.0.id && other.0.hedges != segment.id
            }
        }
    }

    // MARK: How fast they are

    /// The rate of the usual connection; of two, the faster one's. Zero while none flows.
    func medianRate(at now: Instant) -> Double { median(of: segments.filter(\.isFlowing), at: now) }

    func medianRate(of source: SourceID, at now: Instant) -> Double {
        median(of: segments.filter { $0.source == source && $0.isFlowing }, at: now)
    }

    private func median(of flowing: [SegmentMachine], at now: Instant) -> Double {
        let rates = flowing.map { $0.meter.dependableRate(at: now) }.sorted()
        return rates.isEmpty ? 0 : rates[rates.count / 2]
    }

    // MARK: Changing them together

    mutating func sampleRates(at now: Instant) {
        for index in segments.indices { segments[index].meter.sampleRate(at: now) }
    }

    /// Replaces one exchange by another. An exchange that fetches the other's bytes a second time fetches this one's
    /// now.
    mutating func replaceHedged(_ former: ExchangeID, by next: ExchangeID) {
        for index in segments.indices where segments[index].hedges == former { segments[index].hedges = next }
    }

    /// The range of a connection that will not be goes back to the one it was taken from, which need not even notice.
    /// Nil: nobody brings the bytes before it, or somebody fetches it a second time.
    mutating func handBack(_ segment: SegmentMachine) -> (id: ExchangeID, end: Int64)? {
        guard segment.hedges == nil, let end = segment.end, let rest = ByteRange(start: segment.position, end: end),
            !segments.contains(where: { $0.isLive && $0.id != segment.id && $0.remaining?.overlaps(rest) ?? false }),
            let index = segments.firstIndex(where: { former in
                former.isFlowing && former.end == segment.position && former.position < segment.position
                    && former.answer.announcedEnd.map { $0 >= end } ?? false
            })
        else { return nil }
        segments[index].end = end
        return (segments[index].id, end)
    }
}
