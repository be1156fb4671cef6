package import PawlCore

extension DownloadRequest {
    /// Returns the settings with which a downloader with this netrc runs the request; nil if the request is refused.
    package func settings(netrc: Netrc?) -> DownloadSettings? {
        guard var settings = try? resolved().settings else { return nil }
        settings.netrc = netrc
        return settings
    }
}
