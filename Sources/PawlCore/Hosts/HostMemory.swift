/// What was learned of hosts, by `scheme://host:port` and nothing else of the URLs. Every fact expires, and none is
/// final: caps are probed upwards, so a host that has changed is noticed.
package struct HostMemory: Hashable, Sendable {
    package struct Facts: Hashable, Sendable {
        package var connectionCap: Dated<Int>?
        /// Its ranges were wrong or ignored; false: they were honoured.
        package var distrustsRanges: Dated<Bool>?
        package var refusesIfRange: Dated<Bool>?
        /// It asked for a pause until then, in seconds since 1970.
        package var busyUntil: Dated<Int64>?

        package init() {}

        var isEmpty: Bool {
            connectionCap == nil && distrustsRanges == nil && refusesIfRange == nil && busyUntil == nil
        }
    }

    package struct Dated<Value: Hashable & Sendable>: Hashable, Sendable {
        package var value: Value
        /// Seconds since 1970.
        package var learned: Int64

        package init(_ value: Value, learned: Int64) {
            self.value = value
            self.learned = learned
        }
    }

    /// In seconds: a server's settings change seldom, and its load by the hour.
    static let lifetimeOfHabits: Int64 = 7 * 86_400
    static let lifetimeOfCaps: Int64 = 86_400
    /// The longest wait that is remembered. A host that asked for a longer one is tried again: it may have been
    /// mistaken.
    package static let maximumRest: Int64 = 86_400
    /// The hosts met last are kept.
    static let maximumHosts = 1000

    package private(set) var hosts: [String: Facts] = [:]
    /// There are facts that are not in the file yet.
    package var isDirty = false

    package init() {}

    package init(_ hosts: [String: Facts]) { self.hosts = hosts }

    package mutating func learn(_ observation: HostObservation, of url: HTTPURL, at now: Instant, wallClock: Int64) {
        var facts = hosts[url.originKey] ?? Facts()
        switch observation {
        case .rangesHonoured:
            facts.distrustsRanges = facts.distrustsRanges == nil ? nil : Dated(false, learned: wallClock)
        case .rangesWrong: facts.distrustsRanges = Dated(true, learned: wallClock)
        case .connectionCap(let cap): facts.connectionCap = Dated(cap, learned: wallClock)
        case .capLifted: facts.connectionCap = nil
        // How many that leaves is an observation of its own.
        case .refusedConnection: break
        case .refusesIfRange: facts.refusesIfRange = Dated(true, learned: wallClock)
        case .busy(let until):
            facts.busyUntil = Dated(wallClock + (until - now).secondsRoundedUp, learned: wallClock)
        }
        guard facts != hosts[url.originKey] else { return }
        hosts[url.originKey] = facts.isEmpty ? nil : facts
        isDirty = true
        forgetOldest()
    }

    /// Somebody wants to know at once whether it answers again.
    ///
    /// - Parameter host: its ``HTTPURL/hostKey``.
    package mutating func endRest(of host: String) {
        for key in ["http://" + host, "https://" + host] where hosts[key]?.busyUntil != nil {
            hosts[key]?.busyUntil = nil
            isDirty = true
        }
    }

    /// The facts about this URL's host that have not expired.
    package func hints(for url: HTTPURL, at now: Instant, wallClock: Int64) -> HostHints {
        guard let facts = hosts[url.originKey] else { return HostHints() }
        var hints = HostHints()
        if let cap = facts.connectionCap, Self.isFresh(cap.learned, Self.lifetimeOfCaps, wallClock) {
            // One more for each clean minute, as within a run; a quarter of an hour later it is a new day.
            let minutes = (wallClock - cap.learned) / 60
            hints.connectionCap = minutes < 15 ? max(1, cap.value) : max(1, cap.value) + 1
            hints.borne = max(1, cap.value)
        }
        if let wrong = facts.distrustsRanges, Self.isFresh(wrong.learned, Self.lifetimeOfHabits, wallClock) {
            hints.distrustsRanges = wrong.value
        }
        if let refuses = facts.refusesIfRange, Self.isFresh(refuses.learned, Self.lifetimeOfHabits, wallClock) {
            hints.refusesIfRange = refuses.value
        }
        if let busy = facts.busyUntil, let rest = Self.rest(busy, wallClock) {
            hints.rest = HostHints.Rest(
                until: now + .seconds(rest), length: .seconds(rest) + .seconds(wallClock - busy.learned),
                asked: busy.learned)
        }
        return hints
    }

    /// The seconds that remain of a wait. Nil: it is over, or implausible because it is too long or the clock was set
    /// back.
    private static func rest(_ busy: Dated<Int64>, _ wallClock: Int64) -> Int64? {
        let (left, overflow) = busy.value.subtractingReportingOverflow(wallClock)
        guard !overflow, left > 0, left <= maximumRest, wallClock >= busy.learned else { return nil }
        return left
    }

    /// Without what is too old to be believed.
    package func current(wallClock: Int64) -> HostMemory {
        var memory = HostMemory()
        for (host, facts) in hosts {
            var kept = Facts()
            kept.connectionCap = facts.connectionCap.flatMap {
                Self.isFresh($0.learned, Self.lifetimeOfCaps, wallClock) ? $0 : nil
            }
            kept.distrustsRanges = facts.distrustsRanges.flatMap {
                Self.isFresh($0.learned, Self.lifetimeOfHabits, wallClock) ? $0 : nil
            }
            kept.refusesIfRange = facts.refusesIfRange.flatMap {
                Self.isFresh($0.learned, Self.lifetimeOfHabits, wallClock) ? $0 : nil
            }
            kept.busyUntil = facts.busyUntil.flatMap { Self.rest($0, wallClock) == nil ? nil : $0 }
            if !kept.isEmpty { memory.hosts[host] = kept }
        }
        return memory
    }

    private static func isFresh(_ learned: Int64, _ lifetime: Int64, _ wallClock: Int64) -> Bool {
        // A clock that was set back makes a fact look as if it came from the future.
        let (age, overflow) = wallClock.subtractingReportingOverflow(learned)
        return !overflow && age < lifetime && age > -lifetime
    }

    private mutating func forgetOldest() {
        guard hosts.count > Self.maximumHosts else { return }
        let oldest = hosts.min { ($0.value.latest, $0.key) < ($1.value.latest, $1.key) }
        if let oldest { hosts[oldest.key] = nil }
    }
}

extension HostMemory.Facts {
    var latest: Int64 {
        [connectionCap?.learned, distrustsRanges?.learned, refusesIfRange?.learned, busyUntil?.learned].compactMap {
            $0
        }.max() ?? 0
    }
}
