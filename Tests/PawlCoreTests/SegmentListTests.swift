import Testing

@testable import PawlCore

@Suite("The exchanges of a download, together")
struct SegmentListTests {
    private let url = try! HTTPURL(parsing: "http://origin.example/file.bin")
    private var segments = SegmentList()

    /// An exchange that is stored, or waits, between two positions. Returns its id.
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

    @Test("no id is given twice, though exchanges end")
    mutating func ids() {
        let ids = [begin(0..<10), begin(10..<20)]
        _ = segments.remove(at: 1)
        let next = begin(10..<20)
        #expect(ids + [next] == [1, 2, 3].map(ExchangeID.init))
        #expect(segments.index(of: ids[1]) == nil && segments.index(of: ExchangeID(3)) == 1)
    }

    @Test("cancelled exchanges are listed until they end, and count for nothing")
    mutating func counts() {
        begin(0..<10)
        begin(10..<20, .cancelled)
        begin(20..<30, .asked(since: .zero), of: SourceID(1))
        #expect(segments.count == 3 && segments.liveCount == 2 && segments.flowingCount == 1)
        #expect(segments.liveCount(of: SourceID(1)) == 1 && segments.flowingCount(of: SourceID(1)) == 0)
        #expect(segments.youngest(of: .own)?.id == ExchangeID(1))
    }

    @Test("a download awaits permits only while nothing else is under way")
    mutating func awaitingPermit() {
        #expect(!segments.isAwaitingPermit, "nothing waits")
        begin(0..<10, .cancelled)
        #expect(!segments.isAwaitingPermit)
        begin(0..<10, .awaitingPermit)
        #expect(segments.isAwaitingPermit)
        begin(10..<20)
        #expect(!segments.isAwaitingPermit)
    }

    @Test("R28 two exchanges share bytes unless one of them fetches the other's on purpose")
    mutating func sharedBytes() {
        let first = begin(0..<100)
        begin(100..<200)
        #expect(!segments.hasSharedBytes)
        begin(50..<100, hedges: first)
        #expect(!segments.hasSharedBytes)
        begin(150..<200)
        #expect(segments.hasSharedBytes)
    }

    @Test("who replaces an exchange is fetched a second time in its place")
    mutating func replacing() {
        let first = begin(0..<100, .cancelled)
        let hedge = begin(0..<100, hedges: first)
        let next = begin(0..<100)
        #expect(segments.hasSharedBytes)
        segments.replaceHedged(first, by: next)
        #expect(!segments.hasSharedBytes && segments.contains { $0.id == hedge && $0.hedges == next })
    }

    @Test("the usual rate is the median of those that flow; of two, the faster one's")
    mutating func medianRate() throws {
        #expect(segments.medianRate(at: .zero) == 0)
        let ids = [begin(0..<1000), begin(1000..<2000), begin(2000..<3000, of: SourceID(1))]
        let second = Instant.zero + .seconds(1)
        for (id, count) in zip(ids, [100, 300, 500]) { try advance(id, by: Int64(count), at: second) }
        segments.sampleRates(at: second)
        #expect(segments.medianRate(at: second) == 300)
        #expect(segments.medianRate(of: .own, at: second) == 300)
        #expect(segments.medianRate(of: SourceID(1), at: second) == 500)
    }

    @Test("a range that will not be fetched goes back to the exchange that flows up to it")
    mutating func handingBack() throws {
        let first = begin(0..<200)
        let index = try #require(segments.index(of: first))
        segments[index].end = 100
        begin(100..<200, .cancelled)
        let handedBack = segments.handBack(segments[1])
        let returned = try #require(handedBack)
        #expect(returned.id == first && returned.end == 200 && segments[index].end == 200)
    }

    @Test("a range goes back to nobody where its fetcher was not promised it, or where others fetch it")
    mutating func notHandingBack() throws {
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
