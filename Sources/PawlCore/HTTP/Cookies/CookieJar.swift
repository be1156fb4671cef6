/// Cookies as servers set them and a file brings them (RFC 6265), shared by all downloads of a manager.
///
/// Narrower than the RFC in two points. A cookie without a `Domain` goes back to the origin that set it, by scheme,
/// host and port; one with a `Domain` stays with the scheme. And a `Domain` widens a cookie only where a list of public
/// suffixes says that the domain is somebody's own: without a list the cookie stays with its host.
package struct CookieJar: Hashable, Sendable {
    package struct Cookie: Hashable, Sendable {
        package var name: String
        package var value: String
        /// The domain in lower case, without a leading dot.
        package var domain: String
        /// Whether the cookie is sent to `domain` only, and not to the hosts below it.
        package var isHostOnly: Bool
        package var path: String
        package var isSecure = false
        package var isHTTPOnly = false
        /// Seconds since 1970; nil lasts as long as the jar.
        package var expires: Int64?
        /// The scheme and port that it was set over; nil for one from a file, which does not say.
        package var scheme: HTTPURL.Scheme?
        package var port: Int?

        /// RFC 6265 §5.3, step 11, and the origin of one that goes nowhere else: a cookie replaces the one that has the
        /// same.
        struct Identity: Hashable, Sendable {
            let name: ExactText
            let domain: ExactText
            let path: ExactText
            let isHostOnly: Bool
            let scheme: HTTPURL.Scheme?
            let port: Int?

            init(_ cookie: Cookie) {
                (name, domain, path) = (ExactText(cookie.name), ExactText(cookie.domain), ExactText(cookie.path))
                (isHostOnly, scheme, port) = (cookie.isHostOnly, cookie.scheme, cookie.isHostOnly ? cookie.port : nil)
            }
        }

        func isOver(at secondsSinceEpoch: Int64) -> Bool { expires.map { $0 <= secondsSinceEpoch } ?? false }

        func goes(to url: HTTPURL) -> Bool {
            let isItsHost = isHostOnly ? url.host == domain : CookieJar.matches(url.host, domain)
            guard isItsHost, scheme.map({ $0 == url.scheme }) ?? true, !isSecure || url.scheme == .https else {
                return false
            }
            guard !isHostOnly || port.map({ $0 == url.effectivePort }) ?? true else { return false }
            return CookieJar.covers(path, url.path)
        }
    }

    /// The number of cookies kept for one domain (RFC 6265 §6.1).
    package static let maximumCookiesOfDomain = 50
    private let maximumCookies: Int
    package static let maximumCookieLength = 4096

    /// The entries from the oldest to the newest.
    private var entries: [Entry] = []
    private var serials: [Cookie.Identity: Int] = [:]
    private var holdings = Holdings()
    private var nextSerial = 0
    /// No cookie is over before this.
    private var firstExpiry = Int64.max
    /// Whether a list of public suffixes said to which site each of them belongs.
    private var hasListedSites = false

    package init(maximumCookies: Int = 3000) { self.maximumCookies = maximumCookies }

    /// The cookies from the oldest to the newest.
    package var cookies: [Cookie] { entries.map(\.cookie) }

    package var count: Int { entries.count }

    package var isEmpty: Bool { entries.isEmpty }

    /// Whether that many more cookies may push out others: then a list of public suffixes tells which.
    package func mayOverflow(adding count: Int) -> Bool { entries.count + count > maximumCookies }

    /// Takes the values of all `Set-Cookie` lines of a response. True when what is sent back has changed by it.
    ///
    /// - Parameter suffixes: nil where the system has no list.
    @discardableResult
    package mutating func store(
        _ fieldValues: [String], from url: HTTPURL, wallClock secondsSinceEpoch: Int64,
        suffixes: PublicSuffixList? = nil
    ) -> Bool {
        if fieldValues.isEmpty { return false }
        let before = self
        for fieldValue in fieldValues {
            guard let cookie = Cookie(parsing: fieldValue, from: url, secondsSinceEpoch, suffixes) else { continue }
            insert(cookie, wallClock: secondsSinceEpoch, suffixes: suffixes)
        }
        return self != before
    }

    /// - Parameter suffixes: nil where the system has no list.
    package mutating func insert(
        _ cookie: Cookie, wallClock secondsSinceEpoch: Int64, suffixes: PublicSuffixList? = nil
    ) {
        removeExpired(at: secondsSinceEpoch)
        let (identity, isOver) = (Cookie.Identity(cookie), cookie.isOver(at: secondsSinceEpoch))
        if !isOver { firstExpiry = min(firstExpiry, cookie.expires ?? .max) }
        if let serial = serials[identity] {
            // Keeps its place: order is by age (RFC 6265 §5.4).
            if isOver { remove(serial) } else { entries[index(of: serial)].cookie = cookie }
            return
        }
        guard !isOver else { return }
        findSites(by: suffixes)
        let newcomer = Entry(cookie: cookie, site: Site(of: cookie.domain, by: suffixes), serial: nextSerial)
        nextSerial += 1
        makeRoom(for: newcomer)
        entries.append(newcomer)
        serials[identity] = newcomer.serial
        holdings.add(newcomer)
    }

    private mutating func removeExpired(at secondsSinceEpoch: Int64) {
        guard secondsSinceEpoch >= firstExpiry else { return }
        for entry in entries where entry.cookie.isOver(at: secondsSinceEpoch) { remove(entry.serial) }
        firstExpiry = entries.lazy.compactMap(\.cookie.expires).min() ?? .max
    }

    private mutating func remove(_ serial: Int) {
        let entry = entries.remove(at: index(of: serial))
        serials[Cookie.Identity(entry.cookie)] = nil
        holdings.remove(entry)
    }

    /// Returns the index of an existing entry.
    private func index(of serial: Int) -> Int {
        var range = entries.indices
        while range.count > 1 {
            let middle = range.lowerBound + range.count / 2
            range = entries[middle].serial <= serial ? middle..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    /// The list may be loaded after the jar has been filled.
    private mutating func findSites(by suffixes: PublicSuffixList?) {
        guard let suffixes, !hasListedSites else { return }
        hasListedSites = true
        holdings = Holdings()
        for index in entries.indices {
            entries[index].site = Site(of: entries[index].cookie.domain, by: suffixes)
            holdings.add(entries[index])
        }
    }

    private mutating func makeRoom(for newcomer: Entry) {
        if let oldest = holdings.evicted(forDomain: newcomer.cookie.domain) { remove(oldest) }
        if entries.count >= maximumCookies, let serial = holdings.evicted(for: newcomer.site) { remove(serial) }
    }

    /// The value of the `Cookie` field for a request; nil when there is none to send.
    ///
    /// - Parameter own: what the caller of the download wants sent there itself. There is never more than one `Cookie`
    ///   line.
    package func value(for url: HTTPURL, wallClock secondsSinceEpoch: Int64, beside own: [String] = []) -> String? {
        let fitting = entries.lazy.map(\.cookie).enumerated().filter {
            $1.goes(to: url) && !$1.isOver(at: secondsSinceEpoch)
        }
        // The longer path first, then the older (RFC 6265 §5.4).
        let ordered = fitting.sorted {
            ($1.element.path.utf8.count, $0.offset) < ($0.element.path.utf8.count, $1.offset)
        }
        let pairs = own + ordered.map { $0.element.pair }
        return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
    }

    // MARK: Matching

    /// RFC 6265 §5.1.3: the host is the domain or lies below it, byte by byte. An address has nothing below it.
    ///
    /// A host written with the root's dot (`example.com.`) has cookies of its own, as in browsers, for it is another
    /// origin: without the dot a resolver may complete the name by a search list, so the two need not be the same
    /// machine.
    static func matches(_ host: String, _ domain: String) -> Bool {
        if host.utf8.elementsEqual(domain.utf8) { return true }
        return host.utf8.count > domain.utf8.count + 1
            && host.utf8.reversed().starts(with: ("." + domain).utf8.reversed())
            && !isAddress(host)
    }

    /// Whether a host is an address. The last label decides, as in browsers: a resolver takes `0x7f.1` for an address
    /// too.
    static func isAddress(_ host: String) -> Bool {
        if host.utf8.contains(UInt8(ascii: ":")) { return true }
        guard let last = host.utf8.split(separator: UInt8(ascii: ".")).last else { return false }
        let isHexadecimal = last.starts(with: "0x".utf8) && last.dropFirst(2).allSatisfy { ASCII.hexValue($0) != nil }
        return isHexadecimal || last.allSatisfy(ASCII.isDigit)
    }

    /// RFC 6265 §5.1.4.
    static func covers(_ cookiePath: String, _ path: String) -> Bool {
        guard path.utf8.starts(with: cookiePath.utf8) else { return false }
        return path.utf8.count == cookiePath.utf8.count || cookiePath.utf8.last == UInt8(ascii: "/")
            || path.utf8.dropFirst(cookiePath.utf8.count).first == UInt8(ascii: "/")
    }
}

extension CookieJar {
    /// Equality is about what is sent; the site of a cookie may be determined later.
    package static func == (one: CookieJar, other: CookieJar) -> Bool {
        one.entries.elementsEqual(other.entries) { $0.cookie == $1.cookie }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(cookies) }
}

extension CookieJar.Cookie {
    /// The pair that is sent; for a cookie without a name its value alone (RFC 6265bis §5.8.3).
    var pair: String { name.isEmpty ? value : name + "=" + value }
}
