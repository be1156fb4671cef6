extension CookieJar.Cookie {
    /// Reads a `Set-Cookie` line (RFC 6265 §5.2 and §5.3). Nil when it is not to be kept.
    init?(parsing fieldValue: String, from url: HTTPURL, _ now: Int64, _ suffixes: PublicSuffixList?) {
        let bytes = Array(fieldValue.utf8)
        guard bytes.count <= CookieJar.maximumCookieLength, bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let first = parts.first, let (name, value) = Self.pair(first), let value, !name.isEmpty else {
            return nil
        }
        self.init(
            name: name, value: value, domain: url.host, isHostOnly: true, path: Self.defaultPath(of: url),
            scheme: url.scheme,
            port: url.effectivePort)
        var maximumAge: Int64?
        var wanted: String?
        var hasPath = false
        for part in parts.dropFirst() {
            guard let (attribute, value) = Self.pair(part) else { continue }
            switch attribute.lowercased() {
            case "path":
                let given = value.flatMap { $0.begins(with: "/") ? $0 : nil }
                hasPath = given != nil
                path = given ?? Self.defaultPath(of: url)
            case "secure": isSecure = true
            case "httponly": isHTTPOnly = true
            case "max-age": maximumAge = value.flatMap(Self.age) ?? maximumAge
            case "expires": expires = value.flatMap(Self.date) ?? expires
            case "domain": wanted = value
            default: break
            }
        }
        // Max-Age has precedence over Expires (§4.1.2.2).
        if let maximumAge { expires = now + maximumAge }
        guard accept(domain: wanted, host: url.host, suffixes), url.scheme == .https || !isSecure else { return nil }
        guard
            keepsPromise(
                of: ASCII.lowercased(name.utf8[...]), hasDomain: wanted.map { !$0.isEmpty } ?? false, hasPath: hasPath)
        else { return nil }
    }

    /// The prefixes of RFC 6265bis §4.1.3, in any case. By bytes, as servers compare: a combining mark behind the
    /// prefix hides nothing.
    private func keepsPromise(of name: String, hasDomain: Bool, hasPath: Bool) -> Bool {
        if name.utf8.starts(with: "__host-".utf8) { return isSecure && !hasDomain && hasPath && path == "/" }
        return !name.utf8.starts(with: "__secure-".utf8) || isSecure
    }

    /// RFC 6265 §5.3, steps 4 to 6. False: the cookie is for somebody else's host, or for those of everybody.
    private mutating func accept(domain given: String?, host: String, _ suffixes: PublicSuffixList?) -> Bool {
        guard let given else { return true }
        let bytes = given.utf8.first == UInt8(ascii: ".") ? given.utf8.dropFirst() : given.utf8[...]
        let wanted = ASCII.lowercased(bytes)
        if wanted.isEmpty { return true }
        guard CookieJar.matches(host, wanted) else { return false }
        // An address has nothing below it, and what is not on a list may be anybody's.
        guard !CookieJar.isAddress(host), let suffixes else { return true }
        guard !suffixes.isPublic(wanted) else { return wanted == host }
        domain = wanted
        isHostOnly = false
        return true
    }

    private static func pair(_ bytes: ArraySlice<UInt8>) -> (name: String, value: String?)? {
        func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: ASCII.trimmingBlanks(bytes), as: UTF8.self) }
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else {
            let name = text(bytes)
            return name.isEmpty ? nil : (name, nil)
        }
        return (text(bytes[..<equals]), text(bytes[(equals + 1)...]))
    }

    /// A number of any size, reduced to what matters: expired, or valid for some years.
    private static func age(_ text: String) -> Int64? {
        if text.begins(with: "-") { return text.utf8.dropFirst().allSatisfy(ASCII.isDigit) ? 0 : nil }
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

    /// RFC 6265 §5.1.4.
    private static func defaultPath(of url: HTTPURL) -> String {
        guard let slash = url.path.lastIndex(of: "/"), slash != url.path.startIndex else { return "/" }
        return String(url.path[..<slash])
    }
}
