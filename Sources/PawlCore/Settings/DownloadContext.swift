/// The part of a request that says who asks, and from where: what RFC 9110 §10.1 calls request context, with
/// credentials and other header fields. All but the user agent is meant for the origin (scheme, host, port) of the URL.
public struct DownloadContext: Hashable, Sendable {
    /// Extra header fields. They go to the origin of the URL only. A session stores those that may prove who asks, such
    /// as `Cookie`, with `DownloadManager.Configuration.storesSecrets` only.
    ///
    /// ```swift
    /// var request = DownloadRequest("https://example.org/disk.iso", to: "disk.iso")
    /// request.headers = [HTTPField("X-Api-Key", "s3cret")]
    /// ```
    public var headers: [HTTPField] = []
    /// The credentials for the origin of the URL, and for no other. A name and password in a URL itself come first, a
    /// `Downloader.Configuration.netrc` last.
    ///
    /// ```swift
    /// var request = DownloadRequest("https://example.org/disk.iso", to: "disk.iso")
    /// request.authentication = .password(name: "ann", .file("password.txt"))
    /// ```
    public var authentication: Authentication?
    /// The `User-Agent` field. Defaults to Pawl's; an empty string sends none.
    public var userAgent: String?
    /// The page that led here: an absolute `http` or `https` URL. Sent without userinfo and fragment; to another origin
    /// only the page's own origin, and from an `https` page nothing over `http`.
    public var referer: String?

    public init() {}
}

extension DownloadContext {
    /// The same for another origin, which is shown none of what is meant for this one.
    package var forOtherOrigin: DownloadContext {
        var context = DownloadContext()
        context.userAgent = userAgent
        return context
    }

    package var isForOneOrigin: Bool { self != forOtherOrigin }

    /// Every text in it: two that Swift takes for equal may differ in their bytes.
    package var texts: [String] {
        var texts = [userAgent, referer].compactMap(\.self)
        if case .password(let name, _) = authentication { texts.append(name) }
        if let authentication { texts.append(authentication.secret.text) }
        for field in headers { texts += [field.name, field.value] }
        return texts
    }

    /// The same without what must not be stored or shown. Where to find a secret may be.
    package var withoutSecrets: DownloadContext {
        var context = self
        context.headers.removeAll(where: \.mayBeSecret)
        if authentication?.secret.isValue == true { context.authentication = nil }
        context.referer = referer.map(HTTPURL.withoutSecrets)
        return context
    }
}

extension HTTPURL {
    /// Returns the text of a URL without its secrets. A text that is no URL, such as a path, has none.
    package static func withoutSecrets(_ text: String) -> String {
        guard let url = try? HTTPURL(parsing: text), url.hasSecrets else { return text }
        return url.withoutSecrets.serialized
    }
}
