public import PawlCore
import PawlEngine

/// A download of a ``DownloadManager`` as it stood at one moment: a plain value with all that a user interface needs.
public struct DownloadSnapshot: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        /// The download's turn has not come, or the host it wants has no room (``DownloadSnapshot/whyWaiting``).
        case queued
        /// ``DownloadSnapshot/progress`` says how far it is.
        case running
        case waiting(WaitReason)
        /// Paused by the user, until resumed.
        case paused
        case completed
        /// Failed for good, unless resumed.
        case failed(DownloadError)
    }

    public enum WaitReason: Hashable, Sendable {
        /// Other downloads have all the connections that the host may have.
        case hostLimit(host: String)
        /// The host asked for a pause, or does not answer.
        case hostRests(host: String, seconds: Double)
        /// A failure that will be retried.
        case backOff(seconds: Double, reason: String)
        /// The file does not fit on the disk now; the text has the figures.
        case diskFull(String)
        /// A fresh URL is being fetched.
        case freshURL
        /// The timetable of the speed limit fetches nothing for now.
        case timetable(SpeedSchedule.Pause)
        /// The session left out what is secret: its URL or its credentials have to be given again.
        case credentials
    }

    public let id: DownloadID
    public let state: State
    /// Seconds since 1970.
    public let stateSince: Int64
    /// The value of ``DownloadResult/isComplete`` of a completed download: false if bytes may be missing, or if it was
    /// skipped. Nil until it is completed.
    public let isComplete: Bool?
    /// Bytes, total, rate, time left, the connections with their ranges, and the ranges that are stored. Of one that
    /// does not run, what is known from its last run.
    public let progress: DownloadProgress
    /// The URL as it was added, redacted: no userinfo, no query values.
    public let url: String
    /// The host (`host:port`) that its bytes come from, as far as is known.
    public let host: String
    public let directory: String
    /// The name of the file; nil until the server has named it.
    public let fileName: String?
    public let priority: Int
    /// The place in the queue, from zero; nil for a completed one.
    public let position: Int?

    /// The reason why the download is not running, as a sentence; nil if it runs or has ended.
    public var whyWaiting: String? {
        switch state {
        case .queued: "Waiting for its turn."
        case .paused: "It was paused."
        case .waiting(.hostLimit(let host)): "\(HTTPURL.shown(host: host)) has reached its connection limit."
        case .waiting(.hostRests(let host, let seconds)):
            "No requests to \(HTTPURL.shown(host: host)) for \(Int(seconds.rounded(.up))) s."
        case .waiting(.backOff(let seconds, let reason)): "Retrying in \(Int(seconds.rounded(.up))) s: \(reason)"
        case .waiting(.diskFull(let reason)): reason
        case .waiting(.freshURL): "The link has expired; fetching a fresh one."
        case .waiting(.timetable(let pause)): pause.sentence
        case .waiting(.credentials): "Its URL or credentials were not stored; give them again."
        case .running, .completed, .failed: nil
        }
    }

    init(_ taken: PoolSnapshot, wallClock: Int64) {
        let entry = taken.entry
        id = entry.id
        stateSince = entry.since
        isComplete = if case .completed(let facts) = entry.state { facts.isComplete } else { nil }
        url = taken.url ?? (try? HTTPURL(parsing: entry.url))?.redacted ?? ""
        host = entry.host
        directory = entry.directory
        fileName = entry.fileName
        priority = Int(entry.priority)
        position = taken.position
        state = Self.state(taken)
        progress =
            taken.progress
            ?? DownloadProgress(
                state: Self.progressState(state), bytesStored: entry.stored, bytesDurable: entry.stored,
                totalBytes: entry.total < 0 ? nil : entry.total)
    }

    private static func state(_ taken: PoolSnapshot) -> State {
        let entry = taken.entry
        func seconds(_ until: Instant) -> Double { max(0, (until - taken.taken).inSeconds) }
        switch entry.state {
        case .queued:
            return taken.obstacle.map { .waiting(WaitReason($0, of: entry.host, at: taken.taken)) } ?? .queued
        case .running:
            guard case .waiting(let rest, let reason)? = taken.progress?.state else { return .running }
            switch taken.progress?.waitCause {
            case .hostLimit: return .waiting(.hostLimit(host: entry.host))
            case .freshURL: return .waiting(.freshURL)
            case .network: return .waiting(.backOff(seconds: rest, reason: "Waiting for the network: \(reason)"))
            case .timetable(let pause): return .waiting(.timetable(pause))
            case .backOff, nil: return .waiting(.backOff(seconds: rest, reason: reason))
            }
        case .paused: return .paused
        case .waiting(.backOff(let until, let error)):
            return .waiting(.backOff(seconds: seconds(until), reason: error.message))
        case .waiting(.diskFull(let error)): return .waiting(.diskFull(error.message))
        case .waiting(.credentials): return .waiting(.credentials)
        case .completed: return .completed
        case .failed(let error): return .failed(error)
        }
    }

    private static func progressState(_ state: State) -> DownloadProgress.State {
        switch state {
        case .queued, .running, .waiting: .queued
        case .paused: .paused
        case .completed: .completed
        case .failed(let error): .failed(error)
        }
    }
}

extension DownloadSnapshot.WaitReason {
    init(_ obstacle: HostQueues.Obstacle, of host: String, at now: Instant) {
        switch obstacle {
        case .full, .suspect: self = .hostLimit(host: host)
        case .rests(let until): self = .hostRests(host: host, seconds: max(0, (until - now).inSeconds))
        }
    }
}
