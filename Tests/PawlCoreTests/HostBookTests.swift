import PawlCore
import PawlTestKit
import Testing

@Suite("Connections per host, shared")
struct HostBookTests {
    private let one = HostBook.Owner(1)
    private let two = HostBook.Owner(2)
    private let host = "a:80"
    private let now = Instant.zero

    @Test func `no more than the limit are granted, and hosts do not share it`() {
        var book = HostBook(limit: 2)
        #expect(book.take(host, for: one, at: now) == .granted)
        #expect(book.take(host, for: one, at: now) == .granted)
        #expect(book.take(host, for: one, at: now) == .refused(askToYield: nil))
        #expect(book.take("b:80", for: one, at: now) == .granted)
        #expect(book.open(to: host) == 2)
    }

    @Test func `what a hog gives up is kept for the one that has none`() {
        var book = HostBook(limit: 3)
        for _ in 0..<3 { _ = book.take(host, for: one, at: now) }
        #expect(book.take(host, for: two, at: now) == .refused(askToYield: one))
        book.yields(host, one)
        #expect(book.giveBack(host, one, at: now) == [.init(host: host, owner: two)])
        // Quicker, and too late.
        #expect(book.take(host, for: one, at: now) == .refused(askToYield: nil))
        #expect(book.take(host, for: two, at: now) == .granted)
        #expect(book.open(to: host) == 3)
    }

    @Test func `one without a connection goes before anybody's second`() {
        var book = HostBook(limit: 2)
        let three = HostBook.Owner(3)
        _ = book.take(host, for: one, at: now)
        _ = book.take(host, for: two, at: now)
        #expect(book.take(host, for: one, at: now) == .refused(askToYield: nil))
        #expect(book.take(host, for: three, at: now) == .refused(askToYield: nil))
        #expect(book.giveBack(host, two, at: now) == [.init(host: host, owner: three)])
    }

    @Test func `what is declined goes to the next`() {
        var book = HostBook(limit: 1)
        let three = HostBook.Owner(3)
        _ = book.take(host, for: one, at: now)
        _ = book.take(host, for: two, at: now)
        _ = book.take(host, for: three, at: now)
        #expect(book.giveBack(host, one, at: now).map(\.owner) == [two])
        #expect(book.decline(host, two, at: now).map(\.owner) == [three])
        #expect(book.leave(three, at: now).isEmpty)
        #expect(book.take(host, for: two, at: now) == .granted)
    }

    @Test func `a higher limit wakes those that wait, a lower one asks those with several`() {
        var book = HostBook(limit: 2)
        _ = book.take(host, for: one, at: now)
        _ = book.take(host, for: one, at: now)
        _ = book.take(host, for: two, at: now)
        #expect(book.setLimit(3, at: now).wake.map(\.owner) == [two])
        let lowered = book.setLimit(1, at: now)
        #expect(lowered.wake.isEmpty)
        // It was asked already, by the one that waited, and has not answered yet.
        #expect(lowered.yield.isEmpty)
        // The permit that was kept is not to be had any more.
        #expect(book.take(host, for: two, at: now) == .refused(askToYield: nil))
    }

    @Test func `a refusal caps the host for all, and each clean minute raises the cap by one`() {
        var book = HostBook(limit: 8)
        for _ in 0..<4 { _ = book.take(host, for: one, at: now) }
        // A host that serves nobody says nothing of how many it bears.
        #expect(book.refused(host, isClosed: false, at: now) == nil)
        book.serves(host)
        #expect(book.refused(host, isClosed: false, at: now) == 3)
        #expect(book.cap(of: host) == 3)
        _ = book.giveBack(host, one, at: now)
        #expect(book.take(host, for: one, at: now) != .granted)
        let later = now + .seconds(61)
        _ = book.decline(host, one, at: later)
        #expect(book.take(host, for: two, at: later) == .granted)
        #expect(book.open(to: host) == 4)
    }

    @Test func `a connection that is closed before its answer counts when the next one is too`() {
        var book = HostBook(limit: 8)
        for _ in 0..<4 { _ = book.take(host, for: one, at: now) }
        book.serves(host)
        _ = book.giveBack(host, one, at: now)
        #expect(book.refused(host, isClosed: true, at: now) == nil)
        // In between one was served.
        book.serves(host)
        #expect(book.refused(host, isClosed: true, at: now) == nil)
        #expect(book.refused(host, isClosed: true, at: now) == 3)
        // Those that were served have gone, and with them what could be said.
        for _ in 0..<2 { _ = book.giveBack(host, one, wasServed: true, at: now) }
        #expect(book.refused(host, isClosed: false, at: now) == nil)
        #expect(book.cap(of: host) == 3)
    }

    /// Whatever happens in whatever order: the limit holds, what is free is offered, and nothing is left when all have gone.
    @Test(arguments: 0..<40) func `any story keeps the books`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let limit = 1 + Int(random.next() % 5)
        var book = HostBook(limit: limit)
        var held: [HostBook.Owner: Int] = [:]
        var woken: Set<HostBook.Owner> = []
        for _ in 0..<400 {
            let owner = HostBook.Owner(1 + random.next() % 6)
            switch random.next() % 5 {
            case 0, 1:
                if book.take(host, for: owner, at: now) == .granted { held[owner, default: 0] += 1 }
                woken.remove(owner)
            case 2 where held[owner, default: 0] > 0:
                held[owner, default: 0] -= 1
                woken.formUnion(book.giveBack(host, owner, at: now).map(\.owner))
            case 3:
                woken.remove(owner)
                woken.formUnion(book.decline(host, owner, at: now).map(\.owner))
            case 4 where random.next() % 4 == 0:
                held[owner] = nil
                woken.remove(owner)
                woken.formUnion(book.leave(owner, at: now).map(\.owner))
            default: break
            }
            let open = held.values.reduce(0, +)
            #expect(open == book.open(to: host))
            #expect(open <= limit)
        }
        for owner in (1...6).map({ HostBook.Owner($0) }) { _ = book.leave(owner, at: now) }
        #expect(book.open(to: host) == 0)
        for _ in 0..<limit { #expect(book.take(host, for: one, at: now) == .granted) }
    }
}

@Suite("A tree that knows ranks")
struct RankedTreeTests {
    @Test(arguments: 0..<20) func `it is a sorted set with ranks, whatever is inserted and removed`(seed: UInt64) {
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
