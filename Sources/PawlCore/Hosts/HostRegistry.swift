/// The downloads that hold connections to each host, and those that wait for one: the limits of connections and of
/// requests per host, across all downloads.
///
/// Strict: a host never has more open exchanges than its limit, except those open when the limit was lowered, and those
/// of extra downloads (``QueueMachine``), which have a larger limit. Fair: a download without a connection goes before
/// any download's second one; remaining connections go to whoever holds the fewest; a download that holds two more than
/// another that wants one is asked to release one. A released connection is reserved for the next in line until that
/// download takes or declines it.
package struct HostRegistry: Sendable {
    /// A download, as the gate counts them.
    package struct Owner: Hashable, Comparable, Sendable {
        package let number: UInt64

        package init(_ number: UInt64) { self.number = number }

        package static func < (left: Owner, right: Owner) -> Bool { left.number < right.number }
    }

    /// Whom to tell, and about which host.
    package struct Call: Hashable, Sendable {
        package let host: String
        package let owner: Owner

        package init(host: String, owner: Owner) {
            self.host = host
            self.owner = owner
        }
    }

    package enum Answer: Hashable, Sendable {
        case granted
        /// The owner has a place in the queue and will be woken, but for an extra download's first connection. The
        /// other owner, if any, is to be asked to release a connection.
        case refused(askToYield: Owner?)
        /// There is room, but the next request is not due. The owner has a place in the queue and will be woken.
        case early
    }

    private struct Queue: Sendable {
        var held: [Owner: Int] = [:]
        /// Freed, and kept for these.
        var kept: [Owner: Int] = [:]
        /// Downloads without a connection, oldest first.
        var waiting: [Owner] = []
        /// Holders that want another connection, oldest first.
        var wanting: [Owner] = []
        /// Holders that were asked to release a connection, and have not done so yet.
        var yielding: Set<Owner> = []
        /// The extra downloads: their first connection does not count for the limit.
        var extras: Set<Owner> = []
        var open = 0
        /// The open exchanges that the host has accepted and is serving.
        var served = 0
        /// Exchanges in a row that were closed before an answer, with none served in between.
        var closed = 0

        var isIdle: Bool { open == 0 && kept.isEmpty && waiting.isEmpty && wanting.isEmpty }
        var keptCount: Int { kept.values.reduce(0, +) }
        var taken: Int { open + keptCount }
        /// The open ones that count for the limit.
        var ordinary: Int { open - extras.count }

        func hasRoom(_ limits: Limits) -> Bool { taken < limits.most && taken - extras.count < limits.limit }
        func isFull(_ limits: Limits) -> Bool { !hasRoom(limits) || !waiting.isEmpty || !wanting.isEmpty }
        func share(of owner: Owner) -> Int { held[owner, default: 0] + kept[owner, default: 0] }
    }

    private struct Limits {
        let limit: Int
        let most: Int
    }

    package private(set) var limit: Int
    /// The limit with the connections of extra downloads.
    private var most: Int
    private var queues: [String: Queue] = [:]
    private var caps: [String: ConnectionCap] = [:]
    private let rate: RequestRate?
    private var paces: [ExactText: RequestPace] = [:]
    /// The number of hosts at which those are forgotten that rest.
    private var sweepCount = 1024
    /// The hosts that have room for somebody who waits, and when the next request to them is due.
    private var openings: [ExactText: Instant] = [:]

    package init(limit: Int, rate: RequestRate? = nil) {
        self.limit = max(1, limit)
        most = self.limit
        self.rate = rate
    }

    /// Returns the number of exchanges that are open to the host.
    package func open(to host: String) -> Int { queues[host]?.open ?? 0 }

    package func held(by owner: Owner, at host: String) -> Int { queues[host]?.held[owner] ?? 0 }

    /// Asks for one more connection.
    ///
    /// - Parameter isExtra: of an extra download, whose first connection does not count for the limit.
    package mutating func claim(
        _ host: String, for owner: Owner, isExtra: Bool = false, at now: Instant
    ) -> Answer {
        let limits = limits(of: host, at: now)
        var queue = queues[host] ?? Queue()
        defer { queues[host] = queue }
        let isFirstOfExtra = isExtra && queue.share(of: owner) == 0
        let isDue = isDue(host, at: now)
        if isFirstOfExtra, isDue, queue.taken + queue.waiting.count < limits.most {
            pace(host, at: now)
            queue.extras.insert(owner)
            queue.held[owner] = 1
            queue.open += 1
            return .granted
        }
        let isKept = queue.kept[owner] != nil && queue.open < limits.most && queue.ordinary < limits.limit
        if isKept { Self.drop(&queue.kept, owner) }
        if isKept || isDue && !queue.isFull(limits) {
            if !isKept { pace(host, at: now) }
            queue.held[owner, default: 0] += 1
            queue.open += 1
            queue.waiting.removeAll { $0 == owner }
            return .granted
        }
        // Also where those in front are due by now, and will be told so in a moment.
        let isEarly = rate != nil && queue.hasRoom(limits)
        // An extra download goes back to the queue of downloads instead of waiting here.
        if isFirstOfExtra, !isEarly { return .refused(askToYield: nil) }
        if queue.held[owner] == nil {
            if !queue.waiting.contains(owner) { queue.waiting.append(owner) }
        } else if !queue.wanting.contains(owner) {
            queue.wanting.append(owner)
        }
        if isEarly {
            noteOpening(of: host)
            return .early
        }
        return .refused(askToYield: Self.yielder(&queue, for: owner))
    }

    /// From now on all connections of an extra download count.
    package mutating func countFully(_ owner: Owner) {
        for host in queues.keys { queues[host]?.extras.remove(owner) }
    }

    /// An exchange has ended. Returns whom to wake.
    package mutating func giveBack(_ host: String, _ owner: Owner, wasServed: Bool = false, at now: Instant) -> [Call] {
        guard var queue = queues[host], queue.held[owner] != nil else { return [] }
        Self.drop(&queue.held, owner)
        queue.open -= 1
        if queue.held[owner] == nil { queue.extras.remove(owner) }
        if wasServed { queue.served = max(0, queue.served - 1) }
        queue.yielding.remove(owner)
        return settle(host, queue, at: now)
    }

    /// Passes on the connections that a woken download has not taken by now. A place in the queue taken since then
    /// remains.
    package mutating func release(_ host: String, _ owner: Owner, at now: Instant) -> [Call] {
        guard var queue = queues[host], queue.kept.removeValue(forKey: owner) != nil else { return [] }
        return settle(host, queue, at: now)
    }

    /// Removes a download that no longer waits for this host.
    package mutating func decline(_ host: String, _ owner: Owner, at now: Instant) -> [Call] {
        guard var queue = queues[host] else { return [] }
        queue.kept[owner] = nil
        queue.waiting.removeAll { $0 == owner }
        queue.wanting.removeAll { $0 == owner }
        return settle(host, queue, at: now)
    }

    /// A download has ended, with all its exchanges or without.
    package mutating func leave(_ owner: Owner, at now: Instant) -> [Call] {
        var woken: [Call] = []
        for host in queues.keys.sorted() { woken += leave(owner, host, at: now) }
        return woken
    }

    /// The same for a download that has asked for connections to this host alone.
    ///
    /// - Parameter wasServed: the host had answered its exchange.
    package mutating func leave(
        _ owner: Owner, _ host: String, wasServed: Bool = false, at now: Instant
    ) -> [Call] {
        guard var queue = queues[host] else { return [] }
        queue.open -= queue.held.removeValue(forKey: owner) ?? 0
        if wasServed { queue.served = max(0, queue.served - 1) }
        queue.yielding.remove(owner)
        queue.extras.remove(owner)
        queue.kept[owner] = nil
        queue.waiting.removeAll { $0 == owner }
        queue.wanting.removeAll { $0 == owner }
        return settle(host, queue, at: now)
    }

    /// If raised, more may start at once; if lowered, large holders are asked to release one.
    ///
    /// - Parameter most: the limit with the connections of extra downloads; nil: the same.
    package mutating func setLimit(
        _ new: Int, most: Int? = nil, at now: Instant
    ) -> (wake: [Call], yield: [Call]) {
        limit = max(1, new)
        self.most = max(limit, most ?? 0)
        var woken: [Call] = []
        var asked: [Call] = []
        for host in queues.keys.sorted() {
            asked += shrink(host, at: now)
            if let queue = queues[host] { woken += settle(host, queue, at: now) }
        }
        return (woken, asked)
    }

    /// Notes that a download releases a connection on request, so that it gets one back when there are enough for all.
    package mutating func yields(_ host: String, _ owner: Owner) {
        guard queues[host]?.held[owner] != nil, queues[host]?.wanting.contains(owner) == false else { return }
        queues[host]?.wanting.append(owner)
    }

    // MARK: Requests in a time

    /// The time at which ``open(at:)`` is to be called; nil if nobody waits only for that.
    package var nextOpening: Instant? { openings.values.min() }

    /// Hands out what is due. Returns whom to wake.
    package mutating func open(at now: Instant) -> [Call] {
        let due = openings.filter { $0.value <= now }.keys.map(\.text).sorted()
        var woken: [Call] = []
        for host in due {
            openings[ExactText(host)] = nil
            if let queue = queues[host] { woken += settle(host, queue, at: now) }
        }
        return woken
    }

    private func isDue(_ host: String, at now: Instant) -> Bool {
        guard let rate, let pace = paces[ExactText(host)] else { return true }
        return pace.opening(rate) <= now
    }

    /// A request is going to be sent.
    private mutating func pace(_ host: String, at now: Instant) {
        guard let rate else { return }
        paces[ExactText(host), default: RequestPace()].take(rate, at: now)
        guard paces.count > sweepCount else { return }
        paces = paces.filter { !$0.value.isRested(at: now) }
        sweepCount = max(1024, 2 * paces.count)
    }

    private mutating func noteOpening(of host: String) {
        guard let rate, let pace = paces[ExactText(host)] else { return }
        openings[ExactText(host)] = pace.opening(rate)
    }

    // MARK: What a host bears

    /// An exchange that was granted is answered with what it asks for.
    package mutating func serves(_ host: String) {
        guard var queue = queues[host] else { return }
        queue.served = min(queue.open, queue.served + 1)
        queue.closed = 0
        queues[host] = queue
    }

    /// The host refused an exchange. While it serves others of ours, it accepts those it did not refuse; alone, a
    /// refusal says nothing about the limit. Returns the new limit, if one was learned.
    ///
    /// - Parameter isClosed: it closed the connection, or did not take it. That happens for many reasons, so only twice
    ///   in a row counts. Its exchange has ended by then; one that was refused in words is still open.
    package mutating func refused(_ host: String, isClosed: Bool, at now: Instant) -> Int? {
        guard var queue = queues[host], queue.served > 0 else { return nil }
        if isClosed {
            queue.closed += 1
            queues[host] = queue
            guard queue.closed >= Self.closedInARow else { return nil }
        }
        let borne = max(queue.served, isClosed ? queue.open : queue.open - 1)
        let cap = max(1, min(borne, caps[host]?.count ?? .max))
        setCap(host, cap, at: now)
        return cap
    }

    private static let closedInARow = 2

    /// Sets the limit of a host as remembered from earlier.
    package mutating func setCap(_ host: String, _ count: Int, at now: Instant) {
        caps[host] = ConnectionCap(count, since: now)
        _ = shrink(host, at: now)
    }

    /// Removes the limit of a host that accepts more connections than was remembered. Returns whom to wake.
    package mutating func liftCap(_ host: String, at now: Instant) -> [Call] {
        guard caps.removeValue(forKey: host) != nil, let queue = queues[host] else { return [] }
        return settle(host, queue, at: now)
    }

    /// Returns the learned limit of connections to a host; nil if none is known.
    package func cap(of host: String) -> Int? { caps[host]?.count }

    private mutating func limits(of host: String, at now: Instant) -> Limits {
        guard var cap = caps[host] else { return Limits(limit: limit, most: most) }
        _ = cap.relax(upTo: most, at: now)
        caps[host] = cap.count < most ? cap : nil
        return Limits(limit: min(limit, cap.count), most: min(most, cap.count))
    }

    // MARK: Inside

    /// Reserved connections are not open yet: their downloads return to the front of the queue.
    private mutating func shrink(_ host: String, at now: Instant) -> [Call] {
        let limits = limits(of: host, at: now)
        guard var queue = queues[host] else { return [] }
        let excess = { max(queue.ordinary + $0 - limits.limit, queue.open + $0 - limits.most) }
        guard excess(queue.keptCount) > 0 else { return [] }
        let losers = queue.kept.keys.sorted()
        queue.kept = [:]
        queue.waiting = losers.filter { queue.held[$0] == nil } + queue.waiting
        queue.wanting = losers.filter { queue.held[$0] != nil } + queue.wanting
        var surplus = excess(0)
        var asked: [Call] = []
        for (owner, count) in queue.held.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) })
        where surplus > 0 && count > 1 && queue.yielding.insert(owner).inserted {
            asked.append(Call(host: host, owner: owner))
            surplus -= 1
        }
        queues[host] = queue
        return asked
    }

    private static func drop(_ counts: inout [Owner: Int], _ owner: Owner) {
        guard let count = counts[owner] else { return }
        counts[owner] = count > 1 ? count - 1 : nil
    }

    /// Hands out what is free, and forgets a host that nobody uses.
    private mutating func settle(_ host: String, _ changed: Queue, at now: Instant) -> [Call] {
        let limits = limits(of: host, at: now)
        var queue = changed
        var woken: [Call] = []
        while queue.hasRoom(limits), isDue(host, at: now), let next = Self.next(&queue) {
            pace(host, at: now)
            queue.kept[next, default: 0] += 1
            woken.append(Call(host: host, owner: next))
        }
        if rate != nil {
            openings[ExactText(host)] = nil
            let isAwaited = !queue.waiting.isEmpty || !queue.wanting.isEmpty
            if isAwaited, queue.hasRoom(limits) { noteOpening(of: host) }
        }
        queues[host] = queue.isIdle ? nil : queue
        return woken
    }

    private static func next(_ queue: inout Queue) -> Owner? {
        if !queue.waiting.isEmpty { return queue.waiting.removeFirst() }
        let shares = queue.wanting.map { queue.share(of: $0) }
        guard let least = shares.min(), let index = shares.firstIndex(of: least) else { return nil }
        return queue.wanting.remove(at: index)
    }

    private static func yielder(_ queue: inout Queue, for asker: Owner) -> Owner? {
        let enough = queue.share(of: asker) + 2
        let candidates = queue.held.filter { $0.key != asker && $0.value >= enough && !queue.yielding.contains($0.key) }
        guard let largest = candidates.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key else { return nil }
        queue.yielding.insert(largest)
        return largest
    }
}
