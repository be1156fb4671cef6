/// Cookies as servers set them and a file brings them (RFC 6265), shared by all downloads of a manager.
///
/// Narrower than the RFC in two points. A cookie without a `Domain` goes back to the origin that set it, by scheme, host and port; one with
/// a `Domain` stays with the scheme. And a `Domain` widens a cookie only where a list of public suffixes says that the domain is
/// somebody's own: without a list the cookie stays with its host.
package struct CookieJar: Hashable, Sendable {
    package struct Cookie: Hashable, Sendable {
        package var name: String
        package var value: String
        /// In lower case, without a leading dot.
        package var domain: String
        /// It goes to `domain` and not to the hosts below it.
        package var isHostOnly: Bool
        package var path: String
        package var isSecure = false
        package var isHTTPOnly = false
        /// Seconds since 1970; nil lasts as long as the jar.
        package var expires: Int64?
        /// The scheme and port that it was set over; nil for one from a file, which does not say.
        package var scheme: HTTPURL.Scheme?
        package var port: Int?

        /// RFC 6265 §5.3, step 11, and the origin of one that goes nowhere else.
        func isSame(as other: Cookie) -> Bool {
            name == other.name && domain == other.domain && path == other.path && isHostOnly == other.isHostOnly
                && scheme == other.scheme && (!isHostOnly || port == other.port)
        }

        func isOver(at secondsSinceEpoch: Int64) -> Bool { expires.map { $0 <= secondsSinceEpoch } ?? false }

        func goes(to url: HTTPURL) -> Bool {
            let isItsHost = url.host == domain || !isHostOnly && CookieJar.isBelow(url.host, domain)
            guard isItsHost, scheme.map({ $0 == url.scheme }) ?? true, !isSecure || url.scheme == .https else { return false }
            guard !isHostOnly || port.map({ $0 == url.effectivePort }) ?? true else { return false }
            return CookieJar.covers(path, url.path)
        }
    }

    /// What a server may make us remember (RFC 6265 §6.1).
    package static let mostCookiesOfDomain = 50
    private let mostCookies: Int
    package static let longestCookie = 4096

    /// From the oldest to the newest.
    package private(set) var cookies: [Cookie] = []

    package init(mostCookies: Int = 3000) { self.mostCookies = mostCookies }

    package var isEmpty: Bool { cookies.isEmpty }

    /// Takes the values of all `Set-Cookie` lines of a response. True when what is sent back has changed by it.
    ///
    /// - Parameter suffixes: nil where the system has no list.
    @discardableResult
    package mutating func store(
        _ fieldValues: [String], from url: HTTPURL, wallClock secondsSinceEpoch: Int64, suffixes: PublicSuffixList? = nil
    ) -> Bool {
        if fieldValues.isEmpty { return false }
        let before = cookies
        for fieldValue in fieldValues {
            guard let cookie = Cookie(parsing: fieldValue, from: url, secondsSinceEpoch, suffixes) else { continue }
            insert(cookie, wallClock: secondsSinceEpoch)
        }
        return cookies != before
    }

    package mutating func insert(_ cookie: Cookie, wallClock secondsSinceEpoch: Int64) {
        cookies.removeAll { $0.isOver(at: secondsSinceEpoch) }
        if let index = cookies.firstIndex(where: cookie.isSame) {
            // In its old place: order is by age (RFC 6265 §5.4).
            if cookie.isOver(at: secondsSinceEpoch) { cookies.remove(at: index) } else { cookies[index] = cookie }
            return
        }
        guard !cookie.isOver(at: secondsSinceEpoch) else { return }
        // The oldest of a domain that has too many makes room, so that no server can push out what others have set.
        if cookies.count(where: { $0.domain == cookie.domain }) >= Self.mostCookiesOfDomain,
            let oldest = cookies.firstIndex(where: { $0.domain == cookie.domain })
        {
            cookies.remove(at: oldest)
        }
        if cookies.count >= mostCookies { cookies.removeFirst() }
        cookies.append(cookie)
    }

    /// The value of the `Cookie` field for a request; nil when there is none to send.
    ///
    /// - Parameter own: what the caller of the download wants sent there itself. There is never more than one `Cookie` line.
    package func value(for url: HTTPURL, wallClock secondsSinceEpoch: Int64, beside own: [String] = []) -> String? {
        let fitting = cookies.enumerated().filter { $1.goes(to: url) && !$1.isOver(at: secondsSinceEpoch) }
        // The longer path first, then the older (RFC 6265 §5.4).
        let ordered = fitting.sorted { ($1.element.path.utf8.count, $0.offset) < ($0.element.path.utf8.count, $1.offset) }
        let pairs = own + ordered.map { $0.element.pair }
        return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
    }

    // MARK: Matching

    /// RFC 6265 §5.1.3: an address has nothing below it.
    static func isBelow(_ host: String, _ domain: String) -> Bool {
        host.hasSuffix("." + domain) && !isAddress(host)
    }

    static func isAddress(_ host: String) -> Bool {
        host.utf8.contains(UInt8(ascii: ":")) || host.utf8.allSatisfy { ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }
    }

    /// RFC 6265 §5.1.4.
    static func covers(_ cookiePath: String, _ path: String) -> Bool {
        guard path.utf8.starts(with: cookiePath.utf8) else { return false }
        return path.utf8.count == cookiePath.utf8.count || cookiePath.utf8.last == UInt8(ascii: "/")
            || path.utf8.dropFirst(cookiePath.utf8.count).first == UInt8(ascii: "/")
    }
}

extension CookieJar.Cookie {
    /// One without a name is its value alone (RFC 6265bis §5.8.3).
    var pair: String { name.isEmpty ? value : name + "=" + value }
}
