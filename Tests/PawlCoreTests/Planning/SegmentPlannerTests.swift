import PawlCore
import Testing

@Suite struct SegmentPlannerTests {
    typealias Load = SegmentPlanner.Load
    private let planner = SegmentPlanner(smallestPiece: 100)

    @Test func `gaps that nobody fetches are assigned first, the largest before the others`() {
        let busy = load(1, 0, 100_000, rate: 10)
        let gaps = [range(5000, 5100), range(6000, 7000), range(8000, 9000)]
        #expect(
            planner.assignment(gaps: gaps, loads: [busy], newcomerBytesPerSecond: 1000) == .gap(range(6000, 7000)))
        #expect(planner.assignment(gaps: [range(0, 1)], loads: [], newcomerBytesPerSecond: 0) == .gap(range(0, 1)))
    }

    @Test func `at equal rates a segment is split in half`() {
        let loads = [load(1, 0, 10_000, rate: 500)]
        #expect(
            planner.assignment(gaps: [], loads: loads, newcomerBytesPerSecond: 500)
                == .split(victim: ExchangeID(1), position: 5000))
        #expect(
            planner.assignment(gaps: [], loads: loads, newcomerBytesPerSecond: 0)
                == .split(victim: ExchangeID(1), position: 5000), "nothing is known of the newcomer")
    }

    @Test(
        arguments: [
            (900.0, 100.0, 9000), (100.0, 900.0, 1000), (300.0, 100.0, 7500), (0.0, 100.0, 100), (60_000.0, 1.0, 9900),
        ] as [(Double, Double, Int64)])
    func `a split is weighted by the rates, so that both parts finish together`(
        _ rate: Double, _ newcomer: Double, _ position: Int64
    ) {
        #expect(
            planner.assignment(gaps: [], loads: [load(1, 0, 10_000, rate: rate)], newcomerBytesPerSecond: newcomer)
                == .split(victim: ExchangeID(1), position: position))
    }

    @Test func `the segment that would finish last gives up its tail`() {
        let loads = [
            load(1, 0, 10_000, rate: 1000), load(2, 20_000, 25_000, rate: 100), load(3, 30_000, 39_000, rate: 1000),
        ]
        #expect(
            planner.assignment(gaps: [], loads: loads, newcomerBytesPerSecond: 100)
                == .split(victim: ExchangeID(2), position: 22_500))
    }

    @Test func `among equal segments the oldest is split, whatever their order`() {
        let loads = (1...5).map { load($0, Int64($0) * 10_000, Int64($0) * 10_000 + 4000, rate: 50) }
        for rotation in 0..<5 {
            let rotated = Array(loads[rotation...] + loads[..<rotation])
            for order in [rotated, rotated.reversed()] {
                #expect(
                    planner.assignment(gaps: [], loads: order, newcomerBytesPerSecond: 50)
                        == .split(victim: ExchangeID(1), position: 12_000))
            }
        }
    }

    @Test func `a segment too small to split is hedged, but only if it crawls and the newcomer is faster`() {
        func assignment(_ load: Load, newcomer: Double) -> SegmentPlanner.Assignment? {
            planner.assignment(gaps: [], loads: [load], newcomerBytesPerSecond: newcomer)
        }
        let small = load(7, 1000, 1150, rate: 10)
        #expect(assignment(small, newcomer: 100) == .hedge(victim: ExchangeID(7), range(1000, 1150)))
        #expect(assignment(small, newcomer: 20) == nil, "not more than twice as fast")
        #expect(assignment(load(7, 1000, 1150, rate: 301), newcomer: 10_000) == nil, "done within half a second")
        #expect(
            assignment(load(7, 1000, 1150, rate: 10, isHedged: true), newcomer: 100) == nil, "asked for twice already")
        #expect(assignment(load(7, 1000, 1000, rate: 0), newcomer: 100) == nil, "nothing left")
    }

    @Test func `a segment that will finish before another request could begin is not split`() {
        func assignment(rate: Double) -> SegmentPlanner.Assignment? {
            planner.assignment(gaps: [], loads: [load(1, 0, 10_000, rate: rate)], newcomerBytesPerSecond: 1000)
        }
        #expect(assignment(rate: 66_000) != nil)
        #expect(assignment(rate: 67_000) == nil)
    }

    @Test func `a hedged segment is never split`() {
        let loads = [load(1, 0, 100_000, rate: 1, isHedged: true), load(2, 200_000, 200_800, rate: 1)]
        #expect(
            planner.assignment(gaps: [], loads: loads, newcomerBytesPerSecond: 1)
                == .split(victim: ExchangeID(2), position: 200_400))
    }

    @Test func `without gaps and segments there is no assignment`() {
        #expect(planner.assignment(gaps: [], loads: [], newcomerBytesPerSecond: 100) == nil)
    }

    @Test(arguments: 0..<20)
    func `no split leaves less than the smallest piece, for any rates and bounds`(_ seed: UInt64) {
        for cut in Self.cuts(seed) where cut.position - cut.start < cut.piece || cut.end - cut.position < cut.piece {
            Issue.record("\(cut)")
            return
        }
    }

    /// Blocks are hashed on receipt, and a block that two connections share has no hash.
    @Test(arguments: 0..<20)
    func `splits lie on multiples of the smallest piece, for any rates and bounds`(_ seed: UInt64) {
        for cut in Self.cuts(seed) where cut.position % cut.piece != 0 {
            Issue.record("\(cut)")
            return
        }
    }

    private struct Cut {
        var start: Int64
        var end: Int64
        var piece: Int64
        var position: Int64
    }

    private static func cuts(_ seed: UInt64) -> [Cut] {
        var random = SplitMix64(seed: seed)
        let cuts = (0..<500).compactMap { _ -> Cut? in
            let piece = Int64.random(in: 1...64, using: &random) * 16
            let start = Int64.random(in: 0...20_000, using: &random)
            let end = start + Int64.random(in: 0...(8 * piece), using: &random)
            let load = Load(
                id: ExchangeID(1), remaining: ByteRange(start..<end),
                bytesPerSecond: Double.random(in: 0...1000, using: &random), isHedged: false)
            let newcomer = Bool.random(using: &random) ? Double.random(in: 0...1000, using: &random) : 0
            let assignment = SegmentPlanner(smallestPiece: piece)
                .assignment(gaps: [], loads: [load], newcomerBytesPerSecond: newcomer)
            guard case .split(_, let position) = assignment else { return nil }
            return Cut(start: start, end: end, piece: piece, position: position)
        }
        // A generator that never produces a split would show nothing.
        #expect(cuts.count > 200)
        return cuts
    }

    private func range(_ start: Int64, _ end: Int64) -> ByteRange { ByteRange(start..<end) }

    private func load(_ id: Int, _ start: Int64, _ end: Int64, rate: Double, isHedged: Bool = false) -> Load {
        Load(id: ExchangeID(id), remaining: range(start, end), bytesPerSecond: rate, isHedged: isHedged)
    }
}
