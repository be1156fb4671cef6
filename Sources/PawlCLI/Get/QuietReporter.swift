import Pawl
import PawlCore
import PawlJobs

/// `--quiet`: errors only.
struct QuietReporter: GetReporter {
    let words: GetWords
    let errors: OutputStream
    private var failures = FailureDeduplicator()

    init(words: GetWords, errors: OutputStream) { (self.words, self.errors) = (words, errors) }

    var interval: Duration? { nil }

    func remark(_ text: String) {}
    func began(_ download: PlannedDownload) {}
    func note(_ notice: DownloadNotice, of download: PlannedDownload) {}
    func tick(_ run: RunProgress, at time: Duration) {}

    mutating func ended(_ download: PlannedDownload, _ outcome: JobOutcome, after elapsed: Duration) {
        guard outcome.isFailure, failures.isNew(outcome) else { return }
        for line in words.lines(for: outcome, of: download, after: elapsed) { errors.say(line) }
    }

    func unpacked(_ download: PlannedDownload, _ outcome: JobOutcome, after elapsed: Duration) {
        guard outcome.isFailure else { return }
        for line in words.lines(unpacking: outcome, of: download, after: elapsed) { errors.say(line) }
    }

    func finished(_ ending: RunEnding) {
        for line in words.repetitions(ending.summary) { errors.say(line) }
    }
}
