import Testing

@testable import PawlCore

@Suite("The list of a download's exchanges")
struct SegmentListTests {
    private let url = try! HTTPURL(parsing: "http://origin.example/file.bin")
    private var segments = SegmentList()

    /// Adds an exchange between two positions, in the given state. Returns its id.
    @discardableResult
    private mutating func begin(
        _ range: Range<Int64>, _ state: SegmentMachine.State = .flowing, of source: SourceID = .own,
        hedges: ExchangeID? = nil
    ) -> ExchangeID {
        let id = segments.makeID()
        var segment = SegmentMachine(
            id: id, source: source, url: url,
            request: RangeRequest(start: range.lowerBound, end: range.upperBound, isRanged: true),
            position: range.lowerBound, end: range.upperBound, overlap: 0, hedges: hedges, at: .zero)
        segment.state = state
        segment.answer.announcedEnd = range.upperBound
        segments.append(segment)
        return id
    }

    private mutating func advance(_ id: ExchangeID, by count: Int64, at now: Instant) throws {
        let index = try #require(segments.index(of: id))
        segments[index].advance(to: segments[index].position + count, received: count, isHeldByUs: false, at: now)
    }

    @Test
    mutating func `no exchange id is reused, even after exchanges have ended`() {
        let ids = [begin(0..<10), begin(10..<20)]
        _ = segments.remove(at: 1)
        let next = begin(10..<20)
        #expect(ids + [next] == [1, 2, 3].map(ExchangeID.init))
        #expect(segments.index(of: ids[1]) == nil && segments.index(of: ExchangeID(3)) == 1)
    }

    @Test
    mutating func `cancelled exchanges are listed until they end, but not counted`() {
        begin(0..<10)
        begin(10..<20, .cancelled)
        begin(20..<30, .asked(since: .zero), of: SourceID(1))
        #expect(segments.count == 3 && segments.liveCount == 2 && segments.flowingCount == 1)
        #expect(segments.liveCount(of: SourceID(1)) == 1 && segments.flowingCount(of: SourceID(1)) == 0)
        #expect(segments.youngest(of: .own)?.id == ExchangeID(1))
    }

    @Test
    mutating func `a download awaits permits only if nothing else is under way`() {
        #expect(!segments.isAwaitingPermit, "nothing waits")
        begin(0..<10, .cancelled)
        #expect(!segments.isAwaitingPermit)
        begin(0..<10, .awaitingPermit)
        #expect(segments.isAwaitingPermit)
        begin(10..<20)
        #expect(!segments.isAwaitingPermit)
    }

    @Test
    mutating func `R28 exchanges share bytes if their ranges overlap, unless one deliberately hedges the other`() {
        let first = begin(0..<100)
        begin(100..<200)
        #expect(!segments.hasSharedBytes)
        begin(50..<100, hedges: first)
        #expect(!segments.hasSharedBytes)
        begin(150..<200)
        #expect(segments.hasSharedBytes)
    }

    @Test
    mutating func `an exchange that replaces a hedged one is hedged in its place`() {
        let first = begin(0..<100, .cancelled)
        let hedge = begin(0..<100, hedges: first)
        let next = begin(0..<100)
        #expect(segments.hasSharedBytes)
        segments.replaceHedged(first, by: next)
        #expect(!segments.hasSharedBytes && segments.contains { $0.id == hedge && $0.hedges == next })
    }

    @Test
    mutating func `the median rate covers flowing exchanges; of two, the faster rate counts`() throws {
        #expect(segments.medianRate(at: .zero) == 0)
        let ids = [begin(0..<1000), begin(1000..<2000), begin(2000..<3000, of: SourceID(1))]
        let second = Instant.zero + .seconds(1)
        for (id, count) in zip(ids, [100, 300, 500]) { try advance(id, by: Int64(count), at: second) }
        segments.sampleRates(at: second)
        #expect(segments.medianRate(at: second) == 300)
        #expect(segments.medianRate(of: .own, at: second) == 300)
        #expect(segments.medianRate(of: SourceID(1), at: second) == 500)
    }

    @Test
    mutating func `a range that will not be fetched returns to the exchange that flows up to it`() throws {
        let first = begin(0..<200)
        let index = try #require(segments.index(of: first))
        segments[index].end = 100
        begin(100..<200, .cancelled)
        let handedBack = segments.handBack(segments[1])
        let returned = try #require(handedBack)
        #expect(returned.id == first && returned.end == 200 && segments[index].end == 200)
    }

    @Test
    mutating func
        `a range does not return to an exchange whose answer ends before it, or while another exchange fetches part of it`()
        throws
    {
        begin(0..<100)
        begin(100..<200, .cancelled)
        var returned = segments.handBack(segments[1])
        #expect(returned?.id == nil, "the answer ends before it")
        segments[0].answer.announcedEnd = 200
        begin(150..<200)
        returned = segments.handBack(segments[1])
        #expect(returned?.id == nil, "another fetches a part of it")
        #expect(segments[0].end == 100)
    }
}
