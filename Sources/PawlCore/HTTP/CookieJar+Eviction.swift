extension CookieJar {
    struct Entry: Sendable {
        var cookie: Cookie
        var site: Site
    }

    /// Who set a cookie, when the question is who has to give one up.
    struct Site: Sendable {
        /// The registrable domain: all that one owner can name hosts in.
        var domain: String
        /// Without a list of public suffixes the domain is a guess, and `co.uk` has many owners. Then one label more
        /// keeps them apart.
        var branch: String

        init(of domain: String, by suffixes: PublicSuffixList?) {
            let name = PublicSuffixList.withoutRoot(domain)
            if CookieJar.isAddress(name) {
                (self.domain, branch) = (name, name)
            } else if let suffixes {
                self.domain = suffixes.registrableDomain(of: name)
                branch = self.domain
            } else {
                let labels = name.split(separator: ".", omittingEmptySubsequences: false)
                self.domain = labels.suffix(2).joined(separator: ".")
                branch = labels.suffix(3).joined(separator: ".")
            }
        }
    }

    /// Which cookie of a full jar makes room for another.
    ///
    /// A site that has as many as one domain may have gives up one of its own. For a smaller one, the site that holds
    /// the most does. So nobody fills the jar from many subdomains at the cost of others.
    static func evicted(from entries: [Entry], for newcomer: Entry) -> Int? {
        let held = entries.reduce(into: [:]) { $0[$1.site.domain, default: 0] += 1 }
        let giver = held[newcomer.site.domain, default: 0] >= mostCookiesOfDomain
            ? newcomer.site.domain : largest(held, inOrderOf: entries.lazy.map(\.site.domain))
        let candidates = entries.indices.lazy.filter { entries[$0].site.domain == giver }
        let branches = candidates.reduce(into: [:]) { $0[entries[$1].site.branch, default: 0] += 1 }
        let order = [newcomer.site.branch] + candidates.map { entries[$0].site.branch }
        let branch = largest(branches, inOrderOf: order)
        return candidates.first { entries[$0].site.branch == branch }
    }

    /// The name with the highest count; of several the one that comes first.
    private static func largest(_ counts: [String: Int], inOrderOf names: some Sequence<String>) -> String? {
        let most = counts.values.max()
        return names.first { counts[$0] == most }
    }
}
