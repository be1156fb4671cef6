extension DownloadError {
    static func tooLarge(_ url: HTTPURL, limit: Int64, total: Int64? = nil) -> DownloadError {
        let length =
            total.map { "is \(ByteCount.text($0)); the limit is \(ByteCount.text(limit))" }
            ?? "is larger than the limit of \(ByteCount.text(limit))"
        return DownloadError(
            .tooLarge, "\(url.redacted) \(length).", remedies: [.raiseMaximumSize], recovery: .giveUp,
            facts: .init(size: total, limit: limit))
    }

    /// The error for a redirect that the caller wants to judge.
    static func redirected(from url: HTTPURL, to target: HTTPURL) -> DownloadError {
        var facts = Facts(host: url.host)
        facts.redirectTarget = target
        return DownloadError(
            .redirect, "\(url.redacted) redirects to \(target.redacted).", recovery: .giveUp, facts: facts)
    }

    static func hostIsFull(_ host: String) -> DownloadError {
        DownloadError(
            .refused, "\(HTTPURL.shown(host: host)) has reached its connection limit.", recovery: .retryAfter(nil),
            facts: .init(host: host))
    }

    /// - Parameter delay: the rest of the wait, where it is too long to be waited for.
    static func resting(
        _ url: HTTPURL, since start: HTTPDate, until end: HTTPDate, giveUpFor delay: Duration?
    ) -> DownloadError {
        DownloadError(
            .refused,
            "\(url.shownHost) was busy on \(start.imfFixdate) and asked clients to wait until \(end.imfFixdate) (Retry-After)."
                + (delay == nil ? "" : " No request was sent."),
            remedies: [.tryLater, .ignoreRetryAfter], recovery: .retryAfter(delay), facts: .init(host: url.host))
    }

    static func webPage(_ url: HTTPURL, status: Int) -> DownloadError {
        let portal = url.scheme == .http ? "the site or the network" : "the site"
        return DownloadError(
            .badResponse,
            "\(url.redacted) answered with a web page instead of the file: \(portal) may require a login, or the link leads to a page about the file. The page was not stored.",
            remedies: [.openInBrowser, .giveCookies, .acceptWebPage], recovery: .giveUp,
            facts: .init(status: status, host: url.host))
    }

    static func network(at url: HTTPURL, detail: String, remedies: [Remedy] = [.checkNetwork]) -> DownloadError {
        DownloadError(
            .network, "\(url.authority): \(detail).", remedies: remedies, recovery: .retryNow,
            underlying: detail, facts: .init(host: url.host))
    }

    init(_ error: TransportError, at url: HTTPURL) {
        let (host, shown) = (url.host, url.shownHost)
        switch error.reason {
        case .tls:
            self.init(
                .tls,
                "No secure connection to \(shown): \(error.detail).", remedies: [.checkCertificate, .nameAuthority],
                recovery: .giveUp, underlying: error.detail, facts: .init(host: host))
        case .wrongHost:
            self.init(
                .tls,
                "No secure connection to \(shown): \(error.detail). Use a host that the certificate names, if it is the server you mean.",
                remedies: [.checkURL],
                recovery: .giveUp, underlying: error.detail, facts: .init(host: host))
        case .notTLS:
            self.init(
                .tls,
                "No secure connection to \(url.authority): \(error.detail). If it serves plain HTTP, use http://.",
                remedies: [.checkURL],
                recovery: .giveUp, underlying: error.detail, facts: .init(host: host))
        case .nameResolution:
            self.init(
                .network,
                "\(shown) was not found: \(error.detail).", remedies: [.checkURL, .checkNetwork],
                recovery: .retryNow, underlying: error.detail, facts: .init(unknownHost: host))
        case .malformed:
            self.init(
                .badResponse,
                "\(shown) sent an invalid HTTP/1.1 response: \(error.detail). A proxy in between may be at fault.",
                remedies: [.tryLater], recovery: .retryAfter(nil), underlying: error.detail, facts: .init(host: host))
        case .proxyRefused:
            self.init(
                .refused, "Cannot reach \(shown): \(error.detail).", remedies: [.checkProxy], recovery: .giveUp,
                underlying: error.detail, facts: .init(host: host))
        case .denied:
            self.init(
                .refused, "\(shown) may not be contacted: \(error.detail).", remedies: [.checkURL], recovery: .giveUp,
                underlying: error.detail, facts: .init(host: host))
        case .proxy:
            // The server is not at fault, so the error does not begin with it.
            let letters = error.detail.utf8
            let first = String(decoding: letters.prefix(1), as: UTF8.self).uppercased()
            let detail = first + String(decoding: letters.dropFirst(), as: UTF8.self)
            self.init(
                .network, "\(detail).", remedies: [.checkProxy, .checkNetwork], recovery: .retryNow,
                underlying: error.detail, facts: .init(host: host))
        case .connect:
            let isRefused = error.detail == "connection refused"
            self = .network(
                at: url, detail: error.detail, remedies: isRefused ? [.checkPort, .checkNetwork] : [.checkNetwork])
        case .truncated, .stale, .other:
            self = .network(at: url, detail: error.detail)
        }
    }
}
