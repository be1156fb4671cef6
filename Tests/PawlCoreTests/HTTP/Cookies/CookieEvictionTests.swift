import Testing

@testable import PawlCore

/// The order in which a full jar evicts cookies.
@Suite struct CookieEvictionTests {
    /// The documented rule, applied from scratch to each new cookie.
    private struct PlainJar {
        var cookies: [CookieJar.Cookie] = []
        var suffixes: PublicSuffixList?
        let maximumCookies: Int

        mutating func insert(_ cookie: CookieJar.Cookie, wallClock now: Int64) {
            cookies.removeAll { $0.isOver(at: now) }
            if let index = cookies.firstIndex(where: {
                CookieJar.Cookie.Identity($0) == CookieJar.Cookie.Identity(cookie)
            }) {
                if cookie.isOver(at: now) { cookies.remove(at: index) } else { cookies[index] = cookie }
                return
            }
            guard !cookie.isOver(at: now) else { return }
            let ofDomain = cookies.indices.filter { cookies[$0].domain == cookie.domain }
            if ofDomain.count >= CookieJar.maximumCookiesOfDomain { cookies.remove(at: ofDomain[0]) }
            if cookies.count >= maximumCookies { makeRoom(for: cookie) }
            cookies.append(cookie)
        }

        private mutating func makeRoom(for newcomer: CookieJar.Cookie) {
            let own = CookieJar.Site(of: newcomer.domain, by: suffixes)
            let sites = cookies.map { CookieJar.Site(of: $0.domain, by: suffixes) }
            let isLarge = sites.count { $0.domain == own.domain } >= CookieJar.maximumCookiesOfDomain
            let giver = isLarge ? own.domain : largest(among: sites.map(\.domain))
            let branches = sites.filter { $0.domain == giver }.map(\.branch)
            let most = branches.map { branch in branches.count { $0 == branch } }.max()
            let branch = branches.count { $0 == own.branch } == most ? own.branch : largest(among: branches)
            if let index = sites.firstIndex(where: { $0.domain == giver && $0.branch == branch }) {
                cookies.remove(at: index)
            }
        }

        /// The most frequent name; the first of several.
        private func largest(among names: [String]) -> String? {
            let counts = names.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            let most = counts.values.max()
            return names.first { counts[$0] == most }
        }
    }

    private static func cookie(_ random: inout SplitMix64, now: Int64) -> CookieJar.Cookie {
        func pick(_ count: UInt64) -> UInt64 { random.next() % count }
        // Few sites hold many cookies, many hold few.
        let site = pick(3) == 0 ? "s\(pick(3)).example.com" : pick(2) == 0 ? "many.co.uk" : "site\(pick(40)).org"
        let domain = pick(3) == 0 ? site : "h\(pick(5)).\(site)"
        var cookie = CookieJar.Cookie(
            name: "n\(pick(30))", value: "\(pick(5))", domain: domain, isHostOnly: pick(4) != 0,
            path: pick(5) == 0 ? "/p" : "/")
        if pick(6) == 0 { cookie.expires = now + Int64(pick(60)) - 5 }
        return cookie
    }

    @Test(arguments: 0..<6 as Range<UInt64>, [nil, CookieTests.suffixes])
    func `the kept cookies are those that the eviction rule names, whatever the order of arrival`(
        seed: UInt64, suffixes: PublicSuffixList?
    ) {
        var random = SplitMix64(seed: seed)
        let maximumCookies = 90 + Int(seed) * 20
        var (jar, plain) = (CookieJar(maximumCookies: maximumCookies), PlainJar(maximumCookies: maximumCookies))
        var now = CookieTests.now
        for step in 0..<800 {
            // The list arrives late, and time passes.
            if step == 300 { plain.suffixes = suffixes }
            if random.next() % 20 == 0 { now += 1 }
            let cookie = Self.cookie(&random, now: now)
            // The jar consults the list only when a new cookie is to be stored.
            jar.insert(cookie, wallClock: now, suffixes: plain.suffixes)
            plain.insert(cookie, wallClock: now)
            guard jar.cookies == plain.cookies else {
                Issue.record("step \(step)")
                return
            }
        }
        #expect(jar.count > maximumCookies / 2)
    }

    @Test func `an expired cookie is evicted first, and a cookie renewed in time does not expire`() {
        var jar = CookieJar(maximumCookies: 2)
        func insert(_ name: String, until expires: Int64?, at now: Int64) {
            var cookie = CookieJar.Cookie(name: name, value: "", domain: "\(name).org", isHostOnly: true, path: "/")
            cookie.expires = expires
            jar.insert(cookie, wallClock: now)
        }
        insert("a", until: 10, at: 0)
        insert("b", until: 20, at: 0)
        insert("a", until: 30, at: 5)
        insert("c", until: nil, at: 25)
        #expect(jar.cookies.map(\.name) == ["a", "c"])
        insert("d", until: 40, at: 30)
        #expect(jar.cookies.map(\.name) == ["c", "d"])
    }
}
