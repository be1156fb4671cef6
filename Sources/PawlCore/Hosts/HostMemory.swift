/// Facts learned about hosts, keyed by `scheme://host:port` and nothing else of the URLs. Every fact expires, and none
/// is final: caps are probed upwards, so a host that has changed is noticed.
package struct HostMemory: Hashable, Sendable {
    package struct Facts: Hashable, Sendable {
        package var connectionCap: Dated<Int>?
        /// Whether the host's ranges were wrong or ignored; false if they were honoured.
        package var distrustsRanges: Dated<Bool>?
        package var refusesIfRange: Dated<Bool>?
        /// The end of the pause that the host asked for, in seconds since 1970.
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

    /// The lifetime of facts about a server's settings, in seconds. Settings change seldom, and its load by the hour.
    static let lifetimeOfHabits: Int64 = 7 * 86_400
    static let lifetimeOfCaps: Int64 = 86_400
    /// The longest wait that is remembered. A host that asked for a longer one is tried again: it may have been
    /// mistaken.
    package static let maximumRest: Int64 = 86_400
    /// The hosts met last are kept.
    static let maximumHosts = 1000

    package private(set) var hosts: [String: Facts] = [:]
    /// Whether some facts are not in the file yet.
    package var isDirty = false

    package init() {}

    package init(_ hosts: [String: Facts]) { self.hosts = hosts }

    package mutating func learn(_ observation: HostObservation, of url: HTTPURL, at now: Instant, wallClock: Int64) {
        // The ordinary case: nothing is known of any host, and there is nothing to note.
        if case .serves = observation, hosts.isEmpty { return }
        var key = url.originKey
        switch observation {
        // One path alone may be limited: it is the host that rests once a second path says the same (FAULTS R34).
        case .busy where !isResting(url, wallClock: wallClock) && !hasOtherRest(url, wallClock: wallClock):
            key = Self.pathKey(of: url)
        case .serves: forgetRest(of: Self.pathKey(of: url))
        default: break
        }
        var facts = hosts[key] ?? Facts()
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
        case .serves: facts.busyUntil = nil
        }
        guard facts != hosts[key] ?? Facts() else { return }
        hosts[key] = facts.isEmpty ? nil : facts
        isDirty = true
        forgetOldest()
    }

    // MARK: Waits of paths

    /// A blank and a hash of the path follow the host's own key.
    private static func pathKey(of url: HTTPURL) -> String {
        let hash = Array(url.path.utf8).withUnsafeBytes(XXHash64.hash)
        return "\(url.originKey) \(String(hash, radix: 16))"
    }

    private static func isPath(_ key: String, of origin: String) -> Bool {
        key.utf8.starts(with: origin.utf8) && key.utf8.dropFirst(origin.utf8.count).first == UInt8(ascii: " ")
    }

    /// Whether the whole host of this URL asked for a wait that is not over.
    package func isResting(_ url: HTTPURL, wallClock: Int64) -> Bool {
        !hosts.isEmpty && hosts[url.originKey]?.busyUntil.flatMap { Self.rest($0, wallClock) } != nil
    }

    private func hasOtherRest(_ url: HTTPURL, wallClock: Int64) -> Bool {
        let own = Self.pathKey(of: url)
        return hosts.contains { key, facts in
            Self.isPath(key, of: url.originKey) && !key.isExactly(own)
                && facts.busyUntil.flatMap { Self.rest($0, wallClock) } != nil
        }
    }

    private mutating func forgetRest(of key: String) {
        guard hosts[key]?.busyUntil != nil else { return }
        hosts[key]?.busyUntil = nil
        if hosts[key]?.isEmpty == true { hosts[key] = nil }
        isDirty = true
    }

    /// Ends the rest of a host, because a user wants it to be tried at once.
    ///
    /// - Parameter host: its ``HTTPURL/hostKey``.
    package mutating func endRest(of host: String) {
        let origins = ["http://" + host, "https://" + host]
        for key in Array(hosts.keys) where origins.contains(where: { key.isExactly($0) || Self.isPath(key, of: $0) }) {
            forgetRest(of: key)
        }
    }

    /// The facts about this URL's host that have not expired.
    package func hints(for url: HTTPURL, at now: Instant, wallClock: Int64) -> HostHints {
        var hints = HostHints()
        guard !hosts.isEmpty else { return hints }
        let facts = hosts[url.originKey] ?? Facts()
        if let cap = facts.connectionCap, Self.isFresh(cap.learned, Self.lifetimeOfCaps, wallClock) {
            // The reason for refusing another connection may have passed, so each run tries one more.
            hints.connectionCap = max(1, cap.value) + 1
            hints.borne = max(1, cap.value)
        }
        if let wrong = facts.distrustsRanges, Self.isFresh(wrong.learned, Self.lifetimeOfHabits, wallClock) {
            hints.distrustsRanges = wrong.value
        }
        if let refuses = facts.refusesIfRange, Self.isFresh(refuses.learned, Self.lifetimeOfHabits, wallClock) {
            hints.refusesIfRange = refuses.value
        }
        let waits = [facts.busyUntil, hosts[Self.pathKey(of: url)]?.busyUntil].compactMap { $0 }
        if let busy = waits.first(where: { Self.rest($0, wallClock) != nil }), let rest = Self.rest(busy, wallClock) {
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
        let (age, ageOverflow) = wallClock.subtractingReportingOverflow(busy.learned)
        guard !overflow, left > 0, left <= maximumRest, !ageOverflow, age >= 0 else { return nil }
        return left
    }

    /// Returns the memory without facts that are too old to be believed.
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
