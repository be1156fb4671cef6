import Pawl
import PawlCore
import PawlEngine

/// What `pawl get` was asked for, checked as far as the command line alone allows.
struct ResolvedGet: Hashable, Sendable {
    var url: String
    var directory: String
    var fileName: String?
    var headers: [Header] = []
    var certificateFile: String?
    var connections = 8
    var digest: Digest?
    var bytesPerSecond: Int64?
    var maximumFileSize: Int64?
    var onChange = ChangePolicy.restart
    var ifExists = ExistingFilePolicy.fail
    var adopts = false
    var allowsInsecureRedirect = false
    var allowsWebPage = false
    var writesJSON = false
    var isQuiet = false

    init(url: String, directory: String) {
        self.url = url
        self.directory = directory
    }

    var request: DownloadRequest {
        var request = DownloadRequest(url, in: directory)
        request.fileName = fileName
        request.headers = headers.map { ($0.name, $0.value) }
        request.maximumConnections = connections
        request.digest = digest
        request.maximumBytesPerSecond = bytesPerSecond
        request.maximumFileSize = maximumFileSize
        request.onChange = onChange
        request.ifExists = ifExists
        request.adoptsPartialFile = adopts
        request.allowsInsecureRedirect = allowsInsecureRedirect
        request.allowsWebPage = allowsWebPage
        return request
    }

    var configuration: Downloader.Configuration {
        var configuration = Downloader.Configuration()
        configuration.certificateAuthorityFile = certificateFile
        return configuration
    }

    /// The command line may be shown again: nothing in it has to be kept from a log or a glance over the shoulder.
    var isFreeOfSecrets: Bool {
        guard headers.isEmpty, let parsed = try? HTTPURL(parsing: url) else { return false }
        return parsed.userinfo == nil && parsed.redacted == parsed.serialized
    }
}
