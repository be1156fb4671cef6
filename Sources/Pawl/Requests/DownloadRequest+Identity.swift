package import PawlCore

extension DownloadRequest {
    /// What a downloader with this netrc makes of it. Nil: it is refused.
    package func settings(netrc: Netrc?) -> DownloadSettings? {
        guard var settings = try? resolved().settings else { return nil }
        settings.netrc = netrc
        return settings
    }
}
