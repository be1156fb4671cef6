import Pawl
import PawlCore

/// What `pawl get` was asked for, checked as far as the command line alone allows.
struct ResolvedGet: Sendable {
    var request: DownloadRequest
    var configuration = Downloader.Configuration()
    var writesJSON = false
    var isQuiet = false
    /// The command line may be shown again: nothing in it has to be kept from a log or a glance over the shoulder.
    var isFreeOfSecrets: Bool

    init(_ request: DownloadRequest) {
        self.request = request
        isFreeOfSecrets = Self.isFreeOfSecrets(request.url)
    }

    private static func isFreeOfSecrets(_ url: String) -> Bool {
        guard let parsed = try? HTTPURL(parsing: url) else { return false }
        return parsed.userinfo == nil && parsed.redacted == parsed.serialized
    }
}
