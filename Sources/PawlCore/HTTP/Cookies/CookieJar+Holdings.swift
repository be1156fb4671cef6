extension CookieJar {
    /// The cookies of a jar by the sites that hold them, maintained so that a full jar need not be counted for each new
    /// cookie.
    struct Holdings: Sendable {
        private var domains = Groups()
        private var sites = Groups()
        /// The groups by the domain of their site.
        private var branches: [String: Groups] = [:]

        mutating func add(_ entry: Entry) {
            domains.add(entry.serial, to: entry.cookie.domain)
            sites.add(entry.serial, to: entry.site.domain)
            branches[entry.site.domain, default: Groups()].add(entry.serial, to: entry.site.branch)
        }

        mutating func remove(_ entry: Entry) {
            domains.remove(entry.serial, from: entry.cookie.domain)
            sites.remove(entry.serial, from: entry.site.domain)
            branches[entry.site.domain]?.remove(entry.serial, from: entry.site.branch)
            if sites.count(of: entry.site.domain) == 0 { branches[entry.site.domain] = nil }
        }

        /// The cookie to evict for a new one of a domain at its limit.
        func evicted(forDomain domain: String) -> Int? {
            domains.count(of: domain) >= maximumCookiesOfDomain ? domains.oldest(of: domain) : nil
        }

        /// The cookie to evict from a full jar.
        ///
        /// A site at the limit of one domain loses one of its own. For a smaller site, the largest holder does. So
        /// nobody can fill the jar from many subdomains at the cost of others.
        func evicted(for newcomer: Site) -> Int? {
            let isLarge = sites.count(of: newcomer.domain) >= maximumCookiesOfDomain
            guard let giver = isLarge ? newcomer.domain : sites.largest, let held = branches[giver],
                let largest = held.largest
            else { return nil }
            let isOwn = held.count(of: newcomer.branch) == held.count(of: largest)
            return held.oldest(of: isOwn ? newcomer.branch : largest)
        }
    }

    /// Cookies by a name, each by a number that rises with its age in the jar.
    private struct Groups: Sendable {
        private struct Rank: Comparable, Sendable {
            let count: Int
            let oldest: Int
            let name: String

            static func == (one: Rank, other: Rank) -> Bool { (one.count, one.oldest) == (other.count, other.oldest) }

            /// The largest first; among equals, the one with the oldest cookie.
            static func < (one: Rank, other: Rank) -> Bool { (other.count, one.oldest) < (one.count, other.oldest) }
        }

        /// The serial numbers of each group, from the oldest to the newest.
        private var serials: [String: [Int]] = [:]
        private var ranks = RankedTree<Rank>()

        var largest: String? { ranks.first?.name }

        func count(of name: String) -> Int { serials[name]?.count ?? 0 }

        func oldest(of name: String) -> Int? { serials[name]?.first }

        /// - Parameter serial: higher than all before.
        mutating func add(_ serial: Int, to name: String) { change(name) { $0.append(serial) } }

        mutating func remove(_ serial: Int, from name: String) {
            change(name) { held in
                if let index = held.firstIndex(of: serial) { held.remove(at: index) }
            }
        }

        private mutating func change(_ name: String, _ body: (inout [Int]) -> Void) {
            var held = serials.removeValue(forKey: name) ?? []
            if let oldest = held.first { ranks.remove(Rank(count: held.count, oldest: oldest, name: name)) }
            body(&held)
            guard let oldest = held.first else { return }
            ranks.insert(Rank(count: held.count, oldest: oldest, name: name))
            serials[name] = held
        }
    }
}
