extension CookieJar {
    struct Entry: Sendable {
        var cookie: Cookie
        var site: Site
        /// Rises from the oldest to the newest.
        let serial: Int
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
}
