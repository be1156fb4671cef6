import Pawl
import PawlCore

/// One JSON object a line on stdout; errors for people on stderr, too.
struct JSONReporter: GetReporter {
    let words: GetWords
    let output: OutputStream
    let errors: OutputStream
    let interruption: Interruption

    var interval: Duration? { .milliseconds(250) }

    func remark(_ text: String) { errors.write("pawl: " + text.shown(in: words.locale) + "\n") }

    func began(_ download: PlannedDownload) { write(GetEvents.started(download)) }

    func note(_ notice: DownloadNotice, of download: PlannedDownload) { write(GetEvents.notice(notice, id: download.id)) }

    func tick(_ run: RunProgress, at time: Duration) {
        for download in run.running { write(GetEvents.progress(download.progress, id: download.id)) }
        if let unpacking = run.unpacking { write(ArchiveEvents.progress(unpacking)) }
    }

    func unpacked(_ download: PlannedDownload, _ planned: PlannedUnpacking, _ ending: UnpackingEnding, after elapsed: Duration) {
        write(ArchiveEvents.ended(ending, of: planned, after: elapsed).tagged(download.id))
        guard case .failed = ending else { return }
        for line in words.lines(for: ending, of: planned, after: elapsed) { errors.write(line + "\n") }
    }

    func ended(_ download: PlannedDownload, _ ending: GetEnding, after elapsed: Duration) {
        write(GetEvents.ended(ending, id: download.id, after: elapsed))
        guard ending.message != nil else { return }
        for line in words.lines(for: ending, of: download, after: elapsed) { errors.write(line + "\n") }
    }

    func finished(_ summary: RunSummary) { write(GetEvents.summary(summary)) }

    /// Whoever reads this started the run; once the reader is gone, nobody wants it to go on.
    private func write(_ event: JSONValue) {
        if !output.write(event.encoded + "\n") { interruption.stop(.outputClosed) }
    }
}
