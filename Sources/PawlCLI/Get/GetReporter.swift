import Pawl
import PawlArchive
import PawlCore

/// Shows a run to whoever is there: a person at a terminal, a log, a program, nobody.
protocol GetReporter: Sendable {
    /// Between two looks at the progress; nil for none.
    var interval: Duration? { get }
    /// Before anything is fetched.
    mutating func remark(_ text: String)
    mutating func began(_ download: PlannedDownload)
    mutating func note(_ notice: DownloadNotice, of download: PlannedDownload)
    mutating func tick(_ run: RunProgress, at time: Duration)
    /// - Parameter elapsed: since this download began.
    mutating func ended(_ download: PlannedDownload, _ ending: GetEnding, after elapsed: Duration)
    /// - Parameter elapsed: since its unpacking began.
    mutating func unpacked(_ download: PlannedDownload, _ planned: PlannedUnpacking, _ ending: UnpackingEnding, after elapsed: Duration)
    /// Takes away what is redrawn: somebody else is about to write.
    mutating func makeRoom()
    /// The last call.
    mutating func finished(_ summary: RunSummary)
}

extension GetReporter {
    func makeRoom() {}
}

/// How one download ended.
enum GetEnding: Hashable, Sendable {
    case completed(DownloadResult)
    case failed(DownloadError)
    /// Of members of a remote archive: what is wrong with them, or with the place they go to.
    case archiveFailed(ArchiveError)
    case stopped(StopCause?, bytes: Int64, total: Int64?)

    var exitCode: ExitCode {
        switch self {
        case .completed: .done
        case .failed(let error): ExitCode(error.code)
        case .archiveFailed(let error): ExitCode(error.code)
        case .stopped(let cause, _, _): cause?.exitCode ?? .failure
        }
    }

    /// The file was fetched, and nothing shows that all of it came.
    var mayBeCutOff: Bool {
        guard case .completed(let result) = self else { return false }
        return !result.isComplete && !result.wasSkipped
    }

    /// What went wrong; nil where nothing did.
    var message: String? {
        switch self {
        case .failed(let error): error.words
        case .archiveFailed(let error): error.words
        case .completed, .stopped: nil
        }
    }
}
