extension DownloadError {
    /// A change to the request or its surroundings that would help. A user interface words each in its own terms: which
    /// flag, which field of a form. Later versions may add cases.
    public struct Remedy: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public var description: String { rawValue }
    }
}

// MARK: Of the file and its place

extension DownloadError.Remedy {
    /// A different `DownloadRequest.fileName`.
    public static let chooseName = Self(.chooseName)
    /// A different `DownloadRequest.directory`.
    public static let chooseDirectory = Self(.chooseDirectory)
    /// Create `DownloadRequest.directory`, which has to exist.
    public static let createDirectory = Self(.createDirectory)
    /// A ``DownloadOptions/ifExists`` other than to fail.
    public static let decideIfExists = Self(.decideIfExists)
    /// ``DownloadOptions/ifExists`` may take another name.
    public static let renameIfExists = Self(.renameIfExists)
    /// ``DownloadOptions/ifExists`` may replace what has the name.
    public static let replaceExisting = Self(.replaceExisting)
    /// Move away what has the name.
    public static let moveExisting = Self(.moveExisting)
    /// ``DownloadOptions/onChange`` may start over.
    public static let restartOnChange = Self(.restartOnChange)
    /// The same request without ``DownloadOptions/adoptsPartialFile``.
    public static let stopAdopting = Self(.stopAdopting)
    /// ``DownloadOptions/adoptsPartialFile``, which compares samples of the held bytes with the server's.
    public static let compareExisting = Self(.compareExisting)
    /// The URL from which the partial file was started, among `DownloadRequest.mirrors`.
    public static let addFormerURL = Self(.addFormerURL)
    /// ``DownloadOptions/ifExists`` may replace what has the name; the partial file of another download is set aside.
    public static let replacePartialFile = Self(.replacePartialFile)
    /// Let the program that began the file finish it.
    public static let finishElsewhere = Self(.finishElsewhere)
    /// Remove the journal, if the partial file is not worth keeping.
    public static let removeJournal = Self(.removeJournal)
    /// Remove the partial file and its journal, if they are no longer needed.
    public static let removePartialFile = Self(.removePartialFile)
    /// A version of Pawl that is at least as new as the one that wrote the journal.
    public static let useNewerVersion = Self(.useNewerVersion)
    /// Wait until the other download or process is done.
    public static let waitForOther = Self(.waitForOther)
    public static let freeSpace = Self(.freeSpace)
    /// Change the permissions, or mount the file system for writing.
    public static let makeWritable = Self(.makeWritable)
    public static let checkDisk = Self(.checkDisk)
    /// Fewer open files, or a higher limit for them.
    public static let openFewerFiles = Self(.openFewerFiles)
    /// A higher limit of processes, which counts threads, or fewer of them.
    public static let allowMoreProcesses = Self(.allowMoreProcesses)
    /// Download to a file: a stream cannot be assembled from several responses.
    public static let downloadToFile = Self(.downloadToFile)
}

// MARK: Of what is accepted

extension DownloadError.Remedy {
    /// A larger ``DownloadOptions/maximumFileSize``, or none.
    public static let raiseMaximumSize = Self(.raiseMaximumSize)
    /// A longer ``DownloadOptions/maximumTime``, or none.
    public static let allowMoreTime = Self(.allowMoreTime)
    /// ``DownloadOptions/allowsWebPage``.
    public static let acceptWebPage = Self(.acceptWebPage)
    /// The same request without ``DownloadOptions/requiresComplete``.
    public static let acceptIncomplete = Self(.acceptIncomplete)
    /// ``DownloadOptions/allowsInsecureRedirect``, where the network is trusted.
    public static let allowInsecureRedirect = Self(.allowInsecureRedirect)
    /// A ``DownloadOptions/digest``, which shows whether the bytes are right.
    public static let giveDigest = Self(.giveDigest)
    /// Compare ``DownloadOptions/digest`` with what the publisher names; if it is right, the same request once more.
    public static let checkDigest = Self(.checkDigest)
    /// No ``DownloadOptions/ranges``.
    public static let fetchWhole = Self(.fetchWhole)
    /// Download the whole archive and unpack it, instead of fetching single members.
    public static let fetchWholeArchive = Self(.fetchWholeArchive)
}

// MARK: Of servers and the way to them

extension DownloadError.Remedy {
    /// The same request once more.
    public static let tryAgain = Self(.tryAgain)
    /// The same request after ``DownloadError/recovery`` allows it.
    public static let tryLater = Self(.tryLater)
    /// Send requests although the server asked for a wait (``DownloadOptions/ignoresRetryAfter``).
    public static let ignoreRetryAfter = Self(.ignoreRetryAfter)
    public static let checkURL = Self(.checkURL)
    /// A fresh URL of the same file, as `DownloadRequest.refreshURL` may give.
    public static let renewURL = Self(.renewURL)
    /// `DownloadRequest.authentication`, or a `Downloader.Configuration.netrc`.
    public static let giveCredentials = Self(.giveCredentials)
    /// Other values in `DownloadRequest.authentication`.
    public static let checkCredentials = Self(.checkCredentials)
    /// The log-in page of the network, in a browser.
    public static let logIn = Self(.logIn)
    /// Look at the URL in a browser.
    public static let openInBrowser = Self(.openInBrowser)
    /// The cookies of a browser that is logged in.
    public static let giveCookies = Self(.giveCookies)
    /// More `DownloadRequest.mirrors`, or another URL.
    public static let addSource = Self(.addSource)
    /// A smaller ``DownloadOptions/maximumConnections``.
    public static let useFewerConnections = Self(.useFewerConnections)
    public static let checkNetwork = Self(.checkNetwork)
    /// The port of the URL, where the host refuses connections.
    public static let checkPort = Self(.checkPort)
    /// `Downloader.Configuration.proxies`, and what the proxy allows.
    public static let checkProxy = Self(.checkProxy)
    /// The clock here, by which certificates are valid or not, and the certificate of the server.
    public static let checkCertificate = Self(.checkCertificate)
    /// `Downloader.Configuration.clientCertificateFile` and `privateKeyFile`.
    public static let checkClientCertificate = Self(.checkClientCertificate)
    /// `Downloader.Configuration.certificateAuthorityFile`.
    public static let nameAuthority = Self(.nameAuthority)
}

extension DownloadError.Remedy {
    /// Every remedy of this version. Catalogues of words switch over it, so that none is left without.
    package enum Known: String, CaseIterable, Sendable {
        case chooseName, chooseDirectory, createDirectory, decideIfExists, renameIfExists, replaceExisting,
            moveExisting, restartOnChange, stopAdopting, compareExisting, addFormerURL, replacePartialFile,
            finishElsewhere, removeJournal, removePartialFile,
            useNewerVersion, waitForOther, freeSpace, makeWritable, checkDisk, openFewerFiles, allowMoreProcesses,
            downloadToFile, raiseMaximumSize, allowMoreTime, acceptWebPage, acceptIncomplete, allowInsecureRedirect,
            giveDigest, checkDigest, fetchWhole, fetchWholeArchive, tryAgain, tryLater, ignoreRetryAfter, checkURL,
            renewURL, giveCredentials, checkCredentials, logIn, openInBrowser, giveCookies, addSource,
            useFewerConnections,
            checkNetwork, checkPort, checkProxy, checkCertificate, checkClientCertificate, nameAuthority
    }

    init(_ known: Known) { self.init(rawValue: known.rawValue) }

    /// The remedy as a case; nil for a remedy of a later version.
    package var known: Known? { Known(rawValue: rawValue) }
}
