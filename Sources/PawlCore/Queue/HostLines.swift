/// The queued downloads by host, and which hosts may have another one running.
///
/// For each host its queued ones in order; of the hosts with room, their first ones in order. So the next one to run is found in
/// O(log n), however many wait for hosts that have no room.
package struct HostLines: Sendable {
    package enum Obstacle: Hashable, Sendable {
        /// As many downloads run as the host may have connections.
        case full
        /// It asked to be left alone, or does not answer.
        case rests(until: Instant)
        /// It did not answer lately: one download at a time tries it.
        case suspect
    }

    private struct Line: Sendable {
        let name: String
        var queued = RankedTree<QueueKey>()
        var running = 0
        /// Downloads of any state that name it.
        var users = 0
        var restsUntil: Instant?
        /// In a row, of any of its downloads, without a byte between.
        var failures = 0
        /// What it has in `ready`.
        var head: QueueKey?
    }

    var connectionsPerHost = 8
    /// This many failures in a row make a host suspect.
    static let patience = 2
    private var lines: [Line] = []
    private var numbers: [String: Int32] = [:]
    private var free: [Int32] = []
    private var ready = RankedTree<QueueKey>()

    init() {}

    // MARK: Picking

    /// The first in order whose host has room.
    var next: QueueKey? { ready.first }

    /// How many hosts have one that could run.
    var readyCount: Int { ready.count }

    mutating func enqueue(_ key: QueueKey, host: Int32) {
        lines[Int(host)].queued.insert(key)
        refresh(host)
    }

    mutating func dequeue(_ key: QueueKey, host: Int32) {
        lines[Int(host)].queued.remove(key)
        refresh(host)
    }

    mutating func began(_ host: Int32) {
        lines[Int(host)].running += 1
        refresh(host)
    }

    mutating func ended(_ host: Int32) {
        lines[Int(host)].running -= 1
        refresh(host)
    }

    mutating func reopenAll() {
        for host in lines.indices { refresh(Int32(host)) }
    }

    // MARK: Users

    /// The number of a host, for one more download that names it.
    mutating func enter(_ name: String) -> Int32 {
        if let known = numbers[name] {
            lines[Int(known)].users += 1
            return known
        }
        var line = Line(name: name)
        line.users = 1
        let number: Int32
        if let reused = free.popLast() {
            lines[Int(reused)] = line
            number = reused
        } else {
            lines.append(line)
            number = Int32(lines.count - 1)
        }
        numbers[name] = number
        return number
    }

    /// A host that nobody names any more is forgotten, unless it rests.
    mutating func leave(_ host: Int32) {
        lines[Int(host)].users -= 1
        guard lines[Int(host)].users == 0, lines[Int(host)].restsUntil == nil else { return }
        numbers[lines[Int(host)].name] = nil
        free.append(host)
    }

    func number(of name: String) -> Int32? { numbers[name] }

    // MARK: Health

    func failures(of host: Int32) -> Int { lines[Int(host)].failures }

    mutating func failed(_ host: Int32) {
        lines[Int(host)].failures += 1
        refresh(host)
    }

    mutating func works(_ host: Int32) {
        guard lines[Int(host)].failures > 0 else { return }
        lines[Int(host)].failures = 0
        refresh(host)
    }

    /// Returns whether it rests longer than before.
    mutating func rest(_ host: Int32, until: Instant) -> Bool {
        if let former = lines[Int(host)].restsUntil, former >= until { return false }
        lines[Int(host)].restsUntil = until
        refresh(host)
        return true
    }

    mutating func wake(_ host: Int32, at now: Instant) {
        guard let until = lines[Int(host)].restsUntil, until <= now else { return }
        lines[Int(host)].restsUntil = nil
        refresh(host)
        if lines[Int(host)].users == 0 {
            numbers[lines[Int(host)].name] = nil
            free.append(host)
        }
    }

    func isSuspect(_ host: Int32) -> Bool { lines[Int(host)].failures >= Self.patience }

    func obstacle(_ name: String, at now: Instant) -> Obstacle? {
        guard let number = numbers[name] else { return nil }
        let line = lines[Int(number)]
        if let until = line.restsUntil, until > now { return .rests(until: until) }
        if line.running >= connectionsPerHost { return .full }
        if line.running > 0, isSuspect(number) { return .suspect }
        return nil
    }

    private mutating func refresh(_ host: Int32) {
        let line = lines[Int(host)]
        let most = isSuspect(host) ? 1 : connectionsPerHost
        let head = line.restsUntil == nil && line.running < most ? line.queued.first : nil
        guard head != line.head else { return }
        if let former = line.head { ready.remove(former) }
        if let head { ready.insert(head) }
        lines[Int(host)].head = head
    }
}
