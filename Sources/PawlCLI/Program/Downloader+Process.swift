import Pawl
import PawlCore

extension Downloader {
    /// A downloader that is never shut down, since the process ends without it (see ``Process/exit(_:)``).
    ///
    /// Kept alive on purpose: the HTTP client traps if it is released without a shutdown.
    static func forThisProcess(_ configuration: Configuration) throws(DownloadError) -> Downloader {
        let downloader = try Downloader(configuration: configuration)
        _ = Unmanaged.passRetained(downloader)
        return downloader
    }
}
