/// Shares rates among flows of bytes: a tree of token buckets (all downloads → one download → its connections).
///
/// A flow takes no byte that was not granted to it, and a grant is paid for at every limited node above the flow. So no
/// second sees more than the rate, a tenth of it saved up and a twentieth granted and not used yet.
///
/// Who is granted next is decided by start-time fair queueing (Goyal, Vin, Cheng 1996): each child of a node carries a
/// tag that grows by what it was granted, and the smallest tag goes first. What one child does not ask for goes to the
/// others at once, and earns it nothing for later. Children that want more than there is get equal shares: downloads
/// among each other, whatever the number of their connections, and the connections of a download among each other.
package struct SpeedTree: Sendable {
    /// Names a node or a flow.
    package struct MemberID: Hashable, Sendable {
        fileprivate let number: Int
    }

    private var members: [Int: Member] = [:]
    private var root: Int?
    private var nextNumber = 0
    private var ready: [Int] = []
    /// The time at which the next awaited grant can be made; nil if no flow waits.
    package private(set) var nextGrant: Instant?
    /// The number of nodes that have a limit.
    private var limits = 0
    private var lastSweep = Instant.zero

    /// A flow that is made is expected to take something soon, and counts among those that share. One that has taken
    /// nothing for so long, as its server does not answer, counts no more until it takes something again.
    private static let maximumIdleTime: Duration = .seconds(2)

    package init() {}

    /// Whether there is any limit at all.
    package var isLimited: Bool { limits > 0 }

    // MARK: Members

    /// `bytesPerSecond` is positive or nil. At most one node has no parent.
    package mutating func addNode(bytesPerSecond: Int64?, under parent: MemberID?, at now: Instant) -> MemberID {
        if bytesPerSecond != nil { addLimit(at: now) }
        return add(
            under: parent, bucket: bytesPerSecond.map { TokenBucket(bytesPerSecond: $0, now: now) }, isFlow: false)
    }

    package mutating func addFlow(under parent: MemberID, at now: Instant) -> MemberID {
        let id = add(under: parent, bucket: nil, isFlow: true)
        count(id.number, at: now)
        return id
    }

    private mutating func add(under parent: MemberID?, bucket: TokenBucket?, isFlow: Bool) -> MemberID {
        let number = nextNumber
        nextNumber += 1
        let above = parent.flatMap { members[$0.number] }
        members[number] = Member(
            parent: parent?.number, depth: above.map { $0.depth + 1 } ?? 0, bucket: bucket, isFlow: isFlow)
        if let parent { members[parent.number]?.children.append(number) } else { root = number }
        return MemberID(number: number)
    }

    /// A node must have lost its children before.
    package mutating func remove(_ id: MemberID, at now: Instant) {
        guard let member = members[id.number] else { return }
        if member.isFlow {
            setWaiting(id.number, false)
            setCounted(id.number, false)
            // What it was granted and did not use goes back.
            forEachOnPath(of: id.number) { $0.bucket?.spend(-member.allowance) }
        }
        if member.bucket != nil { limits -= 1 }
        if let parent = member.parent { members[parent]?.children.removeAll { $0 == id.number } }
        members[id.number] = nil
        ready.removeAll { $0 == id.number }
        grant(at: now)
    }

    /// Sets the limit of a member; nil removes it.
    package mutating func setRate(_ bytesPerSecond: Int64?, of id: MemberID, at now: Instant) {
        if let bytesPerSecond {
            guard let member = members[id.number] else { return }
            if member.bucket == nil {
                addLimit(at: now)
                members[id.number]?.bucket = TokenBucket(bytesPerSecond: bytesPerSecond, now: now)
            } else {
                members[id.number]?.bucket?.change(to: bytesPerSecond, at: now)
            }
            // What was granted at a higher rate would be a burst at this one.
            shortenAllowances(beneath: id.number)
        } else if members[id.number]?.bucket != nil {
            members[id.number]?.bucket = nil
            limits -= 1
        }
        grant(at: now)
    }

    private mutating func shortenAllowances(beneath number: Int) {
        guard let member = members[number] else { return }
        if member.isFlow, let most = grantSize(of: number) { members[number]?.allowance = min(member.allowance, most) }
        for child in member.children { shortenAllowances(beneath: child) }
    }

    // MARK: Taking

    /// Takes up to `count` bytes that are at hand and says how many. Fewer than `count`: the flow waits from now on,
    /// and is among those of ``takeReady()`` when it may go on.
    package mutating func take(_ count: Int, by flow: MemberID, at now: Instant) -> Int {
        guard isLimited else { return count }
        self.count(flow.number, at: now)
        var left = Double(count)
        while grantSize(of: flow.number) != nil {
            let used = min(members[flow.number]?.allowance ?? 0, left)
            members[flow.number]?.allowance -= used
            left -= used
            guard left > 0 else { return count }
            setWaiting(flow.number, true)
            grant(at: now)
            guard let turn = ready.firstIndex(of: flow.number) else {
                // Proven: grants are whole numbers of bytes, so this is one between zero and `count`.
                return count - Int(left)
            }
            ready.remove(at: turn)
        }
        return count
    }

    /// Time has passed: grants what can be granted.
    package mutating func advance(to now: Instant) { grant(at: now) }

    /// Flows that waited and may go on, in the order of their grants.
    package mutating func takeReady() -> [MemberID] {
        defer { ready = [] }
        return ready.map(MemberID.init)
    }

    /// Returns the rates of a flow if all others want more than there is, and if none does; nil if nothing limits it.
    package mutating func pace(of flow: MemberID, at now: Instant) -> Pace? {
        guard isLimited else { return nil }
        sweep(at: now)
        var (share, most): (Double?, Double?) = (nil, nil)
        for number in pathFromRoot(to: flow.number) {
            guard let member = members[number] else { return nil }
            if let above = share, let parent = member.parent {
                let rivals = members[parent]?.children.count { $0 != number && (members[$0]?.flows ?? 0) > 0 } ?? 0
                share = above / Double(rivals + 1)
            }
            guard let rate = member.bucket.map({ Double($0.bytesPerSecond) }) else { continue }
            share = min(share ?? rate, rate)
            most = min(most ?? rate, rate)
        }
        guard let share, let most else { return nil }
        return Pace(bytesPerSecond: Self.whole(share), maximumBytesPerSecond: Self.whole(most))
    }

    /// Converts a rate to an integer. As a floating-point number, the greatest rate is one more than the greatest
    /// integer.
    private static func whole(_ rate: Double) -> Int64 { max(1, Int64(exactly: rate.rounded(.down)) ?? .max) }

    // MARK: Granting

    private mutating func grant(at now: Instant) {
        sweep(at: now)
        for (number, member) in members where member.bucket != nil { members[number]?.bucket?.refill(at: now) }
        nextGrant = nil
        guard let root else { return }
        while true {
            switch choose(beneath: root) {
            case .flow(let number): grant(to: number)
            case .blocked(_, let wait):
                // Rounded up to the microsecond, so that the clock has moved when it is looked at again.
                nextGrant = now + max(wait, .microseconds(1))
                return
            case .nobody: return
            }
        }
    }

    private mutating func grant(to number: Int) {
        setWaiting(number, false)
        ready.append(number)
        guard let size = grantSize(of: number) else { return }
        members[number]?.allowance += size
        var child = number
        forEachOnPath(of: number) { $0.bucket?.spend(size) }
        while let parent = members[child]?.parent, let above = members[parent], let own = members[child] {
            let start = max(above.virtualTime, own.finish)
            members[child]?.finish = start + size
            members[parent]?.virtualTime = start
            child = parent
        }
    }

    private enum Choice {
        case flow(Int)
        /// A node at this depth has too little for the flow whose turn it is.
        case blocked(depth: Int, Duration)
        case nobody
    }

    /// The flow whose turn it is. A child that a limit of its own holds back is passed over; a limit here or above
    /// holds all children back.
    private func choose(beneath number: Int) -> Choice {
        guard let member = members[number], member.waiting > 0 else { return .nobody }
        if member.isFlow { return shortage(above: number) ?? .flow(number) }
        var shortest: Duration?
        for child in inTurn(member) {
            switch choose(beneath: child) {
            case .flow(let flow): return .flow(flow)
            case .blocked(let depth, let wait):
                if depth <= member.depth { return .blocked(depth: depth, wait) }
                shortest = min(shortest ?? wait, wait)
            case .nobody: continue
            }
        }
        return shortest.map { .blocked(depth: member.depth + 1, $0) } ?? .nobody
    }

    private func inTurn(_ member: Member) -> [Int] {
        let waiting = member.children.filter { members[$0].map { $0.waiting > 0 } ?? false }
        guard waiting.count > 1 else { return waiting }
        return waiting.map { ($0, members[$0]?.finish ?? 0) }
            .sorted { left, right in
                let (leftStart, rightStart) = (max(left.1, member.virtualTime), max(right.1, member.virtualTime))
                return (leftStart, left.1, left.0) < (rightStart, right.1, right.0)
            }
            .map(\.0)
    }

    /// The node nearest to the root that cannot pay for a grant, and how long until it can.
    private func shortage(above flow: Int) -> Choice? {
        guard let size = grantSize(of: flow) else { return nil }
        var found: Choice?
        var number: Int? = flow
        while let current = number.flatMap({ members[$0] }) {
            if let wait = current.bucket?.wait(for: size), wait > .zero { found = .blocked(depth: current.depth, wait) }
            number = current.parent
        }
        return found
    }

    /// Returns the bytes that a flow is granted at once: the less, the more flows share a node; nil if nothing limits
    /// it.
    private func grantSize(of flow: Int) -> Double? {
        var size: Double?
        var number: Int? = flow
        while let current = number.flatMap({ members[$0] }) {
            if let bucket = current.bucket {
                let share = max(bucket.smallestGrant, bucket.largestGrant / Double(max(1, current.flows)))
                size = min(size ?? share, share)
            }
            number = current.parent
        }
        return size.map { max(1, $0.rounded(.down)) }
    }

    // MARK: Bookkeeping

    /// Counts a limit. Without a limit the takers are not noted, so when the first comes each flow has its time anew.
    private mutating func addLimit(at now: Instant) {
        limits += 1
        guard limits == 1 else { return }
        for (number, member) in members where member.isFlow { count(number, at: now) }
    }

    private mutating func count(_ flow: Int, at now: Instant) {
        members[flow]?.lastTake = now
        setCounted(flow, true)
    }

    private mutating func setCounted(_ flow: Int, _ isCounted: Bool) {
        guard let member = members[flow], member.isCounted != isCounted else { return }
        members[flow]?.isCounted = isCounted
        forEachOnPath(of: flow) { $0.flows += isCounted ? 1 : -1 }
    }

    /// Once a second.
    private mutating func sweep(at now: Instant) {
        guard isLimited, now - lastSweep >= .seconds(1) else { return }
        lastSweep = now
        for (number, member) in members
        where member.isCounted && !member.isWaiting && now - member.lastTake >= Self.maximumIdleTime {
            setCounted(number, false)
        }
    }

    private mutating func setWaiting(_ flow: Int, _ isWaiting: Bool) {
        guard members[flow]?.isWaiting == !isWaiting else { return }
        members[flow]?.isWaiting = isWaiting
        forEachOnPath(of: flow) { $0.waiting += isWaiting ? 1 : -1 }
    }

    private func pathFromRoot(to end: Int) -> [Int] {
        Array(sequence(first: end) { members[$0]?.parent }).reversed()
    }

    private mutating func forEachOnPath(of start: Int, _ body: (inout Member) -> Void) {
        var number: Int? = start
        while let current = number, var member = members.removeValue(forKey: current) {
            body(&member)
            number = member.parent
            members[current] = member
        }
    }
}
