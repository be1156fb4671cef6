/// The proxies that requests go through, if any.
///
/// Nothing is read from the environment unless ``init(environment:)`` is asked to.
public struct ProxySettings: Hashable, Sendable {
    private typealias Choice = Result<ProxyServer, ProxyParseError>

    private var forHTTP: Choice?
    private var forHTTPS: Choice?
    private var bypass = ProxyBypass(parsing: "")

    /// No proxy.
    public init() {}

    /// Creates settings with one proxy for all requests.
    ///
    /// - Parameters:
    ///   - url: `http://`, `https://`, `socks5://` (names are resolved here) or `socks5h://` (names are resolved by the
    ///     proxy), with `user:password@` before the host if it asks for them, percent-encoded. Empty: no proxy. Without
    ///     a port it is 1080, or 443 with `https`.
    ///   - hosts: reached without it, in the form of `no_proxy`: names with all that is beneath them, addresses,
    ///     networks as `10.0.0.0/8`, each with a port if wanted, separated by commas; `*` for all.
    public init(_ url: String, exceptFor hosts: String = "") throws(ProxyParseError) {
        if !url.isEmpty {
            let server = try ProxyServer(parsing: url)
            (forHTTP, forHTTPS) = (.success(server), .success(server))
        }
        except(hosts)
    }

    /// The proxies of `http_proxy`, `https_proxy`, `all_proxy` and the exceptions of `no_proxy`, as curl reads them:
    /// lower case first, then upper case, but never `HTTP_PROXY`, which a CGI program gets from a header field of its
    /// client.
    ///
    /// A proxy that cannot be understood fails the downloads that would go through it, and no others: desktops set
    /// variables for all programs.
    public init(environment: [String: String]) {
        self.init(variables: { environment[$0] })
        except(Self.exceptions { environment[$0] })
    }

    /// The proxies that variables name, without exceptions; see ``init(environment:)``.
    package init(variables: (String) -> String?) {
        func value(_ name: String, upperCase: Bool = true) -> String? {
            Self.value(name, upperCase: upperCase, variables)
        }
        func choice(_ text: String?) -> Choice? {
            text.map { (text) in Choice { () throws(ProxyParseError) in try ProxyServer(parsing: text) } }
        }
        let all = value("all_proxy")
        forHTTP = choice(value("http_proxy", upperCase: false) ?? all)
        forHTTPS = choice(value("https_proxy") ?? all)
    }

    /// Judges all proxies at once, for whoever named them on purpose.
    package func check() throws(ProxyParseError) {
        _ = try forHTTP?.get()
        _ = try forHTTPS?.get()
    }

    /// The exceptions that variables name, for ``except(_:)``.
    package static func exceptions(variables: (String) -> String?) -> String { value("no_proxy", variables) ?? "" }

    private static func value(_ name: String, upperCase: Bool = true, _ variables: (String) -> String?) -> String? {
        [name, upperCase ? name.uppercased() : name].lazy.compactMap(variables).first { !$0.isEmpty }
    }

    /// Replaces the exceptions; see ``init(_:exceptFor:)``.
    public mutating func except(_ hosts: String) { bypass = ProxyBypass(parsing: hosts) }

    /// Returns the proxy for a URL; nil to connect directly to the server.
    ///
    /// - Throws: what is wrong with the proxy that the request would go through.
    package func server(for url: HTTPURL) throws(ProxyParseError) -> ProxyServer? {
        let choice =
            switch url.scheme {
            case .http: forHTTP
            case .https: forHTTPS
            }
        guard let choice, !bypass.covers(url) else { return nil }
        return try choice.get()
    }
}
