import PawlCore
import PawlTestKit
import Testing

@Suite("The shared connections per host")
struct HostRegistryTests {
    private let one = HostRegistry.Owner(1)
    private let two = HostRegistry.Owner(2)
    private let host = "a:80"
    private let now = Instant.zero

    @Test func `a host grants no more connections than the limit, and hosts do not share it`() {
        var registry = HostRegistry(limit: 2)
        #expect(registry.claim(host, for: one, at: now) == .granted)
        #expect(registry.claim(host, for: one, at: now) == .granted)
        #expect(registry.claim(host, for: one, at: now) == .refused(askToYield: nil))
        #expect(registry.claim("b:80", for: one, at: now) == .granted)
        #expect(registry.open(to: host) == 2)
    }

    @Test func `the first connection of an extra download does not count for the limit, only for the larger one`() {
        var registry = HostRegistry(limit: 2)
        _ = registry.setLimit(2, most: 4, at: now)
        let (three, four, five) = (HostRegistry.Owner(3), HostRegistry.Owner(4), HostRegistry.Owner(5))
        #expect(registry.claim(host, for: three, isExtra: true, at: now) == .granted)
        #expect(registry.claim(host, for: one, at: now) == .granted)
        #expect(registry.claim(host, for: one, at: now) == .granted)
        #expect(registry.claim(host, for: one, at: now) == .refused(askToYield: nil))
        #expect(registry.claim(host, for: four, isExtra: true, at: now) == .granted)
        // It is not waited for, and nobody is asked to release a connection for it.
        #expect(registry.claim(host, for: five, isExtra: true, at: now) == .refused(askToYield: nil))
        #expect(registry.open(to: host) == 4)
        // Its second connection counts like any, so it waits for those that count.
        #expect(registry.claim(host, for: four, isExtra: true, at: now) == .refused(askToYield: nil))
        #expect(registry.giveBack(host, three, at: now) == [])
        #expect(registry.giveBack(host, one, at: now) == [.init(host: host, owner: one)])
    }

    @Test func `an extra download that turns out to be large counts like any`() {
        var registry = HostRegistry(limit: 2)
        _ = registry.setLimit(2, most: 4, at: now)
        #expect(registry.claim(host, for: one, isExtra: true, at: now) == .granted)
        registry.countFully(one)
        #expect(registry.claim(host, for: two, at: now) == .granted)
        #expect(registry.claim(host, for: .init(3), at: now) == .refused(askToYield: nil))
    }

    @Test func `a learned limit holds for extra downloads, too`() {
        var registry = HostRegistry(limit: 8)
        _ = registry.setLimit(8, most: 32, at: now)
        registry.setCap(host, 2, at: now)
        #expect(registry.claim(host, for: one, isExtra: true, at: now) == .granted)
        #expect(registry.claim(host, for: two, isExtra: true, at: now) == .granted)
        #expect(registry.claim(host, for: .init(3), isExtra: true, at: now) == .refused(askToYield: nil))
    }

    @Test func `a connection given up by the largest holder is reserved for the download that has none`() {
        var registry = HostRegistry(limit: 3)
        for _ in 0..<3 { _ = registry.claim(host, for: one, at: now) }
        #expect(registry.claim(host, for: two, at: now) == .refused(askToYield: one))
        registry.yields(host, one)
        #expect(registry.giveBack(host, one, at: now) == [.init(host: host, owner: two)])
        // The first owner asks sooner, but the permit is already reserved.
        #expect(registry.claim(host, for: one, at: now) == .refused(askToYield: nil))
        #expect(registry.claim(host, for: two, at: now) == .granted)
        #expect(registry.open(to: host) == 3)
    }

    @Test func `a download without a connection goes before any download's second connection`() {
        var registry = HostRegistry(limit: 2)
        let three = HostRegistry.Owner(3)
        _ = registry.claim(host, for: one, at: now)
        _ = registry.claim(host, for: two, at: now)
        #expect(registry.claim(host, for: one, at: now) == .refused(askToYield: nil))
        #expect(registry.claim(host, for: three, at: now) == .refused(askToYield: nil))
        #expect(registry.giveBack(host, two, at: now) == [.init(host: host, owner: three)])
    }

    @Test func `a declined connection goes to the next waiting download`() {
        var registry = HostRegistry(limit: 1)
        let three = HostRegistry.Owner(3)
        _ = registry.claim(host, for: one, at: now)
        _ = registry.claim(host, for: two, at: now)
        _ = registry.claim(host, for: three, at: now)
        #expect(registry.giveBack(host, one, at: now).map(\.owner) == [two])
        #expect(registry.decline(host, two, at: now).map(\.owner) == [three])
        #expect(registry.leave(three, at: now).isEmpty)
        #expect(registry.claim(host, for: two, at: now) == .granted)
    }

    @Test func `a higher limit wakes waiting downloads, and a lower limit asks holders of several to yield`() {
        var registry = HostRegistry(limit: 2)
        _ = registry.claim(host, for: one, at: now)
        _ = registry.claim(host, for: one, at: now)
        _ = registry.claim(host, for: two, at: now)
        #expect(registry.setLimit(3, at: now).wake.map(\.owner) == [two])
        let lowered = registry.setLimit(1, at: now)
        #expect(lowered.wake.isEmpty)
        // The owner was already asked on behalf of the waiting one, and has not answered yet.
        #expect(lowered.yield.isEmpty)
        // The reserved permit is no longer available.
        #expect(registry.claim(host, for: two, at: now) == .refused(askToYield: nil))
    }

    @Test func `a refusal caps the host for all downloads, and each clean minute raises the cap by one`() {
        var registry = HostRegistry(limit: 8)
        for _ in 0..<4 { _ = registry.claim(host, for: one, at: now) }
        // A refusal from a host that serves no connection does not tell how many it accepts.
        #expect(registry.refused(host, isClosed: false, at: now) == nil)
        registry.serves(host)
        #expect(registry.refused(host, isClosed: false, at: now) == 3)
        #expect(registry.cap(of: host) == 3)
        _ = registry.giveBack(host, one, at: now)
        #expect(registry.claim(host, for: one, at: now) != .granted)
        let later = now + .seconds(61)
        _ = registry.decline(host, one, at: later)
        #expect(registry.claim(host, for: two, at: later) == .granted)
        #expect(registry.open(to: host) == 4)
    }

    @Test func `a connection closed before its answer counts as refused only if the next one is closed, too`() {
        var registry = HostRegistry(limit: 8)
        for _ in 0..<4 { _ = registry.claim(host, for: one, at: now) }
        registry.serves(host)
        _ = registry.giveBack(host, one, at: now)
        #expect(registry.refused(host, isClosed: true, at: now) == nil)
        // A connection was served in between.
        registry.serves(host)
        #expect(registry.refused(host, isClosed: true, at: now) == nil)
        #expect(registry.refused(host, isClosed: true, at: now) == 3)
        // The served connections are gone, so a refusal tells nothing any more.
        for _ in 0..<2 { _ = registry.giveBack(host, one, wasServed: true, at: now) }
        #expect(registry.refused(host, isClosed: false, at: now) == nil)
        #expect(registry.cap(of: host) == 3)
    }

    /// Whatever happens, in any order: the limit holds, free permits are offered, and nothing remains after the last
    /// owner.
    @Test(arguments: 0..<40) func `random sequences of calls keep the limit and leave no connection unused`(
        seed: UInt64
    ) {
        var random = SplitMix64(seed: seed)
        let limit = 1 + Int(random.next() % 5)
        var registry = HostRegistry(limit: limit)
        var held: [HostRegistry.Owner: Int] = [:]
        var woken: Set<HostRegistry.Owner> = []
        for _ in 0..<400 {
            let owner = HostRegistry.Owner(1 + random.next() % 6)
            switch random.next() % 5 {
            case 0, 1:
                if registry.claim(host, for: owner, at: now) == .granted { held[owner, default: 0] += 1 }
                woken.remove(owner)
            case 2 where held[owner, default: 0] > 0:
                held[owner, default: 0] -= 1
                woken.formUnion(registry.giveBack(host, owner, at: now).map(\.owner))
            case 3:
                woken.remove(owner)
                woken.formUnion(registry.decline(host, owner, at: now).map(\.owner))
            case 4 where random.next() % 4 == 0:
                held[owner] = nil
                woken.remove(owner)
                woken.formUnion(registry.leave(owner, at: now).map(\.owner))
            default: break
            }
            let open = held.values.reduce(0, +)
            #expect(open == registry.open(to: host))
            #expect(open <= limit)
        }
        for owner in (1...6).map({ HostRegistry.Owner($0) }) { _ = registry.leave(owner, at: now) }
        #expect(registry.open(to: host) == 0)
        for _ in 0..<limit { #expect(registry.claim(host, for: one, at: now) == .granted) }
    }

    // MARK: Requests in a time

    @Test func `requests to a host are spaced, and who comes early is woken when its own is due`() throws {
        let rate = try #require(RequestRate(2, per: .seconds(1)))
        var registry = HostRegistry(limit: 8, rate: rate)
        #expect(registry.claim(host, for: one, at: now) == .granted)
        #expect(registry.claim("b:80", for: one, at: now) == .granted, "each host has its own")
        #expect(registry.claim(host, for: two, at: now) == .early && registry.nextOpening == now + .milliseconds(500))
        // Giving a connection back makes no request due.
        #expect(registry.giveBack(host, one, at: now + .milliseconds(100)).isEmpty)
        #expect(registry.open(at: now + .milliseconds(499)).isEmpty)
        let due = now + .milliseconds(500)
        #expect(registry.open(at: due) == [.init(host: host, owner: two)] && registry.nextOpening == nil)
        // Behind it in line, though a connection is free.
        #expect(registry.claim(host, for: one, at: due) == .early)
        #expect(registry.claim(host, for: two, at: due) == .granted)
        #expect(registry.open(at: due + .milliseconds(500)) == [.init(host: host, owner: one)])
        // Nobody waits any more: whoever leaves takes the place along.
        #expect(registry.claim(host, for: .init(3), at: due + .milliseconds(500)) == .early)
        _ = registry.leave(.init(3), at: due + .milliseconds(500))
        #expect(registry.nextOpening == nil)
    }

    @Test func `an extra download that comes early waits here, and a full host is full whatever is due`() {
        var registry = HostRegistry(limit: 1, rate: RequestRate(1, per: .seconds(1)))
        _ = registry.setLimit(1, most: 3, at: now)
        #expect(registry.claim(host, for: one, isExtra: true, at: now) == .granted)
        #expect(registry.claim(host, for: two, isExtra: true, at: now) == .early)
        #expect(registry.open(at: now + .seconds(1)) == [.init(host: host, owner: two)])
        var full = HostRegistry(limit: 1, rate: RequestRate(1, per: .seconds(1)))
        #expect(full.claim(host, for: one, at: now) == .granted)
        #expect(full.claim(host, for: two, at: now) == .refused(askToYield: nil) && full.nextOpening == nil)
        #expect(full.giveBack(host, one, at: now).isEmpty, "room, and not due")
        #expect(full.nextOpening == now + .seconds(1))
    }

    @Test func `a rate allows a tenth of a second's requests at once`() throws {
        let rate = try #require(RequestRate(50, per: .seconds(1)))
        var pace = RequestPace()
        var sent: [Instant] = []
        for millisecond in 0..<2000 where pace.opening(rate) <= now + .milliseconds(millisecond) {
            pace.take(rate, at: now + .milliseconds(millisecond))
            sent.append(now + .milliseconds(millisecond))
        }
        #expect(sent.count { $0 < now + .seconds(1) } <= 55 && (100...105).contains(sent.count))
        for (count, time) in [
            (0, Duration.seconds(1)), (-1, .seconds(1)), (1, .zero), (2e6, .seconds(1)), (.nan, .seconds(1)),
        ]
            as [(Double, Duration)]
        {
            #expect(RequestRate(count, per: time) == nil)
        }
        #expect(RequestRate(1, per: .seconds(86_400))?.interval == .seconds(86_400))
    }
}
