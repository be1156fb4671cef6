import Pawl
import PawlArchive
import PawlCore
import PawlJobs

extension JobEvent {
    /// The line for the log of a job; nil for events not worth one, and for those that the manager reports before.
    var entry: (code: String, message: String)? {
        switch self {
        case .choseMembers(_, let chosen):
            ("members", "Downloading \(chosen.count) of \(chosen.totalCount) members of the archive.")
        case .fetchesWhole: ("warning", "The server does not support byte ranges, so the whole archive is downloaded.")
        case .unpacked(_, let file): ("extracted", file.result.logged)
        case .archiveKept: ("warning", "The archive already existed and is kept.")
        case .ended(_, .completed(let file, _)):
            ("completed", file.result.wasSkipped ? "The file already exists; left unchanged." : "The file is complete.")
        case .ended(_, .failed(let step, let failure, _)):
            (step == .unpack ? "extractionFailed" : "failed", failure.message)
        case .refused(let failure): ("failed", failure.message)
        case .hookEnded(_, .exited(0)): ("hook", "The hook has ended.")
        case .hookEnded(_, .exited(let code)): ("hookFailed", "The hook ended with exit status \(code).")
        case .hookEnded(_, .signalled(let signal)):
            ("hookFailed", "The hook was terminated by signal \(signal). It runs again when the service starts next.")
        case .hookEnded(_, .notStarted(let reason)):
            ("hookFailed", "The hook could not be started: \(reason). It is tried again when the service starts next.")
        default: nil
        }
    }
}

extension ExtractionResult {
    var logged: String {
        (["The archive was unpacked to “\(directory)”."] + notices.map(\.message)).joined(separator: " ")
    }
}

extension DownloadNotice {
    /// The line for the log of a job; nil for notices of segments, which come by the hundred.
    var entry: (code: String, message: String)? {
        code == .segmentBegan || code == .segmentEnded ? nil : (code.rawValue, message)
    }
}
