import PawlCore
import Testing

/// Sizes and positions come from servers and journals, and may be the largest representable numbers.
@Suite struct LargestNumbersTests {
    private let last = Int64.max

    @Test func `blocks can be counted up to the largest position`() {
        let size = Int64(1) << 62
        #expect(BlockHasher.range(ofBlock: 1, blockSize: size, total: last) == ByteRange(size..<last))
        #expect(BlockHasher.range(ofBlock: 1, blockSize: size, total: nil) == ByteRange(size..<last))
        #expect(BlockHasher.range(ofBlock: 2, blockSize: size, total: nil) == nil)
        #expect(BlockHasher.range(ofBlock: last, blockSize: last, total: last) == nil)
        var hasher = BlockHasher(blockSize: size, total: last, position: last - 3)
        #expect([1, 2, 3].withUnsafeBytes { hasher.update(UnsafeRawBufferPointer(rebasing: $0[..<3])) }.isEmpty)
        let blockSize = BlockHasher.blockSize(total: last)
        #expect((last - 1) / blockSize < BlockHasher.maximumBlocks)
    }

    @Test func `blocks beyond the journal's largest block number have no hash`() {
        var hasher = BlockHasher(blockSize: 4, total: nil, position: (Int64(UInt32.max) + 1) * 4)
        #expect([UInt8](repeating: 1, count: 8).withUnsafeBytes { hasher.update($0) }.isEmpty)
    }

    @Test(
        arguments: [(0.0, 0.0), (1e300, 1e-300), (1e-300, 1e300), (.infinity, .infinity), (1, 0)] as [(Double, Double)])
    func `the longest possible segment is split inside its range, whatever the rates`(
        _ rate: Double, _ newcomer: Double
    ) throws {
        let planner = SegmentPlanner(smallestPiece: 1 << 20)
        for start in [0, 1, last - (4 << 20)] {
            let load = SegmentPlanner.Load(
                id: ExchangeID(1), remaining: ByteRange(start..<last), bytesPerSecond: rate, isHedged: false)
            switch planner.assignment(gaps: [], loads: [load], newcomerBytesPerSecond: newcomer) {
            case .split(_, let position): #expect(position > start && position < last)
            case .hedge(_, let range): #expect(range == load.remaining)
            case .gap: Issue.record("there is no gap")
            case nil: break
            }
        }
    }

    @Test func `range sets work up to the largest position`() {
        var set = RangeSet(ByteRange(0..<last))
        #expect(set.count == last && set.gaps(upTo: last).isEmpty)
        set.remove(ByteRange((last - 1)..<last))
        #expect(set.gaps(upTo: last) == [ByteRange((last - 1)..<last)])
    }

    @Test(arguments: [
        "bytes 0-9223372036854775806/9223372036854775807", "bytes 9223372036854775806-9223372036854775806/*",
        "bytes 0-9223372036854775807/*", "bytes 0-0/9223372036854775807",
    ])
    func `a response with the largest numbers is judged without overflow`(_ range: String) {
        for start in [0, 1, last - 1] {
            for known in [nil, Representation(total: last, entityTag: EntityTag(parsing: "\"v\""))] {
                let request = RangeRequest(start: start, end: last, condition: known?.condition ?? .none)
                let head = ResponseHead(
                    status: 206,
                    fields: [
                        HTTPField("Content-Range", range), HTTPField("Content-Length", "\(last)"),
                        HTTPField("ETag", "\"v\""),
                    ])
                switch ResponseRule(request: request, known: known).judge(head) {
                case .partial(let accepted, _): #expect(accepted.start == start && accepted.end <= last)
                default: break
                }
            }
        }
    }

    @Test func `sums of waits saturate at the largest duration`() {
        #expect(Instant(nanoseconds: last) + .seconds(1) == Instant(nanoseconds: last))
        #expect(Duration.seconds(last).wholeNanoseconds == last)
        #expect(Duration.seconds(Int64.min).wholeNanoseconds == .min)
        var random = SplitMix64(seed: 1)
        let policy = RetryPolicy(base: .seconds(1 << 33), ceiling: .seconds(last))
        #expect(policy.delay(failures: .max, using: &random) >= .zero)
        var bucket = TokenBucket(bytesPerSecond: last, now: .zero)
        bucket.refill(at: Instant(nanoseconds: last))
        #expect(bucket.wait(for: Double(last)) >= .zero)
        var slowest = TokenBucket(bytesPerSecond: 1, now: .zero)
        slowest.spend(Double(last))
        #expect(slowest.wait(for: Double(last)) == .nanoseconds(last))
    }
}
