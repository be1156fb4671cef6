import Pawl
import PawlCore

/// `--quiet`: errors only.
struct QuietReporter: GetReporter {
    let words: GetWords
    let errors: OutputStream

    var interval: Duration? { nil }

    func remark(_ text: String) {}
    func began(_ download: PlannedDownload) {}
    func note(_ notice: DownloadNotice, of download: PlannedDownload) {}
    func tick(_ run: RunProgress, at time: Duration) {}

    func ended(_ download: PlannedDownload, _ ending: GetEnding, after elapsed: Duration) {
        guard ending.message != nil else { return }
        for line in words.lines(for: ending, of: download, after: elapsed) { errors.write(line + "\n") }
    }

    func unpacked(_ download: PlannedDownload, _ planned: PlannedUnpacking, _ ending: UnpackingEnding, after elapsed: Duration) {
        guard case .failed = ending else { return }
        for line in words.lines(for: ending, of: planned, after: elapsed) { errors.write(line + "\n") }
    }

    func finished(_ summary: RunSummary) {}
}
