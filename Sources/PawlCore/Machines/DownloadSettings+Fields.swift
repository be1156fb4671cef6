extension DownloadSettings {
    /// All fields of a request but `Host`: who asks, what is asked, and of what the caller gave, and of the cookies, what belongs to the
    /// origin of `url`.
    package func fields(
        for url: HTTPURL, asking asked: [HTTPField], cookies: CookieJar, wallClock secondsSinceEpoch: Int64
    ) -> [HTTPField] {
        let given = RedirectPolicy.fields(self.fields, given: self.url, to: url)
        var all = given.first("user-agent") == nil ? [HTTPField("User-Agent", userAgent)] : []
        all += [HTTPField("Accept", "*/*")] + asked
        all += given.filter { $0.name.lowercased() != "cookie" }
        if let cookie = cookies.value(for: url, wallClock: secondsSinceEpoch, beside: given.values("cookie")) {
            all.append(HTTPField("Cookie", cookie))
        }
        if url.origin == self.url.origin, let userinfo = url.userinfo ?? self.url.userinfo,
            given.first("authorization") == nil
        {
            all.append(HTTPField("Authorization", BasicCredentials.field(userinfo: userinfo)))
        }
        return all
    }
}
