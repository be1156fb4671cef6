import PawlCore

/// Of which of a download's URLs a journal is.
struct JournalOwner {
    let url: HTTPURL
    /// Neither the URL nor who asks differs in a secret. Otherwise the journal may be of another file that the server has under this URL, as
    /// `?token=A` and `?token=B` often are, and only an answer can show that it is not.
    let isSame: Bool
}

extension DownloadSettings {
    /// Salted with the journal's id, so that secrets of two journals cannot be compared.
    func identityHash(of url: HTTPURL, id: [UInt8], _ digests: any DigestFactory) -> [UInt8] {
        digests.digest(.sha256, of: id + identity(of: url))
    }
}

extension JournalRecord {
    /// Nil: the journal is of another download.
    func owner(in settings: DownloadSettings, _ digests: any DigestFactory) -> JournalOwner? {
        let candidates = settings.allURLs.filter { settings.urlHash(of: $0) == urlHash }
        if let same = candidates.first(where: { isSame(as: $0, in: settings, digests) }) { return JournalOwner(url: same, isSame: true) }
        return candidates.first.map { JournalOwner(url: $0, isSame: false) }
    }

    private func isSame(as url: HTTPURL, in settings: DownloadSettings, _ digests: any DigestFactory) -> Bool {
        // Without a hash of its own only a URL without secrets is known whole.
        guard let identityHash else { return !url.hasSecrets }
        return identityHash == settings.identityHash(of: url, id: id, digests)
    }
}
