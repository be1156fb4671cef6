import Pawl
import PawlArchive
import PawlCore
import PawlEngine
import PawlJobs
import PawlSystem
import Synchronization

/// Jobs that the queue does not run: members of an archive on a server are several ranges of it, and become a file or a
/// directory of another name. A run that was cut off begins with what it has stored.
extension JobService {
    /// The number of jobs that run at once in addition to those of the queue.
    static let maximumDirect = 2
    /// The rank in lists, behind all jobs of the queue.
    static let directRank: Int64 = 1 << 62

    static let notQueued = Conflict(.notSupported, "Downloads of archive members are not in the queue.")

    func directFetches(_ secrets: SecretReader) -> LiveFetches {
        LiveFetches(manager.downloader, secrets, netrc: netrc, queuesSingleFiles: false) { () throws(DownloadError) in
            throw DownloadError(.invalidArgument, "A job of the service must have exactly one file.", recovery: .giveUp)
        }
    }

    /// Restores a job without the queue; one that ran when the process ended waits for its turn again.
    func restoreDirect(_ sketch: JobSketch) {
        if !sketch.isPaused {
            state.withLock { $0.sketches[sketch.number]?.state = .queued }
            ledger.edit(sketch.number) { if $0.state == .running { $0.state = .queued } }
        }
        begin(sketch.number)
    }

    func beginNextDirect() {
        let next = state.withLock { state in
            state.sketches.values.filter { $0.isDirect && !$0.isPaused && state.runs[$0.number] == nil }.map(\.number)
                .min()
        }
        if let next { begin(next) }
    }

    /// The progress of a job that runs without the queue; nil if it does not run.
    func directProgress(of number: Int64) -> DownloadProgress? {
        state.withLock { ($0.direct[number] ?? nil)?.progress }
    }
}

extension StoredJob {
    mutating func take(_ chosen: ChosenMembers) {
        total = chosen.byteCount
        name = PathParts(chosen.target).name
    }
}
