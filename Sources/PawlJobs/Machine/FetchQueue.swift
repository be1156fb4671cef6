import PawlCore

/// The files of a run that wait to be fetched, in the order of the list but for one thing: no host has more than its
/// share of those that are being fetched, so that the files of another do not wait behind a long part of the list.
struct FetchQueue: Sendable {
    private struct Host: Sendable {
        /// The number of the first file that has waited from the start; 0 if there is none.
        var first: Int32 = 0
        /// The files that wait again.
        var again: ArraySlice<Int32> = []
        var fetching = 0
    }

    /// A host that may begin a file, by the number of that.
    private struct Turn: Comparable, Sendable {
        /// 1 for one that waits again.
        let rank: Int32
        let file: Int32
        let host: Int32

        static func < (left: Self, right: Self) -> Bool {
            (left.rank, left.file, left.host) < (right.rank, right.file, right.host)
        }
    }

    private let count: Int
    private var hosts = [Host()]
    /// The number of each file's host; empty if all have the same.
    private var hostOfFile: [Int32] = []
    /// The number of the next file of the same host; empty as above.
    private var nextOfHost: [Int32] = []
    /// The turns of several hosts.
    private var turns = RankedTree<Turn>()
    private let share: Int

    /// No file waits yet.
    init() { (count, share) = (0, .max) }

    /// Files that wait from the start.
    ///
    /// - Parameters:
    ///   - hostOfFile: the numbers of their hosts, from 0.
    ///   - share: the number of files that each of several hosts may have among those that are fetched.
    init(_ hostOfFile: [Int32], share: (_ hostCount: Int) -> Int) {
        count = hostOfFile.count
        let hostCount = Int(hostOfFile.max() ?? 0) + 1
        self.share = hostCount == 1 ? .max : share(hostCount)
        guard hostCount > 1 else {
            hosts[0].first = count > 0 ? 1 : 0
            return
        }
        self.hostOfFile = hostOfFile
        hosts = Array(repeating: Host(), count: hostCount)
        nextOfHost = Array(repeating: 0, count: count)
        for index in hostOfFile.indices.reversed() {
            let host = Int(hostOfFile[index])
            nextOfHost[index] = hosts[host].first
            hosts[host].first = Int32(index + 1)
        }
        for host in hosts.indices { if let turn = turn(of: host) { turns.insert(turn) } }
    }

    private func host(of id: JobFileID) -> Int { hostOfFile.isEmpty ? 0 : Int(hostOfFile[id.number - 1]) }

    private func turn(of host: Int) -> Turn? {
        guard hosts[host].fetching < share else { return nil }
        if hosts[host].first > 0 { return Turn(rank: 0, file: hosts[host].first, host: Int32(host)) }
        return hosts[host].again.first.map { Turn(rank: 1, file: $0, host: Int32(host)) }
    }

    /// Changes a host, and what it may begin.
    private mutating func change(_ host: Int, _ body: (inout Host) -> Void) {
        guard hosts.count > 1 else { return body(&hosts[host]) }
        let former = turn(of: host)
        body(&hosts[host])
        let turn = turn(of: host)
        guard turn != former else { return }
        if let former { turns.remove(former) }
        if let turn { turns.insert(turn) }
    }

    /// The file waits again, behind those that have waited from the start.
    mutating func append(_ id: JobFileID) { change(host(of: id)) { $0.again.append(Int32(id.number)) } }

    /// Takes the next file that waits.
    mutating func popFirst() -> JobFileID? {
        guard let turn = hosts.count > 1 ? turns.first : turn(of: 0) else { return nil }
        let next =
            if nextOfHost.isEmpty {
                Int(turn.file) < count ? turn.file + 1 : 0
            } else {
                nextOfHost[Int(turn.file) - 1]
            }
        change(Int(turn.host)) { if turn.rank > 0 { $0.again.removeFirst() } else { $0.first = next } }
        return JobFileID(Int(turn.file))
    }

    mutating func began(_ id: JobFileID) { change(host(of: id)) { $0.fetching += 1 } }

    mutating func ended(_ id: JobFileID) { change(host(of: id)) { $0.fetching -= 1 } }
}
