/// A download of a queue: small, for there may be a hundred thousand. No driver, task, stream or closure is kept for
/// one that waits.
package struct QueueEntry: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// Next: running, paused, waiting (its disk is full).
        case queued
        /// Next: queued, paused, waiting, completed, failed.
        case running
        /// The user paused it. Next: queued.
        case paused
        /// Next: queued, paused.
        indirect case waiting(Wait)
        /// Next: none; it is forgotten some time.
        indirect case completed(FinishedFacts)
        /// Next: queued, when asked for again.
        indirect case failed(DownloadError)

        /// Whether the download holds its target and has a place in the queue.
        package var isAlive: Bool {
            switch self {
            case .queued, .running, .paused, .waiting: true
            case .completed, .failed: false
            }
        }
    }

    package enum Wait: Hashable, Sendable {
        case backOff(until: Instant, DownloadError)
        case diskFull(DownloadError)
        /// The secrets that the session left out have to be supplied again.
        case credentials
    }

    package let id: DownloadID
    /// With the secrets that are known. Equal requests share all but the URL.
    package var request: DownloadSettings.Request
    /// `host:port` of the URL, or of where it was last seen to lead.
    package var host: String
    package var directory: String
    /// The file name as the caller gave it, or as the server chose it.
    package var fileName: String?
    /// Whether the caller, and not the server, chose the name.
    package var isNameGiven: Bool
    /// ``FileTarget/hash`` of where the file goes.
    package var target: UInt64
    /// The target under the name that the server has chosen, where it was not known before. Zero: none. A failed
    /// download releases it and must reacquire it before it resumes.
    package var claimed: UInt64 = 0
    package var priority: Int32 = 0
    package var position: Int64 = 0
    package var state: State = .queued
    /// Seconds since 1970.
    package var since: Int64 = 0
    /// The length in bytes; -1 while unknown.
    package var total: Int64 = -1
    package var stored: Int64 = 0
    /// Tries without progress in the runs so far, and whole runs that failed.
    package var failures: Int32 = 0
    package var retries: Int32 = 0
    /// Written into the finished file: whoever finds it there knows that this download made it. Zero: none.
    package var markerNumber: UInt64 = 0
    /// The session left out what is secret, and without it this cannot run.
    package var lacksSecrets = false
    /// Tells what was left out from what is given again: a hash of the request's identity, salted with
    /// ``markerNumber``. Nil in sessions that have none, and where nothing is missing.
    package var identityHash: [UInt8]?
    /// Whether the download takes the next free name if another download has the name that the server chooses.
    package var renamesTaken = false
    /// Whether the download ran when the program ended, according to the session, and has not got beyond looking at its
    /// target since.
    package var ranBefore = false

    package init(
        id: DownloadID, _ request: DownloadSettings.Request, host: String? = nil, directory: String,
        fileName: String? = nil, target: UInt64, priority: Int32 = 0
    ) {
        self.id = id
        self.request = request
        self.host = host ?? request.askedURL.hostKey
        self.directory = directory
        self.fileName = fileName
        isNameGiven = fileName != nil
        self.target = target
        self.priority = max(-Int32.max, priority)
    }

    package init(
        id: DownloadID, url: HTTPURL, host: String, directory: String, fileName: String? = nil, target: UInt64,
        priority: Int32 = 0
    ) {
        self.init(
            id: id, DownloadSettings.Request(url: url), host: host, directory: directory, fileName: fileName,
            target: target, priority: priority)
    }

    /// The URL of the caller, secrets included.
    package var url: HTTPURL {
        get { request.url }
        set { request.url = newValue }
    }

    /// Whether it is known to be longer than what counts as small.
    var isLarge: Bool { max(total, stored) > SmallFileBudget.largest }

    /// The number of bytes still to come; nil while the length is unknown.
    package var missing: Int64? { total < 0 ? nil : max(0, total - stored) }
}

/// The order of a queue: higher priority first, then by position.
package struct QueueKey: Hashable, Comparable, Sendable {
    /// The negative of the priority.
    package let rank: Int32
    package let slot: Int32
    package let position: Int64

    package static func < (left: QueueKey, right: QueueKey) -> Bool {
        (left.rank, left.position, left.slot) < (right.rank, right.position, right.slot)
    }
}
