extension CookieJar {
    struct Entry: Sendable {
        var cookie: Cookie
        var site: Site
        /// Rises from the oldest to the newest.
        let serial: Int
    }

    /// The site that set a cookie, for deciding whose cookie is evicted.
    struct Site: Sendable {
        /// The registrable domain, in which one owner names hosts.
        var domain: String
        /// The domain that groups cookies. Without a list of public suffixes the registrable domain is a guess, and
        /// `co.uk` has many owners; one label more then keeps them apart.
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
}
