/// The cookies of one download (RFC 6265), held in memory while it runs and never written down (FAULTS H11).
///
/// Narrower than a browser's: a cookie goes back to the origin that set it, by scheme, host and port, and nowhere else. Since `Domain` can
/// widen nothing here, no list of public suffixes is needed.
package struct CookieJar: Hashable, Sendable {
    private struct Cookie: Hashable, Sendable {
        var origin: HTTPURL.Origin
        var name: String
        var value: String
        var path: String
        /// Seconds since 1970; nil lasts as long as the jar.
        var expires: Int64?

        func isSame(as other: Cookie) -> Bool { origin == other.origin && name == other.name && path == other.path }
    }

    /// What a server may make us remember (RFC 6265 §6.1).
    private static let mostCookies = 50
    private static let longestCookie = 4096

    private var cookies: [Cookie] = []

    package init() {}

    /// Takes the values of all `Set-Cookie` lines of a response. True when what is sent back has changed by it.
    @discardableResult
    package mutating func store(_ fieldValues: [String], from url: HTTPURL, wallClock secondsSinceEpoch: Int64) -> Bool {
        let before = cookies
        cookies.removeAll { $0.expires.map { $0 <= secondsSinceEpoch } ?? false }
        for fieldValue in fieldValues {
            guard let cookie = Self.parse(fieldValue, from: url, secondsSinceEpoch) else { continue }
            let isExpired = cookie.expires.map { $0 <= secondsSinceEpoch } ?? false
            if let index = cookies.firstIndex(where: cookie.isSame) {
                // In its old place: order is by age (RFC 6265 §5.4).
                if isExpired { cookies.remove(at: index) } else { cookies[index] = cookie }
            } else if !isExpired, cookies.count(where: { $0.origin == cookie.origin }) < Self.mostCookies {
                cookies.append(cookie)
            }
        }
        return cookies != before
    }

    /// The value of the `Cookie` field for a request; nil when there is none to send.
    ///
    /// - Parameter own: what the caller of the download wants sent there itself. There is never more than one `Cookie` line.
    package func value(for url: HTTPURL, wallClock secondsSinceEpoch: Int64, beside own: [String] = []) -> String? {
        let fitting = cookies.enumerated().filter { _, cookie in
            cookie.origin == url.origin && Self.covers(cookie.path, url.path)
                && cookie.expires.map { $0 > secondsSinceEpoch } ?? true
        }
        let ordered = fitting.sorted { ($1.element.path.utf8.count, $0.offset) < ($0.element.path.utf8.count, $1.offset) }
        let pairs = own + ordered.map { $0.element.name + "=" + $0.element.value }
        return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
    }

    // MARK: Parsing, RFC 6265 §5.2

    private static func parse(_ fieldValue: String, from url: HTTPURL, _ now: Int64) -> Cookie? {
        let bytes = Array(fieldValue.utf8)
        guard bytes.count <= longestCookie, bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let first = parts.first, let (name, value) = pair(first), let value, !name.isEmpty else { return nil }
        var cookie = Cookie(origin: url.origin, name: name, value: value, path: defaultPath(of: url), expires: nil)
        var isSecure = false
        var maximumAge: Int64?
        for part in parts.dropFirst() {
            guard let (attribute, value) = pair(part) else { continue }
            switch attribute.lowercased() {
            case "path": cookie.path = value.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? defaultPath(of: url)
            case "secure": isSecure = true
            case "max-age": maximumAge = value.flatMap(age) ?? maximumAge
            case "expires": cookie.expires = value.flatMap(date) ?? cookie.expires
            case "domain": if let value, !isOwn(value, url.host) { return nil }
            default: break
            }
        }
        // Max-Age has precedence over Expires (§4.1.2.2).
        if let maximumAge { cookie.expires = now + maximumAge }
        let promisesSecurity = ["__secure-", "__host-"].contains(where: name.lowercased().hasPrefix)
        guard url.scheme == .https || !isSecure, isSecure || !promisesSecurity else { return nil }
        return cookie
    }

    private static func pair(_ bytes: ArraySlice<UInt8>) -> (name: String, value: String?)? {
        func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: ASCII.trimmingBlanks(bytes), as: UTF8.self) }
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else {
            let name = text(bytes)
            return name.isEmpty ? nil : (name, nil)
        }
        return (text(bytes[..<equals]), text(bytes[(equals + 1)...]))
    }

    /// Of a number of any size, what matters here: over, or for some years.
    private static func age(_ text: String) -> Int64? {
        if text.hasPrefix("-") { return text.utf8.dropFirst().allSatisfy(ASCII.isDigit) ? 0 : nil }
        return switch ASCII.decimal(Array(text.utf8)[...]) {
        case .value(let seconds): min(seconds, 1 << 31)
        case .overflow: 1 << 31
        case .notDecimal: nil
        }
    }

    /// Cookies know one more way to write a date: `Wed, 21-Oct-2015 07:28:00 GMT`.
    private static func date(_ text: String) -> Int64? {
        let date = HTTPDate(parsing: text) ?? HTTPDate(parsing: String(text.map { $0 == "-" ? " " : $0 }))
        return date?.secondsSinceEpoch
    }

    /// Whether `domain` is the host or stands above it. Such a cookie is kept for this host alone; any other is a lie (§5.3).
    private static func isOwn(_ domain: String, _ host: String) -> Bool {
        let domain = (domain.hasPrefix(".") ? String(domain.dropFirst()) : domain).lowercased()
        return domain.isEmpty || domain == host || host.hasSuffix("." + domain)
    }

    /// RFC 6265 §5.1.4.
    private static func defaultPath(of url: HTTPURL) -> String {
        guard let slash = url.path.lastIndex(of: "/"), slash != url.path.startIndex else { return "/" }
        return String(url.path[..<slash])
    }

    private static func covers(_ cookiePath: String, _ path: String) -> Bool {
        guard path.hasPrefix(cookiePath) else { return false }
        return path.utf8.count == cookiePath.utf8.count || cookiePath.hasSuffix("/")
            || path.dropFirst(cookiePath.count).hasPrefix("/")
    }
}
