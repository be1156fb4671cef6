import PawlCore
import Testing

@Suite("A sorted tree that knows the rank of each element")
struct RankedTreeTests {
    @Test(arguments: 0..<20) func `RankedTree matches a sorted set with ranks after random insertions and removals`(
        seed: UInt64
    ) {
        var random = SplitMix64(seed: seed)
        var tree = RankedTree<Int>()
        var model: Set<Int> = []
        for _ in 0..<600 {
            let key = Int(random.next() % 200)
            if random.next() % 3 == 0 {
                #expect(tree.remove(key) == (model.remove(key) != nil))
            } else {
                tree.insert(key)
                model.insert(key)
            }
        }
        let sorted = model.sorted()
        #expect(tree.keys == sorted)
        #expect(tree.count == sorted.count)
        #expect(tree.first == sorted.first && tree.last == sorted.last)
        for (rank, key) in sorted.enumerated() {
            #expect(tree[rank] == key)
            #expect(tree.rank(of: key) == rank)
        }
        #expect(tree[sorted.count] == nil && tree[-1] == nil)
    }
}
