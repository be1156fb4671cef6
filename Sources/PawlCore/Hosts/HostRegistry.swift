/// The downloads that hold connections to each host, and those that wait for one: the limit of connections per host,
/// across all downloads.
///
/// Strict: a host never has more open exchanges than its limit, except those open when the limit was lowered. Fair: a
/// download without a connection goes before any download's second one; remaining connections go to whoever holds the
/// fewest; a download that holds two more than another that wants one is asked to release one. A released connection is
/// reserved for the next in line until that download takes or declines it.
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
        /// The owner has a place in the queue and will be woken. The other owner, if any, is to be asked to release a
        /// connection.
        case refused(askToYield: Owner?)
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
        var open = 0
        /// The open exchanges that the host has accepted and is serving.
        var served = 0
        /// Exchanges in a row that were closed before an answer, with none served in between.
        var closed = 0

        var isIdle: Bool { open == 0 && kept.isEmpty && waiting.isEmpty && wanting.isEmpty }
        var taken: Int { open + kept.values.reduce(0, +) }
        func isFull(_ limit: Int) -> Bool { taken >= limit || !waiting.isEmpty || !wanting.isEmpty }
        func share(of owner: Owner) -> Int { held[owner, default: 0] + kept[owner, default: 0] }
    }

    package private(set) var limit: Int
    private var queues: [String: Queue] = [:]
    private var caps: [String: ConnectionCap] = [:]

    package init(limit: Int) { self.limit = max(1, limit) }

    /// Returns the number of exchanges that are open to the host.
    package func open(to host: String) -> Int { queues[host]?.open ?? 0 }

    package func held(by owner: Owner, at host: String) -> Int { queues[host]?.held[owner] ?? 0 }

    /// Whether a claim of a download without a connection would be refused.
    package mutating func isFull(_ host: String, at now: Instant) -> Bool {
        (queues[host] ?? Queue()).isFull(limit(of: host, at: now))
    }

    /// Asks for one more connection.
    package mutating func claim(_ host: String, for owner: Owner, at now: Instant) -> Answer {
        let limit = limit(of: host, at: now)
        var queue = queues[host] ?? Queue()
        defer { queues[host] = queue }
        let isKept = queue.kept[owner] != nil && queue.open < limit
        if isKept { Self.drop(&queue.kept, owner) }
        if isKept || !queue.isFull(limit) {
            queue.held[owner, default: 0] += 1
            queue.open += 1
            queue.waiting.removeAll { $0 == owner }
            return .granted
        }
        if queue.held[owner] == nil {
            if !queue.waiting.contains(owner) { queue.waiting.append(owner) }
        } else if !queue.wanting.contains(owner) {
            queue.wanting.append(owner)
        }
        return .refused(askToYield: Self.yielder(&queue, for: owner))
    }

    /// An exchange has ended. Returns whom to wake.
    package mutating func giveBack(_ host: String, _ owner: Owner, wasServed: Bool = false, at now: Instant) -> [Call] {
        guard var queue = queues[host], queue.held[owner] != nil else { return [] }
        Self.drop(&queue.held, owner)
        queue.open -= 1
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
        for host in queues.keys.sorted() {
            guard var queue = queues[host] else { continue }
            queue.open -= queue.held.removeValue(forKey: owner) ?? 0
            queue.yielding.remove(owner)
            queues[host] = queue
            woken += decline(host, owner, at: now)
        }
        return woken
    }

    /// If raised, more may start at once; if lowered, large holders are asked to release one.
    package mutating func setLimit(_ new: Int, at now: Instant) -> (wake: [Call], yield: [Call]) {
        limit = max(1, new)
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

    private mutating func limit(of host: String, at now: Instant) -> Int {
        guard var cap = caps[host] else { return limit }
        _ = cap.relax(upTo: limit, at: now)
        caps[host] = cap.count < limit ? cap : nil
        return min(limit, cap.count)
    }

    // MARK: Inside

    /// Reserved connections are not open yet: their downloads return to the front of the queue.
    private mutating func shrink(_ host: String, at now: Instant) -> [Call] {
        let limit = limit(of: host, at: now)
        guard var queue = queues[host], queue.taken > limit else { return [] }
        let losers = queue.kept.keys.sorted()
        queue.kept = [:]
        queue.waiting = losers.filter { queue.held[$0] == nil } + queue.waiting
        queue.wanting = losers.filter { queue.held[$0] != nil } + queue.wanting
        var surplus = queue.open - limit
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
        let limit = limit(of: host, at: now)
        var queue = changed
        var woken: [Call] = []
        while queue.taken < limit, let next = Self.next(&queue) {
            queue.kept[next, default: 0] += 1
            woken.append(Call(host: host, owner: next))
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
