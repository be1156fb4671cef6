internal import NIOCore
internal import PawlCore

/// The way from here to where a request is answered. Requests with equal routes may share a connection, one after the
/// other.
struct Route: Hashable, Sendable {
    /// The server; nil for a proxy that is given the whole request: one connection to it serves all servers.
    let server: Server?
    let proxy: ProxyServer?

    struct Server: Hashable, Sendable {
        let host: String
        let port: Int
        let isSecure: Bool
    }

    init(to url: HTTPURL, by proxy: ProxyServer?) {
        self.proxy = proxy
        let isForwarded =
            switch proxy?.kind {
            case .http, .https: url.scheme == .http
            case .socks5, .socks5h, nil: false
            }
        server = isForwarded ? nil : Server(host: url.host, port: url.effectivePort, isSecure: url.scheme == .https)
    }

    /// The proxy answers the requests, on behalf of any server.
    var isForwarding: Bool { server == nil }

    /// TLS is spoken on it: with the proxy, with the server, or with both.
    var isSecure: Bool { proxy?.kind == .https || server?.isSecure == true }

    /// The host that the socket is connected to.
    var host: String { proxy?.host ?? server?.host ?? "" }
    var port: Int { proxy?.port ?? server?.port ?? 0 }
}
