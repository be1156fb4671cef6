package import PawlCore

/// A server's statements about a file besides its bytes (RFC 6249).
package struct FileDescription: Sendable {
    /// Documents of type `application/metalink4+xml`. From an answer over https only such as are fetched over it, too.
    package var metalinks: [HTTPURL] = []
    /// The whole length in bytes.
    package var total: Int64?
    /// The digests of the whole file.
    package var digests: [Digest] = []
    /// Whether the server has the file at all.
    package var isThere = false
}

extension Downloader {
    /// Asks the server of a file which documents describe it. The answers of the URL itself and of its own server's
    /// redirects are read: to whom a mirror would lead is not its affair (RFC 6249 §4).
    package func description(of request: DownloadRequest) async throws(DownloadError) -> FileDescription {
        var prober = try prober(for: request)
        let settings = prober.settings
        var found = FileDescription()
        let (_, last) = try await prober.lastAnswer { from, head in
            guard from.origin == settings.askedURL.origin else { return }
            let isSecure = from.scheme == .https && !settings.allowsInsecureRedirect
            for url in MirrorLinks(fieldValues: head.fields.values("link"), from: from).metalinks
            where !found.metalinks.contains(url) && (!isSecure || url.scheme == .https) {
                found.metalinks.append(url)
            }
        }
        let answer = Prober.answer(last)
        found.isThere = answer.status == 200 || answer.status == 206
        found.total = answer.totalBytes
        found.digests = Representation(fields: last.fields, total: answer.totalBytes).digests
        return found
    }
}
