extension DownloadSettings {
    /// Returns all fields of a request but `Host`: authentication, the range, and the fields and cookies of the caller
    /// that belong to the origin of ``askedURL``.
    ///
    /// - Parameter authorization: what the authenticator made of ``secret(for:)``.
    package func fields(
        for url: HTTPURL, asking asked: [HTTPField], cookies: CookieJar, authorization: HTTPField? = nil,
        wallClock secondsSinceEpoch: Int64
    ) -> [HTTPField] {
        let given = RedirectPolicy.fields(self.callerFields, given: askedURL, to: url)
        var all: [HTTPField] = []
        if given.first("user-agent") == nil, !self.userAgent.isEmpty {
            all.append(HTTPField("User-Agent", self.userAgent))
        }
        // A second one would leave the choice to the server (RFC 9110 §12.5.1).
        if given.first("accept") == nil { all.append(HTTPField("Accept", "*/*")) }
        all += asked
        all += given.filter { !$0.isNamed("cookie") }
        if given.first("referer") == nil,
            let referer = self.referer.flatMap({ RedirectPolicy.referer($0, from: askedURL, to: url) })
        {
            all.append(HTTPField("Referer", referer))
        }
        if let cookie = cookies.value(for: url, wallClock: secondsSinceEpoch, beside: given.values("cookie")) {
            all.append(HTTPField("Cookie", cookie))
        }
        if let authorization { all.append(authorization) }
        return all
    }

    /// Returns the secret that authenticates requests to the origin of `url`; nil if there is none, or the caller sends
    /// a field of that kind.
    ///
    /// A URL's own name and password come before those that were given beside it, and a netrc file comes last. What was
    /// given is for the origin of the download's URL. A netrc entry is for its host, wherever a redirect or a mirror
    /// leads there; the entry for all other hosts only for the host that was asked for. Nothing goes in clear text
    /// where the URL asked for was encrypted (FAULTS H04).
    package func secret(for url: HTTPURL) -> OriginCredentials? {
        let isOwn = url.origin == askedURL.origin
        let own =
            isOwn ? url.userinfo ?? askedURL.userinfo : self.mirrors.first { $0.url.origin == url.origin }?.url.userinfo
        var login: String?
        if isOwn {
            if self.callerFields.first("authorization") != nil { return nil }
            if let bearerToken = self.bearerToken { return .bearer(bearerToken) }
        }
        if let own {
            let found = Credentials(userinfo: own)
            if !found.password.isEmpty || own.utf8.contains(UInt8(ascii: ":")) { return .password(found) }
            login = found.name
        }
        if isOwn, let credentials = self.credentials, login == nil { return .password(credentials) }
        if let entry = netrcEntry(for: url, login: login, isOwn: isOwn) { return .password(entry) }
        return login.map { .password(Credentials(name: $0, password: "")) }
    }

    private func netrcEntry(for url: HTTPURL, login: String?, isOwn: Bool) -> Credentials? {
        guard let netrc, isOwn || askedURL.scheme == .http || url.scheme == .https else { return nil }
        let found = netrc.credentials(for: url.host, login: login, allowsDefault: isOwn)
        return found.flatMap { $0.problem == nil ? $0 : nil }
    }
}
