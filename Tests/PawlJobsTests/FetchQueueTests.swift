import PawlCore
import Testing

@testable import PawlJobs

@Suite("The order in which the files of a run are fetched")
struct FetchQueueTests {
    private static func taken(_ queue: inout FetchQueue) -> [Int] {
        var taken: [Int] = []
        while let id = queue.popFirst() {
            queue.began(id)
            taken.append(id.number)
        }
        return taken
    }

    @Test func `files of one host come in their order, as many as are asked for`() {
        var queue = FetchQueue([0, 0, 0, 0]) { _ in 2 }
        #expect(queue.popFirst() == JobFileID(1))
        queue.append(JobFileID(1))
        #expect(Self.taken(&queue) == [2, 3, 4, 1])
        #expect(queue.popFirst() == nil)
        var none = FetchQueue([]) { _ in 2 }
        #expect(none.popFirst() == nil)
    }

    @Test func `a host has its share, and the files of others do not wait behind the rest of its own`() {
        // 100 files of one host, then 20 of another.
        let hosts = Array(repeating: Int32(0), count: 100) + Array(repeating: 1, count: 20)
        var queue = FetchQueue(hosts) { 60 / $0 }
        #expect(Self.taken(&queue) == Array(1...30) + Array(101...120))
        // One place of the first host is free again, and one of the second, which has no more files.
        for number in [7, 110] { queue.ended(JobFileID(number)) }
        #expect(Self.taken(&queue) == [31])
        // A file that was stopped comes behind those that have not begun.
        queue.ended(JobFileID(9))
        queue.append(JobFileID(9))
        #expect(Self.taken(&queue) == [32])
        queue.ended(JobFileID(101))
        queue.append(JobFileID(101))
        #expect(Self.taken(&queue) == [101])
    }

    @Test func `each file comes once, those of a host in their order, and no host exceeds its share`() {
        for seed in 0..<200 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let hostCount = Int32.random(in: 1...6, using: &random)
            let hosts = (0..<Int.random(in: 0...120, using: &random)).map { _ in
                Int32.random(in: 0..<hostCount, using: &random)
            }
            let several = Int.random(in: 1...40, using: &random)
            let share = hosts.contains { $0 > 0 } ? several : .max
            var queue = FetchQueue(hosts) { _ in several }
            var (fetching, ended): ([Int], [Int]) = ([], [])
            while ended.count < hosts.count {
                if Bool.random(using: &random), let id = queue.popFirst() {
                    let host = hosts[id.number - 1]
                    // The first file, of all hosts that may begin one.
                    let isFree = { (host: Int32) in fetching.count { hosts[$0 - 1] == host } < share }
                    let begun = Set(fetching + ended)
                    let expected = hosts.indices.first { !begun.contains($0 + 1) && isFree(hosts[$0]) }
                    #expect(expected.map { $0 + 1 } == id.number && isFree(host), "seed \(seed)")
                    queue.began(id)
                    fetching.append(id.number)
                } else if let place = fetching.indices.randomElement(using: &random) {
                    queue.ended(JobFileID(fetching[place]))
                    ended.append(fetching.remove(at: place))
                }
            }
            #expect(queue.popFirst() == nil && Set(ended).count == hosts.count, "seed \(seed)")
        }
    }
}
