public import PawlCore
import PawlEngine

/// A download of a ``DownloadManager`` as it stood at one moment: a plain value with all that a user interface needs.
public struct DownloadSnapshot: Hashable, Sendable {
    public let id: DownloadID
    /// Seconds since 1970.
    public let stateSince: Int64
    /// The value of ``DownloadResult/isComplete`` of a completed download: false if bytes may be missing, or if it was
    /// skipped. Nil until it is completed.
    public let isComplete: Bool?
    /// Bytes, total, rate, time left, the connections with their ranges, and the ranges that are stored. Of one that
    /// does not run, what is known from its last run.
    public let progress: DownloadProgress
    /// The URL that was added, redacted: no userinfo, no query values.
    public let url: String
    /// The host (`host:port`) that its bytes come from, as far as is known.
    public let host: String
    public let directory: String
    /// The name of the file; nil until the server has named it.
    public let fileName: String?
    public let priority: Int
    /// The place in the queue, from zero; nil for a completed one.
    public let position: Int?

    public let state: DownloadState

    /// The reason why the download is not running, as a sentence; nil if it runs or has ended.
    public var whyWaiting: String? { state.whyWaiting }

    init(_ taken: PoolSnapshot, wallClock: Int64) {
        let entry = taken.entry
        id = entry.id
        stateSince = entry.since
        isComplete = if case .completed(let facts) = entry.state { facts.isComplete } else { nil }
        url = entry.url.redacted
        host = entry.host
        directory = entry.directory
        fileName = entry.fileName
        priority = Int(entry.priority)
        position = taken.position
        var progress =
            taken.progress
            ?? DownloadProgress(
                state: .queued, bytesStored: entry.stored, bytesDurable: entry.stored,
                totalBytes: entry.total < 0 ? nil : entry.total)
        state = DownloadState(taken)
        // A run that has stopped is still one until its files are closed.
        if entry.state != .running || progress.state.isWaiting || progress.state == .queued { progress.state = state }
        self.progress = progress
    }
}

extension DownloadState {
    fileprivate init(_ taken: PoolSnapshot) {
        let entry = taken.entry
        self =
            switch entry.state {
            case .queued: taken.obstacle.map { .waiting(Wait($0, of: entry.host, at: taken.taken)) } ?? .queued
            case .running:
                switch taken.progress?.state {
                case .running(let step): .running(step)
                case .waiting(.hostLimit): .waiting(.hostLimit(host: entry.host))
                case .waiting(let wait): .waiting(wait)
                case .queued, nil: .running(.probing)
                // Its end has not been heard of yet.
                case .paused, .completed, .failed, .cancelled: .running(.finishing)
                }
            case .paused: .paused
            case .waiting(.backOff(let until, let error)):
                .waiting(.backOff(seconds: max(0, (until - taken.taken).inSeconds), reason: error.message))
            case .waiting(.diskFull(let error)): .waiting(.diskFull(error.message))
            case .waiting(.credentials): .waiting(.credentials)
            case .completed: .completed
            case .failed(let error): .failed(error)
            }
    }
}

extension DownloadState.Wait {
    init(_ obstacle: HostQueues.Obstacle, of host: String, at now: Instant) {
        switch obstacle {
        case .full, .suspect: self = .hostLimit(host: host)
        case .rests(let until): self = .hostRests(host: host, seconds: max(0, (until - now).inSeconds))
        }
    }
}
