extension DownloadError {
    static func tooLarge(_ url: HTTPURL, limit: Int64, total: Int64? = nil) -> DownloadError {
        let length = total.map { "is \($0) bytes long" } ?? "goes on"
        return DownloadError(
            .tooLarge, "\(url.redacted) \(length), and the limit is \(limit). Allow more with --max-filesize if you want it.",
            recovery: .giveUp)
    }

    static func hostIsFull(_ host: String) -> DownloadError {
        DownloadError(.refused, "\(host) has as many connections as it may have.", recovery: .retryAfter(nil))
    }

    /// - Parameter delay: the rest of the wait, where it is too long to be waited for.
    static func resting(_ url: HTTPURL, until end: HTTPDate, giveUpFor delay: Duration?) -> DownloadError {
        DownloadError(
            .refused,
            "\(url.host) told an earlier run to send no requests until \(end.imfFixdate)."
                + (delay == nil ? "" : " Run it again after that; progress is kept."),
            recovery: .retryAfter(delay))
    }

    static func webPage(_ url: HTTPURL) -> DownloadError {
        let portal = url.scheme == .http ? "a login of the site or of the network" : "a login of the site"
        return DownloadError(
            .badResponse,
            "\(url.redacted) answered with a web page instead of the file: \(portal) may be in the way, or the link leads to a page about the file. Open it in a browser; --allow-web-page stores it as it is. Nothing of it was stored.",
            recovery: .giveUp)
    }

    static func network(host: String, detail: String) -> DownloadError {
        DownloadError(
            .network, "\(host): \(detail). Check the network and run it again; progress is kept.",
            recovery: .retryNow, underlying: detail)
    }

    init(_ error: TransportError, host: String) {
        switch error.reason {
        case .tls:
            self.init(
                .tls,
                "No secure connection to \(host): \(error.detail). Check the clock and the certificate; a private authority is named with --ca-certificate.",
                recovery: .giveUp, underlying: error.detail)
        case .nameResolution:
            self.init(
                .network,
                "\(host) was not found: \(error.detail). Check the spelling and the network, and run it again; progress is kept.",
                recovery: .retryNow, underlying: error.detail)
        case .malformed:
            self.init(
                .badResponse,
                "\(host) sent what is not valid HTTP/1.1: \(error.detail). Something between here and there may be at fault; run it again later. Progress is kept.",
                recovery: .retryAfter(nil), underlying: error.detail)
        case .proxyRefused:
            self.init(
                .refused, "No way to \(host): \(error.detail). Check --proxy and what the proxy allows, and run it again; progress is kept.",
                recovery: .giveUp, underlying: error.detail)
        case .connect, .truncated, .stale, .proxy, .other:
            self = .network(host: host, detail: error.detail)
        }
    }
}
