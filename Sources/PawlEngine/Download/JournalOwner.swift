package import PawlCore

/// The URL of a download that a journal belongs to.
struct JournalOwner {
    let url: HTTPURL
    /// Whether neither the URL nor the authentication differs in a secret. Otherwise the journal may be of another file
    /// that the server has under this URL, as `?token=A` and `?token=B` often are, and only a response can show that it
    /// is not.
    let isSame: Bool
}

/// The identity shared by all downloads of a process: the caller's cookies and client certificate.
///
/// Taken when a download begins, and kept for its life.
package struct SharedAsker: Sendable {
    private let cookies: CookieJar
    private let certificate: [UInt8]?
    /// Seconds since 1970.
    private let began: Int64

    package init(_ ports: Ports) {
        self.init(
            cookies: ports.cookies.given, certificate: ports.clientCertificate, began: ports.runtime.secondsSinceEpoch)
    }

    private init(cookies: CookieJar, certificate: [UInt8]?, began: Int64) {
        self.cookies = cookies
        self.certificate = certificate
        self.began = began
    }

    /// A process with neither cookies nor a client certificate.
    package static let anonymous = SharedAsker(cookies: CookieJar(), certificate: nil, began: 0)

    /// Salted with the journal's id, so that secrets of two journals cannot be compared.
    func identityHash(of url: HTTPURL, in settings: DownloadSettings, id: [UInt8]) -> [UInt8] {
        SHA256.hash(id + settings.journalIdentity(of: url, cookies: cookies(for: url), certificate: certificate))
    }

    func isAnonymous(at url: HTTPURL) -> Bool { certificate == nil && cookies(for: url) == nil }

    private func cookies(for url: HTTPURL) -> String? { cookies.value(for: url, wallClock: began) }
}

extension DownloadSettings {
    /// Tells requests of a session apart without their secrets. Salted, as in a journal.
    package func identityHash(markerNumber: UInt64) -> [UInt8] {
        let salt = withUnsafeBytes(of: markerNumber.littleEndian, Array.init)
        return SHA256.hash(salt + journalIdentity(of: url, cookies: nil, certificate: nil))
    }
}

extension URLHash {
    fileprivate func isOf(_ identity: String) -> Bool {
        switch self {
        case .xxh64: self == .xxh64(of: identity)
        case .sha256: self == URLHash(of: identity)
        }
    }
}

extension JournalRecord {
    /// Returns the owner of the journal among the URLs of a download; nil if the journal is of another download.
    func owner(in settings: DownloadSettings, by asker: SharedAsker) -> JournalOwner? {
        let recorded = settings.recordedURL
        if recorded != settings.url, urlHash.isOf(settings.urlIdentity(of: recorded)) {
            return JournalOwner(url: recorded, isSame: isSame(as: recorded, in: settings, by: asker))
        }
        let candidates = settings.allURLs.filter { urlHash.isOf(settings.urlIdentity(of: $0)) }
        // That the caller takes another URL for the same file does not make it that.
        if settings.freshURL == nil, let same = candidates.first(where: { isSame(as: $0, in: settings, by: asker) }) {
            return JournalOwner(url: same, isSame: true)
        }
        return candidates.first.map { JournalOwner(url: $0, isSame: false) }
    }

    /// The URL that this describes a whole file of, while `settings` want the whole file of a different one; nil for
    /// parts of a file.
    func otherURL(in settings: DownloadSettings, ownedBy owner: JournalOwner? = nil) -> HTTPURL? {
        if let owner {
            return !owner.isSame && owner.url == settings.url && settings.recordedURL != settings.url ? owner.url : nil
        }
        guard settings.ranges == nil else { return nil }
        // With mirrors it is not known which of them has to show that its file is the same. A newer file is not looked
        // for in what is begun, and another digest of the same kind belongs to another file.
        guard settings.mirrors.isEmpty, !settings.onlyIfNewer, !isOtherFile(than: settings.digest),
            let other = try? HTTPURL(parsing: url), urlHash.isOf(JournalRecord.urlIdentity(of: other))
        else { return nil }
        return other
    }

    private func isOtherFile(than digest: Digest?) -> Bool {
        guard let digest, let expectedDigest else { return false }
        return digest.algorithm == expectedDigest.algorithm && digest != expectedDigest
    }

    private func isSame(as url: HTTPURL, in settings: DownloadSettings, by asker: SharedAsker) -> Bool {
        // Without a hash, only a URL without secrets, requested anonymously, is fully known.
        guard let identityHash else {
            return !url.hasSecrets && settings.isAnonymous(at: url) && asker.isAnonymous(at: url)
        }
        return identityHash == asker.identityHash(of: url, in: settings, id: id)
    }

    // MARK: Ids

    /// 16 bytes that no other journal has. In a session they begin with the number of the download's completion marker,
    /// which stays known when the session leaves out what was asked for.
    static func newID(markerNumber: UInt64?, _ runtime: any Runtime) -> [UInt8] {
        let id = (0..<2).flatMap { _ in withUnsafeBytes(of: runtime.random().littleEndian, Array.init) }
        guard let markerNumber else { return id }
        return markerBytes(markerNumber) + id.dropFirst(MemoryLayout<UInt64>.size)
    }

    /// Made by the download of a session that has this completion marker.
    func isMade(by markerNumber: UInt64) -> Bool {
        markerNumber != 0 && id.starts(with: Self.markerBytes(markerNumber))
    }

    private static func markerBytes(_ markerNumber: UInt64) -> [UInt8] {
        withUnsafeBytes(of: markerNumber.littleEndian, Array.init)
    }
}
