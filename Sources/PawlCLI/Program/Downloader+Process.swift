import Pawl
import PawlCore

extension Downloader {
    /// A downloader that is never taken down, for the process ends without it (see ``Process/exit(_:)``).
    ///
    /// Kept on purpose beyond its last use: the HTTP client below takes being released without a shutdown for a mistake.
    static func forThisProcess(_ configuration: Configuration) throws(DownloadError) -> Downloader {
        let downloader = try Downloader(configuration: configuration)
        _ = Unmanaged.passRetained(downloader)
        return downloader
    }
}
