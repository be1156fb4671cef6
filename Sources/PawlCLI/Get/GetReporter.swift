import Pawl
import PawlJobs

/// Shows a run to whoever is there: a person at a terminal, a log, a program, nobody.
protocol GetReporter: Sendable {
    /// Between two looks at the progress; nil for none.
    var interval: Duration? { get }
    /// Before anything is fetched.
    mutating func remark(_ text: String)
    mutating func began(_ download: PlannedDownload)
    mutating func note(_ notice: DownloadNotice, of download: PlannedDownload)
    mutating func tick(_ run: RunProgress, at time: Duration)
    /// Its bytes have come, or will not.
    ///
    /// - Parameter elapsed: since it began.
    mutating func ended(_ download: PlannedDownload, _ outcome: JobOutcome, after elapsed: Duration)
    /// The file is there, and was unpacked or not.
    ///
    /// - Parameter elapsed: since its unpacking began.
    mutating func unpacked(_ download: PlannedDownload, _ outcome: JobOutcome, after elapsed: Duration)
    /// Takes away what is redrawn: somebody else is about to write.
    mutating func makeRoom()
    /// The last call.
    mutating func finished(_ ending: RunEnding)
}

extension GetReporter {
    func makeRoom() {}
}
