/// An absolute `http` or `https` URL (RFC 3986, RFC 9110 §4.2), taken apart once.
///
/// The same value is checked, shown and connected to, and the address to connect to is composed from the parts, never
/// copied from the input: two parsers that disagree about the end of the host are how credentials reach the wrong
/// server.
package struct HTTPURL: Hashable, Sendable {
    package enum Scheme: String, Sendable {
        case http
        case https

        package var defaultPort: Int {
            switch self {
            case .http: 80
            case .https: 443
            }
        }
    }

    /// The parts that decide whether two URLs may share credentials (RFC 6454 §4).
    package struct Origin: Hashable, Sendable {
        package let scheme: Scheme
        package let host: String
        package let port: Int
    }

    /// The longest URL, in bytes, that is taken from a user or a server, and the longest that is written.
    package static let lengthLimit = 16 * 1024

    /// A URL goes through many hands, so copies share their parts.
    private struct Parts: Hashable, Sendable {
        var scheme: Scheme
        var userinfo: String?
        var host: String
        var port: Int?
        var path: String
        var query: String?
    }

    private var parts: Boxed<Parts>

    init(scheme: Scheme, userinfo: String?, host: String, port: Int?, path: String, query: String?) {
        parts = Boxed(Parts(scheme: scheme, userinfo: userinfo, host: host, port: port, path: path, query: query))
    }

    package var scheme: Scheme {
        get { parts.value.scheme }
        set { parts.value.scheme = newValue }
    }

    /// `user` or `user:password`, still percent-encoded; nil when absent or empty.
    package var userinfo: String? {
        get { parts.value.userinfo }
        set { parts.value.userinfo = newValue }
    }

    /// Lowercased; an IPv6 address stands without its brackets.
    ///
    /// Numeric oddities such as `0x7f.1` are names like any other here: their meaning is up to the resolver, and a rule
    /// about addresses has to check the resolved ones.
    package var host: String {
        get { parts.value.host }
        set { parts.value.host = newValue }
    }

    /// The port; nil if absent or the scheme's default.
    package var port: Int? {
        get { parts.value.port }
        set { parts.value.port = newValue }
    }

    /// Begins with `/`; has no dot segments, and no byte that is illegal in a path.
    package var path: String {
        get { parts.value.path }
        set { parts.value.path = newValue }
    }

    /// The query without its `?`; nil if absent.
    package var query: String? {
        get { parts.value.query }
        set { parts.value.query = newValue }
    }

    package var effectivePort: Int { port ?? scheme.defaultPort }

    package var origin: Origin { Origin(scheme: scheme, host: host, port: effectivePort) }

    package var isIPv6: Bool { host.holds(UInt8(ascii: ":")) }

    /// The URL to connect to: without userinfo, an IPv6 address in brackets.
    package var serialized: String { text(with: nil) }

    /// The whole URL, with its userinfo: reading it gives the same one.
    package var withUserinfo: String { text(with: userinfo) }

    private func text(with userinfo: String?) -> String {
        var text = scheme == .http ? "http://" : "https://"
        text.reserveCapacity(
            (userinfo?.utf8.count ?? 0) + host.utf8.count + path.utf8.count + (query?.utf8.count ?? 0) + 20)
        if let userinfo { text += userinfo; text += "@" }
        writeAuthority(to: &text)
        text += path
        if let query { text += "?"; text += query }
        return text
    }

    /// Path and query, the origin-form of RFC 9112 §3.2.1.
    package var requestTarget: String {
        guard let query else { return path }
        return path + "?" + query
    }

    /// The text after the last `/` of the path, percent-decoded; empty if the path ends in `/`.
    ///
    /// The path is split first and decoded afterwards, so that `%2F` cannot add a segment.
    package var lastPathSegment: [UInt8] {
        let bytes = Array(path.utf8)
        let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? bytes.startIndex
        return PercentCoding.decode(bytes[start...])
    }

    /// Host and port as `Host` has them (RFC 9110 §7.2): the default port is left out.
    package var authority: String {
        var text = ""
        writeAuthority(to: &text)
        return text
    }

    private func writeAuthority(to text: inout String) {
        if isIPv6 { text += "["; text += host; text += "]" } else { text += host }
        if let port { text += ":"; text += String(port) }
    }
}
