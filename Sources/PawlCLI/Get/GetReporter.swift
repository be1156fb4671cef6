import Pawl
import PawlJobs

/// Reports a run: to a person at a terminal, a log, a program, or nobody.
protocol GetReporter: Sendable {
    /// The interval between progress reports; nil for none.
    var interval: Duration? { get }
    /// Reports a remark before anything is fetched.
    mutating func remark(_ text: String)
    mutating func began(_ download: PlannedDownload)
    mutating func note(_ notice: DownloadNotice, of download: PlannedDownload)
    mutating func tick(_ run: RunProgress, at time: Duration)
    /// Reports the end of a file's download.
    ///
    /// - Parameter elapsed: since it began.
    mutating func ended(_ download: PlannedDownload, _ outcome: JobOutcome, after elapsed: Duration)
    /// The file is there, and was unpacked or not.
    ///
    /// - Parameter elapsed: since its unpacking began.
    mutating func unpacked(_ download: PlannedDownload, _ outcome: JobOutcome, after elapsed: Duration)
    /// Removes the redrawn block before other output.
    mutating func makeRoom()
    /// The last call.
    mutating func finished(_ ending: RunEnding)
}

extension GetReporter {
    func makeRoom() {}
}
