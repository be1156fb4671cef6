import Pawl
import PawlCore
import PawlJobs

/// Writes one JSON object a line on stdout; errors also go to stderr, for people.
struct JSONReporter: GetReporter {
    let words: GetWords
    private let json = JobJSON(.command)
    let output: OutputStream
    let errors: OutputStream
    let interruption: Interruption
    private var wasPaused = false

    init(words: GetWords, output: OutputStream, errors: OutputStream, interruption: Interruption) {
        self.words = words
        self.output = output
        self.errors = errors
        self.interruption = interruption
    }

    var interval: Duration? { .milliseconds(250) }

    func remark(_ text: String) { errors.say("pawl: " + text.shown(in: words.locale)) }

    func began(_ download: PlannedDownload) { write(json.started(download.id, download.file)) }

    func note(_ notice: DownloadNotice, of download: PlannedDownload) { write(json.notice(download.id, notice)) }

    mutating func tick(_ run: RunProgress, at time: Duration) {
        let isPaused = run.pause != nil
        if !(isPaused && wasPaused) {
            for download in run.running { write(json.progress(JobFileID(download.id), download.progress)) }
        }
        wasPaused = isPaused
        if let unpacking = run.unpacking { write(ArchiveJSON.progress(unpacking)) }
    }

    func unpacked(_ download: PlannedDownload, _ outcome: JobOutcome, after elapsed: Duration) {
        if let event = json.unpacked(download.id, outcome, after: elapsed) { write(event) }
        guard outcome.isFailure else { return }
        for line in words.lines(unpacking: outcome, of: download, after: elapsed) { errors.say(line) }
    }

    func ended(_ download: PlannedDownload, _ outcome: JobOutcome, after elapsed: Duration) {
        write(
            json.ended(
                download.id, outcome, after: elapsed, stopped: (interruption.cause?.exitCode ?? .failure).rawValue))
        guard outcome.isFailure else { return }
        for line in words.lines(for: outcome, of: download, after: elapsed) { errors.say(line) }
    }

    func finished(_ ending: RunEnding) { write(json.summary(ending.summary, exitCode: ending.exitCode.rawValue)) }

    /// The reader of this output started the run; once it is gone, the run is pointless.
    private func write(_ event: JSONValue) {
        if !output.write(event.encoded + "\n") { interruption.stop(.outputClosed) }
    }
}
