import Pawl
import PawlCore
import PawlJobs

/// What `pawl get` was asked for, checked as far as words and lists alone allow.
struct ResolvedGet: Sendable {
    /// In the order given. At least one, once the Metalinks have been read.
    var downloads: [PlannedDownload]
    var configuration = Downloader.Configuration()
    var maximumRunning = 5
    var maximumConnectionsPerHost = 8
    var failsFast = false
    /// What happens where a file exists was said for each of them.
    var choosesIfExists = false
    /// `-o -`.
    var streamsToOutput = false
    var writesJSON = false
    var isQuiet = false
    /// Of the one archive, not the whole is wanted but these members.
    var members: MemberWish?
    /// `--extract`.
    var unpacking: UnpackingPlan?
    /// To be run after each download.
    var hook: HookCommand?
    /// To be said before anything is fetched.
    var remarks: [String] = []
    /// To be said before that, however quiet the run is to be.
    var warnings: [String] = []
    /// The command line may be shown again: nothing in it has to be kept from a log or a glance over the shoulder.
    var isFreeOfSecrets = true
    /// A list came from standard input, so the same command alone does not say the same.
    var readsStandardInput = false

    /// One file: what is said of it needs no name in front.
    var isAlone: Bool { downloads.count == 1 }
}

/// One file of a run.
struct PlannedDownload: Sendable {
    /// From 1, in the order given; the `id` of the JSON events.
    var id: Int
    var request: DownloadRequest
    /// That of the request.
    let url: HTTPURL
    /// The URL may be shown and typed again, and says all there is to say.
    var canBeTyped: Bool
    /// The URL, redacted.
    var shownURL: String
    /// What the file will be called, as far as it is known before the server has spoken.
    var likelyName: String

    /// - Parameter canBeTyped: but for what the URL holds.
    init(id: Int, request: DownloadRequest, canBeTyped: Bool = true) throws(UsageError) {
        self.id = id
        self.request = request
        do {
            url = try HTTPURL(parsing: request.url)
            shownURL = url.redacted
            self.canBeTyped = canBeTyped && Self.isFreeOfSecrets(url)
            likelyName = request.fileName ?? FileName.choose(contentDisposition: nil, url: url)
        } catch {
            throw UsageError(error.message + MetalinkOptions.hint(for: request.url))
        }
    }

    static func isFreeOfSecrets(_ url: HTTPURL) -> Bool {
        url.userinfo == nil && url.redacted == url.serialized
    }

    /// `disk.iso`, `isos/disk.iso`.
    var likelyPath: String { JobTarget.path(in: request.directory, likelyName) }
}
