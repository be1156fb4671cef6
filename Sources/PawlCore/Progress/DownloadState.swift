/// The state of a download, the same for one that runs by itself and for one in a queue.
///
/// ```swift
/// let manager = try DownloadManager()
/// let id = try manager.add(DownloadRequest("https://example.org/disk.iso", to: "disk.iso"))
/// if let state = manager.snapshot(id)?.state, case .waiting = state { print(state.whyWaiting ?? "") }
/// ```
public enum DownloadState: Hashable, Sendable {
    /// The download's turn has not come.
    case queued
    /// The download fetches nothing until the reason has passed.
    case waiting(Wait)
    case running(Step)
    /// Stopped until someone resumes it. Received bytes are durable.
    case paused
    /// The file is complete and has its name.
    case completed
    /// Failed for good, unless someone resumes it.
    case failed(DownloadError)
    /// Stopped for good.
    case cancelled

    /// The steps of a running download that a user can tell apart.
    public enum Step: Hashable, Sendable {
        /// The first request is under way; nothing is known of the file.
        case probing
        case downloading
        case verifying
        /// The file is complete, and is being made durable and named.
        case finishing
    }

    /// The reason why a download fetches nothing for now.
    public enum Wait: Hashable, Sendable {
        /// Other downloads have all the connections that the host (`example.org` or `example.org:443`) may have.
        case hostLimit(host: String)
        /// The host asked for a pause, or does not answer.
        case hostRests(host: String, seconds: Double)
        /// A failure that will be retried.
        case backOff(seconds: Double, reason: String)
        /// No server can be reached: the download goes on as soon as one can, after these seconds at the latest.
        case network(seconds: Double, reason: String)
        /// The file does not fit on the disk now; the text has the figures.
        case diskFull(String)
        /// The link has expired, and a fresh URL is being fetched.
        case freshURL
        /// The timetable of the speed limit fetches nothing for now.
        case timetable(SpeedSchedule.Pause)
        /// The session left out what is secret: its URL or its credentials have to be given again.
        case credentials
    }

    public var isRunning: Bool { if case .running = self { true } else { false } }

    public var isWaiting: Bool { if case .waiting = self { true } else { false } }

    /// The reason why the download does not run, as a sentence; nil if it runs or has ended.
    public var whyWaiting: String? {
        switch self {
        case .queued: "Waiting for its turn."
        case .paused: "It was paused."
        case .waiting(let wait):
            wait.secondsUntilRetry.map { seconds in
                let prefix = if case .network = wait { "Waiting for the network: " } else { "" }
                return "Retrying in \(Int(seconds.rounded(.up))) s: \(prefix)\(wait.reason)"
            } ?? wait.reason
        case .running, .completed, .failed, .cancelled: nil
        }
    }
}

extension DownloadState.Wait {
    /// The time until something that failed is tried again; nil for other reasons.
    package var secondsUntilRetry: Double? {
        switch self {
        case .backOff(let seconds, _), .network(let seconds, _): seconds
        case .hostLimit, .hostRests, .diskFull, .freshURL, .timetable, .credentials: nil
        }
    }

    /// The reason as a sentence, without the time until something is tried again.
    package var reason: String {
        switch self {
        case .hostLimit(let host): "\(HTTPURL.shown(host: host)) has reached its connection limit."
        case .hostRests(let host, let seconds):
            "No requests to \(HTTPURL.shown(host: host)) for \(Int(seconds.rounded(.up))) s."
        case .backOff(_, let reason), .network(_, let reason): reason
        case .diskFull(let reason): reason
        case .freshURL: "The link has expired; fetching a fresh one."
        case .timetable(let pause): pause.sentence
        case .credentials: "Its URL or credentials were not stored; give them again."
        }
    }
}
