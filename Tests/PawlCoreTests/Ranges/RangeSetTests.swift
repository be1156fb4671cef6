import PawlCore
import Testing

/// An exhaustive small world: every set over `0..<8`, and every range in it, compared with `Set<Int>`.
@Suite struct RangeSetTests {
    static let width = 8
    static let ranges = (0...width).flatMap { start in (start...width).map { ByteRange(Int64(start)..<Int64($0)) } }

    @Test func `insert, remove and intersection agree with a set of integers`() {
        for model in allModels {
            let set = RangeSet(model)
            for range in Self.ranges {
                let other = Set(range)
                var inserted = set
                inserted.insert(range)
                var removed = set
                removed.remove(range)
                guard inserted == RangeSet(model.union(other)), removed == RangeSet(model.subtracting(other)),
                    set.intersection(range) == RangeSet(model.intersection(other))
                else {
                    Issue.record("\(model.sorted()) with \(range)")
                    continue
                }
                if !isCanonical(inserted) || !isCanonical(removed) { Issue.record("\(inserted), \(removed)") }
            }
        }
    }

    @Test func `union, difference and subset agree with a set of integers`() {
        for left in allModels {
            for right in allModels {
                let (a, b) = (RangeSet(left), RangeSet(right))
                guard a.union(b) == RangeSet(left.union(right)), a.subtracting(b) == RangeSet(left.subtracting(right)),
                    a.isSubset(of: b) == left.isSubset(of: right)
                else {
                    Issue.record("\(left.sorted()) and \(right.sorted())")
                    continue
                }
            }
        }
    }

    @Test func `count, bound, gaps and membership agree with a set of integers`() {
        for model in allModels {
            let set = RangeSet(model)
            #expect(isCanonical(set))
            #expect(set.count == Int64(model.count))
            #expect(set.isEmpty == model.isEmpty)
            #expect(set.upperBound == model.max().map { Int64($0) + 1 } ?? 0)
            for total in 0...Self.width + 1 {
                let gaps = set.gaps(upTo: Int64(total))
                #expect(gaps.flatMap(Set.init).sorted() == (0..<total).filter { !model.contains($0) })
                #expect(isCanonical(RangeSet(gaps)) && RangeSet(gaps).ranges == gaps)
            }
            for position in 0...Self.width {
                #expect(set.contains(Int64(position)) == model.contains(position))
            }
            for range in Self.ranges {
                #expect(set.contains(range) == Set(range).isSubset(of: model))
            }
        }
    }

    @Test func `the order of insertion does not affect the set`() {
        for model in allModels {
            let singles = model.sorted().map { ByteRange(Int64($0)..<Int64($0) + 1) }
            #expect(RangeSet(singles) == RangeSet(singles.reversed()))
        }
    }

    @Test func `positions up to the largest Int64 work like small ones`() throws {
        let end = Int64.max
        var set = RangeSet(ByteRange(0..<end))
        #expect(set.count == end)
        set.remove(ByteRange(10..<(end - 10)))
        #expect(set.gaps(upTo: end) == [ByteRange(10..<(end - 10))])
        #expect(ByteRange(start: -1, end: 4) == nil)
        #expect(ByteRange(start: 5, end: 4) == nil)
    }

    /// The unique form of a set: ranges that are disjoint, not adjacent, ascending and not empty.
    private func isCanonical(_ set: RangeSet) -> Bool {
        set.ranges.allSatisfy { !$0.isEmpty }
            && zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.end < $1.start }
    }

    private var allModels: [Set<Int>] {
        (0..<(1 << Self.width)).map { bits in Set((0..<Self.width).filter { bits >> $0 & 1 == 1 }) }
    }
}

extension RangeSet {
    fileprivate init(_ model: Set<Int>) {
        // Inserts one position at a time, so that only the insertion of single bytes is assumed correct.
        self.init(model.sorted().map { ByteRange(Int64($0)..<Int64($0) + 1) })
    }
}

extension Set<Int> {
    fileprivate init(_ range: ByteRange) { self.init(Int(range.start)..<Int(range.end)) }
}
