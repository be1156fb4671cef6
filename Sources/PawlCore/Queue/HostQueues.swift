/// The queued downloads by host, and which hosts may have another one running.
///
/// For each host its queued ones in order; of the hosts with room, their first ones in order. So the next one to run is
/// found in O(log n), however many wait for hosts that have no room. Where the files of a host are small, there is room
/// for extra ones.
package struct HostQueues: Sendable {
    package enum Obstacle: Hashable, Sendable {
        /// The host serves as many downloads as it may have connections.
        case full
        /// The host asked for a pause, or does not answer.
        case rests(until: Instant)
        /// The host did not answer recently: one download at a time tries it.
        case suspect
    }

    /// The obstacle of the queued downloads of one host.
    package struct HostObstacle: Hashable, Sendable {
        package let host: String
        package let obstacle: Obstacle
        /// The number of queued downloads.
        package let count: Int
    }

    /// The keys of a host in `ready` and `readyExtras`.
    private struct Heads: Hashable {
        var ordinary: QueueKey?
        var extra: QueueKey?
    }

    private struct HostQueue: Sendable {
        let name: String
        var queued = RankedTree<QueueKey>()
        var running = 0
        /// The number of those that run besides, because files are small here.
        var extras = 0
        var budget: SmallFileBudget
        /// Downloads of any state that name it.
        var users = 0
        var restsUntil: Instant?
        var pace = RequestPace()
        /// The time at which the next download may begin, if that is later than now.
        var opensAt: Instant?
        /// The number of failures in a row, of any of the host's downloads, without a byte between.
        var failures = 0
        /// Bytes have come from it.
        var hasServed = false
        var heads = Heads()

        /// Whether a timer lets the next download begin.
        var isClosed: Bool { restsUntil != nil || opensAt != nil }
    }

    var connectionsPerHost = 8
    /// The most files of a host at once where they are small; zero: no extra ones.
    var smallFilesPerHost = 0
    /// The limit of requests to a host. A download begins when its first request is due: until then it has no place.
    var rate: RequestRate?
    /// This many failures in a row make a host suspect.
    static let patience = 2
    private var queues: [HostQueue] = []
    private var numbers: [String: Int32] = [:]
    private var free: [Int32] = []
    private var ready = RankedTree<QueueKey>()
    /// The number of extra ones that run, of all hosts.
    private(set) var extraCount = 0
    private var readyExtras = RankedTree<QueueKey>()
    /// The queued ones that are known to be large.
    private var large: Set<QueueKey> = []

    init() {}

    // MARK: Picking

    /// The first in order whose host has room.
    var next: QueueKey? { ready.first }

    /// The first in order whose host has room for an extra one.
    var nextExtra: QueueKey? { readyExtras.first }

    /// The number of hosts with a download that could run.
    var readyCount: Int { ready.count }

    mutating func enqueue(_ key: QueueKey, host: Int32, isLarge: Bool) {
        queues[Int(host)].queued.insert(key)
        if isLarge { large.insert(key) }
        refresh(host)
    }

    mutating func dequeue(_ key: QueueKey, host: Int32) {
        queues[Int(host)].queued.remove(key)
        large.remove(key)
        refresh(host)
    }

    mutating func began(_ host: Int32, isExtra: Bool) { count(1, host, isExtra) }

    mutating func ended(_ host: Int32, isExtra: Bool) { count(-1, host, isExtra) }

    /// Changes when the next download may send its first request.
    ///
    /// - Returns: when ``wake(_:at:)`` is to be called, if it has to wait.
    mutating func pace(
        _ host: Int32, at now: Instant, _ change: (inout RequestPace, RequestRate) -> Void
    ) -> Instant? {
        guard let rate else { return nil }
        change(&queues[Int(host)].pace, rate)
        let opening = queues[Int(host)].pace.opening(rate)
        queues[Int(host)].opensAt = opening > now ? opening : nil
        refresh(host)
        return queues[Int(host)].opensAt
    }

    private mutating func count(_ change: Int, _ host: Int32, _ isExtra: Bool) {
        if isExtra {
            queues[Int(host)].extras += change
            extraCount += change
        } else {
            queues[Int(host)].running += change
        }
        refresh(host)
    }

    /// Whether one more that is not an extra one may run.
    func hasRoom(_ host: Int32) -> Bool { queues[Int(host)].running < connectionsPerHost }

    /// Changes what is known of the small files of a host.
    mutating func updateBudget(_ host: Int32, _ change: (inout SmallFileBudget) -> Void) {
        let former = queues[Int(host)].budget.desired
        change(&queues[Int(host)].budget)
        if queues[Int(host)].budget.desired != former { refresh(host) }
    }

    /// The number of those that run now.
    func running(_ host: Int32) -> Int { queues[Int(host)].running + queues[Int(host)].extras }

    mutating func reopenAll() {
        for host in queues.indices { refresh(Int32(host)) }
    }

    // MARK: Users

    /// The number of a host, for one more download that names it.
    mutating func enter(_ name: String) -> Int32 {
        if let known = numbers[name] {
            queues[Int(known)].users += 1
            return known
        }
        var queue = HostQueue(name: name, budget: SmallFileBudget(limit: smallFilesPerHost))
        queue.users = 1
        let number: Int32
        if let reused = free.popLast() {
            queues[Int(reused)] = queue
            number = reused
        } else {
            queues.append(queue)
            number = Int32(queues.count - 1)
        }
        numbers[name] = number
        return number
    }

    /// A host that nobody names any more is forgotten, unless it rests.
    mutating func leave(_ host: Int32) {
        queues[Int(host)].users -= 1
        guard queues[Int(host)].users == 0, !queues[Int(host)].isClosed else { return }
        numbers[queues[Int(host)].name] = nil
        free.append(host)
    }

    func number(of name: String) -> Int32? { numbers[name] }

    // MARK: Health

    func failures(of host: Int32) -> Int { queues[Int(host)].failures }

    mutating func failed(_ host: Int32) {
        queues[Int(host)].failures += 1
        refresh(host)
    }

    func hasServed(_ host: Int32) -> Bool { queues[Int(host)].hasServed }

    mutating func works(_ host: Int32) {
        queues[Int(host)].hasServed = true
        guard queues[Int(host)].failures > 0 else { return }
        queues[Int(host)].failures = 0
        refresh(host)
    }

    /// Returns whether it rests longer than before.
    mutating func rest(_ host: Int32, until: Instant) -> Bool {
        if let former = queues[Int(host)].restsUntil, former >= until { return false }
        queues[Int(host)].restsUntil = until
        refresh(host)
        return true
    }

    mutating func endRest(_ host: Int32) {
        queues[Int(host)].restsUntil = nil
        refresh(host)
    }

    /// Ends the rests of hosts that failed in a row, not those that a host asked for.
    mutating func endRestsOfUnreachable() {
        for host in queues.indices where queues[host].restsUntil != nil && isSuspect(Int32(host)) {
            endRest(Int32(host))
        }
    }

    mutating func wake(_ host: Int32, at now: Instant) {
        guard queues[Int(host)].isClosed else { return }
        if let until = queues[Int(host)].restsUntil, until <= now { queues[Int(host)].restsUntil = nil }
        if let opening = queues[Int(host)].opensAt, opening <= now { queues[Int(host)].opensAt = nil }
        refresh(host)
        if queues[Int(host)].users == 0, !queues[Int(host)].isClosed {
            numbers[queues[Int(host)].name] = nil
            free.append(host)
        }
    }

    func isSuspect(_ host: Int32) -> Bool { queues[Int(host)].failures >= Self.patience }

    func obstacle(_ name: String, at now: Instant) -> Obstacle? { numbers[name].flatMap { obstacle($0, at: now) } }

    /// The obstacles of all hosts with queued downloads, and how many of these there are.
    func obstacles(at now: Instant) -> [HostObstacle] {
        queues.indices.filter { queues[$0].queued.count > 0 }.compactMap { host in
            obstacle(Int32(host), at: now).map {
                HostObstacle(host: queues[host].name, obstacle: $0, count: queues[host].queued.count)
            }
        }
    }

    private func obstacle(_ number: Int32, at now: Instant) -> Obstacle? {
        let queue = queues[Int(number)]
        if let until = queue.restsUntil, until > now { return .rests(until: until) }
        if queue.running >= connectionsPerHost { return .full }
        if running(number) > 0, isSuspect(number) { return .suspect }
        return nil
    }

    private mutating func refresh(_ host: Int32) {
        let (former, heads) = (queues[Int(host)].heads, heads(of: host))
        guard heads != former else { return }
        if heads.ordinary != former.ordinary { ready.replace(former.ordinary, by: heads.ordinary) }
        if heads.extra != former.extra { readyExtras.replace(former.extra, by: heads.extra) }
        queues[Int(host)].heads = heads
    }

    private func heads(of host: Int32) -> Heads {
        let index = Int(host)
        guard !queues[index].isClosed, let first = queues[index].queued.first else { return Heads() }
        let isSuspect = isSuspect(host)
        let running = running(host)
        let hasRoom = isSuspect ? running == 0 : queues[index].running < connectionsPerHost
        let hasRoomForExtra = !isSuspect && running < queues[index].budget.desired && !large.contains(first)
        return Heads(ordinary: hasRoom ? first : nil, extra: hasRoomForExtra ? first : nil)
    }
}

extension RankedTree {
    fileprivate mutating func replace(_ former: Key?, by next: Key?) {
        if let former { remove(former) }
        if let next { insert(next) }
    }
}
