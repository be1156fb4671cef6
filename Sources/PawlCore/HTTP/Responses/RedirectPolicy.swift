/// The rule for which redirects are followed, and which fields are sent there (RFC 9110 §15.4, FAULTS H03–H07).
package struct RedirectPolicy: Hashable, Sendable {
    package static let maximumRedirects = 20

    package var allowsInsecure: Bool

    package init(allowsInsecure: Bool) { self.allowsInsecure = allowsInsecure }

    /// - Parameters:
    ///   - visited: the URLs asked before this one in the same chain.
    ///   - from: the URL that answered.
    ///   - isKnownBetter: the answer set a cookie, so that the same URL may now say something else.
    package func target(
        of location: String, from: HTTPURL, visited: [HTTPURL], isKnownBetter: Bool = false
    ) throws(DownloadError) -> HTTPURL {
        let target: HTTPURL
        do {
            target = try from.resolving(location)
        } catch {
            throw DownloadError(
                .redirect, "\(from.redacted) redirects to a URL that cannot be followed: \(error.message)",
                recovery: .giveUp)
        }
        if !isKnownBetter, visited.contains(target) || target == from {
            throw DownloadError(
                .redirect, "\(from.redacted) redirects in a loop.", remedies: [.checkURL], recovery: .giveUp)
        }
        guard visited.count + 1 <= Self.maximumRedirects else {
            throw DownloadError(
                .redirect, "More than \(Self.maximumRedirects) redirects, the last from \(from.redacted).",
                remedies: [.checkURL], recovery: .giveUp)
        }
        if from.scheme == .https, target.scheme == .http, !allowsInsecure {
            throw DownloadError(
                .redirect,
                "\(from.redacted) redirects to \(target.redacted), which is not encrypted.",
                remedies: [.allowInsecureRedirect], recovery: .giveUp)
        }
        return target
    }

    /// The `Referer` to send for the page that led to a URL: to another origin only the page's origin, and nothing in
    /// clear text about an encrypted page (RFC 9110 §10.1.3, and the policy that browsers begin with). Nil: nothing.
    package static func referer(_ page: HTTPURL, from given: HTTPURL, to target: HTTPURL) -> String? {
        guard page.scheme == .http || target.scheme == .https else { return nil }
        guard given.origin != target.origin, page.origin != target.origin else { return page.serialized }
        var front = page
        front.path = "/"
        front.query = nil
        return front.serialized
    }

    /// The caller's fields go to the origin they were given for and nowhere else: scheme, host and port all count.
    package static func fields(_ fields: [HTTPField], given: HTTPURL, to target: HTTPURL) -> [HTTPField] {
        given.origin == target.origin ? fields : []
    }
}
