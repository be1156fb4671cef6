import Pawl
import PawlCore

/// Shows a download to whoever is there: a person at a terminal, a log, a program, nobody.
protocol GetReporter: Sendable {
    /// Between two looks at the progress; nil for none.
    var interval: Duration? { get }
    mutating func began(url: String)
    mutating func note(_ notice: DownloadNotice)
    mutating func tick(_ progress: DownloadProgress)
    /// The last call. The error of a failure is written by the caller.
    mutating func ended(_ ending: GetEnding, after elapsed: Duration)
}

/// Lets the tasks that watch a download speak one after the other.
actor GetDisplay {
    private var reporter: any GetReporter
    let interval: Duration?

    init(_ reporter: any GetReporter) {
        self.reporter = reporter
        interval = reporter.interval
    }

    func began(_ download: Download) { reporter.began(url: download.url) }

    func note(_ notice: DownloadNotice) { reporter.note(notice) }

    func tick(_ progress: DownloadProgress) { reporter.tick(progress) }

    func ended(_ ending: GetEnding, after elapsed: Duration) { reporter.ended(ending, after: elapsed) }
}

/// `--quiet`.
struct QuietReporter: GetReporter {
    var interval: Duration? { nil }
    func began(url: String) {}
    func note(_ notice: DownloadNotice) {}
    func tick(_ progress: DownloadProgress) {}
    func ended(_ ending: GetEnding, after elapsed: Duration) {}
}
