import PawlCore
import Testing

@Suite("Sharing a speed limit among downloads")
struct SpeedTreeTests {
    /// Flows in virtual time that always want more.
    private struct Bench {
        struct Taken {
            var at: Instant
            var flow: Int
            var count: Int
        }

        var tree = SpeedTree()
        var now = Instant.zero
        var flows: [SpeedTree.MemberID] = []
        /// How much a flow has ready each time, and the pause before the next amount.
        var parts: [SpeedTree.MemberID: (count: Int, pause: Duration)] = [:]
        var log: [Taken] = []
        private var due: [(at: Instant, flow: Int)] = []
        private var rest: [Int: Int] = [:]

        mutating func addFlow(under node: SpeedTree.MemberID, part: Int = 262_144, pause: Duration = .microseconds(200))
        {
            let id = tree.addFlow(under: node, at: now)
            parts[id] = (part, pause)
            due.append((now, flows.count))
            flows.append(id)
        }

        mutating func run(for duration: Duration) {
            let end = now + duration
            while true {
                for id in tree.takeReady() { if let flow = flows.firstIndex(of: id) { take(flow) } }
                let next = due.min { $0.at < $1.at }?.at
                let moment = [next, tree.nextGrant].compactMap { $0 }.min() ?? end
                guard moment < end else { break }
                now = max(now, moment)
                if let index = due.firstIndex(where: { $0.at <= now }) {
                    let flow = due.remove(at: index).flow
                    rest[flow] = parts[flows[flow]]?.count ?? 0
                    take(flow)
                } else {
                    tree.advance(to: now)
                }
            }
            now = end
        }

        private mutating func take(_ flow: Int) {
            guard let wanted = rest[flow] else { return }
            let count = tree.take(wanted, by: flows[flow], at: now)
            if count > 0 { log.append(Taken(at: now, flow: flow, count: count)) }
            rest[flow] = wanted - count
            guard count == wanted else { return }
            rest[flow] = nil
            due.append((now + (parts[flows[flow]]?.pause ?? .zero), flow))
        }

        func bytes(of flow: Int? = nil, from start: Duration = .zero, to end: Duration) -> Int {
            log.reduce(0) { sum, taken in
                let isCounted =
                    taken.at >= .zero + start && taken.at < .zero + end && flow.map { $0 == taken.flow } ?? true
                return isCounted ? sum + taken.count : sum
            }
        }

        /// The most bytes in any second, over all windows that begin with a part.
        var largestSecond: Int {
            var most = 0
            var sum = 0
            var first = 0
            for taken in log {
                sum += taken.count
                while log[first].at + .seconds(1) <= taken.at {
                    sum -= log[first].count
                    first += 1
                }
                most = max(most, sum)
            }
            return most
        }
    }

    @Test(
        arguments: [
            (10 << 10, 1), (10 << 10, 5), (10 << 10, 40), (100_000, 1), (100_000, 40), (1 << 20, 5), (30_000_000, 5),
            (1 << 30, 1),
        ] as [(Int64, Int)])
    func `a rate is kept within three percent over ten seconds, and no single second exceeds it by more than a quarter`(
        rate: Int64, flows: Int
    ) {
        var bench = Bench()
        let root = bench.tree.addNode(bytesPerSecond: rate, under: nil, at: .zero)
        for _ in 0..<flows { bench.addFlow(under: root) }
        bench.run(for: .seconds(10))
        let deviation = Double(bench.bytes(to: .seconds(10))) / Double(rate * 10) - 1
        let largest = Double(bench.largestSecond) / Double(rate)
        print("rate \(rate), \(flows) flows: \(deviation * 100) % over 10 s, largest second × \(largest)")
        #expect(abs(deviation) <= 0.03)
        #expect(largest <= 1.25)
    }

    @Test func `at the lowest rates, bytes flow one by one`() {
        for rate in [1, 3, 19, 100] as [Int64] {
            var bench = Bench()
            let root = bench.tree.addNode(bytesPerSecond: rate, under: nil, at: .zero)
            bench.addFlow(under: root)
            bench.run(for: .seconds(100))
            #expect(abs(bench.bytes(to: .seconds(100)) - Int(rate) * 100) <= max(3, Int(rate) * 3))
        }
    }

    @Test func `downloads get equal shares, whatever their number of connections`() {
        var bench = Bench()
        let root = bench.tree.addNode(bytesPerSecond: 1_000_000, under: nil, at: .zero)
        for connections in [1, 8, 3] {
            let download = bench.tree.addNode(bytesPerSecond: nil, under: root, at: .zero)
            for _ in 0..<connections { bench.addFlow(under: download) }
        }
        bench.run(for: .seconds(10))
        let shares = [[0], Array(1...8), Array(9...11)].map {
            $0.reduce(0) { $0 + bench.bytes(of: $1, to: .seconds(10)) }
        }
        for share in shares { #expect(abs(share - 3_333_333) < 100_000, "\(shares)") }
        for connection in 1...8 { #expect(abs(bench.bytes(of: connection, to: .seconds(10)) - shares[1] / 8) < 25_000) }
    }

    @Test func `one download's unused share goes to the others, and is divided again as soon as all want more`() {
        var bench = Bench()
        let root = bench.tree.addNode(bytesPerSecond: 1_000_000, under: nil, at: .zero)
        let (slow, fast) = (
            bench.tree.addNode(bytesPerSecond: 100_000, under: root, at: .zero),
            bench.tree.addNode(bytesPerSecond: nil, under: root, at: .zero)
        )
        bench.addFlow(under: slow)
        bench.addFlow(under: fast)
        // A server that delivers 200,000 bytes a second, and no more.
        let third = bench.tree.addNode(bytesPerSecond: nil, under: root, at: .zero)
        bench.addFlow(under: third, part: 2000, pause: .milliseconds(10))
        bench.run(for: .seconds(10))
        let total = bench.bytes(to: .seconds(10))
        #expect(abs(bench.bytes(of: 0, to: .seconds(10)) - 1_000_000) < 30_000)
        #expect(abs(bench.bytes(of: 2, to: .seconds(10)) - 2_000_000) < 250_000)
        #expect(abs(total - 10_000_000) < 300_000)
        bench.tree.setRate(nil, of: slow, at: bench.now)
        bench.run(for: .seconds(10))
        let (first, second) = (
            bench.bytes(of: 0, from: .seconds(10), to: .seconds(20)),
            bench.bytes(of: 1, from: .seconds(10), to: .seconds(20))
        )
        #expect(abs(first - second) < 150_000, "\(first) and \(second)")
    }

    @Test func `a limit changes while bytes flow: a lower one without a burst, a lifted one without a wait`() {
        var bench = Bench()
        let root = bench.tree.addNode(bytesPerSecond: nil, under: nil, at: .zero)
        let download = bench.tree.addNode(bytesPerSecond: nil, under: root, at: .zero)
        for _ in 0..<4 { bench.addFlow(under: download, part: 100_000, pause: .milliseconds(50)) }
        bench.run(for: .seconds(1))
        #expect(bench.bytes(to: .seconds(1)) == 8_000_000)
        bench.tree.setRate(2_000_000, of: root, at: bench.now)
        bench.run(for: .seconds(2))
        #expect(bench.bytes(from: .seconds(1), to: .seconds(2)) <= 2_500_000)
        bench.tree.setRate(50_000, of: download, at: bench.now)
        bench.run(for: .seconds(10))
        #expect(bench.bytes(from: .seconds(3), to: .seconds(4)) <= 62_500)
        #expect(abs(bench.bytes(from: .seconds(3), to: .seconds(13)) - 500_000) <= 15_000)
        bench.tree.setRate(nil, of: root, at: bench.now)
        bench.tree.setRate(nil, of: download, at: bench.now)
        bench.run(for: .seconds(1))
        #expect(bench.bytes(from: .seconds(13), to: .seconds(14)) >= 7_600_000)
        #expect(bench.tree.nextGrant == nil)
    }

    @Test func `a flow that has ended holds no other back, and returns its unused bytes`() {
        var bench = Bench()
        let root = bench.tree.addNode(bytesPerSecond: 1000, under: nil, at: .zero)
        let download = bench.tree.addNode(bytesPerSecond: nil, under: root, at: .zero)
        let (first, second) = (
            bench.tree.addFlow(under: download, at: .zero), bench.tree.addFlow(under: download, at: .zero)
        )
        #expect(bench.tree.take(1, by: first, at: .zero) == 1)
        #expect(bench.tree.take(100_000, by: first, at: .zero) < 100)
        #expect(bench.tree.take(100_000, by: second, at: .zero) < 100)
        bench.tree.remove(first, at: .zero)
        bench.tree.advance(to: .zero + .seconds(1))
        #expect(bench.tree.takeReady() == [second])
        #expect(bench.tree.take(5, by: first, at: .zero) == 5, "nothing is asked of one that is gone")
        bench.tree.remove(second, at: .zero + .seconds(1))
        bench.tree.remove(download, at: .zero + .seconds(1))
        #expect(bench.tree.nextGrant == nil)
    }

    @Test func `a clock that steps back grants no extra bytes`() {
        var bench = Bench()
        let root = bench.tree.addNode(bytesPerSecond: 1000, under: nil, at: .zero + .seconds(10))
        let flow = bench.tree.addFlow(under: root, at: .zero + .seconds(10))
        var taken = bench.tree.take(10_000, by: flow, at: .zero + .seconds(10))
        for _ in 0..<10 {
            bench.tree.advance(to: .zero)
            if bench.tree.takeReady() == [flow] { taken += bench.tree.take(10_000, by: flow, at: .zero) }
        }
        #expect(taken <= 100)
    }
}

@Suite("The pace of a connection")
struct PaceTests {
    @Test func `a connection's pace is its equal share at each limit above it, and at most the smallest limit`() {
        var tree = SpeedTree()
        let root = tree.addNode(bytesPerSecond: nil, under: nil, at: .zero)
        let first = tree.addNode(bytesPerSecond: nil, under: root, at: .zero)
        let second = tree.addNode(bytesPerSecond: nil, under: root, at: .zero)
        let flows = [
            tree.addFlow(under: first, at: .zero), tree.addFlow(under: first, at: .zero),
            tree.addFlow(under: second, at: .zero),
        ]
        #expect(flows.allSatisfy { tree.pace(of: $0, at: .zero) == nil }, "nothing is limited")

        tree.setRate(1_000_000, of: root, at: .zero)
        #expect(tree.pace(of: flows[0], at: .zero) == Pace(bytesPerSecond: 250_000, maximumBytesPerSecond: 1_000_000))
        #expect(tree.pace(of: flows[2], at: .zero) == Pace(bytesPerSecond: 500_000, maximumBytesPerSecond: 1_000_000))

        tree.setRate(100_000, of: second, at: .zero)
        #expect(tree.pace(of: flows[2], at: .zero) == Pace(bytesPerSecond: 100_000, maximumBytesPerSecond: 100_000))
        tree.setRate(nil, of: root, at: .zero)
        #expect(tree.pace(of: flows[0], at: .zero) == nil, "the limit of one download is not the other's")

        tree.setRate(1_000_000, of: root, at: .zero)
        tree.remove(flows[1], at: .zero)
        tree.remove(flows[2], at: .zero)
        #expect(tree.pace(of: flows[0], at: .zero) == Pace(bytesPerSecond: 1_000_000, maximumBytesPerSecond: 1_000_000))
        #expect(tree.pace(of: flows[2], at: .zero) == nil, "one that is gone has none")
    }

    @Test func `flows whose servers do not answer leave their shares to the others until they do`() {
        var tree = SpeedTree()
        let root = tree.addNode(bytesPerSecond: 1_600_000, under: nil, at: .zero)
        let flows = (0..<16).map { _ in
            let download = tree.addNode(bytesPerSecond: nil, under: root, at: .zero)
            return tree.addFlow(under: download, at: .zero)
        }
        let (equal, all) = (
            Pace(bytesPerSecond: 100_000, maximumBytesPerSecond: 1_600_000),
            Pace(bytesPerSecond: 1_600_000, maximumBytesPerSecond: 1_600_000)
        )
        var now = Instant.zero + .seconds(1)
        #expect(tree.pace(of: flows[0], at: now) == equal, "all are expected to begin")
        #expect(tree.take(1000, by: flows[0], at: now) == 1000)
        now = .zero + .seconds(3)
        #expect(tree.pace(of: flows[0], at: now) == all, "nobody else has")
        #expect(tree.take(75_000, by: flows[0], at: now) == 75_000, "nor are the grants small")
        #expect(
            tree.pace(of: flows[1], at: now) == Pace(bytesPerSecond: 800_000, maximumBytesPerSecond: 1_600_000),
            "as one more")

        #expect(tree.take(1000, by: flows[1], at: now) == 1000)
        #expect(tree.pace(of: flows[0], at: now)?.bytesPerSecond == 800_000, "it counts with its first byte")
        // A flow that waits for its turn takes nothing, but does not give up its share either.
        #expect(tree.take(10_000_000, by: flows[1], at: now) < 10_000_000)
        now = .zero + .seconds(10)
        #expect(tree.pace(of: flows[0], at: now)?.bytesPerSecond == 800_000)
        tree.remove(flows[1], at: now)
        tree.remove(flows[2], at: now)
        #expect(tree.pace(of: flows[0], at: now) == all, "what counts no more is not counted off twice")
    }

    @Test func `a new limit covers all flows, and no limit remains once the last is lifted or gone`() {
        var tree = SpeedTree()
        let root = tree.addNode(bytesPerSecond: nil, under: nil, at: .zero)
        let download = tree.addNode(bytesPerSecond: 5, under: root, at: .zero)
        let flows = [tree.addFlow(under: root, at: .zero), tree.addFlow(under: root, at: .zero)]
        #expect(tree.isLimited)
        #expect(tree.pace(of: flows[0], at: .zero) == nil, "by the limit of another")
        tree.remove(download, at: .zero)
        #expect(!tree.isLimited)
        let now = Instant.zero + .seconds(100)
        for flow in flows { #expect(tree.take(1000, by: flow, at: now) == 1000) }
        for _ in 0..<2 { tree.setRate(1_000_000, of: root, at: now) }
        #expect(tree.isLimited)
        #expect(tree.pace(of: flows[0], at: now)?.bytesPerSecond == 500_000)
        for _ in 0..<2 { tree.setRate(nil, of: root, at: now) }
        #expect(!tree.isLimited)
        #expect(tree.pace(of: flows[0], at: now) == nil)
        tree.setRate(5, of: download, at: now)
        #expect(!tree.isLimited, "one that is gone has none")
    }

    @Test func `every rate, from a byte a second for many flows to the greatest, gives a valid pace`() {
        var tree = SpeedTree()
        let most = tree.addNode(bytesPerSecond: .max, under: nil, at: .zero)
        let fast = tree.addFlow(under: most, at: .zero)
        #expect(tree.pace(of: fast, at: .zero) == Pace(bytesPerSecond: .max, maximumBytesPerSecond: .max))
        tree = SpeedTree()
        let root = tree.addNode(bytesPerSecond: 1, under: nil, at: .zero)
        let flows = (0..<40).map { _ in tree.addFlow(under: root, at: .zero) }
        #expect(flows.allSatisfy { tree.pace(of: $0, at: .zero) == Pace(bytesPerSecond: 1, maximumBytesPerSecond: 1) })
    }

    @Test
    func
        `reads and buffers hold a small part of a second, more for a distant peer, and stay within bounds at extreme rates`()
    {
        let pace = Pace(bytesPerSecond: 1_600_000, maximumBytesPerSecond: 1_600_000)
        #expect(pace.readSize == 80_000)
        #expect(pace.bufferSize(roundTrip: .zero) == 50_000)
        #expect(pace.bufferSize(roundTrip: .milliseconds(100)) == 250_000)
        let shared = Pace(bytesPerSecond: 160_000, maximumBytesPerSecond: 1_600_000)
        #expect(shared.bufferSize(roundTrip: .milliseconds(100)) == 105_000, "room for half of the rate")
        let least = Pace(bytesPerSecond: 1, maximumBytesPerSecond: 1)
        #expect(least.readSize == 1024 && least.bufferSize(roundTrip: .seconds(1)) == 4096)
        let most = Pace(bytesPerSecond: .max, maximumBytesPerSecond: .max)
        #expect(most.readSize > 0 && most.bufferSize(roundTrip: .seconds(100)) > 0)
    }
}
