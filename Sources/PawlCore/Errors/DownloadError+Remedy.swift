extension DownloadError {
    /// What would help, in terms of the request and its surroundings. A user interface words each in its own terms:
    /// which flag, which field of a form. Later versions may add cases.
    public struct Remedy: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public var description: String { rawValue }
    }
}

// MARK: Of the file and its place

extension DownloadError.Remedy {
    /// Another `DownloadRequest.fileName`.
    public static let chooseName = Self(rawValue: "chooseName")
    /// Another `DownloadRequest.directory`.
    public static let chooseDirectory = Self(rawValue: "chooseDirectory")
    /// Create `DownloadRequest.directory`, which has to exist.
    public static let createDirectory = Self(rawValue: "createDirectory")
    /// A ``DownloadOptions/ifExists`` other than to fail.
    public static let decideIfExists = Self(rawValue: "decideIfExists")
    /// ``DownloadOptions/ifExists`` may take another name.
    public static let renameIfExists = Self(rawValue: "renameIfExists")
    /// ``DownloadOptions/ifExists`` may replace what has the name.
    public static let replaceExisting = Self(rawValue: "replaceExisting")
    /// Move away what has the name.
    public static let moveExisting = Self(rawValue: "moveExisting")
    /// ``DownloadOptions/onChange`` may start over.
    public static let restartOnChange = Self(rawValue: "restartOnChange")
    /// Without ``DownloadOptions/adoptsPartialFile``.
    public static let stopAdopting = Self(rawValue: "stopAdopting")
    /// Let the program that began the file finish it.
    public static let finishElsewhere = Self(rawValue: "finishElsewhere")
    /// Remove the journal, if the partial file is not worth keeping.
    public static let removeJournal = Self(rawValue: "removeJournal")
    /// Remove the partial file and its journal, if they are no longer needed.
    public static let removePartialFile = Self(rawValue: "removePartialFile")
    /// A version of Pawl that is at least as new as the one that wrote the journal.
    public static let useNewerVersion = Self(rawValue: "useNewerVersion")
    /// Wait until the other download or process is done.
    public static let waitForOther = Self(rawValue: "waitForOther")
    public static let freeSpace = Self(rawValue: "freeSpace")
    /// Change the permissions, or mount the file system for writing.
    public static let makeWritable = Self(rawValue: "makeWritable")
    public static let checkDisk = Self(rawValue: "checkDisk")
    /// Fewer open files, or a higher limit for them.
    public static let openFewerFiles = Self(rawValue: "openFewerFiles")
    /// A higher limit of processes, which counts threads, or fewer of them.
    public static let allowMoreProcesses = Self(rawValue: "allowMoreProcesses")
    /// Download to a file: a stream cannot be assembled from several responses.
    public static let downloadToFile = Self(rawValue: "downloadToFile")
}

// MARK: Of what is accepted

extension DownloadError.Remedy {
    /// A larger ``DownloadOptions/maximumFileSize``, or none.
    public static let raiseMaximumSize = Self(rawValue: "raiseMaximumSize")
    /// A longer ``DownloadOptions/maximumTime``, or none.
    public static let allowMoreTime = Self(rawValue: "allowMoreTime")
    /// ``DownloadOptions/allowsWebPage``.
    public static let acceptWebPage = Self(rawValue: "acceptWebPage")
    /// Without ``DownloadOptions/requiresComplete``.
    public static let acceptIncomplete = Self(rawValue: "acceptIncomplete")
    /// ``DownloadOptions/allowsInsecureRedirect``, where the network is trusted.
    public static let allowInsecureRedirect = Self(rawValue: "allowInsecureRedirect")
    /// A ``DownloadOptions/digest``, which shows whether the bytes are right.
    public static let giveDigest = Self(rawValue: "giveDigest")
    /// Compare ``DownloadOptions/digest`` with what the publisher names; if it is right, the same request once more.
    public static let checkDigest = Self(rawValue: "checkDigest")
    /// No ``DownloadOptions/ranges``.
    public static let fetchWhole = Self(rawValue: "fetchWhole")
    /// Download the whole archive and unpack it, instead of fetching single members.
    public static let fetchWholeArchive = Self(rawValue: "fetchWholeArchive")
}

// MARK: Of servers and the way to them

extension DownloadError.Remedy {
    /// The same request once more.
    public static let tryAgain = Self(rawValue: "tryAgain")
    /// The same request after ``DownloadError/recovery`` allows it.
    public static let tryLater = Self(rawValue: "tryLater")
    /// Send requests although the server asked for a wait (``DownloadOptions/ignoresRetryAfter``).
    public static let ignoreRetryAfter = Self(rawValue: "ignoreRetryAfter")
    public static let checkURL = Self(rawValue: "checkURL")
    /// A fresh URL of the same file, as `DownloadRequest.refreshURL` may give.
    public static let renewURL = Self(rawValue: "renewURL")
    /// `DownloadRequest.authentication`, or a `Downloader.Configuration.netrc`.
    public static let giveCredentials = Self(rawValue: "giveCredentials")
    /// Other values in `DownloadRequest.authentication`.
    public static let checkCredentials = Self(rawValue: "checkCredentials")
    /// The log-in page of the network, in a browser.
    public static let logIn = Self(rawValue: "logIn")
    /// Look at the URL in a browser.
    public static let openInBrowser = Self(rawValue: "openInBrowser")
    /// More `DownloadRequest.mirrors`, or another URL.
    public static let addSource = Self(rawValue: "addSource")
    /// A smaller ``DownloadOptions/maximumConnections``.
    public static let useFewerConnections = Self(rawValue: "useFewerConnections")
    public static let checkNetwork = Self(rawValue: "checkNetwork")
    /// `Downloader.Configuration.proxies`, and what the proxy allows.
    public static let checkProxy = Self(rawValue: "checkProxy")
    /// The clock here, by which certificates are valid or not, and the certificate of the server.
    public static let checkCertificate = Self(rawValue: "checkCertificate")
    /// `Downloader.Configuration.clientCertificateFile` and `privateKeyFile`.
    public static let checkClientCertificate = Self(rawValue: "checkClientCertificate")
    /// `Downloader.Configuration.certificateAuthorityFile`.
    public static let nameAuthority = Self(rawValue: "nameAuthority")
}

extension DownloadError.Remedy {
    /// Every remedy of this version; tests check that each shell has words for each.
    package static let all: [DownloadError.Remedy] = [
        .chooseName, .chooseDirectory, .createDirectory, .decideIfExists, .renameIfExists, .replaceExisting,
        .moveExisting,
        .restartOnChange, .stopAdopting, .finishElsewhere, .removeJournal, .removePartialFile, .useNewerVersion,
        .waitForOther, .freeSpace, .makeWritable, .checkDisk, .openFewerFiles, .allowMoreProcesses, .downloadToFile,
        .raiseMaximumSize,
        .allowMoreTime,
        .acceptWebPage, .acceptIncomplete, .allowInsecureRedirect, .giveDigest, .checkDigest, .fetchWhole,
        .fetchWholeArchive, .tryAgain,
        .tryLater, .ignoreRetryAfter, .checkURL, .renewURL, .giveCredentials, .checkCredentials, .logIn, .openInBrowser,
        .addSource,
        .useFewerConnections, .checkNetwork, .checkProxy, .checkCertificate, .checkClientCertificate, .nameAuthority,
    ]
}
