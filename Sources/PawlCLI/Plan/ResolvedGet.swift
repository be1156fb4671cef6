import Logging
import Pawl
import PawlCore
import PawlJobs

/// What `pawl get` was asked for.
struct ResolvedGet: Sendable {
    /// In the order given; at least one, until the files are settled.
    var jobs: [PlannedJob] = []
    /// The files they stand for, once their documents were read.
    private(set) var downloads: [PlannedDownload] = []
    var configuration = Downloader.Configuration()
    var maximumRunning = 5
    var maximumConnectionsPerHost = 8
    var failsFast = false
    /// `-o -`.
    var streamsToOutput = false
    var writesJSON = false
    var isQuiet = false
    /// What of `pawl extract` says the same as the flags for unpacking.
    var unpackingFlags: [String] = []
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

    mutating func settle(_ files: [JobFile]) {
        downloads = files.enumerated().map { index, file in
            PlannedDownload(JobFileID(index + 1), file, canBeTyped: jobs.indices.contains(file.job) && jobs[file.job].canBeTyped)
        }
        // There may be a million of them, and all that is left to do is about the files.
        jobs = []
    }
}

/// One job, and whether its URL says all there is to say.
struct PlannedJob: Sendable {
    var spec: JobSpec
    var canBeTyped: Bool
}

/// One file of a run.
struct PlannedDownload: Sendable {
    /// Its number is the `id` of the JSON events.
    let id: JobFileID
    let file: JobFile
    /// The URL may be shown and typed again, and says all there is to say.
    let canBeTyped: Bool
    /// The URL, redacted.
    let shownURL: String
    /// What the file will be called, as far as it is known before the server has spoken.
    let likelyName: String

    /// - Parameter canBeTyped: but for what the URL holds.
    init(_ id: JobFileID, _ file: JobFile, canBeTyped: Bool = true) {
        self.id = id
        self.file = file
        shownURL = (try? HTTPURL(parsing: file.url))?.redacted ?? ""
        self.canBeTyped = canBeTyped && !JobDocument.holdsSecrets(file.url)
        likelyName = file.likelyName
    }

    /// `disk.iso`, `isos/disk.iso`.
    var likelyPath: String { JobTarget.path(in: file.spec.directory, likelyName) }
}

extension ResolvedGet {
    /// Where `-v` writes; nil without it.
    var verbose: VerboseOutput? { (configuration.logger.handler as? VerboseLogHandler)?.output }
}
