/// A proxy as a user names it: `http://`, `https://`, `socks5://` or `socks5h://`, perhaps with a user name and a
/// password.
package struct ProxyServer: Hashable, Sendable {
    package enum Kind: String, Sendable {
        /// Plain HTTP to the proxy: `http` targets by their absolute URL, `https` targets through a tunnel (RFC 9110
        /// §9.3.6).
        case http
        /// The same, and the proxy itself is spoken to over TLS.
        case https
        /// RFC 1928; the target's name is resolved on this machine.
        case socks5
        /// RFC 1928; the target's name is given to the proxy.
        case socks5h

        var defaultPort: Int { self == .https ? 443 : 1080 }
    }

    /// Kept out of every description.
    package struct Credentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
        package let userName: [UInt8]
        package let password: [UInt8]

        package var description: String { "(credentials)" }
        package var debugDescription: String { description }
    }

    package let kind: Kind
    /// Lowercased; an IPv6 address stands without its brackets.
    package let host: String
    package let port: Int
    package let credentials: Credentials?

    /// Parses a proxy. Without a scheme it is an HTTP proxy. The port defaults to 1080, as in curl, and to 443 for
    /// `https`.
    package init(parsing text: String) throws(ProxyParseError) {
        let (scheme, written) = Self.split(text)
        if scheme.begins(with: "socks4") { throw .oldSOCKS }
        // GNOME's settings and many VPN programs write `socks`, and mean version 5.
        guard let kind = scheme.isExactly("socks") ? .socks5 : Kind(rawValue: scheme) else { throw .unknownKind }
        // The authority is read by the one parser of URLs. It leaves out the default port of the scheme it is given, so
        // it is asked with both of them.
        let (userinfo, rest) = Self.splitUserinfo(written)
        // A path has no meaning here, and is passed over as curl and wget do; one with an @ is part of a password.
        guard let url = try? HTTPURL(parsing: "http://" + rest), let other = try? HTTPURL(parsing: "https://" + rest),
            url.userinfo == nil, !url.path.utf8.contains(UInt8(ascii: "@")), url.query == nil
        else { throw .malformed }
        self.kind = kind
        host = url.host
        port = url.port ?? other.port ?? kind.defaultPort
        guard port > 0 else { throw .malformed }
        credentials = try userinfo.flatMap { (userinfo) throws(ProxyParseError) in
            try Self.credentials(userinfo, for: kind)
        }
    }

    private static func split(_ text: String) -> (scheme: String, rest: String) {
        let text = String(decoding: ASCII.trimmingBlanks(Array(text.utf8)[...]), as: UTF8.self)
        guard let separator = text.firstRange(of: "://") else { return ("http", text) }
        return (text[..<separator.lowerBound].lowercased(), String(text[separator.upperBound...]))
    }

    /// The name and the password in the bytes they have: a percent sign that begins no escape stands for itself, and
    /// nothing says that they are UTF-8.
    private static func splitUserinfo(_ text: String) -> (userinfo: [UInt8]?, rest: String) {
        let authority = text.utf8.prefix { !"/?#".utf8.contains($0) }
        guard let sign = authority.firstIndex(of: UInt8(ascii: "@")) else { return (nil, text) }
        return (String(text[..<sign]).systemBytes, String(text[text.utf8.index(after: sign)...]))
    }

    private static func credentials(_ userinfo: [UInt8], for kind: Kind) throws(ProxyParseError) -> Credentials? {
        let parts = userinfo.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let userName = PercentCoding.decode(parts[0])
        let password = parts.count > 1 ? PercentCoding.decode(parts[1]) : []
        if userName.isEmpty, password.isEmpty { return nil }
        switch kind {
        case .http, .https:
            // RFC 7617 §2: the first colon ends the user name. Control characters are useless and dangerous.
            guard !userName.contains(UInt8(ascii: ":")),
                !(userName + password).contains(where: { $0 < 0x20 || $0 == 0x7F })
            else {
                throw .malformed
            }
        case .socks5, .socks5h:
            // RFC 1929 §2: their lengths are a byte each.
            guard userName.count <= 255, password.count <= 255 else { throw .credentialsTooLong }
        }
        return Credentials(userName: userName, password: password)
    }
}

extension ProxyServer: CustomStringConvertible, CustomDebugStringConvertible {
    /// The URL without the credentials.
    package var description: String { "\(kind.rawValue)://\(authority)" }
    package var debugDescription: String { description }

    package var authority: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension ProxyServer.Credentials {
    /// The value of `Proxy-Authorization` (RFC 7617).
    package var basicField: String { "Basic " + Base64.encode(userName + [UInt8(ascii: ":")] + password) }
}

/// The reason why a text does not name a proxy. It never repeats the text, which may hold a password.
public enum ProxyParseError: Error, Hashable, Sendable {
    case unknownKind
    /// SOCKS 4 or 4a, which have neither passwords nor IPv6.
    case oldSOCKS
    case malformed
    case credentialsTooLong

    /// A sentence that says what is wrong and what to give instead.
    public var message: String { "The proxy cannot be used: \(cause)." }

    /// The same behind a colon.
    package var cause: String {
        switch self {
        case .unknownKind: "its kind is unknown; begin its URL with http://, https://, socks5:// or socks5h://"
        case .oldSOCKS:
            "SOCKS 4 is not supported; if it speaks SOCKS 5 as well, as most do, begin its URL with socks5:// or socks5h://"
        case .malformed:
            "it must have the form [http://][user:password@]host[:port]; in a user name or password, percent-encode : / ? # @"
        case .credentialsTooLong: "the user name and password of a SOCKS proxy can have at most 255 bytes each"
        }
    }
}
